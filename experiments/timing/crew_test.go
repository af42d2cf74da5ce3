package timing

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// All shares are done, each once and by a worker of its own, at the same time.
func TestCrew(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(2, runtime.NumCPU())))
	n := Threads()
	c, err := NewCrew(n)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var done [64]atomic.Int32
	for pass := range 200 {
		if pass%50 == 49 {
			time.Sleep(3 * spinFor) // they fall asleep, and wake up again
		}
		for threads := 1; threads <= n; threads++ {
			var inside atomic.Int32
			sum := c.Do(threads, func(w int) uint64 {
				done[w].Add(1)
				inside.Add(1)
				for inside.Load() < int32(threads) { // nobody returns before all have come
					runtime.Gosched()
				}
				return uint64(w + 1)
			})
			if want := uint64(threads * (threads + 1) / 2); sum != want {
				t.Fatalf("%d threads return %d, want %d", threads, sum, want)
			}
		}
	}
	for w := range n {
		if got, want := done[w].Load(), int32(200*(n-w)); got != want {
			t.Errorf("worker %d did %d shares, want %d", w, got, want)
		}
	}
}

func TestCrewOfTooMany(t *testing.T) {
	for _, n := range []int{0, -1, Threads() + 1} {
		if _, err := NewCrew(n); err == nil || !strings.Contains(err.Error(), "can have a CPU each") {
			t.Errorf("%d threads: %v", n, err)
		}
	}
}

// A helper that sleeps in its share loses that time; the sample says so, and has
// no CPU time.
func TestCrewLosesTime(t *testing.T) {
	if Threads() < 2 || threadTime() == 0 {
		t.Skip("one CPU, or no clock of threads")
	}
	c, err := NewCrew(2)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	pass := func() uint64 {
		return c.Do(2, func(w int) uint64 {
			if w == 1 {
				time.Sleep(10 * time.Millisecond)
			}
			return 1
		})
	}
	pass()
	if lost := c.Lost(); lost < 9*time.Millisecond {
		t.Errorf("asleep for 10 ms, lost %v", lost)
	}
	if lost := c.Lost(); lost != 0 {
		t.Errorf("lost %v with nothing done", lost)
	}
	g := Group{Rounds: 1, Cells: []Cell{{Name: "c", Ops: 2, Want: 2, Crew: c, Pass: pass}}}
	err = Run(t.Context(), g, 0, func(_ int, s []Sample) error {
		if s[0].CPU != 0 || s[0].Disturbed == 0 {
			t.Errorf("sample %+v", s[0])
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
