package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"filterbench/report/chart"
	"filterbench/results"
)

// lsmSet is gets in trees of two filters with the given rates, and the time of a
// lookup: shaped as a run's records are, and made up.
func lsmSet(bloom, blocked, ns float64) *results.Set {
	const gets = 10_000
	var records, times []results.Record
	for _, f := range []struct {
		spec string
		rate float64
	}{{bloomSpec, bloom}, {blockedSpec, blocked}} {
		for _, tables := range []float64{1, 10, 100} {
			for _, hits := range []float64{0, 50, 90, 100} {
				for _, stop := range []string{"never", "early"} {
					if hits == 0 && stop == "early" {
						continue
					}
					asked := tables
					if stop == "early" {
						asked = (tables + 1) / 2
					}
					present := gets * hits / 100
					probes := (gets-present)*tables + present*asked
					wrong := math.Round((probes - present) * f.rate)
					any := min(gets, present+math.Round((gets-present)*(1-math.Pow(1-f.rate, tables))))
					r := rec("LSM", "filter", f.spec, "tables", tables, "stop", stop, "hits", hits, "bits", 10, "n", 1000, "keys", "random", "gets", gets)
					records = append(records, with(r, "queries", gets, "probes", probes, "reads", present+wrong, "saved", probes-present-wrong,
						"queries-with-reads", any, "false", wrong, "lost-gets", 0, "refused", 0, "bits/key", 10.2, "model-reads", present+wrong, "model-sd", f.rate/30))
				}
			}
		}
		for round := range 10 {
			r := rec("Lookup", "filter", f.spec, "size", "16MiB", "api", "key", "mode", "single", "hits", 0, "keys", "random", "bits", 10, "n", 1e7)
			times = append(times, with(r, "ns/op", ns*(1+.01*float64(round%3)), "disturbed", 0, "x-limit", 3))
		}
	}
	r := rec("Liar", "filter", bloomSpec, "tables", 10, "says", "no", "share", 1, "stop", "early", "hits", 100, "bits", 10, "n", 1000, "keys", "random", "gets", gets)
	records = append(records, with(r, "queries", gets, "lost-gets", 100))
	return &results.Set{Files: []results.File{{Experiment: "lsm", Records: records}, {Experiment: "lookup", Records: times}}}
}

func TestLSMTitles(t *testing.T) {
	without := func(axis, value string) func(r *results.Record) bool {
		return func(r *results.Record) bool { return r.Axis(axis) != value }
	}
	set := lsmSet(.01, .02, 50)
	doctorTitles(t, set, []titleCase{
		{"two filters", "lsm", nil, "Of 100 tables a get of an absent key reads 1.0 with bloom, 2.0 with blocked; 63% and 87% of the gets read one or more"},
		{"one filter", "lsm", without("filter", blockedSpec), "reads 1.0 with bloom; 63% of the gets read one or more"},
		{"one table", "lsm", func(r *results.Record) bool { return r.Axis("tables") == "1" }, "Of a single table a get of an absent key reads"},
		{"shares", "lsm-hits", nil, "Of 10 tables bloom saves a get 9.9 reads where no key is present, 4.5 where all are"},
		{"not all", "lsm-hits", without("hits", "100"), "9.9 reads where no key is present, 5.0 where 90% are"},
		{"pays", "lsm-pays", nil, "Bloom of one table, at 50 ns a lookup, pays from a read of 51 ns if no key is present, of 510 ns if 90% are, and never if all are"},
		{"half", "lsm-pays", func(r *results.Record) bool { return r.Axis("hits") != "90" && r.Axis("hits") != "100" }, "of 51 ns if no key is present, of 100 ns if 50% are"},
		{"no lookups", "lsm-pays", func(r *results.Record) bool { return r.Name != "Lookup" }, ""},
	})
	if got := titles(lsmSet(.01, .0101, 50))["lsm"]; !strings.Contains(got, "reads 1.0 with bloom; ") {
		t.Errorf("what intervals do not tell apart: %q", got)
	}
	useless := lsmSet(1, 1, 50)
	cells, _ := treeCells(useless.Records("lsm"))
	if c := paysCharts(cells, useless); len(c) != 1 || !c[0].Empty() || !strings.Contains(c[0].Title, "pays at no cost of a read") {
		t.Errorf("filters that save nothing: %+v", c)
	}
	if _, ok := titles(doctor(set, func(r *results.Record) bool { return r.Name != "Lookup" }))["lsm-pays"]; ok {
		t.Error("without a lookup's time there is a chart of when it pays")
	}
}

func TestLSMLosses(t *testing.T) {
	set := doctor(lsmSet(.01, .02, 50), func(r *results.Record) bool {
		if r.Name == "LSM" && r.Axis("tables") == "10" && r.Axis("hits") == "100" && r.Axis("filter") == bloomSpec && r.Axis("stop") == "early" {
			for i := range r.Values {
				if r.Values[i].Unit == "lost-gets" {
					r.Values[i].V = 3
				}
			}
		}
		return true
	})
	c := readLSM(set)
	if len(c.warnings) != 1 || !strings.Contains(c.warnings[0], "lost 3 gets") {
		t.Errorf("warnings %q; gets that a liar loses are none", c.warnings)
	}
}

// Whatever is in the records, or is not, there is a page.
func TestLSMOfHostileRecords(t *testing.T) {
	for _, unit := range []string{"queries", "probes", "reads", "false", "queries-with-reads", "model-sd", "lost-gets", "ns/op", "tables", "hits", "stop", ""} {
		for _, v := range []float64{0, -1, 1, 1e300, math.NaN(), math.Inf(1)} {
			set := lsmSet(.01, .02, 50)
			for f := range set.Files {
				for i := range set.Files[f].Records {
					r := &set.Files[f].Records[i]
					for j := range r.Values {
						if r.Values[j].Unit == unit {
							r.Values[j].V = v
						}
					}
					for j := range r.Axes {
						if r.Axes[j].Key == unit {
							r.Axes[j].Value = fmt.Sprint(v)
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
				if strings.Contains(c.Title, "NaN") || strings.Contains(c.Title, "Inf") {
					t.Errorf("%s = %v: %s", unit, v, c.Title)
				}
			}
		}
	}
}
