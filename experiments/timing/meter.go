package timing

import (
	"runtime"
	"runtime/debug"
	"time"
)

// A meter reads the clocks of the thread that it was made on.
type meter interface {
	start()
	// stop returns what passed since start.
	stop() reading
}

// reading is what passed between start and stop.
type reading struct {
	wall time.Duration
	// cpu is the thread's own time; 0 where the system does not say.
	cpu time.Duration
	// switches is how often the kernel took the CPU away from the thread.
	switches int
	// stolen is the time that the hypervisor gave to other machines, in units
	// of the kernel's clock tick (10 ms).
	stolen time.Duration
	// others is the time in which other threads of the pass did not run.
	others time.Duration
}

// add is for what was timed in pieces.
func (r *reading) add(o reading) {
	r.wall += o.wall
	r.cpu += o.cpu
	r.switches += o.switches
	r.stolen += o.stolen
	r.others += o.others
}

// lost is the time in which the thread did not run, or others that it waits for.
func (r reading) lost() time.Duration {
	if r.cpu == 0 {
		return r.stolen + r.others
	}
	return r.stolen + r.others + max(0, r.wall-r.cpu)
}

// busy is the best that is known of the time in which it ran.
func (r reading) busy() time.Duration {
	if r.cpu == 0 {
		return r.wall
	}
	return r.cpu
}

// disturbed reports whether something came between that could show in the
// result: more than a hundredth of the time was lost, or the thread was
// interrupted more than once in switchEvery and found its cache used by others.
func (r reading) disturbed() bool {
	return r.stolen > 0 || r.lost() > r.wall/100 || r.switches > int(r.wall/switchEvery)
}

// switchEvery is how often a thread that runs for long is interrupted on a
// machine that is otherwise idle, or less.
const switchEvery = 10 * time.Millisecond

// quietly calls f on a thread of its own, pinned to a CPU where that can be
// done, with the garbage collector off.
func quietly(f func(m meter) error) error {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m, restore, err := pinned()
	if err != nil {
		return err
	}
	defer restore()
	return f(m)
}
