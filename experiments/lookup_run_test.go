package experiments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/results"
)

// A real run, cut short: every step has the same cells in the same order, and a
// resumed run has the names of the first.
func TestLookupRun(t *testing.T) {
	specs := []filters.Spec{registry.Must("blocked:block=64"), registry.Must("set")}
	var steps [][]results.Record
	stop := errors.New("enough")
	collect := func(from, n int) {
		err := tiny(specs...).unit(7).Run(context.Background(), from, func(step int, records []results.Record) error {
			if step != from+len(steps)%n {
				t.Errorf("step %d is emitted after %d steps from %d on", step, len(steps), from)
			}
			if steps = append(steps, records); len(steps)%n == 0 {
				return stop
			}
			return nil
		})
		if !errors.Is(err, stop) {
			t.Fatal(err)
		}
	}
	collect(0, 2)
	collect(8, 2)
	for i, records := range steps {
		if len(records) != 5+twins {
			t.Fatalf("%d records, want 3 limits, 2 filters and %d twins", len(records), twins)
		}
		for j, r := range records {
			if err := r.Check(); err != nil {
				t.Error(err)
			}
			first := steps[0][j]
			sameName := r.FullName() == first.FullName() || r.Axis("kind") == kindLineRead // whose reader a pilot chooses
			if !sameName || r.Name != first.Name {
				t.Errorf("step %d: record %d is %s, in the first step %s", i, j, r.FullName(), first.FullName())
			}
		}
		var kinds []string
		for _, r := range records[:3] {
			kinds = append(kinds, r.Axis("kind"))
		}
		if !slices.Equal(kinds, []string{kindLineRead, kindDependentRead, kindLoop}) {
			t.Errorf("limits %v", kinds)
		}
		for _, r := range records[3:5] {
			positives, _ := r.Value("positives")
			was, _ := steps[0][3].Value("positives")
			if r.Axis("filter") == "set" {
				was = 0 // of absent keys
			}
			x, ok := r.Value("x-limit")
			if positives != was || !ok || x <= 0 {
				t.Errorf("%s: %v positives, before %v; x-limit %v", r.FullName(), positives, was, x)
			}
		}
	}
	for i, r := range steps[0][5:] {
		of := steps[0][3+i%2] // blocked and the set in turns, the faster first
		want := strings.Replace(of.FullName(), "Lookup/", "Twin/", 1) + fmt.Sprintf("/twin=%d", i+1)
		positives, _ := r.Value("positives")
		was, _ := of.Value("positives")
		if r.FullName() != want || positives != was {
			t.Errorf("twin %s with %v positives, want %s with %v", r.FullName(), positives, want, was)
		}
	}
	blocked := steps[0][3]
	const want = "Lookup/filter=blocked:block=64,k=auto,kernel=auto/size=16KiB/api=hash/mode=batch/hits=0/keys=random/bits=10/n=13107/m=131072/k=6/pages=heap"
	if blocked.FullName() != want {
		t.Errorf("name %s, want %s", blocked.FullName(), want)
	}
	if b, _ := blocked.Value("alloc-B"); b != 16<<10 {
		t.Errorf("%v bytes allocated, want 16 KiB", b)
	}
}

// A filter whose fast path answers differently from one lookup after the other
// fails the run.
func TestLookupRunFailsOnWrongAnswers(t *testing.T) {
	liar := family("liar", func(f *filters.Family) {
		f.ForBits = func(_ filters.Spec, n uint64, _ float64) (filters.Design, error) {
			return filters.Design{N: n, SizeBits: 128 << 10, NewHashed: func() (filters.Hashed, error) { return &parity{lies: 1}, nil }}, nil
		}
	})
	err := tiny(liar).unit(1).Run(context.Background(), 0, func(int, []results.Record) error {
		t.Error("a round was emitted")
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "filter=liar/") {
		t.Errorf("error %v, want one that names the filter", err)
	}
}

func TestLookupRunStopsWhileBuilding(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := tiny(registry.Must("bloom")).unit(1).Run(ctx, 0, func(int, []results.Record) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestGateLookup(t *testing.T) {
	lookup := func(filter string, xs ...float64) (out []results.Record) {
		for _, x := range xs {
			out = append(out, record("Lookup", axes("filter", filter, "size", "16MiB"), "ns/op", x*3, "x-limit", x))
		}
		return out
	}
	limit := func(kind string, ns float64) []results.Record {
		return []results.Record{record("Limit", axes("kind", kind, "size", "16MiB"), "ns/op", ns)}
	}
	tests := []struct {
		name    string
		records []results.Record
		want    string // in the error; "" for none
	}{
		{"nothing", nil, ""},
		{"plausible", lookup("a", 1.1, 5, 2), ""},
		{"noise", lookup("a", 0.5, 0.95, 1.2), ""},
		{"too fast", slices.Concat(lookup("a", 2, 2, 2), lookup("b", 0.3, 0.8, 3)), "filter=b"},
		{"a lookup that was optimised away", lookup("a", 0.1, 0.1, 0.1, 0.1), "filter=a"},
		{"no limit", []results.Record{record("Lookup", axes("filter", "c"), "ns/op", 3.)}, "filter=c"},
		{"limits", slices.Concat(limit(kindLineRead, 3), limit(kindLoop, 0.5)), ""},
		{"a limit that reads nothing", slices.Concat(limit(kindLineRead, 0.2), limit(kindLoop, 0.5)), "16MiB"},
	}
	for _, tt := range tests {
		err := gateLookup(tt.records)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
	if err := gateLookup(tests[3].records); err != nil && strings.Contains(err.Error(), "filter=a") {
		t.Errorf("the filter that is not too fast is named: %v", err)
	}
}
