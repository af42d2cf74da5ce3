package report

import (
	"encoding/csv"
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"filterbench/results"
)

// Plain benchstat, on the file that the report reads, has the report's medians:
// of times, CPU times and multiples of the limit, for filters and limits.
func TestBenchstatHasTheSameMedians(t *testing.T) {
	set := synthetic()
	records := set.Records("lookup")
	file := results.File{Experiment: "lookup", Config: []results.ConfigLine{{Key: "schema", Value: results.SchemaVersion}}, Records: records}
	path := filepath.Join(t.TempDir(), "lookup.txt")
	if err := results.WriteFile(path, file); err != nil {
		t.Fatal(err)
	}
	times, unusable := timings(records)
	if unusable > 0 || len(times) < 50 {
		t.Fatalf("%d timings, %d records left out", len(times), unusable)
	}
	var names []string // of the timings, in their order
	seen := map[string]bool{}
	for _, r := range records {
		if name := r.FullName(); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	if len(names) != len(times) {
		t.Fatalf("%d names of %d timings", len(names), len(times))
	}
	for _, unit := range []struct {
		name  string
		scale float64 // from benchstat's unit to ours
		of    func(timing) median
	}{
		{"ns/op", 1e9, func(t timing) median { return t.ns }},
		{"cpu-ns/op", 1e9, func(t timing) median { return t.cpu }},
		{"x-limit", 1, func(t timing) median { return t.xLimit }},
	} {
		medians := benchstatMedians(t, path, unit.name)
		compared := 0
		for i, name := range names {
			want := unit.of(times[i]).mid
			if math.IsNaN(want) {
				continue // limits are multiples of nothing
			}
			got, ok := medians[name]
			if !ok || math.Abs(got*unit.scale-want) > 1e-9*want {
				t.Errorf("%s of %s: benchstat has %v (%v), the report %v", unit.name, name, got*unit.scale, ok, want)
			}
			compared++
		}
		if compared != len(medians) || compared < 50 {
			t.Errorf("%s: %d medians compared, benchstat has %d", unit.name, compared, len(medians))
		}
	}
}

// benchstatMedians runs the pinned benchstat on a file and returns the medians
// of a unit, in benchstat's base units, by name.
func benchstatMedians(t *testing.T, path, unit string) map[string]float64 {
	t.Helper()
	tool, err := exec.Command("go", "tool", "-n", "benchstat").Output()
	if err != nil {
		t.Fatalf("go tool -n benchstat: %v", err)
	}
	out, err := exec.Command(strings.TrimSpace(string(tool)), "-format", "csv", "-filter", ".unit:"+unit, path).Output()
	if err != nil {
		t.Fatalf("benchstat: %v", err)
	}
	in := csv.NewReader(strings.NewReader(string(out)))
	in.FieldsPerRecord = -1
	lines, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	medians := map[string]float64{}
	for _, l := range lines {
		if len(l) < 2 || l[0] == "" || l[0] == "geomean" {
			continue
		}
		if v, err := strconv.ParseFloat(l[1], 64); err == nil {
			medians[l[0]] = v
		}
	}
	return medians
}
