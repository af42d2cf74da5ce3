package experiments

import (
	"fmt"
	"math"
	"testing"

	"filterbench/filters/registry"
	"filterbench/filters/theory"
)

// The rates of field case 1 and claim P05, which an independent simulation gave:
// five standard deviations, which the counts themselves show, and the last digit
// given.
func TestStepsRates(t *testing.T) {
	if testing.Short() {
		t.Skip("8 million lookups")
	}
	for _, c := range []struct {
		n, bits     uint64
		step        string
		want, digit float64
	}{
		{100, 20, "any", 7.8e-4, .05e-4},
		{100, 20, "enhanced", 9.8e-5, .05e-5},
		{100, 20, "independent", theory.BloomExact(100, 2000, 14), 0},
		{100, 10, "any", 9.67e-3, .005e-3},
		{100, 10, "odd", 9.28e-3, .005e-3 + .12e-3}, // claims.md: .928 %, with a nonzero in place of an odd step
		{100, 10, "enhanced", 8.42e-3, .005e-3},
		{10, 10, "any", 2.5 * .0089363, .05 * .0089363},
		{10, 10, "odd", 2.0 * .0089363, .1 * .0089363},
	} {
		d, err := registry.Must("bloom:index=mod,step="+c.step).ForBits(c.n, float64(c.bits))
		if err != nil {
			t.Fatal(err)
		}
		sum, err := stepsCell{design: d, bits: c.bits, filters: 2000, queries: 500}.count(t.Context(), 3)
		if err != nil {
			t.Fatal(err)
		}
		f, q := 2000., 500.
		got := float64(sum.fp) / (f * q)
		spread := math.Sqrt(float64(sum.fpSquares)/f-math.Pow(float64(sum.fp)/f, 2)) / math.Sqrt(f) / q
		if sum.fn != 0 || math.Abs(got-c.want) > 5*spread+c.digit {
			t.Errorf("n=%d at %d bits, step=%s: %.4g, want %.4g +- %.2g; %d false negatives", c.n, c.bits, c.step, got, c.want, 5*spread+c.digit, sum.fn)
		}
	}
}

// Of 1024 steps four share so large a factor with m that fewer than 7 positions
// are distinct (claim B12); odd steps are never short. Independent positions
// repeat with chance 1 - (1-1/m)...(1-6/m).
func TestPositions(t *testing.T) {
	repeat := 1.0
	for i := 1; i < 7; i++ {
		repeat *= 1 - float64(i)/1024
	}
	for step, want := range map[string]float64{"any": 4. / 1024, "odd": 0, "independent": 1 - repeat} {
		const keys = 100_000
		d, err := registry.Must("bloom:index=mod,step="+step).ForBits(100, 10.24)
		if err != nil {
			t.Fatal(err)
		}
		short, least, err := countPositions(t.Context(), d, 5, keys)
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(short) / keys; math.Abs(got-want) > 5*math.Sqrt(want/keys) {
			t.Errorf("step=%s: %.4f of the keys are short, want %.4f", step, got, want)
		}
		if step == "any" && least != 1 || step == "odd" && least != 7 {
			t.Errorf("step=%s: the fewest positions are %d", step, least)
		}
	}
}

func TestStepsRepeat(t *testing.T) {
	records := countedTwice(t, "steps", func() (small []Unit) {
		units, err := planSteps(Config{Profile: "quick", Seed: 1, Specs: everyFamily()})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range units {
			if u.Cost.Milliseconds() < 42 {
				small = append(small, u)
			}
		}
		return small
	})
	if len(records) < 8 {
		t.Fatalf("only %d units are small enough to be run twice", len(records))
	}
	if units, _ := planSteps(Config{Profile: "quick", Specs: everyFamily()[2:3]}); len(units) != 0 {
		t.Errorf("without a Bloom filter %d units are planned", len(units))
	}
}

func TestStepsGridIsWhole(t *testing.T) {
	for _, profile := range []string{"quick", "full"} {
		units, err := planSteps(Config{Profile: profile, Seed: 1, Specs: everyFamily()})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, u := range units {
			if seen[u.ID] || u.Alone || u.Steps != 1 {
				t.Errorf("%s is planned twice, or does not count", u.ID)
			}
			seen[u.ID] = true
		}
		for _, step := range stepKinds {
			for _, bits := range []int{10, 20} {
				for _, n := range []int{10, 100, 1_000, 10_000, 100_000} {
					k := map[int]int{10: 7, 20: 14}[bits]
					if bits == 20 && n == 10 {
						k = 13
					}
					id := fmt.Sprintf("steps/Steps/filter=bloom:index=mod,step=%s,k=auto,kernel=auto/bits=%d/n=%d/m=%d/k=%d", step, bits, n, n*bits, k)
					if !seen[id] {
						t.Errorf("%s: no %s", profile, id)
					}
				}
			}
		}
	}
}
