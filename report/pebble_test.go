package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"filterbench/report/chart"
	"filterbench/results"
)

// pebbleSet is gets in stores without filters, with the engine's own and with
// ours, in microseconds for an absent key: shaped as a run's records are, and
// made up.
func pebbleSet(none, own, ours float64) *results.Set {
	var records []results.Record
	for _, f := range []struct {
		name string
		us   float64
	}{{storeNone, none}, {storeOwn, own}, {bloomSpec, ours}} {
		for _, hits := range []int{0, 100} {
			for round := range 10 {
				noise := (1 + .01*float64(round%3)) * (1 - .003*float64(hits))
				r := rec("Pebble", "filter", f.name, "keys", "uuidv4", "hits", hits, "tables", 10, "n", 5000)
				r = with(r, "ns/op", 1e3*f.us*noise, "cpu-ns/op", 1e3*f.us*noise, "disturbed", 0, "blocks/op", f.us, "read-B/op", 4000)
				if f.name != storeNone {
					r = with(r, "filter-noes/op", 9.9, "filter-maybes/op", .1, "filter-B", 64_000)
				}
				records = append(records, r)
			}
		}
	}
	return &results.Set{Files: []results.File{{Experiment: "pebble", Records: records}}}
}

func TestPebbleTitles(t *testing.T) {
	only := func(filters ...string) func(r *results.Record) bool {
		return func(r *results.Record) bool { return strings.Contains(strings.Join(filters, " "), r.Axis("filter")) }
	}
	for name, c := range map[string]struct {
		set  *results.Set
		want string
	}{
		"faster":      {pebbleSet(24, 14, 12), "A get of an absent key takes 24 µs without filters, 12 µs with bloom, 14 µs with Pebble's own"},
		"as own":      {pebbleSet(24, 12.05, 12), "12 µs with bloom, and as long with Pebble's own"},
		"own only":    {doctor(pebbleSet(24, 14, 12), only(storeNone, storeOwn)), "24 µs without filters, 14 µs with Pebble's own filter"},
		"no gain":     {pebbleSet(12, 12, 12), "takes as long with bloom as without a filter, as far as the rounds tell"},
		"no baseline": {doctor(pebbleSet(24, 14, 12), only(storeOwn, bloomSpec)), "Gets in a store, by the filter of its tables"},
	} {
		if got := titles(c.set)["pebble"]; !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestPebbleChart(t *testing.T) {
	c := readPebble(pebbleSet(24, 14, 12))
	if len(c.charts) != 1 || c.unusable != 0 || len(c.tables[0].Rows) != 6 {
		t.Fatalf("%d charts, %d left out, %d rows", len(c.charts), c.unusable, len(c.tables[0].Rows))
	}
	got := c.charts[0]
	if fmt.Sprint(got.Rows) != "[no filter Pebble's own bloom]" || got.Notes[0] != "24.0 blocks" {
		t.Errorf("rows %q, notes %q", got.Rows, got.Notes)
	}
	for _, s := range got.Series {
		for _, p := range s.Points {
			if len(s.Points) != 3 || !(p.Lo < p.X && p.X < p.Hi) {
				t.Errorf("%s: %+v", s.Name, s.Points)
			}
		}
	}
}

// Whatever is in the records, or is not, there is a page.
func TestPebbleOfHostileRecords(t *testing.T) {
	for _, unit := range []string{"ns/op", "cpu-ns/op", "blocks/op", "filter-noes/op", "filter-maybes/op", "filter-B", ""} {
		for _, v := range []float64{0, -1, 1e300, math.NaN(), math.Inf(1), math.Inf(-1)} {
			set := pebbleSet(24, 14, 12)
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
