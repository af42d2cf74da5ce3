package experiments

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"filterbench/filters/memory"
	"filterbench/results"
)

// run takes so many steps of a unit.
func steps(t *testing.T, u Unit, n int) (out [][]results.Record) {
	t.Helper()
	enough := errors.New("enough")
	err := u.Run(context.Background(), 0, func(_ int, records []results.Record) error {
		if out = append(out, records); len(out) == n {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) {
		t.Fatal(err)
	}
	for _, records := range out {
		for _, r := range records {
			if err := r.Check(); err != nil {
				t.Error(err)
			}
		}
	}
	return out
}

// Field case 25: a read takes longer the further out the memory lies, whatever
// the machine. Between L1 and 64 MiB a read that waits for another differs by an
// order of magnitude; a factor of two is asserted. A working set that looks larger
// than it is would show none.
func TestLadderRises(t *testing.T) {
	if testing.Short() {
		t.Skip("what is timed under the race detector is the detector")
	}
	l := ladder{dependent: []uint64{4 << 10, 64 << 20}, independent: []uint64{4 << 10, 64 << 20}, kinds: []memory.Pages{memory.PagesAuto}}
	u := timed(Unit{ID: "ladder", Steps: ladderRounds}, 1, 200, l.prepare)
	times := map[string][]float64{}
	for _, records := range steps(t, u, 3) {
		if len(records) != 4 {
			t.Fatalf("%d records, want 4", len(records))
		}
		for _, r := range records {
			ns, _ := r.Value("ns/op")
			key := r.Axis("kind") + " " + r.Axis("size")
			times[key] = append(times[key], ns)
		}
	}
	for _, kind := range []string{kindDependentRead, kindLineRead} {
		near, far := median(times[kind+" 4KiB"]), median(times[kind+" 64MiB"])
		if !(far > 2*near) {
			t.Errorf("%s: %.2f ns from 4 KiB, %.2f from 64 MiB", kind, near, far)
		}
	}
	if free, bound := median(times[kindLineRead+" 64MiB"]), median(times[kindDependentRead+" 64MiB"]); !(bound > 2*free) {
		t.Errorf("from 64 MiB a dependent read takes %.2f ns, an independent one %.2f", bound, free)
	}
}

// Sizes are whole lines, ascend by the profile's steps, and end where memory is
// scarce.
func TestLadderSizes(t *testing.T) {
	for profile, want := range map[string]struct {
		sizes int
		top   uint64
	}{"quick": {17, 256 << 20}, "full": {73, 1 << 30}} {
		l := Config{Profile: profile}.ladder()
		if l.top() > want.top || l.top() == want.top && len(l.dependent) != want.sizes || l.dependent[0] != 4096 {
			t.Errorf("%s: %d sizes from %d to %d", profile, len(l.dependent), l.dependent[0], l.top())
		}
		if !slices.IsSorted(l.dependent) {
			t.Errorf("%s: sizes do not ascend", profile)
		}
		names := map[string]bool{}
		for _, size := range l.dependent {
			if size%64 != 0 || names[sizeName(size)] {
				t.Errorf("%s: size %d, named %s", profile, size, sizeName(size))
			}
			names[sizeName(size)] = true
		}
		for _, size := range l.independent {
			if !slices.Contains(l.dependent, size) {
				t.Errorf("%s: %d is read independently only", profile, size)
			}
		}
	}
}

func TestSizeName(t *testing.T) {
	for size, want := range map[uint64]string{0: "0", 64: "64", 4096: "4KiB", 4864: "4864", 48 << 10: "48KiB", 1536 << 10: "1536KiB", 300 << 20: "300MiB", 2 << 30: "2GiB"} {
		if got := sizeName(size); got != want {
			t.Errorf("%d is %s, want %s", size, got, want)
		}
	}
}

func TestGateLadder(t *testing.T) {
	read := func(kind, size string, ns float64) results.Record {
		return record("Limit", axes("kind", kind, "size", size, "pages", "huge"), "ns/op", ns)
	}
	good := []results.Record{read(kindDependentRead, "4KiB", 2), read(kindLineRead, "4KiB", 1), read(kindDependentRead, "8KiB", 2)}
	if err := gateLadder(good); err != nil {
		t.Error(err)
	}
	bad := append(good, read(kindLineRead, "8KiB", 3))
	if err := gateLadder(bad); err == nil || !strings.Contains(err.Error(), "8KiB on huge pages") {
		t.Errorf("error %v, want one that names the size", err)
	}
}
