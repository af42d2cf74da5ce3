package report

import (
	"math"
	"strings"
	"testing"

	"filterbench/report/chart"
	"filterbench/results"
)

// crawlSet is a stream through two filters, shaped as a run's records are, and
// made up: ns an address, of bloom and of blocked.
func crawlSet(bloom, blocked float64) *results.Set {
	var records []results.Record
	for spec, ns := range map[string]float64{bloomSpec: bloom, blockedSpec: blocked} {
		for _, op := range []string{"dedupe", "build"} {
			a := rec("Crawl", "filter", spec, "op", op, "keys", "url", "n", 10_000_000, "m", 1e8, "k", 7)
			if op == "dedupe" {
				a = with(a, "entries", 13_333_333, "repeats", 3_333_333, "missed", 0, "dropped", 16_000, "drop-rate", .0016, "model-dropped", 16_100)
			}
			records = append(records, with(a, "fpr", .01, "fp", 10_000, "queries", 1_000_000, "bits/key", 9.6, "model-fpr", .01))
			for part := range 16 {
				noise := 1 + .01*float64(part%4)
				r := rec("CrawlRate", "filter", spec, "op", op, "keys", "url", "n", 10_000_000, "m", 1e8, "k", 7, "pages", "huge")
				records = append(records, with(r, "ns/op", ns*noise*2, "cpu-ns/op", ns*noise, "disturbed", 0, "total-ns/op", 100*noise, "x-limit", ns/10))
				l := rec("Limit", "kind", "line-read", "filter", spec, "op", op, "keys", "url", "n", 10_000_000, "path", "asm", "distance", 16, "pages", "huge")
				records = append(records, with(l, "ns/op", 10*noise, "cpu-ns/op", 10*noise, "disturbed", 0))
			}
		}
	}
	return &results.Set{Files: []results.File{{Experiment: "crawl", Records: records}}}
}

func TestCrawlTitles(t *testing.T) {
	only := func(spec string) func(r *results.Record) bool {
		return func(r *results.Record) bool { return r.Axis("filter") == spec }
	}
	for name, c := range map[string]struct {
		set  *results.Set
		want string
	}{
		"blocked faster": {crawlSet(40, 20), "Blocked filters a stream of 10M new addresses at 49 million a second, bloom at 25; 0.16% and 0.16% of them are lost"},
		"bloom faster":   {crawlSet(10, 20), "at 49 million a second, bloom at 99;"},
		"no difference":  {crawlSet(20, 20.01), "Blocked and bloom cannot be told apart on a stream of 10M; 0.16% and 0.16% of the new addresses are lost"},
		"one of them":    {doctor(crawlSet(40, 20), only(bloomSpec)), "Bloom filters a stream of 10M new addresses at 25 million a second, and loses 0.16% of them"},
		"builds": {doctor(crawlSet(40, 20), func(r *results.Record) bool { return r.Axis("op") == "build" }),
			"Keys a second, in a stream of 10M"},
	} {
		if got := titles(c.set)["crawl"]; !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Times are the thread's own, with their intervals; what a filter lost is a
// warning.
func TestCrawlChart(t *testing.T) {
	set := crawlSet(40, 20)
	c := readCrawl(set)
	if len(c.charts) != 1 || c.unusable != 0 || len(c.warnings) != 0 {
		t.Fatalf("%d charts, %d left out, %v", len(c.charts), c.unusable, c.warnings)
	}
	filter := c.charts[0].Series[2]
	if len(filter.Points) != 4 || c.charts[0].Rows[0] == c.charts[0].Rows[1] || !strings.Contains(c.charts[0].Rows[0], "drop repeats") {
		t.Errorf("rows %q, %d points", c.charts[0].Rows, len(filter.Points))
	}
	for _, p := range filter.Points {
		if !(p.Lo < p.X && p.X < p.Hi && (math.Abs(p.X-1e3/40/1.015) < .01 || math.Abs(p.X-1e3/20/1.015) < .01)) {
			t.Errorf("%+v", p)
		}
	}
	if len(c.tables[0].Rows) != 4 {
		t.Errorf("%d rows", len(c.tables[0].Rows))
	}
	lossy := doctor(set, func(r *results.Record) bool {
		for i := range r.Values {
			if r.Values[i].Unit == "missed" {
				r.Values[i].V = 3
			}
		}
		return true
	})
	if w := readCrawl(lossy).warnings; len(w) != 2 || !strings.Contains(w[0], "took 3 repeats for new addresses") {
		t.Errorf("warnings %q", w)
	}
}

// Whatever is in the records, or is not, there is a page.
func TestCrawlOfHostileRecords(t *testing.T) {
	for _, unit := range []string{"ns/op", "cpu-ns/op", "total-ns/op", "x-limit", "dropped", "missed", "fpr", "bits/key", ""} {
		for _, v := range []float64{0, -1, 1e300, math.NaN(), math.Inf(1), math.Inf(-1)} {
			set := crawlSet(40, 20)
			for i := range set.Files[0].Records {
				r := &set.Files[0].Records[i]
				for j := range r.Values {
					if r.Values[j].Unit == unit {
						r.Values[j].V = v
					}
				}
				if unit == "" {
					r.Axes = r.Axes[:i%len(r.Axes)]
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
