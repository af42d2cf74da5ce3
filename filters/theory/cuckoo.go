package theory

import "math"

// CuckooFPR is the FPR of a cuckoo filter with f-bit fingerprints, of which the
// value 0 is reserved for empty slots, in buckets of the given number of slots,
// filled to the given load (0..1): 1-(1-1/(2^f-1))^(2 slots load). It takes the
// fingerprints in two buckets for independent; CuckooExact does not, and is
// below it, by 0.2 % of it at f = 8 and by 3 % at f = 4.
//
// Source: Fan, Andersen, Kaminsky and Mitzenmacher, Cuckoo filter: practically
// better than Bloom, CoNEXT 2014, section 5.1, there for full buckets.
func CuckooFPR(f, slots int, load float64) float64 {
	return -math.Expm1(2 * float64(slots) * load * math.Log1p(-1/fingerprints(f)))
}

// fingerprints is the number of values of f bits other than 0.
func fingerprints(f int) float64 { return math.Exp2(float64(f)) - 1 }

// CuckooExact is the expected FPR of a cuckoo filter that holds n keys. Where a
// fingerprint may lie is a pair of buckets that it and either bucket determine.
// So a lookup says "maybe" just if its pair and fingerprint together are those
// of a key, and the filter is an exact set over (2^f-1) buckets/2 such values.
// It assumes that no bucket is paired with itself. f <= 32.
func CuckooExact(n, buckets uint64, f int) float64 {
	return -math.Expm1(float64(n) * math.Log1p(-1/cuckooClasses(buckets, f)))
}

// CuckooSD is the standard deviation between filters of CuckooExact, absolute.
func CuckooSD(n, buckets uint64, f int) float64 {
	// More than 2^63 classes: the deviation is below 10^-15 of the rate.
	return BloomFillSD(n, uint64(min(cuckooClasses(buckets, f), 1<<63)), 1)
}

// cuckooClasses is the number of pairs of buckets and fingerprints, exact up to
// 2^53.
func cuckooClasses(buckets uint64, f int) float64 {
	return max(1, float64(fingerprints(f)*float64(buckets))/2)
}

// CuckooAbsentDeletes is what to expect where keys are deleted from a cuckoo
// filter of n keys that are not in it: how many of the deletes take something
// out, and how many of the n keys are then no longer found. By the argument of
// CuckooExact a delete takes a copy from one of the filter's values, all alike:
// of a value that X of the keys have and that Y of the deletes hit, min(X, Y)
// copies go, and all X keys are lost if Y is X or more. Both are binomial, and
// independent of each other.
func CuckooAbsentDeletes(n, deletes, buckets uint64, f int) (removed, lost float64) {
	p := 1 / cuckooClasses(buckets, f)
	if p == 1 { // one value, which all keys have and all deletes hit
		if deletes >= n {
			return float64(n), float64(n)
		}
		return float64(deletes), 0
	}
	odds := p / (1 - p)
	first := func(draws uint64) (none, some float64) { // P(0), P(1 or more)
		log := float64(draws) * math.Log1p(-p)
		return math.Exp(log), -math.Expm1(log)
	}
	keys, keysTail := first(n)
	hits, hitsTail := first(deletes)
	for x := 1.0; x <= float64(n) && keysTail > 0 && hitsTail > 0; x++ {
		removed += float64(keysTail * hitsTail)
		keys *= (float64(n) - x + 1) / x * odds
		lost += float64(x*keys) * hitsTail
		hits *= max(0, float64(deletes)-x+1) / x * odds
		keysTail -= keys
		hitsTail -= hits
	}
	return removed / p, lost / p
}

// CuckooFingerprintBits is the least f, at most 63, with a CuckooFPR of at most
// p, or 0 if there is none.
func CuckooFingerprintBits(p float64, slots int, load float64) int {
	if !(p > 0) {
		return 0
	}
	most := -ln1p(-min(p, 1)) // 1-e^-x <= p where x is at most this
	return firstBits(func(f int) bool {
		return float64(float64(2*slots)*load)*-ln1p(-1/fingerprints(f)) <= most
	})
}

// firstBits is the first of 1..63 for which enough holds, or 0.
func firstBits(enough func(bits int) bool) int {
	for bits := 1; bits <= 63; bits++ {
		if enough(bits) {
			return bits
		}
	}
	return 0
}

// CuckooBitsPerKey is f/load, or (f-1)/load with semi-sorted buckets, which
// save a bit a slot: four sorted 4-bit values take 3876 <= 2^12 forms (Fan et
// al. 2014, section 5.2).
func CuckooBitsPerKey(f int, load float64, semiSorted bool) float64 {
	if semiSorted {
		f--
	}
	return float64(f) / load
}

// CuckooIdealBits is the paper's bits per key with a real-valued f,
// (log2(1/p) + log2(2 slots))/load, less one bit if semi-sorted (Fan et al.
// 2014, section 5.1).
func CuckooIdealBits(p float64, slots int, load float64, semiSorted bool) float64 {
	bits := InformationBits(p) + math.Log2(2*float64(slots))
	if semiSorted {
		bits--
	}
	return bits / load
}
