package timing

import (
	"math"
	"math/bits"
	"time"
)

// Histogram counts durations in buckets that are no wider than 1/128 of what
// they hold, from 1 ns to hours, as HdrHistogram does. Adding to it takes a few
// nanoseconds and allocates nothing. The zero value is empty.
type Histogram struct {
	counts [buckets]uint64
	n      uint64
}

const (
	subBits = 7 // an octave has 2^7 buckets; below 2^8 ns each is 1 ns wide
	octaves = 36
	buckets = (octaves + 1) << subBits // up to 2^43 ns, more than two hours
)

// Add counts one duration; one below 0, as of a clock that was set back, as 0,
// and one beyond the last bucket as in it.
func (h *Histogram) Add(d time.Duration) {
	h.counts[bucketOf(d)]++
	h.n++
}

// Count is how many durations were added.
func (h *Histogram) Count() uint64 { return h.n }

// Reset empties the histogram.
func (h *Histogram) Reset() { *h = Histogram{} }

func bucketOf(d time.Duration) int {
	v := uint64(max(0, d))
	octave := max(0, bits.Len64(v)-subBits-1)
	return min(octave<<subBits+int(v>>octave), buckets-1)
}

// middle is the mean, in nanoseconds, of the whole numbers that a bucket holds.
func middle(bucket int) float64 {
	octave := max(0, bucket>>subBits-1)
	least := uint64(bucket-octave<<subBits) << octave
	return float64(least) + float64(uint64(1)<<octave-1)/2
}

// Quantile is the duration, in nanoseconds, that a share q of those added does
// not exceed: the nearest rank, at the middle of its bucket. 0 < q <= 1; NaN of
// nothing.
func (h *Histogram) Quantile(q float64) float64 {
	if h.n == 0 {
		return math.NaN()
	}
	rank := max(1, uint64(math.Ceil(float64(q*float64(h.n)))))
	for i, c := range h.counts {
		if c >= rank {
			return middle(i)
		}
		rank -= c
	}
	return middle(buckets - 1)
}
