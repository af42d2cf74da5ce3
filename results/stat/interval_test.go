package stat

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// near fails unless got is within the relative error of want.
func near(t *testing.T, got, want, relative float64, format string, args ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf(format+" = %v, want %v within %v of it", append(args, got, want, relative)...)
	}
}

// Golden values: wilson in an independent Python program, with z = 1.959964.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		hits, trials uint64
		lo, hi       float64
	}{
		{114, 10000, 0.009498871039409721, 0.013676372174332919},
		{4, 10000, 0.00015556283554323452, 0.0010281283424875096},
		{475, 10000, 0.04350198280458423, 0.05184553572635836},
	} {
		lo, hi := Wilson(c.hits, c.trials, 0.95)
		near(t, lo, c.lo, 1e-7, "Wilson(%d, %d), low", c.hits, c.trials)
		near(t, hi, c.hi, 1e-7, "Wilson(%d, %d), high", c.hits, c.trials)
	}
}

func TestWilsonEdges(t *testing.T) {
	for _, c := range []struct {
		hits, trials uint64
		lo, hi       float64
	}{{0, 0, 0, 1}, {0, 1, 0, 0.79}, {1, 1, 0.21, 1}, {0, 1 << 60, 0, 0}, {1 << 60, 1 << 60, 1, 1}} {
		lo, hi := Wilson(c.hits, c.trials, 0.95)
		if math.Abs(lo-c.lo) > 0.005 || math.Abs(hi-c.hi) > 0.005 {
			t.Errorf("Wilson(%d, %d) = %v, %v, want about %v, %v", c.hits, c.trials, lo, hi, c.lo, c.hi)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		trials := rapid.Uint64Range(1, math.MaxUint64).Draw(t, "trials")
		hits := rapid.Uint64Range(0, trials).Draw(t, "hits")
		level := rapid.Float64Range(0.5, 0.999999).Draw(t, "level")
		lo, hi := Wilson(hits, trials, level)
		rate := float64(hits) / float64(trials)
		if !(0 <= lo && lo <= rate && rate <= hi && hi <= 1) {
			t.Fatalf("Wilson = %v, %v around %v", lo, hi, rate)
		}
	})
}

func TestZeroUpper(t *testing.T) {
	near(t, ZeroUpper(1e5, 0.95), -math.Log(0.05)/1e5, 1e-4, "ZeroUpper(10^5)") // 3.0e-5
	upper := ZeroUpper(12, 0.95)
	near(t, math.Pow(1-upper, 12), 0.05, 1e-12, "chance of no hit in 12 at ZeroUpper(12)")
	if got := ZeroUpper(0, 0.95); got != 1 {
		t.Errorf("ZeroUpper(0) = %v", got)
	}
}

// Golden values: n_queries in an independent Python program, with z = 1.959964.
func TestQueries(t *testing.T) {
	for _, c := range []struct {
		p, rel float64
		want   uint64
	}{
		{0.05, 0.05, 29196}, {0.03, 0.05, 49683}, {0.01, 0.05, 152122}, {0.0082, 0.05, 185852},
		{0.001, 0.05, 1535047}, {0.000744, 0.05, 2063764}, {6.713e-05, 0.05, 22888134},
		{6.713e-05, 0.1, 5722034}, {0.01, 0.02, 950762},
	} {
		near(t, float64(Queries(c.p, c.rel, 0.95)), float64(c.want), 1e-6, "Queries(%v, %v)", c.p, c.rel)
	}
}
