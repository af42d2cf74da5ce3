package timing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Quantiles are those of the sorted durations, to the width of a bucket.
func TestHistogramQuantiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, spread := range []float64{0.1, 1, 5} {
		var h Histogram
		all := make([]float64, 10_000)
		for i := range all {
			d := time.Duration(100 * math.Exp(spread*rng.NormFloat64()))
			all[i] = float64(d)
			h.Add(d)
		}
		slices.Sort(all)
		for _, q := range []float64{1e-9, .5, .95, .99, .999, 1} {
			want := all[max(1, int(math.Ceil(q*float64(len(all)))))-1]
			if got := h.Quantile(q); math.Abs(got-want) > want/256+.5 {
				t.Errorf("spread %v, quantile %v: %v, want %v", spread, q, got, want)
			}
		}
		if h.Count() != uint64(len(all)) {
			t.Errorf("%d durations, want %d", h.Count(), len(all))
		}
		if h.Reset(); h.Count() != 0 || !math.IsNaN(h.Quantile(.5)) {
			t.Error("not empty after Reset")
		}
	}
}

// Every duration falls into the bucket that holds it; small ones have one each.
func TestHistogramBuckets(t *testing.T) {
	last := -1
	for v := time.Duration(0); v < 1<<12; v++ {
		b := bucketOf(v)
		if b != last && b != last+1 {
			t.Fatalf("%d ns is in bucket %d, the one before in %d", v, b, last)
		}
		last = b
		if m := middle(b); math.Abs(m-float64(v)) > float64(v)/256 {
			t.Errorf("%d ns is in a bucket around %v", v, m)
		}
		if v < 256 && middle(b) != float64(v) {
			t.Errorf("%d ns shows as %v", v, middle(b))
		}
	}
	for v, want := range map[time.Duration]int{-1: 0, math.MinInt64: 0, math.MaxInt64: buckets - 1, 1<<43 - 1: buckets - 1, 1 << 42: buckets - 1<<subBits} {
		if got := bucketOf(v); got != want {
			t.Errorf("%d ns is in bucket %d, want %d", v, got, want)
		}
	}
}
