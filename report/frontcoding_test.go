package report

import (
	"math"
	"strings"
	"testing"

	"filterbench/report/chart"
	"filterbench/results"
)

// smallSet has two small experiments: front-coded keys, and keys hashed once
// or for each filter in ns a lookup. Made up.
func smallSet(coded, each float64) *results.Set {
	var fronts, once []results.Record
	for _, f := range []struct {
		keys, restart string
		coded         float64
	}{{"padded19", "16", coded}, {"padded19", "none", 300_000}, {"bytes16", "16", 2_400_000}} {
		fronts = append(fronts, with(rec("FrontCoding", "keys", f.keys, "restart", f.restart, "n", 100_000), "key-B", 2_300_000, "coded-B", f.coded))
	}
	for round := range 10 {
		for _, keys := range []string{"random", "url"} {
			for hashed, ns := range map[string]float64{"once": 10, "each": each} {
				if keys == "url" && hashed == "each" {
					ns *= 2
				}
				r := rec("HashOnce", "filter", bloomSpec, "keys", keys, "hashed", hashed, "filters", 100, "bits", 10, "n", 13107, "size", "16KiB")
				ns *= 1 + .01*float64(round%3)
				once = append(once, with(r, "ns/op", ns, "cpu-ns/op", ns, "disturbed", 0))
			}
		}
	}
	return &results.Set{Files: []results.File{{Experiment: "frontcoding", Records: fronts}, {Experiment: "hashonce", Records: once}}}
}

func TestSmallTitles(t *testing.T) {
	only := func(axis, value string) func(r *results.Record) bool {
		return func(r *results.Record) bool { return r.Axis(axis) == value || r.Axis(axis) == "" }
	}
	for name, c := range map[string]struct {
		set         *results.Set
		chart, want string
	}{
		"range":         {smallSet(500_000, 15), "frontcoding", "Front coding makes sorted keys 0.96 (bytes16) to 4.6 times (padded19) smaller, with a restart every 16"},
		"smaller":       {smallSet(250_000, 15), "frontcoding", "to 9.2 times (padded19) smaller"},
		"one kind":      {doctor(smallSet(500_000, 15), only("keys", "padded19")), "frontcoding", "makes sorted padded19 keys 4.6 times smaller, with a restart every 16"},
		"no restarts":   {doctor(smallSet(500_000, 15), only("restart", "none")), "frontcoding", "7.7 times smaller, without restarts"},
		"slower":        {smallSet(500_000, 15), "hashonce", "anew takes 1.5 times (bloom, random keys) to 3.0 times (bloom, url keys) as long as hashing it once"},
		"one kind told": {smallSet(500_000, 10), "hashonce", "anew takes 2.0 times (bloom, url keys) as long"},
		"none told":     {doctor(smallSet(500_000, 10), only("keys", "random")), "hashonce", "makes no difference that the rounds tell"},
	} {
		if got := titles(c.set)[c.chart]; !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Whatever is in the records, or is not, there is a page.
func TestSmallOfHostileRecords(t *testing.T) {
	for _, unit := range []string{"key-B", "coded-B", "ns/op", "cpu-ns/op", ""} {
		for _, v := range []float64{0, -1, 1e300, math.NaN(), math.Inf(1), math.Inf(-1)} {
			set := smallSet(500_000, 15)
			for f := range set.Files {
				for i := range set.Files[f].Records {
					r := &set.Files[f].Records[i]
					for j := range r.Values {
						if r.Values[j].Unit == unit {
							r.Values[j].V = v
						}
					}
					if unit == "" {
						r.Axes = r.Axes[:i%len(r.Axes)]
					}
				}
			}
			for _, c := range analyse(set).charts() {
				if _, err := c.SVG(chart.Narrow); err != nil {
					t.Errorf("%s = %v: %v", unit, v, err)
				}
				if strings.Contains(c.Title, "NaN") {
					t.Errorf("%s = %v: %s", unit, v, c.Title)
				}
			}
		}
	}
}
