package theory

import "math"

// CuckooThreshold is the share of slots up to which keys that have two random
// buckets each can be arranged, in the limit of many buckets of the given number
// of slots: .8970, .9804 or .9979 for 2, 4 or 8, and 1/2 for one. A filter is
// refused its first key a little below, since it gives up after so many moves.
// 1 <= slots <= 64.
//
// Take away, again and again, each bucket that no more than slots of the keys
// left may use. What remains is the part where keys crowd, and it can be arranged
// as long as on the mean no more than 2 slots keys may use each of its buckets.
// With x the mean of a Poisson distribution that is cut off below, this is where
// x P(slots) = 2 slots P(slots+1), P(j) being the chance of at least j, and the
// keys are then x/P(slots)/2 for each bucket.
//
// Source: Fernholz and Ramachandran, The k-orientability thresholds for G(n,p),
// and Cain, Sanders and Wormald, The random graph threshold for k-orientability
// and a fast algorithm for optimal multiple-choice allocation, both SODA 2007.
func CuckooThreshold(slots int) float64 {
	k := float64(slots)
	if slots == 1 {
		return 0.5 // x = 0
	}
	lo, hi := 0.0, 2*k // the cut raises the mean from x to 2 k
	for range 100 {
		x := (lo + hi) / 2
		if x*poissonAtLeast(slots, x) < 2*k*poissonAtLeast(slots+1, x) {
			lo = x
		} else {
			hi = x
		}
	}
	return hi / poissonAtLeast(slots, hi) / (2 * k)
}

// poissonAtLeast is the chance that Poisson(mean) is at least j >= 1.
func poissonAtLeast(j int, mean float64) float64 {
	term := math.Exp(-mean)
	for i := 1; i <= j; i++ {
		term *= mean / float64(i)
	}
	sum := 0.0
	for i := j; term > 0 && sum+term > sum; i++ {
		sum += term
		term *= mean / float64(i+1)
	}
	return sum
}

// CuckooOverlapLoad is the share of slots at which one overlap (CuckooOverlaps)
// is expected: about where fingerprints of so few bits that this happens first
// make a table refuse a key. It may be above 1; the walk then gives up earlier.
// buckets is even.
func CuckooOverlapLoad(buckets uint64, f, slots int) float64 {
	all := buckets * uint64(slots)
	n := least(all/2, 64*all, func(n uint64) bool { return CuckooOverlaps(n, buckets, f, slots) >= 1 })
	return float64(n) / float64(all)
}
