package theory

import "math"

// InformationBits is the least number of bits per key that any filter with the
// FPR p needs for a large universe, log2(1/p).
//
// Source: Carter, Floyd, Gill, Markowsky and Wegman, Exact and approximate
// membership testers, STOC 1978.
func InformationBits(p float64) float64 { return -math.Log2(p) }

// BloomBitsPerKey is what a Bloom filter needs with a real-valued optimal k,
// log2(1/p)/ln 2: 44 % more than InformationBits.
func BloomBitsPerKey(p float64) float64 { return InformationBits(p) / math.Ln2 }

// Precision is the chance that a key is present, given that the filter said
// "maybe" and that the share present of all lookups are for present keys
// (Bayes). It is 0 where a filter never says "maybe".
func Precision(present, p float64) float64 {
	maybe := present + (1-present)*p
	if maybe == 0 {
		return 0
	}
	return present / maybe
}

// FingerprintFPR is the expected FPR of an exact set of n fingerprints of the
// given width, 1-(1-2^-bits)^n: that of a quotient filter, with the quotient's
// and the remainder's bits together, and what a hash of so many bits adds to
// any filter, however large that is. 1 <= bits <= 63.
func FingerprintFPR(n uint64, bits int) float64 { return BloomFill(n, 1<<bits, 1) }

// FingerprintSD is the standard deviation between filters of FingerprintFPR,
// absolute: the fill's, by occupancy (Johnson and Kotz 1977, section 3.2).
func FingerprintSD(n uint64, bits int) float64 { return BloomFillSD(n, 1<<bits, 1) }

// GolombBits is the number of bits per key of a sorted set of hashes whose
// gaps, geometric with the mean 1/p, are in the best Golomb code: about 1.5
// above InformationBits. Looking up takes time in proportion to n or to the
// distance between entry points. 0 < p < 1.
//
// Source: Golomb, Run-length encodings, IEEE Trans. Inform. Theory 12(3), 1966;
// the parameter from Gallager and van Voorhis, Optimal source codes for
// geometrically distributed integer alphabets, ibid. 21(2), 1975; as a filter
// Putze, Sanders and Singler 2007, section 4.
func GolombBits(p float64) float64 {
	miss := math.Log1p(-p) // ln of the chance that a gap goes on
	m := max(1, math.Ceil(-math.Log1p(1-p)/miss))
	short := math.Floor(math.Log2(m)) // bits of the first remainders; the others take one more
	first := math.Exp2(short+1) - m
	period := -math.Expm1(m * miss) // 1-(1-p)^m
	long := (math.Exp(first*miss) - math.Exp(m*miss)) / period
	return short + long + 1/period
}
