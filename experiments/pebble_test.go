package experiments

import (
	"context"
	"os"
	"testing"

	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/results"
)

// A small group runs through: each filter has the same gets answered, ours rule
// out the tables that theory says, and nothing is left on disk, also when the
// run is stopped.
func TestPebble(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	units, err := planPebble(Config{Profile: "quick", Seed: 1, Specs: []filters.Spec{registry.Must("set"), registry.Must("naive"), registry.Must("bloom")}})
	if err != nil || len(units) != 1 {
		t.Fatalf("%d units, %v", len(units), err)
	}
	u := units[0]
	left := func() {
		if files, err := os.ReadDir(os.TempDir()); err != nil || len(files) > 0 {
			t.Errorf("left behind: %v, %v", files, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := map[string]results.Record{}
	err = u.Run(ctx, 0, func(_ int, records []results.Record) error {
		for _, r := range records {
			if err := r.Check(); err != nil {
				t.Error(err)
			}
			seen[r.Axis("filter")+" "+r.Axis("hits")] = r
		}
		cancel() // after the first round
		return nil
	})
	if err != context.Canceled {
		t.Errorf("a cancelled run ends with %v", err)
	}
	left()
	bloom := registry.Must("bloom").String()
	if len(seen) != 6 {
		t.Fatalf("%d cells, want 3 filters by 2 kinds of gets", len(seen))
	}
	for _, hits := range []string{"0", "100"} {
		none, ours := seen["none "+hits], seen[bloom+" "+hits]
		if value(t, none, "filter-noes/op") != 0 || value(t, none, "filter-B") != 0 {
			t.Errorf("%s %%: without filters, filters are asked: %v", hits, none.Values)
		}
		for _, unit := range []string{"blocks/op", "read-B/op"} {
			if value(t, ours, unit) >= value(t, none, unit) {
				t.Errorf("%s %%: %s %v with filters, %v without", hits, unit, value(t, ours, unit), value(t, none, unit))
			}
		}
	}
	// 2,500 answers, of which about 20 are maybe.
	absent := seen[bloom+" 0"]
	if no, maybe := value(t, absent, "filter-noes/op"), value(t, absent, "filter-maybes/op"); no+maybe < 9.9 || no+maybe > 10 || maybe > .2 {
		t.Errorf("an absent key: %v tables ruled out and %v not, of 10", no, maybe)
	}

	t.Setenv("TMPDIR", os.TempDir()+"/missing")
	if err := u.Run(t.Context(), 0, nil); err == nil {
		t.Error("a store in a directory that is not there")
	}
}
