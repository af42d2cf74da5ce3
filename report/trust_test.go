package report

import (
	"bytes"
	"strings"
	"testing"

	"filterbench/results"
)

// timed are lookups of so many ns for each filter, wall and CPU alike.
func timed(ns map[string]float64, size string) *results.Set {
	var records []results.Record
	for _, filter := range []string{"a", "b", "c"} {
		r := rec("Lookup", "filter", filter, "size", size, "api", "hash", "mode", "batch", "hits", "0")
		r.Values = []results.Value{{Unit: "ns/op", V: ns[filter]}, {Unit: "cpu-ns/op", V: ns[filter]}}
		records = append(records, r)
	}
	return &results.Set{Dir: "run", Files: []results.File{{Experiment: "lookup", Records: records}}}
}

func TestTrust(t *testing.T) {
	first := timed(map[string]float64{"a": 10, "b": 11, "c": 20}, "16MiB")
	tests := []struct {
		name         string
		second       *results.Set
		pairs, alike int
	}{
		{"the same", first, 2, 2}, // a and b differ by a tenth
		{"a small change of order", timed(map[string]float64{"a": 11, "b": 10, "c": 20}, "16MiB"), 2, 2},
		{"a large one", timed(map[string]float64{"a": 10, "b": 21, "c": 20}, "16MiB"), 3, 2},
		{"turned round", timed(map[string]float64{"a": 20, "b": 19, "c": 10}, "16MiB"), 2, 0},
		{"other sizes do not compare", timed(map[string]float64{"a": 1, "b": 2, "c": 3}, "2MiB"), 0, 0},
	}
	for _, tt := range tests {
		for _, sets := range [][2]*results.Set{{first, tt.second}, {tt.second, first}} {
			all := Trust(sets[0], sets[1])
			if tt.pairs == 0 {
				if len(all) != 0 || WriteTrust(&bytes.Buffer{}, sets[0], sets[1]) == nil {
					t.Errorf("%s: %v", tt.name, all)
				}
				continue
			}
			if len(all) != 2 || all[0].Pairs != tt.pairs || all[0].Alike != tt.alike || len(all[0].Contradicts) != tt.pairs-tt.alike {
				t.Errorf("%s: %+v, want %d of %d alike", tt.name, all, tt.alike, tt.pairs)
			}
			var out bytes.Buffer
			if err := WriteTrust(&out, sets[0], sets[1]); err != nil || !strings.Contains(out.String(), "wall") {
				t.Errorf("%s: %v\n%s", tt.name, err, &out)
			}
		}
	}
}
