package peers

import (
	"math"

	"filterbench/filters"
	"filterbench/filters/theory"
)

// slotsPerBucket is that of both cuckoo filters. Their buckets are a power of
// two in number.
const slotsPerBucket = 4

// cuckooModel is that of n fingerprints in pairs of buckets, for as long as
// nothing is refused: up to the given number of keys. Where the bits of a
// fingerprint that lead from one bucket to the other are all zero, the two are
// one. About one fingerprint in buckets does so, and three standard deviations
// more where the peer draws that at random; it has half the chances of others
// to be met.
func cuckooModel(buckets uint64, f int, most uint64) filters.Model {
	alone := 1 / float64(buckets)
	alone += 3 * math.Sqrt(alone/math.Exp2(float64(f)))
	return filters.Model{
		FPR:       func(n uint64) float64 { return theory.CuckooExact(n, buckets, f) },
		SD:        func(n uint64) float64 { return theory.CuckooSD(n, buckets, f) },
		MinN:      1,
		MaxN:      most,
		Tolerance: min(1, alone) / 2,
		Why:       "an exact set of pairs of buckets with a fingerprint (Fan et al. 2014); fingerprints whose two buckets are one as tolerance",
	}
}

// bucketsFor is the least power of two of buckets with room for n keys.
func bucketsFor(n uint64, room func(buckets uint64) uint64) uint64 {
	buckets := uint64(1)
	for room(buckets) < n {
		buckets *= 2
	}
	return buckets
}
