package experiments

import (
	"context"
	"math"
	"slices"
	"testing"
)

// The reads of the text's ten tables, as an independent program counts them.
func TestRunTables(t *testing.T) {
	for _, c := range []struct {
		share float64
		want  TableReads
	}{
		{0, TableReads{Gets: 10_000, Without: 100_000, Probes: 100_000, Reads: 1_004, InVain: 1_004}},
		{.1, TableReads{Gets: 10_000, Present: 1_000, Without: 95_500, Probes: 95_500, Reads: 1_939, InVain: 939, Found: 1_000}},
		{.5, TableReads{Gets: 10_000, Present: 5_000, Without: 77_500, Probes: 77_500, Reads: 5_706, InVain: 706, Found: 5_000}},
		{1, TableReads{Gets: 10_000, Present: 10_000, Without: 55_000, Probes: 55_000, Reads: 10_466, InVain: 466, Found: 10_000}},
	} {
		got, err := RunTables(t.Context(), TableRun{N: 10_000, P: .01, Tables: 10, HitShare: c.share})
		if err != nil || got != c.want {
			t.Errorf("%v present: %+v, %v; want %+v", c.share, got, err, c.want)
		}
	}
}

// Of 5000 keys 1 % of no's loses binomially many, 50 +- 5 x 7; added yes's lose
// none and waste 1 % of the probes that were no: 77,500 - 5706, so 718 +- 5 x 27.
func TestRunTablesLies(t *testing.T) {
	run := TableRun{N: 10_000, P: .01, Tables: 10, HitShare: .5, Lies: .01}
	run.ExtraYes = true
	extra, err := RunTables(t.Context(), run)
	if err != nil || extra.Found != 5_000 || math.Abs(float64(extra.InVain-706)-718) > 135 {
		t.Errorf("false positives: %+v, %v", extra, err)
	}
	run.ExtraYes, run.LostYes = false, true
	lost, err := RunTables(t.Context(), run)
	if n := 5_000 - lost.Found; err != nil || n < 15 || n > 85 || lost.InVain > 706+uint64(n) {
		t.Errorf("false negatives: %+v, %v", lost, err)
	}
}

func TestRunTablesOfAnySize(t *testing.T) {
	for _, r := range []TableRun{{N: 1, P: .5, Tables: 1, HitShare: 1}, {N: 7, P: .1, Tables: 7, HitShare: .5}, {N: 100, P: .01, Tables: 7, HitShare: .33}} {
		got, err := RunTables(t.Context(), r)
		if err != nil || got.Found != got.Present || got.Gets != r.N {
			t.Errorf("%+v: %+v, %v", r, got, err)
		}
		for key := range r.N {
			if o := uint64(r.owner(key)); key < r.first(o) || key >= r.first(o+1) {
				t.Errorf("%+v: key %d in table %d", r, key, o)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := RunTables(ctx, TableRun{N: 10_000, P: .01, Tables: 10, HitShare: 1}); err == nil {
		t.Error("a cancelled run has no error")
	}
}

// The text's filter, as an independent program has it: who set the bits of the
// first ghost that is not ruled out, and how many other keys a delete loses.
func TestBits(t *testing.T) {
	b, err := NewBits(t.Context(), 10_000, .01)
	if err != nil {
		t.Fatal(err)
	}
	ghost, positions, all, err := b.FirstGhost(t.Context(), 10_000)
	if err != nil || ghost != 70 || all != 114 || b.Missing() != 0 ||
		!slices.Equal(positions, []uint64{43244, 25127, 76071, 80299, 11575, 84353, 1555}) {
		t.Errorf("ghost%d at %v, %d in all, %d missing, %v", ghost, positions, all, b.Missing(), err)
	}
	for i, want := range [][2]int{{494, 2}, {2130, 1}, {9631, 1}, {1518, 2}, {9115, 1}, {3654, 2}, {71, 3}} {
		if first, keys := b.SetBy(positions[i]); int(first) != want[0] || keys != want[1] {
			t.Errorf("position %d: key%d, %d keys; want %v", positions[i], first, keys, want)
		}
	}
	broken := 0
	for i := range b.N {
		broken += b.BrokenBy(i)
	}
	if broken != 50_884 {
		t.Errorf("deletes lose %d other keys together, want 50,884", broken)
	}
}

// At 1 % of 100,000 queries five standard deviations are 157.
func TestRunFilter(t *testing.T) {
	r, err := RunFilter(t.Context(), "bloom", 100_000, 9.585059, 100_000)
	if err != nil || r.Missing != 0 || r.Absent != 100_000 || math.Abs(float64(r.Positives)-1_004) > 160 || r.Deleted != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = RunFilter(t.Context(), "counting:k=7", 10_000, 38.34, 0)
	if err != nil || r.Deleted != 5_000 || r.Forgotten != 0 || r.Missing != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := RunFilter(t.Context(), "bloom", 10, 65, 1); err == nil {
		t.Error("65 bits per key are taken")
	}
}
