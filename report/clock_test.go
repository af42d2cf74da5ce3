package report

import (
	"strings"
	"testing"

	"filterbench/results"
)

// Two filters whose order the wall clock and the CPU's tell differently: charts go
// by CPU time where the machine was busy, and say so.
func TestRankedByCPUTimeOnABusyMachine(t *testing.T) {
	records := func(disturbed int, cpu bool) (out []results.Record) {
		for round := range 20 {
			for filter, ns := range map[string][2]float64{"bloom": {20, 10}, "blocked": {30, 5}} {
				r := rec("Lookup", "filter", filter, "size", "16MiB", "api", "hash", "mode", "batch", "hits", "0", "bits", "10")
				r.Values = []results.Value{{Unit: "ns/op", V: ns[0]}}
				if cpu {
					r.Values = append(r.Values, results.Value{Unit: "cpu-ns/op", V: ns[1]})
				}
				if round < disturbed {
					r.Values = append(r.Values, results.Value{Unit: "disturbed", V: 1})
				}
				out = append(out, r)
			}
		}
		return out
	}
	tests := []struct {
		name      string
		disturbed int // of 20 rounds
		cpu       bool
		want      string // in the title
	}{
		{"quiet", 1, true, "bloom answers 1.5 times as many"},
		{"busy", 2, true, "blocked answers 2.0 times as many"},
		{"busy, no CPU time", 2, false, "bloom answers 1.5 times as many"},
	}
	for _, tt := range tests {
		cells, _ := timings(records(tt.disturbed, tt.cpu))
		c := throughputCharts(ranked(cells), nil)[0]
		if !strings.Contains(c.Title, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, c.Title, tt.want)
		}
		if says := strings.Contains(c.Subtitle, "CPU time"); says != strings.HasPrefix(tt.want, "blocked") {
			t.Errorf("%s: subtitle %q", tt.name, c.Subtitle)
		}
		if warns := len(doubtful(cells)) > 0; warns != (tt.disturbed > 1) {
			t.Errorf("%s: warnings %q", tt.name, doubtful(cells))
		}
	}
}
