package experiments

import (
	"context"
	"testing"

	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/results"
)

// Both ways give the same answers, which the group's own check sees to, in each
// round; filters that the user did not choose are left out.
func TestHashOnce(t *testing.T) {
	units, err := planHashOnce(Config{Profile: "quick", Seed: 1, Specs: []filters.Spec{registry.Must("blocked:block=64")}})
	if err != nil || len(units) != 1 {
		t.Fatalf("%d units, %v", len(units), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := map[string]bool{}
	err = units[0].Run(ctx, 0, func(_ int, records []results.Record) error {
		for _, r := range records {
			if err := r.Check(); err != nil || r.Iters%(onceGets*onceFilters) != 0 {
				t.Errorf("%s: %d operations, %v", r.FullName(), r.Iters, err)
			}
			seen[r.Axis("keys")+" "+r.Axis("hashed")] = true
		}
		cancel()
		return nil
	})
	if err != context.Canceled || len(seen) != 4 {
		t.Errorf("%v after %v", err, seen)
	}
	if units, err := planHashOnce(Config{Specs: []filters.Spec{registry.Must("guava")}}); err != nil || len(units) != 0 {
		t.Errorf("%d units without a filter over hashes, %v", len(units), err)
	}
}
