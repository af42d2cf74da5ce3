package stat

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A p-value must be at most alpha with a chance of at most alpha, and of not
// much less: the sum over all counts of this model is taken.
func TestPValueKeepsItsLevel(t *testing.T) {
	for _, c := range []Count{
		{Queries: 3000, Filters: 1, Rate: 0.01},
		{Queries: 3000, Filters: 6, Rate: 0.02, SD: 0.004},
	} {
		for _, alpha := range []float64{0.05, 1e-3, 1e-6} {
			sum := 0.0
			for x := uint64(0); x < 300; x++ {
				if c.PValue(x, 0) <= alpha {
					atMost, atLeast := c.Tails(x)
					sum += atMost + atLeast - 1 // P(X = x), as good as 1e-16
				}
			}
			if sum > alpha || sum < alpha/3 {
				t.Errorf("%+v: p <= %v has a chance of %v", c, alpha, sum)
			}
		}
	}
}

func TestPValueTolerance(t *testing.T) {
	c := Count{Queries: 2e6, Filters: 1, Rate: 0.01, SD: 1e-5}
	mean := c.Mean()
	for _, rel := range []float64{-0.019, 0, 0.019} {
		if p := c.PValue(uint64(mean*(1+rel)), 0.02); p < 0.5 {
			t.Errorf("off by %v, inside the tolerance: p = %v", rel, p)
		}
	}
	for _, rel := range []float64{-0.08, 0.08} {
		x := uint64(mean * (1 + rel))
		if p := c.PValue(x, 0.02); p > 1e-12 {
			t.Errorf("off by %v, far outside of the tolerance: p = %v", rel, p)
		}
		if strict := c.PValue(x, 0); strict > c.PValue(x, 0.02) {
			t.Errorf("off by %v: a tolerance made p smaller", rel)
		}
	}
	// Filters that differ by more explain what one fixed rate does not.
	c.SD = 4e-4
	if p := c.PValue(uint64(mean*1.08), 0.02); p < 0.01 {
		t.Errorf("two standard deviations between filters: p = %v", p)
	}
}

func TestPValueOfExactStructures(t *testing.T) {
	c := Count{Queries: 1000, Filters: 1}
	if p := c.PValue(0, 0); p != 1 {
		t.Errorf("no false positive where there must be none: p = %v", p)
	}
	if p := c.PValue(1, 0); p != 0 {
		t.Errorf("a false positive where there must be none: p = %v", p)
	}
}

// The first is the example of R's p.adjust(c(.01,.04,.03,.005), "holm").
func TestHolm(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.5, 0.9}, []float64{1, 1}},
		{[]float64{0.2}, []float64{0.2}},
		{[]float64{0, 1e-300}, []float64{0, 1e-300}},
		{nil, nil},
	} {
		got := Holm(c.p)
		for i := range c.want {
			near(t, got[i], c.want[i], 1e-14, "Holm(%v)[%d]", c.p, i)
		}
	}
}

func TestHolmIsBetweenRawAndBonferroni(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 30).Draw(t, "p")
		for i, adjusted := range Holm(p) {
			if adjusted < p[i] || adjusted > math.Min(1, float64(len(p))*p[i])*(1+1e-15) {
				// An adjusted value may exceed its own Bonferroni bound only to
				// stay in order with a smaller p.
				larger := false
				for j := range p {
					larger = larger || p[j] <= p[i] && math.Min(1, float64(len(p))*p[j]) >= adjusted*(1-1e-15)
				}
				if adjusted < p[i] || !larger {
					t.Fatalf("%v of %v", adjusted, p)
				}
			}
		}
	})
}
