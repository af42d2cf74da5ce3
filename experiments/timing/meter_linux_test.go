package timing

import (
	"context"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// stat is shaped after proc(5); cpu1's steal is 77.
const stat = `cpu  10 20 30 40 50 60 70 80 90 100
cpu0 1 2 3 4 5 6 7 8 9 10
cpu1 11 22 33 44 55 66 70 77 88 99
cpu10 1 1 1 1 1 1 1 5 1 1
cpu11 1 1 1 1
intr 1234 5 6 7 8 9 10 11 12 13
`

func TestParseSteal(t *testing.T) {
	for line, want := range map[string]int64{
		"\ncpu0 ": 8, "\ncpu1 ": 77, "\ncpu10 ": 5,
		"\ncpu11 ": 0, // an old kernel: fewer columns
		"\ncpu2 ":  0, // not there
	} {
		if got := parseSteal([]byte(stat), []byte(line)); got != want {
			t.Errorf("%q: steal %d, want %d", line, got, want)
		}
	}
	for cut := range stat { // never a panic, whatever the kernel sends
		parseSteal([]byte(stat[:cut]), []byte("\ncpu1 "))
	}
}

// While it times, the thread stays on one CPU; afterwards it may use all that
// it could before.
func TestPinning(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, during, after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		t.Fatal(err)
	}
	g := Group{Rounds: 1, Cells: []Cell{{Name: "c", Ops: 1, Pass: func() uint64 {
		if err := unix.SchedGetaffinity(0, &during); err != nil {
			t.Error(err)
		}
		return 0
	}}}}
	if err := Run(context.Background(), g, 0, func(int, []Sample) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := unix.SchedGetaffinity(0, &after); err != nil {
		t.Fatal(err)
	}
	if during.Count() != 1 {
		t.Errorf("%d CPUs allowed while timing, want 1", during.Count())
	}
	if after != before {
		t.Errorf("CPUs allowed afterwards %v, before %v", after, before)
	}
}

// The thread's clock sees work and not sleep; the difference is what is lost.
func TestThreadMeter(t *testing.T) {
	err := quietly(func(m meter) error {
		m.start()
		time.Sleep(20 * time.Millisecond)
		if r := m.stop(); r.wall < 20*time.Millisecond || r.cpu > r.wall/2 || !r.disturbed() {
			t.Errorf("asleep for 20 ms: %+v, disturbed %v", r, r.disturbed())
		}
		m.start()
		for start := threadTime(); threadTime()-start < 5*time.Millisecond; {
		}
		if r := m.stop(); r.cpu < 5*time.Millisecond || r.cpu > r.wall+time.Millisecond {
			t.Errorf("busy for 5 ms: %+v", r)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
