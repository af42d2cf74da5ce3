package timing

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Crew is threads that do shares of one pass together, each pinned to a CPU of
// its own where that can be done. Worker 0 is the caller, who is expected to be
// pinned as Run does it; the others wait meanwhile, without using their CPUs.
type Crew struct {
	helpers []*helper
	stop    atomic.Bool
	done    sync.WaitGroup
	lost    time.Duration
}

// task is a helper's share of a pass.
type task struct {
	worker   int
	share    func(worker int) uint64
	sum      uint64
	lost     time.Duration // that its thread did not run
	finished atomic.Bool
}

type helper struct {
	task   atomic.Pointer[task]
	asleep atomic.Bool
	wake   chan struct{} // has room for one
}

// Threads is the most that a crew can have: as many as there are CPUs that the
// process may use, and that Go uses.
func Threads() int { return min(runtime.GOMAXPROCS(0), usableCPUs()) }

// NewCrew starts a crew of so many threads, the caller's among them. It must be
// closed.
func NewCrew(threads int) (*Crew, error) {
	if most := Threads(); threads < 1 || threads > most {
		return nil, fmt.Errorf("timing: %d threads; 1 to %d can have a CPU each", threads, most)
	}
	c := &Crew{helpers: make([]*helper, threads-1)}
	ready := make(chan error, threads)
	for i := range c.helpers {
		h := &helper{wake: make(chan struct{}, 1)}
		c.helpers[i] = h
		c.done.Go(func() { c.help(h, i+1, ready) })
	}
	var err error
	for range c.helpers {
		if e := <-ready; e != nil {
			err = e
		}
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Close ends the threads, of which none may be at work.
func (c *Crew) Close() {
	c.stop.Store(true)
	for _, h := range c.helpers {
		h.rouse()
	}
	c.done.Wait()
}

// Do lets the first so many workers each do its share, all at the same time, and
// returns the sum when the last has finished.
func (c *Crew) Do(threads int, share func(worker int) uint64) uint64 {
	tasks := make([]task, threads)
	for w := 1; w < threads; w++ {
		t, h := &tasks[w], c.helpers[w-1]
		t.worker, t.share = w, share
		h.task.Store(t)
		h.rouse()
	}
	sum := share(0)
	for w := 1; w < threads; w++ {
		t := &tasks[w]
		for !t.finished.Load() { // it has a CPU, and is nearly done
		}
		sum += t.sum
		c.lost = max(c.lost, t.lost)
	}
	return sum
}

// Lost is the longest that a helper did not run in one of its shares since Lost
// was last called; 0 where the system does not say.
func (c *Crew) Lost() time.Duration {
	lost := c.lost
	c.lost = 0
	return lost
}

func (h *helper) rouse() {
	if h.asleep.Load() {
		select {
		case h.wake <- struct{}{}:
		default: // it is being woken already
		}
	}
}

// spinFor is how long a helper looks for another task before it sleeps: longer
// than what passes between the untimed pass and the timed one, so that waking up
// is not timed.
const spinFor = 2 * time.Millisecond

// help works until the crew is closed.
func (c *Crew) help(h *helper, worker int, ready chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	restore, err := pinWorker(worker)
	ready <- err
	if err != nil {
		return
	}
	defer restore()
	for idle := time.Now(); !c.stop.Load(); {
		t := h.task.Swap(nil)
		switch {
		case t != nil:
			t.work()
			idle = time.Now()
		case time.Since(idle) > spinFor:
			h.asleep.Store(true)
			if h.task.Load() == nil && !c.stop.Load() {
				<-h.wake
			}
			h.asleep.Store(false)
			idle = time.Now()
		}
	}
}

func (t *task) work() {
	began, cpu := time.Now(), threadTime()
	t.sum = t.share(t.worker)
	if used := threadTime() - cpu; used > 0 {
		t.lost = max(0, time.Since(began)-used)
	}
	t.finished.Store(true)
}
