package counters

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Page faults, which the kernel counts by itself and more machines have: the
// first touches of fresh pages are counted, and nothing outside of do is.
func TestCountSoftwareEvents(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	faults := event{unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_PAGE_FAULTS}
	c, err := open(faults, faults)
	if errors.Is(err, ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const pages = 64
	touch := func() []byte {
		mem, err := unix.Mmap(-1, 0, pages*4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			t.Fatal(err)
		}
		unix.Madvise(mem, unix.MADV_NOHUGEPAGE)
		for i := 0; i < len(mem); i += 4096 {
			mem[i] = 1
		}
		return mem
	}
	defer unix.Munmap(touch()) // not counted
	var mem []byte
	got, err := c.Count(func() { mem = touch() })
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mem)
	// Whatever else faults on this thread meanwhile is far less than that.
	if least := uint64(pages * 4096 / unix.Getpagesize()); got.L1Misses < least || got.L1Misses > 2*least+16 || got.LastMisses < least {
		t.Errorf("%+v, want %d faults", got, least)
	}
	if again, err := c.Count(func() {}); err != nil || again.L1Misses > 16 {
		t.Errorf("%+v (%v) in nothing", again, err)
	}
}

// What the kernel does not know is no counter, and no error of the program.
func TestUnknownEvent(t *testing.T) {
	_, err := open(event{unix.PERF_TYPE_HARDWARE, 1 << 20}, lastMisses)
	if err == nil || !errors.Is(err, ErrNone) && !strings.Contains(err.Error(), "perf_event_open") {
		t.Errorf("error %v", err)
	}
}

func TestDescribe(t *testing.T) {
	got := Describe()
	if (Available() == nil) != (got == "available") {
		t.Errorf("%q, and %v", got, Available())
	}
	if got != "available" && !strings.HasPrefix(got, "unavailable (") {
		t.Errorf("%q", got)
	}
}
