package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"filterbench/report/chart"
	"filterbench/results"
)

// touchSet is what operations touch in three filters, shaped as a run's records
// are, and made up: lines for an absent key, a present one, and an add.
func touchSet(lines map[string][3]float64) *results.Set {
	var records []results.Record
	for _, spec := range []string{bloomSpec, blockedSpec, "cuckoo:b=4,f=auto"} {
		for i, op := range []string{"absent", "present", "add"} {
			mean, ok := lines[spec]
			if !ok {
				continue
			}
			for size, beyond := range map[string]float64{"256KiB": 0, "4MiB": .875} {
				const ops = 32768
				v := mean[i]
				r := rec("Touch", "filter", spec, "size", size, "op", op, "keys", "random", "bits", 10, "n", 12345, "k", 7)
				records = append(records, with(r, "lines/op", v, "pages/op", v, "loads/op", 7, "ops", ops, "lines", v*ops, "lines-sq", v*v*ops*1.3,
					"model-lines", v, "l1-misses/op", .99*v, "l2-misses/op", beyond*v, "l3-misses/op", 0))
			}
		}
	}
	here := rec("TouchHere", "filter", bloomSpec, "size", "4MiB", "op", "absent", "caches", "48KiB.12+2MiB.16", "sampled", "yes")
	records = append(records, with(here, "l1-misses/op", 1.9, "l2-misses/op", 1))
	for round := range 10 {
		r := rec("TouchCounters", "filter", bloomSpec, "size", "4MiB", "op", "absent")
		records = append(records, with(r, "counted-l1-misses/op", 2+.01*float64(round), "counted-last-misses/op", .5))
	}
	return &results.Set{Files: []results.File{{Experiment: "touch", Records: records}}}
}

func honestTouch() map[string][3]float64 {
	return map[string][3]float64{bloomSpec: {2, 7, 7}, blockedSpec: {1, 1, 1}, "cuckoo:b=4,f=auto": {2.12, 2.12, 6.9}}
}

func TestTouchTitles(t *testing.T) {
	for name, c := range map[string]struct {
		doctor        func(l map[string][3]float64)
		lines, misses string
	}{
		"as it is": {func(map[string][3]float64) {},
			"A present key touches 7 cache lines in bloom, 1 in blocked; an absent one 2 and 1",
			"Beyond 512 KiB modelled caches miss 1.8 times for an absent key in bloom, 0.88 times in blocked"},
		"no difference": {func(l map[string][3]float64) { l[bloomSpec] = [3]float64{1.005, 1.005, 1} },
			"A present key touches as many cache lines in bloom as in blocked: 1",
			"Modelled caches miss 0.88 times beyond 512 KiB for an absent key, in bloom and in blocked"},
		"absent keys cost as much": {func(l map[string][3]float64) { l[bloomSpec] = [3]float64{7, 7, 7} },
			"A present key touches 7 cache lines in bloom, 1 in blocked", "miss 6.1 times"},
		"blocks touch more": {func(l map[string][3]float64) { l[blockedSpec] = [3]float64{9, 9, 9} },
			"A present key touches 7 cache lines in bloom, 9 in blocked; an absent one 2 and 9", "7.9 times in blocked"},
		"no blocks": {func(l map[string][3]float64) { delete(l, blockedSpec) },
			"Cache lines that lookups and adds touch", "What modelled caches miss"},
	} {
		l := honestTouch()
		c.doctor(l)
		got := titles(touchSet(l))
		if got["touch"] != c.lines || !strings.Contains(got["touch-caches"], c.misses) {
			t.Errorf("%s: %q and %q", name, got["touch"], got["touch-caches"])
		}
	}
}

// The chart is of the largest size at which all filters were measured, the
// intervals are those of the sums, and further charts are minor.
func TestTouchCharts(t *testing.T) {
	set := touchSet(honestTouch())
	cells, bad := touchCells(set.Records("touch"))
	charts := touchCharts(cells)
	if bad != 0 || len(charts) != 2 || charts[0].Minor || !charts[1].Minor || len(charts[0].Rows) != 3 {
		t.Fatalf("%d charts, %d records left out", len(charts), bad)
	}
	p := charts[0].Series[1].Points[0] // bloom, present: 7 lines, variance .3 x 49
	if half := 1.96 * math.Sqrt(.3*49/32768); math.Abs(p.Hi-p.X-half) > 1e-4 || math.Abs(p.X-p.Lo-half) > 1e-4 || p.X != 7 {
		t.Errorf("%+v, want 7 +- %.4f", p, half)
	}
	if !strings.Contains(charts[0].Subtitle, "4 MiB") {
		t.Errorf("subtitle %q", charts[0].Subtitle)
	}
	tables := readTouch(set).tables
	if got := strings.Join(tables[1].Rows[0], " "); got != bloomSpec+" 4MiB absent 48KiB.12+2MiB.16 1.90 1.00 – 2.04 0.500" {
		t.Errorf("this machine: %q", got)
	}
	if len(tables[0].Rows) != len(cells) {
		t.Errorf("%d rows of %d cells", len(tables[0].Rows), len(cells))
	}
}

// Whatever is in the records, or is not, there is a page.
func TestTouchOfHostileRecords(t *testing.T) {
	for _, unit := range []string{"lines/op", "pages/op", "loads/op", "ops", "lines-sq", "l1-misses/op", "l2-misses/op", "l3-misses/op", ""} {
		for _, v := range []float64{0, -1, 1e300, math.NaN(), math.Inf(1), math.Inf(-1)} {
			set := touchSet(honestTouch())
			for i := range set.Files[0].Records {
				r := &set.Files[0].Records[i]
				for j := range r.Values {
					if r.Values[j].Unit == unit {
						r.Values[j].V = v
					}
				}
				if unit == "" {
					r.Values, r.Axes = r.Values[:0], r.Axes[:i%len(r.Axes)]
				}
			}
			for _, c := range analyse(set).charts() {
				if _, err := c.SVG(chart.Narrow); err != nil {
					t.Errorf("%s = %v: %v", unit, v, err)
				}
				if strings.Contains(fmt.Sprint(c.Title), "NaN") {
					t.Errorf("%s = %v: %s", unit, v, c.Title)
				}
			}
		}
	}
}
