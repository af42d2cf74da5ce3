package experiments

import (
	"context"
	"errors"
	"strings"
	"testing"

	"filterbench/filters"
)

// What a toy filter does is counted to the key, over several chunks of which
// the last is not full.
func TestCountFPR(t *testing.T) {
	const n, queries = 2*chunk + 123, chunk + 77
	every := func(step, at uint64) func(uint64) bool { return func(i uint64) bool { return i%step == at } }
	among := func(f func(i uint64) bool) (count uint64) {
		for i := range uint64(n) {
			if f(i) {
				count++
			}
		}
		return count
	}
	seventh, tenth := every(7, 6), every(10, 3)
	for name, c := range map[string]struct {
		toy         toy
		static      bool
		refused, fn uint64
		fp          uint64
	}{
		"honest":                {toy{}, false, 0, 0, 0},
		"honest, built at once": {toy{}, true, 0, 0, 0},
		"refuses each 7th":      {toy{refuses: seventh}, false, n / 7, 0, 0}, // not found again, and not lost
		"refuses the first":     {toy{refuses: every(n, 0)}, false, 1, 0, 0},
		"refuses the last":      {toy{refuses: every(n, n-1)}, false, 1, 0, 0},
		"refuses a chunk's end": {toy{refuses: func(i uint64) bool { return i >= chunk-2 && i < chunk+2 }}, false, 4, 0, 0},
		"refuses all from half": {toy{refuses: func(i uint64) bool { return i >= n/2 }}, false, n - n/2, 0, 0},
		"refuses all":           {toy{refuses: func(uint64) bool { return true }}, false, n, 0, 0},
		"loses each 10th":       {toy{loses: tenth}, false, 0, among(tenth), 0},
		"refuses and loses": {toy{refuses: seventh, loses: tenth}, false, n / 7,
			among(func(i uint64) bool { return tenth(i) && !seventh(i) }), 0},
		// Absent keys are numbered from absentFrom, which 16 divides.
		"confuses each 16th": {toy{confuses: func(i uint64) bool { return i >= absentFrom && i%16 == 0 }}, false, 0, 0, (queries + 15) / 16},
		"confuses refused":   {toy{refuses: seventh, confuses: func(i uint64) bool { return i < absentFrom }}, false, n / 7, 0, 0},
	} {
		got, err := countFPR(t.Context(), toyDesign(n, c.static, c.toy), numbers{n, 1 << 20}, 1, queries)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := fprCount{fp: c.fp, queries: queries, fn: c.fn, accepted: n - c.refused, refused: c.refused, sizeBits: 1 << 20}
		if got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// Where nothing was asked there is no rate, and where nothing was accepted no
// size of a key; never a NaN or a 0 that looks like a measurement.
func TestRecordOfNothing(t *testing.T) {
	cell := fprCell{design: toyDesign(10, false, toy{}), bits: "10", keys: "random", seed: 1, filters: 1}
	for _, c := range []struct {
		sum              fprCount
		hasFPR, hasBytes bool
	}{
		{fprCount{}, false, false},
		{fprCount{queries: 5, fp: 1, fpSquares: 1}, true, false},
		{fprCount{accepted: 10, sizeBits: 1000}, false, true},
	} {
		r := cell.record(c.sum)
		_, fpr := r.Value("fpr")
		_, size := r.Value("bits/key")
		if err := r.Check(); err != nil || fpr != c.hasFPR || size != c.hasBytes {
			t.Errorf("%+v: fpr %v, bits/key %v, %v", c.sum, fpr, size, err)
		}
	}
}

// The keys refused are those that the filter refused.
func TestFillSaysWhichWereRefused(t *testing.T) {
	const n = 2*chunk + 1
	d := toyDesign(n, false, toy{refuses: func(i uint64) bool { return i%7 == 6 }})
	f, err := d.Keyed(1)
	if err != nil {
		t.Fatal(err)
	}
	accepted, refused, err := fill(t.Context(), f, d, numbers{n, 0}, n)
	if err != nil || accepted != n-n/7 || accepted != f.Len() || len(refused) != n {
		t.Fatalf("accepted %d of %d, %d in the filter, %d flags, %v", accepted, n, f.Len(), len(refused), err)
	}
	for i, r := range refused {
		if r != (i%7 == 6) {
			t.Fatalf("key %d: refused is %v", i, r)
		}
	}
}

func TestCountFPRFails(t *testing.T) {
	const n = chunk
	if _, err := countFPR(t.Context(), toyDesign(n, false, toy{}), numbers{n - 1, n}, 1, 10); err == nil || !strings.Contains(err.Error(), "4095 keys; 4096 are needed") {
		t.Errorf("too few keys: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := countFPR(ctx, toyDesign(n, false, toy{}), numbers{n, n}, 1, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	broken := errors.New("out of memory")
	d := toyDesign(n, false, toy{})
	d.NewKeyed = func() (filters.Keyed, error) { return nil, broken }
	if _, err := countFPR(t.Context(), d, numbers{n, n}, 1, 10); !errors.Is(err, broken) {
		t.Errorf("no filter: %v", err)
	}
	d.NewKeyed = func() (filters.Keyed, error) { return failing{&toy{keys: map[uint64]bool{}}, broken}, nil }
	if _, err := countFPR(t.Context(), d, numbers{n, n}, 1, 10); !errors.Is(err, broken) {
		t.Errorf("an add that fails for another reason than being full: %v", err)
	}
	// Fewer absent keys than asked for are all that is asked.
	if c, err := countFPR(t.Context(), toyDesign(n, false, toy{}), numbers{n, 5}, 1, 10); err != nil || c.queries != 5 {
		t.Errorf("5 absent keys: %d queries, %v", c.queries, err)
	}
}

// failing is a toy whose batches fail after the first key.
type failing struct {
	*toy
	err error
}

func (f failing) AddKeys(*filters.Keys) (int, error) { return 1, f.err }

// Sums over filters: fp-sq is that of each filter's own count, overlap is of
// one list.
func TestCountsAddUp(t *testing.T) {
	var sum fprCount
	for _, fp := range []uint64{3, 4} {
		sum.add(fprCount{fp: fp, queries: 10, fn: 1, accepted: 5, refused: 2, overlap: 9, sizeBits: 64})
	}
	if want := (fprCount{fp: 7, queries: 20, fn: 2, fpSquares: 25, accepted: 10, refused: 4, overlap: 9, sizeBits: 128}); sum != want {
		t.Errorf("%+v, want %+v", sum, want)
	}
	cell := fprCell{design: toyDesign(7, false, toy{}), bits: "10", keys: "random", seed: 1, filters: 2, queries: 10}
	r := cell.record(sum)
	for unit, want := range map[string]float64{"fpr": .35, "fp": 7, "queries": 20, "filters": 2, "fp-sq": 25, "fn": 2, "bits/key": 12.8, "refused": 4, "overlap": 9} {
		if got, ok := r.Value(unit); !ok || got != want {
			t.Errorf("%s is %v, want %v", unit, got, want)
		}
	}
	if _, ok := r.Value("model-fpr"); ok {
		t.Error("a family without a model has one")
	}
}
