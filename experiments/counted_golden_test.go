package experiments

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"filterbench/filters/registry"
	"filterbench/results"
)

var update = flag.Bool("update", false, "write testdata/counted.txt anew")

// cheap is what the units may cost that stand for their kind below: this test runs
// on emulated CPUs, too.
const cheap = 40 * time.Millisecond

var unitKind = regexp.MustCompile(`^[^/]+/[^/]+(/filter=[^/]+)?`)

// cheapest are the plan's counting units, of each kind (experiment, record and
// filter) the cheapest, where that is cheap; of an experiment that has no cheap one
// its cheapest.
func cheapest(p *Plan) *Plan {
	out := &Plan{Config: p.Config}
	for _, part := range p.Parts {
		units := slices.DeleteFunc(slices.Clone(part.Units), func(u Unit) bool { return u.Alone })
		slices.SortStableFunc(units, func(a, b Unit) int { return int(a.Cost - b.Cost) })
		seen := map[string]bool{}
		part.Units = nil
		for _, u := range units {
			kind := unitKind.FindString(u.ID)
			if seen[kind] || u.Cost > cheap && len(part.Units) > 0 {
				continue
			}
			seen[kind] = true
			part.Units = append(part.Units, u)
		}
		if len(part.Units) > 0 {
			out.Parts = append(out.Parts, part)
		}
	}
	return out
}

// What every experiment counts is the same on every CPU, byte for byte: `make
// test-arch` runs this under qemu, on a little-endian and a big-endian machine.
func TestCountedGolden(t *testing.T) {
	plan, err := NewPlan(Config{Profile: "quick", Seed: 1, Specs: registry.Defaults()}, All)
	if err != nil {
		t.Fatal(err)
	}
	got := results.CountedBytes(results.File{Records: countedRecords(t, cheapest(plan))})
	golden := filepath.Join("testdata", "counted.txt")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for _, line := range gotLines {
		if !slices.Contains(wantLines, line) {
			t.Errorf("not in %s: %s", golden, line)
		}
	}
	for _, line := range wantLines {
		if !slices.Contains(gotLines, line) {
			t.Errorf("only in %s: %s", golden, line)
		}
	}
}
