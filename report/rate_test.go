package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"filterbench/filters/theory"
	"filterbench/report/claims"
	"filterbench/results"
)

// seedsAt are five seeds of a Bloom filter at 9.585 bits per key, whose counts
// are those of theory, 1.003952 %, within a standard deviation.
func seedsAt(edit func(seed int, r *results.Record)) *results.Set {
	const n, m, k = 1_000_000, 9_585_000, 7
	set := &results.Set{Files: []results.File{{Experiment: "fpr"}}}
	for i, hits := range []float64{10040, 9940, 10120, 10060, 10010} {
		r := with(rec("FPR", "filter", bloomSpec, "bits", "9.585", "n", n, "keys", "random", "seed", i+1, "m", m, "k", k),
			"fpr", hits/1e6, "fp", hits, "queries", 1e6, "filters", 1, "fp-sq", hits*hits, "fn", 0, "bits/key", 9.585664, "refused", 0,
			"model-fpr", theory.BloomExact(n, m, k), "model-sd", theory.BloomSD(n, m, k), "model-tol", 0)
		edit(i+1, &r)
		set.Files[0].Records = append(set.Files[0].Records, r)
	}
	return set
}

// A claim, the tables and the charts have one interval for a rate.
func TestOneIntervalForARate(t *testing.T) {
	second := func(change func(r *results.Record)) func(int, *results.Record) {
		return func(seed int, r *results.Record) {
			if seed == 2 {
				change(r)
			}
		}
	}
	for name, x := range map[string]struct {
		edit    func(int, *results.Record)
		half    float64 // of the interval over the rate; 1.96/sqrt(50000) = 0.9 % where seeds agree
		records int
	}{
		"as measured":        {func(int, *results.Record) {}, .009, 5},
		"a seed of 3 %":      {second(func(r *results.Record) { scaleRate(r, 3) }), .79, 5}, // 2.776 0.4/1.4
		"a seed's model":     {second(func(r *results.Record) { dropUnit(r, "model-fpr", "model-sd", "model-tol") }), .009, 5},
		"a seed's rate":      {second(func(r *results.Record) { scale(r, 3, "fpr") }), .43, 5}, // 0.493/1.154
		"no seed of a model": {func(_ int, r *results.Record) { dropUnit(r, "model-fpr", "model-sd", "model-tol") }, .009, 5},
	} {
		set := seedsAt(x.edit)
		cells, bad := rates(set.Records("fpr"))
		if len(cells) != 1 || bad != 0 || cells[0].records != x.records {
			t.Fatalf("%s: %d cells, %d left out", name, len(cells), bad)
		}
		c := cells[0]
		if half := (c.hi - c.lo) / 2 / c.p; math.Abs(half/x.half-1) > .05 {
			t.Errorf("%s: half-width %.3g of the rate, want %.3g", name, half, x.half)
		}
		verdicts := claims.Judge(set)
		v := verdicts[slices.IndexFunc(verdicts, func(v claims.Verdict) bool { return v.ID == "C06a" })]
		if name == "as measured" && v.Status != claims.Holds {
			t.Fatalf("C06a: %v (%s)", v.Status, v.Reason)
		}
		if v.Status != claims.NotMeasured && (v.Interval != claims.Interval{Lo: c.lo, Hi: c.hi}) {
			t.Errorf("%s: the claim has %v, the tables %v, %v", name, v.Interval, c.lo, c.hi)
		}
	}
}

// A cell of which one record lost its model keeps that of the others, so that
// a rate far off it is seen.
func TestMissingModelIsAContradiction(t *testing.T) {
	for lost := range 6 { // in no record, and in each of the five
		set := seedsAt(func(seed int, r *results.Record) {
			scaleRate(r, 1.22)
			if seed == lost {
				dropUnit(r, "model-fpr", "model-sd", "model-tol")
			}
		})
		r := analyse(set)
		title := titles(set)["fpr-model"]
		if strings.Contains(title, "agree") || !strings.Contains(title, "1 of 1 measured rates miss theory") {
			t.Errorf("without the model of seed %d: %q", lost, title)
		}
		warned := slices.ContainsFunc(r.warnings, func(w string) bool {
			return strings.Contains(w, bloomSpec+" at 9.585 bits per key") && strings.Contains(w, "1 of 5 records lack the model")
		})
		if warned != (lost > 0) {
			t.Errorf("without the model of seed %d: warnings %q", lost, r.warnings)
		}
	}
}

// A record that cannot be is not drawn, is counted, and is named once.
func TestRecordsThatCannotBeAreLeftOut(t *testing.T) {
	for name, x := range map[string]struct {
		change func(r *results.Record)
		reason string
	}{
		"fp":       {func(r *results.Record) { scale(r, 2, "fp") }, "fp-sq is"},
		"bits/key": {func(r *results.Record) { scale(r, .5, "bits/key") }, "but m is 9585000"},
		"model":    {func(r *results.Record) { scale(r, 1.22, "model-fpr") }, "model-fpr is"},
		"k":        {func(r *results.Record) { r.Axes[len(r.Axes)-1].Value = "6" }, "for n = 1000000, m = 9585000 and k = 6"},
	} {
		set := seedsAt(func(seed int, r *results.Record) {
			if seed == 2 {
				x.change(r)
			}
		})
		r := analyse(set)
		named, counted := 0, 0
		for _, w := range r.warnings {
			if strings.Contains(w, "seed=2") && strings.Contains(w, x.reason) {
				named++
			}
			if strings.Contains(w, "left out 1 records") {
				counted++
			}
		}
		if named != 1 || counted != 1 {
			t.Errorf("%s: named %d times, counted %d times in %q", name, named, counted, r.warnings)
		}
		if cells, _ := rates(set.Records("fpr")); cells[0].records != 4 || cells[0].Queries != 4e6 {
			t.Errorf("%s: pooled %d records of %d queries", name, cells[0].records, cells[0].Queries)
		}
		for _, v := range r.verdicts {
			if v.Headline && v.ID == "C06a" && (v.Status != claims.NotMeasured || !v.Fault) {
				t.Errorf("%s: C06a %v (%s)", name, v.Status, v.Reason)
			}
		}
	}
}

func dropUnit(r *results.Record, units ...string) {
	r.Values = slices.DeleteFunc(r.Values, func(v results.Value) bool { return slices.Contains(units, v.Unit) })
}
