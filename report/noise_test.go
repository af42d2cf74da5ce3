package report

import (
	"fmt"
	"strings"
	"testing"

	"filterbench/results"
)

// noisy are lookups of two filters in 10 rounds, the second 1.2 times as slow, and
// 10 twins of the first, of which so many take twin times as long.
func noisy(slower int, twin float64) (records []results.Record) {
	lookup := func(filter string) results.Record {
		return rec("Lookup", "filter", filter, "size", "16MiB", "api", "hash", "mode", "batch", "hits", "0", "keys", "random", "bits", "10")
	}
	add := func(r results.Record, ns float64) {
		for round := range 10 {
			r.Values = []results.Value{{Unit: "ns/op", V: ns * (1 + float64(round)/1e4)}}
			records = append(records, r)
		}
	}
	add(lookup("bloom"), 12)
	add(lookup("blocked"), 10)
	for i := range 10 {
		r := lookup("bloom")
		r.Name = "Twin"
		r.Axes = append(r.Axes, results.Axis{Key: "twin", Value: fmt.Sprint(i + 1)})
		ns := 12.0
		if i < slower {
			ns *= twin
		}
		add(r, ns)
	}
	return records
}

func TestNoDifferenceBelowTheNoise(t *testing.T) {
	tests := []struct {
		name   string
		slower int
		twin   float64
		want   string // in the title
	}{
		{"twins agree", 0, 1, "blocked answers 1.2 times as many lookups as bloom"},
		{"twins differ by less", 5, 1.1, "blocked answers 1.2 times as many lookups as bloom"},
		{"twins differ by more", 5, 1.3, "cannot be told apart"},
		{"faster twins count alike", 5, 1 / 1.3, "cannot be told apart"},
	}
	for _, tt := range tests {
		cells, bad := timings(noisy(tt.slower, tt.twin))
		if len(cells) != 2 || bad != 0 {
			t.Fatalf("%s: %d cells, %d unusable; want 2 and none: twins are not filters", tt.name, len(cells), bad)
		}
		charts := throughputCharts(cells, nil)
		if len(charts) == 0 || !strings.Contains(charts[0].Title, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, charts[0].Title, tt.want)
		}
		if rows := noiseTable(cells).Rows; (len(rows) == 1) != (tt.slower > 0) {
			t.Errorf("%s: noise %v", tt.name, rows)
		}
	}
}

// Twins of nothing, and too few of them, leave the decision to the intervals.
func TestTooFewTwins(t *testing.T) {
	records := noisy(10, 1.5)
	for _, kept := range [][]results.Record{records[:20+9*10], append(records[10:20:20], records[20:]...)} {
		cells, _ := timings(kept)
		for _, c := range cells {
			if c.floor.factor != 1 {
				t.Errorf("%s has the noise %v of %d pairs", c.filter, c.floor.factor, c.floor.pairs)
			}
		}
	}
}
