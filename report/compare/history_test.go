package compare

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"filterbench/results"
)

// past is a machine's runs, a day apart, in which blocked's time is multiplied by
// the factors; each run is also off by some per cent as a whole, and the twins say
// so much noise.
func past(seed uint64, factors ...float64) (sets []*results.Set) {
	rng := rand.New(rand.NewPCG(seed, 9))
	for i, f := range factors {
		ns := map[string]float64{}
		for name, t := range base {
			ns[name] = t * (1 + 0.01*rng.NormFloat64())
		}
		ns["blocked:k=6"] *= f
		config := machine("A", "date", fmt.Sprintf("2026-01-%02dT00:00:00Z", i+1), "commit", fmt.Sprintf("%07dabc", i))
		sets = append(sets, set(fmt.Sprint("run", i), config, map[string][]results.Record{"lookup": lookups(rng, 10, 1, ns)}))
	}
	return sets
}

func repeated(parts ...float64) (factors []float64) { // of six runs each
	for _, p := range parts {
		for range 6 {
			factors = append(factors, p)
		}
	}
	return factors
}

func TestHistoryFindsChanges(t *testing.T) {
	tests := []struct {
		name    string
		factors []float64
		want    []int // where blocked changes
	}{
		{"none", repeated(1, 1), nil},
		{"slower", repeated(1, 1.3), []int{6}},
		{"faster", repeated(1, 0.7), []int{6}},
		{"there and back", repeated(1, 1.5, 1), []int{6, 12}},
		{"less than the threshold", repeated(1, 1.02), nil},
		{"one bad day", []float64{1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1}, nil},
		{"too few runs to tell", []float64{1, 1, 2}, nil},
	}
	for _, tt := range tests {
		sets := past(1, tt.factors...)
		sets[0], sets[len(sets)-1] = sets[len(sets)-1], sets[0] // the order is that of their dates
		h, err := NewHistory(sets, Options{Threshold: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range h.Series {
			var got []int
			for _, c := range s.Changes {
				got = append(got, c.At)
			}
			want := tt.want
			if s.Filter != "blocked:k=6" {
				want = nil
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %s changes at %v, want %v", tt.name, s.Filter, got, want)
			}
		}
		var out bytes.Buffer
		if err := h.Write(&out); err != nil || len(tt.want) > 0 != strings.Contains(out.String(), "blocked became") {
			t.Errorf("%s: %v\n%s", tt.name, err, &out)
		}
		for _, c := range h.Charts() {
			c.Clean()
			if _, err := c.SVG(0); err != nil || c.Empty() {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
	}
}

// In 40 histories without a change, of three series each, a change is found in no
// more than a share of 0.05 allows: more than 7 has the chance 0.0007.
func TestHistoryOfNothing(t *testing.T) {
	found := 0
	for seed := range uint64(40) {
		h, err := NewHistory(past(seed, repeated(1, 1)...), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range h.Series {
			if len(s.Changes) > 0 {
				found++
				break
			}
		}
	}
	if found > 7 {
		t.Errorf("changes in %d of 40 histories that have none", found)
	}
}

func TestHistoryIsOfOneMachine(t *testing.T) {
	sets := past(1, 1, 1)
	sets[1].Files[0].Config[1].Value = "B"
	if _, err := NewHistory(sets, Options{}); err == nil || !strings.Contains(err.Error(), "run1") {
		t.Errorf("two CPUs: %v", err)
	}
	if _, err := NewHistory(sets[:1], Options{}); err == nil {
		t.Error("one run is no history")
	}
}
