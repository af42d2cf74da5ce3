package experiments

import (
	"math"
	"math/rand/v2"
	"testing"

	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/filters/theory"
	"filterbench/results"
	"filterbench/workloads"
)

// recordsOf runs a unit that counts.
func recordsOf(t *testing.T, u Unit) (all []results.Record) {
	t.Helper()
	err := u.Run(t.Context(), 0, func(_ int, records []results.Record) error {
		all = append(all, records...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if err := r.Check(); err != nil {
			t.Error(err)
		}
		if what := r.Impossible() + r.Inconsistency(); what != "" {
			t.Errorf("%s: %s", r.FullName(), what)
		}
	}
	return all
}

func spaceUnit(t *testing.T, spec string) Unit {
	t.Helper()
	units, err := planSpace(Config{Profile: "quick", Seed: 1, Specs: []filters.Spec{registry.Must(spec)}})
	if err != nil || len(units) != 1 {
		t.Fatal(units, err)
	}
	return units[0]
}

// The sizes found are those of theory: what is between them is the chance of 400
// false positives, 5 % of the rate or .104 bits of a Bloom filter, over 10
// filters, by Student's t at 1 in 10^4 (5.8 standard errors at 9 degrees), and up to a
// step and the padding more, since sizes are whole steps.
func TestSpaceIsTheory(t *testing.T) {
	for _, r := range recordsOf(t, spaceUnit(t, "bloom")) {
		bits, _ := r.Value("bits/key")
		n, p := axisFloat(t, r, "n"), axisFloat(t, r, "p")
		m, _ := theory.BloomBitsForAtMost(uint64(n), p)
		sd := 0.05 / (math.Ln2 * math.Ln2)
		slack := 5.8 * sd / math.Sqrt(10)
		if want := float64(m) / n; bits < want-slack || bits > want+slack+spaceStep+1024/n {
			t.Errorf("%v bits per key for %v; theory says %.4f", bits, p, want)
		}
	}
}

// A filter of one size has that size wherever it keeps to the rate, and no record
// where it does not.
func TestSpaceOfOneSize(t *testing.T) {
	got := recordsOf(t, spaceUnit(t, "peer-xor8"))
	if len(got) != 3 {
		t.Fatalf("%d records; 2^-8 keeps to 5, 3 and 1 %%", len(got))
	}
	for _, r := range got {
		bits, _ := r.Value("bits/key")
		sd, _ := r.Value("bits-sd")
		if n := axisFloat(t, r, "n"); sd != 0 || math.Abs(bits*n-8*float64(theory.XorSlots(uint64(n)))) > 2048 {
			t.Errorf("%s: %v bits per key, sd %v", r.FullName(), bits, sd)
		}
	}
}

// The search finds the first step at which something holds, from any guess and by
// any stride, without asking twice.
func TestLeastStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		last := 1 + rng.IntN(300)
		first := 1 + rng.IntN(last+1)
		asked := map[int]bool{}
		got := leastStep(rng.IntN(2*last)-last/2, last, 1+rng.IntN(20), func(step int) bool {
			if asked[step] || step < 1 || step > last {
				t.Fatalf("asked for step %d of %d, before: %v", step, last, asked[step])
			}
			asked[step] = true
			return step >= first
		})
		if got != first {
			t.Fatalf("found %d of %d, want %d", got, last, first)
		}
	}
}

// A filter that is full has no place among those that keep to a rate.
func TestSpaceCountsAFullFilterAsWrong(t *testing.T) {
	d := toyDesign(100, false, toy{refuses: func(key uint64) bool { return key == 50 }})
	keys := spaceSet{own: new(filters.Keys), other: new(filters.Keys)}
	var src workloads.Source = numbers{present: 100, absent: 100}
	src.Present(keys.own, 0, 100)
	src.Absent(keys.other, 0, 100)
	if fp, err := keys.count(d, 100); fp != 100 || err != nil {
		t.Errorf("%d of 100 queries, %v", fp, err)
	}
}
