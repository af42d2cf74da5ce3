package stat

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// exactTails are the tails of a distribution given by the weights of 0, 1, ...
func exactTails(weights []*big.Rat, x int) (atMost, atLeast float64) {
	below, above := new(big.Rat), new(big.Rat)
	for i, w := range weights {
		if i <= x {
			below.Add(below, w)
		}
		if i >= x {
			above.Add(above, w)
		}
	}
	atMost, _ = below.Float64()
	atLeast, _ = above.Float64()
	return atMost, atLeast
}

func TestBinomialTailsExact(t *testing.T) {
	const q = 300
	weights := make([]*big.Rat, q+1)
	for i := range weights { // the rate is 1/16
		w := new(big.Int).Binomial(q, int64(i))
		w.Mul(w, new(big.Int).Exp(big.NewInt(15), big.NewInt(int64(q-i)), nil))
		weights[i] = new(big.Rat).SetFrac(w, new(big.Int).Exp(big.NewInt(16), big.NewInt(q), nil))
	}
	for _, x := range []int{0, 1, 10, 18, 19, 30, 60, 100, 150} { // down to 1e-93
		wantMost, wantLeast := exactTails(weights, x)
		atMost, atLeast := Count{Queries: q, Filters: 1, Rate: 1.0 / 16}.Tails(uint64(x))
		near(t, atMost, wantMost, 1e-12, "P(X <= %d)", x)
		near(t, atLeast, wantLeast, 1e-12, "P(X >= %d)", x)
	}
}

// Beta-binomial with a = 2, b = 6: mean 1/4, variance of the rate 12/(64*9).
func TestBetaBinomialTailsExact(t *testing.T) {
	const q, a, b = 100, 2, 6
	weights := make([]*big.Rat, q+1)
	for i := range weights { // C(x+a-1, x) C(q-x+b-1, q-x) / C(q+a+b-1, q)
		w := new(big.Int).Binomial(int64(i+a-1), int64(i))
		w.Mul(w, new(big.Int).Binomial(int64(q-i+b-1), int64(q-i)))
		weights[i] = new(big.Rat).SetFrac(w, new(big.Int).Binomial(q+a+b-1, q))
	}
	c := Count{Queries: q, Filters: 1, Rate: 0.25, SD: math.Sqrt(12.0 / (64 * 9))}
	for _, x := range []int{0, 3, 24, 25, 26, 60, 90, 99, 100} {
		wantMost, wantLeast := exactTails(weights, x)
		atMost, atLeast := c.Tails(uint64(x))
		near(t, atMost, wantMost, 1e-11, "P(X <= %d)", x)
		near(t, atLeast, wantLeast, 1e-11, "P(X >= %d)", x)
	}
}

// The model, beta-binomial, against the truth: the occupancy of filters of 1 %,
// whose rates are the 7th powers of their fills, binomial counts for each, and
// the sum over the filters. Down to 1e-12 they agree within a factor of 1.3
// where the filters hold 10^4 keys together, as Tails promises.
func TestTailsAgainstTrueFilters(t *testing.T) {
	const k = 7
	for _, c := range []struct{ n, m, filters, queries int }{
		{10000, 95851, 1, 2e6}, {1000, 9586, 10, 20000},
	} {
		fills := occupied(c.n*k, c.m)
		rate := func(x int) float64 { return math.Pow(float64(x)/float64(c.m), k) }
		var mean, square float64
		for x, w := range fills {
			mean += w * rate(x)
			square += w * rate(x) * rate(x)
		}
		model := Count{Queries: uint64(c.filters * c.queries), Filters: uint64(c.filters), Rate: mean, SD: math.Sqrt(square - mean*mean)}

		one := make([]float64, 2*int(mean*float64(c.queries))+1)
		for x, w := range fills {
			if w > 1e-30 {
				addBinomial(one, w, c.queries, rate(x))
			}
		}
		sum := one
		for range c.filters - 1 {
			sum = convolve(sum, one)
		}
		atMost := func(x int) float64 { p, _ := model.Tails(uint64(x)); return p }
		atLeast := func(x int) float64 { _, p := model.Tails(uint64(x)); return p }
		for _, share := range []float64{1e-12, 1e-9, 1e-6, 1e-3} {
			x, truth := 0, sum[0]
			for truth < share {
				x++
				truth += sum[x]
			}
			within(t, atMost(x), truth, 1.3, "P(X <= %d) of %+v", x, c)
			x, truth = len(sum)-1, sum[len(sum)-1]
			for truth < share {
				x--
				truth += sum[x]
			}
			within(t, atLeast(x), truth, 1.3, "P(X >= %d) of %+v", x, c)
		}
	}
}

// within fails unless got is within the factor of want.
func within(t *testing.T, got, want, factor float64, format string, args ...any) {
	t.Helper()
	if !(got <= want*factor && got >= want/factor) {
		t.Errorf(format+" = %v, want %v within a factor of %v", append(args, got, want, factor)...)
	}
}

// occupied is the distribution of the number of bits set, of m, after the given
// number of draws, without what is less likely than 1e-60.
func occupied(draws, m int) []float64 {
	chance := make([]float64, m+1)
	chance[0] = 1
	lo, hi := 0, 0
	for range draws {
		hi = min(hi+1, m)
		for x := hi; x >= lo; x-- {
			chance[x] *= float64(x) / float64(m)
			if x > 0 {
				chance[x] += chance[x-1] * float64(m-x+1) / float64(m)
			}
		}
		for ; chance[lo] < 1e-60; lo++ {
			chance[lo] = 0
		}
		for ; chance[hi] < 1e-60; hi-- {
			chance[hi] = 0
		}
	}
	return chance
}

// addBinomial adds weight times the binomial distribution to sum.
func addBinomial(sum []float64, weight float64, trials int, rate float64) {
	n, odds := float64(trials), rate/(1-rate)
	mode := min(int(n*rate), len(sum)-1)
	lgamma := func(x int) float64 { v, _ := math.Lgamma(float64(x)); return v }
	peak := weight * math.Exp(lgamma(trials+1)-lgamma(mode+1)-lgamma(trials-mode+1)+
		float64(mode)*math.Log(rate)+float64(trials-mode)*math.Log1p(-rate))
	for x, p := mode, peak; x < len(sum) && p > 1e-60; x++ {
		sum[x] += p
		p *= (n - float64(x)) / float64(x+1) * odds
	}
	for x, p := mode, peak; x > 0 && p > 1e-60; x-- {
		p *= float64(x) / (n - float64(x) + 1) / odds
		sum[x-1] += p
	}
}

func convolve(a, b []float64) []float64 {
	sum := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		for j, y := range b {
			sum[i+j] += x * y
		}
	}
	return sum
}

// Golden values: sums of Python's exact fractions times exp(-mean).
func TestPoissonTails(t *testing.T) {
	for _, c := range []struct {
		x               uint64
		mean            float64
		atMost, atLeast float64
	}{
		{0, 3, 0.049787068367863944, 1},
		{3, 3, 0.6472318887822313, 0.5768099188731565},
		{40, 3.2, 1.0, 8.706232880338559e-30},
		{200, 100, 1.0, 9.34315007298839e-19},
		{10, 100, 1.137687951695298e-30, 1.0},
		{1000, 1000, 0.508409367168506, 0.5042052441802155},
		{120, 1, 1.0, 5.545178720900328e-200},
		{0, 0, 1, 1}, {1, 0, 1, 0}, {5, 1e-300, 1, 0},
	} {
		atMost, atLeast := PoissonTails(c.x, c.mean)
		near(t, atMost, c.atMost, 1e-12, "P(X <= %d) at mean %v", c.x, c.mean)
		near(t, atLeast, c.atLeast, 1e-12, "P(X >= %d) at mean %v", c.x, c.mean)
	}
}

// Golden values: binom_interval in an independent Python program, for the
// textbook's filters.
func TestCountInterval(t *testing.T) {
	for _, c := range []struct {
		queries uint64
		rate    float64
		lo, hi  uint64
	}{
		{10000, 0.05027043235734143, 460, 546},
		{10000, 0.010039915908834284, 81, 120},
		{10000, 0.0010001388921715172, 4, 17},
		{100000, 0.01004358399014652, 943, 1067},
		{0, 0.01, 0, 0},
		{10, 1, 10, 10},
	} {
		if lo, hi := (Count{Queries: c.queries, Filters: 1, Rate: c.rate}).Interval(0.95); lo != c.lo || hi != c.hi {
			t.Errorf("interval of %d queries at %v = %d, %d, want %d, %d", c.queries, c.rate, lo, hi, c.lo, c.hi)
		}
	}
}

// Where counts are too many to walk, both ways agree: at a standard deviation a
// little below the limit, mostly binomial and mostly between filters. The smooth
// one's skew is off by the order of 1/sd, which moves a tail by z^3/6 of that.
func TestSmoothTailsAreTails(t *testing.T) {
	for _, c := range []Count{
		{Queries: 9e11, Filters: 1, Rate: 0.01},
		{Queries: 9e7, Filters: 1, Rate: 0.01, SD: 0.001},
	} {
		sd := math.Sqrt(c.Variance())
		if sd > maxSteps || sd < maxSteps/2 {
			t.Fatalf("sd %v is not just below the limit", sd)
		}
		for _, z := range []float64{-7, -3, 0, 3, 7} {
			x := uint64(c.Mean() + z*sd)
			atMost, atLeast := c.Tails(x)
			most, least := c.smoothTails(x)
			near(t, most, atMost, 1e-2, "P(X <= mean%+v sd) of %+v", z, c)
			near(t, least, atLeast, 1e-2, "P(X >= mean%+v sd) of %+v", z, c)
		}
	}
	huge := Count{Queries: 1e17, Filters: 1, Rate: 0.01}
	for _, z := range []float64{-7, -2, 1, 5, 30} {
		atMost, atLeast := huge.Tails(uint64(huge.Mean() + z*math.Sqrt(huge.Variance())))
		near(t, atMost, math.Erfc(-z/math.Sqrt2)/2, 1e-3, "P(X <= mean%+v sd) of 10^17", z)
		near(t, atLeast, math.Erfc(z/math.Sqrt2)/2, 1e-3, "P(X >= mean%+v sd) of 10^17", z)
	}
	for _, x := range []uint64{0, huge.Queries} {
		atMost, atLeast := huge.Tails(x)
		if atMost != boolean(x > 0) || atLeast != boolean(x == 0) {
			t.Errorf("tails at %d of 10^17: %v, %v", x, atMost, atLeast)
		}
	}
}

func TestTailsOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Count{
			Queries: rapid.Uint64Range(0, 1<<rapid.IntRange(0, 63).Draw(t, "log q")).Draw(t, "q"),
			Filters: rapid.Uint64Range(0, 1000).Draw(t, "filters"),
			Rate:    rapid.Float64Range(0, 1).Draw(t, "rate"),
			SD:      rapid.Float64Range(0, 1).Draw(t, "sd"),
		}
		if rapid.Bool().Draw(t, "small rate") {
			c.Rate *= 1e-6
			c.SD *= 1e-7
		}
		x := rapid.Uint64Range(0, c.Queries).Draw(t, "x")
		atMost, atLeast := c.Tails(x)
		plausible := c.SD <= c.Rate/2 // otherwise it is only bound to end, in 0..1
		if !(atMost >= 0 && atMost <= 1 && atLeast >= 0 && atLeast <= 1) || plausible && atMost+atLeast < 1-1e-3 {
			t.Fatalf("tails of %+v at %d: %v, %v", c, x, atMost, atLeast)
		}
		if p := c.PValue(x, 0.02); !(p >= 0 && p <= 1) {
			t.Fatalf("p-value of %+v at %d: %v", c, x, p)
		}
	})
}
