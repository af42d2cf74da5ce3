package timing

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// threadMeter reads the clocks of the thread and of the CPU it is pinned to.
type threadMeter struct {
	stat *os.File // /proc/stat, nil if it cannot be read
	line []byte   // what its line of the CPU starts with
	buf  []byte

	wall            time.Time
	cpu             time.Duration
	switches, steal int64
}

// pinned pins the thread to the last CPU that it may use, since the kernel
// likes the first ones for its own work. restore undoes it.
func pinned() (m meter, restore func(), err error) {
	cpu, unpin, err := pin(0)
	if err != nil {
		return nil, nil, err
	}
	t := &threadMeter{line: fmt.Appendf(nil, "\ncpu%d ", cpu), buf: make([]byte, 64<<10)}
	t.stat, _ = os.Open("/proc/stat")
	return t, func() {
		unpin()
		t.stat.Close()
	}, nil
}

// pinWorker pins the thread of a crew's worker, of whom 0 is pinned by pinned.
func pinWorker(worker int) (restore func(), err error) {
	_, restore, err = pin(worker)
	return restore, err
}

// pin pins the thread to the last CPU that it may use, or to the one so many
// before it.
func pin(before int) (cpu int, restore func(), err error) {
	var allowed, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return 0, nil, fmt.Errorf("timing: asking for the CPUs allowed: %w", err)
	}
	rest := allowed
	for range before + 1 {
		if cpu, err = lastCPU(&rest); err != nil {
			return 0, nil, err
		}
		rest.Clear(cpu)
	}
	one.Set(cpu)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return 0, nil, fmt.Errorf("timing: pinning the thread to CPU %d: %w", cpu, err)
	}
	return cpu, func() {
		// The thread goes back to Go's pool: it must not stay on one CPU.
		if err := unix.SchedSetaffinity(0, &allowed); err != nil {
			panic(fmt.Sprintf("timing: undoing the pinning: %v", err))
		}
	}, nil
}

func lastCPU(set *unix.CPUSet) (int, error) {
	for cpu := len(set)*64 - 1; cpu >= 0; cpu-- {
		if set.IsSet(cpu) {
			return cpu, nil
		}
	}
	return 0, errors.New("timing: there is no such CPU for the thread")
}

// usableCPUs is how many CPUs the thread may use.
func usableCPUs() int {
	var allowed unix.CPUSet
	if unix.SchedGetaffinity(0, &allowed) != nil {
		return 1
	}
	return allowed.Count()
}

// start reads the clocks last and stop reads them first, so that the reading of
// the counters is not part of the time.
func (t *threadMeter) start() {
	t.steal = t.stealTicks()
	t.switches = involuntarySwitches()
	t.cpu = threadTime()
	t.wall = time.Now()
}

func (t *threadMeter) stop() reading {
	r := reading{wall: time.Since(t.wall), cpu: threadTime() - t.cpu}
	r.switches = int(involuntarySwitches() - t.switches)
	r.stolen = time.Duration(t.stealTicks()-t.steal) * (time.Second / userHZ)
	return r
}

// userHZ is the unit of /proc/stat, the same on every Linux of today.
const userHZ = 100

// stealTicks is the time that the hypervisor has taken from the CPU; 0 if the
// kernel does not say.
func (t *threadMeter) stealTicks() int64 {
	n, err := t.stat.ReadAt(t.buf, 0)
	if n == 0 && err != nil {
		return 0
	}
	return parseSteal(t.buf[:n], t.line)
}

// parseSteal finds the eighth number of the CPU's line in /proc/stat (proc(5):
// user nice system idle iowait irq softirq steal).
func parseSteal(stat, line []byte) int64 {
	at := bytes.Index(stat, line)
	if at < 0 {
		return 0
	}
	rest := stat[at+len(line):]
	for field := 1; ; field++ {
		end := bytes.IndexAny(rest, " \n")
		if end < 0 {
			return 0
		}
		if field == 8 {
			n, _ := strconv.ParseInt(string(rest[:end]), 10, 64)
			return n
		}
		if rest[end] == '\n' {
			return 0
		}
		rest = rest[end+1:]
	}
}

func threadTime() time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

func involuntarySwitches() int64 {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &u) != nil {
		return 0
	}
	return int64(u.Nivcsw)
}
