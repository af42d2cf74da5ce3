package theory

import "cmp"

// MaxProbes is the largest number of probes that the functions which choose
// one will choose. It is the optimum of a Bloom filter at an FPR of 2^-64,
// below which the collisions of 64-bit hashes decide.
const MaxProbes = 64

// bestProbes returns the k in 1..MaxProbes with the least cost, the smaller of
// equals. The cost must fall and then rise with k; the search walks downhill
// from start.
func bestProbes[T cmp.Ordered](start int, cost func(k int) T) int {
	k := min(max(start, 1), MaxProbes)
	best := cost(k)
	for k < MaxProbes {
		next := cost(k + 1)
		if next >= best {
			break
		}
		k, best = k+1, next
	}
	for k > 1 {
		next := cost(k - 1)
		if next > best {
			break
		}
		k, best = k-1, next
	}
	return k
}

// least returns the smallest x in 1..limit for which enough(x) holds, or 0 if
// there is none. Once it holds, it must hold for all larger x. The search
// gallops from guess, so that a good guess costs little.
func least(guess, limit uint64, enough func(x uint64) bool) uint64 {
	lo, hi := uint64(0), limit+1 // enough(lo) is false, enough(hi) true or out of range
	x := min(max(guess, 1), limit)
	if enough(x) {
		hi = x
		for step := uint64(1); lo+step < hi; step *= 2 {
			if !enough(hi - step) {
				lo = hi - step
				break
			}
			hi -= step
		}
	} else {
		lo = x
		for step := uint64(1); step < hi-lo; step *= 2 {
			if enough(lo + step) {
				hi = lo + step
				break
			}
			lo += step
		}
	}
	for lo+1 < hi {
		mid := lo + (hi-lo)/2
		if enough(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	if hi > limit {
		return 0
	}
	return hi
}
