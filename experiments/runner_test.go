package experiments

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"filterbench/results"

	"github.com/google/go-cmp/cmp"
)

// withWorkers runs a plan with so many workers and returns its journal.
func withWorkers(t *testing.T, workers int, p *Plan) (*results.Journal, error) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
	j, err := results.Create(filepath.Join(t.TempDir(), "journal"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j, p.Run(t.Context(), j, nil)
}

func emitting(id string, emit Emit) error {
	return emit(0, []results.Record{record("Textbook", axes("part", "fake", "key", id), "m", 1)})
}

// Cells of real counting, on toy filters, give the same records whoever counts
// which first; another seed gives others.
func TestRecordsAreThoseOfAnyNumberOfWorkers(t *testing.T) {
	counted := func(workers int, seed uint64) []results.Record {
		p := fprPlanner{config: Config{Profile: "quick", Seed: seed}}
		for n := uint64(100); n < 112; n++ {
			// A toy confuses what hashing could: one in 8 of its random keys.
			d := toyDesign(n, false, toy{confuses: func(key uint64) bool { return key*0x9e3779b97f4a7c15>>61 == 0 }})
			p.unit(fprCell{design: d, bits: "10", keys: "bytes8", seed: 1, filters: 3, queries: 2000})
		}
		plan := &Plan{Parts: []Part{{FPR, p.units}}}
		j, err := withWorkers(t, workers, plan)
		if err != nil {
			t.Fatal(err)
		}
		records, err := j.Records("fpr", plan.Parts[0].IDs())
		if err != nil || len(records) != 12 {
			t.Fatalf("%d records, %v", len(records), err)
		}
		return records
	}
	want := counted(1, 1)
	for _, workers := range []int{2, 7} {
		if diff := cmp.Diff(want, counted(workers, 1)); diff != "" {
			t.Errorf("%d workers: %s", workers, diff)
		}
	}
	if cmp.Equal(want, counted(1, 2)) {
		t.Error("the seed makes no difference")
	}
	for _, r := range want { // 750 expected, sd 25.6: 6 of them
		if fp, _ := r.Value("fp"); fp < 596 || fp > 904 {
			t.Errorf("%s: %v of 6000 confused, 1 in 8 should be", r.FullName(), fp)
		}
	}
}

// The first error ends the run: the unit beside it is cancelled, and of the
// others none begins, nor any timing.
func TestErrorStopsTheRun(t *testing.T) {
	broken := errors.New("broken")
	var begun, cancelled atomic.Int32
	waiting := make(chan struct{})
	units := []Unit{{ID: "timed", Alone: true, Steps: 1, Run: func(context.Context, int, Emit) error {
		t.Error("a timing unit ran")
		return nil
	}}, {ID: "bad", Steps: 1, Cost: 9, Run: func(context.Context, int, Emit) error {
		<-waiting // until another unit runs beside it
		return broken
	}}}
	for range 20 {
		units = append(units, Unit{ID: "good", Steps: 1, Cost: 1, Run: func(ctx context.Context, _ int, emit Emit) error {
			if begun.Add(1) == 1 {
				close(waiting)
			}
			select {
			case <-ctx.Done():
				cancelled.Add(1)
				return ctx.Err()
			case <-time.After(10 * time.Second):
				return errors.New("was not cancelled")
			}
		}})
	}
	_, err := withWorkers(t, 2, &Plan{Parts: []Part{{Experiment{Name: "textbook"}, units}}})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "bad: ") {
		t.Errorf("error %v, want that of the unit bad", err)
	}
	if begun.Load() != 1 || cancelled.Load() != 1 {
		t.Errorf("%d units began beside it and %d were cancelled, want 1 and 1", begun.Load(), cancelled.Load())
	}
}

// A unit that does fewer steps than it planned has not done what it says.
func TestMissingStepsAreAnError(t *testing.T) {
	lazy := Unit{ID: "lazy", Steps: 2, Run: func(_ context.Context, _ int, emit Emit) error { return emitting("lazy", emit) }}
	_, err := withWorkers(t, 1, &Plan{Parts: []Part{{Experiment{Name: "textbook"}, []Unit{lazy}}}})
	if err == nil || !strings.Contains(err.Error(), "lazy: did 1 of 2 steps") {
		t.Errorf("error %v", err)
	}
}

// Counting units run beside each other; timing units run after them, alone, in
// the order of the plan.
func TestTimingRunsAlone(t *testing.T) {
	var active, most, left atomic.Int32
	var order []string
	left.Store(6)
	unit := func(id string, timing bool) Unit {
		return Unit{ID: id, Alone: timing, Steps: 1, Cost: 1, Run: func(_ context.Context, _ int, emit Emit) error {
			now := active.Add(1)
			defer active.Add(-1)
			if timing {
				if now != 1 || left.Load() != 0 {
					t.Errorf("%s runs with %d beside it, before %d counting units", id, now-1, left.Load())
				}
				order = append(order, id)
				time.Sleep(2 * time.Millisecond)
				if active.Load() != 1 {
					t.Errorf("%s: another unit began beside it", id)
				}
				return emitting(id, emit)
			}
			// Two of them meet, if two may run: the first waits for the second.
			for start := time.Now(); active.Load() < 2 && most.Load() < 2 && time.Since(start) < 10*time.Second; {
				time.Sleep(100 * time.Microsecond)
			}
			for now := active.Load(); ; {
				was := most.Load()
				if now <= was || most.CompareAndSwap(was, now) {
					break
				}
			}
			left.Add(-1)
			return emitting(id, emit)
		}}
	}
	plan := &Plan{Parts: []Part{
		{Experiment{Name: "textbook"}, []Unit{unit("t1", true), unit("c1", false), unit("t2", true), unit("c2", false), unit("c3", false)}},
		{Experiment{Name: "textbook"}, []Unit{unit("c4", false), unit("t3", true), unit("c5", false), unit("c6", false)}},
	}}
	if _, err := withWorkers(t, 2, plan); err != nil {
		t.Fatal(err)
	}
	if most.Load() != 2 {
		t.Errorf("%d counting units ran together, want 2 of 2 workers", most.Load())
	}
	if want := []string{"t1", "t2", "t3"}; !cmp.Equal(order, want) {
		t.Errorf("timings ran in the order %v, want %v", order, want)
	}
}
