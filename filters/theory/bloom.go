package theory

import "math"

// BloomBits is the textbook's number of bits for n keys and the rate p,
// ceil(-n ln p / ln^2 2): the size at which a real-valued k = m/n ln 2 would
// reach p by the classic formula. A whole k misses p by a little; see
// BloomBitsForAtMost. It rounds as Python's math does, so that golden numbers
// agree to the bit. n <= 2^48 and 0 < p < 1; it is 0 where n is 0 or p >= 1.
//
// Source: Bloom, Space/time trade-offs in hash coding with allowable errors,
// CACM 13(7), 1970; in this form Broder and Mitzenmacher, Network applications
// of Bloom filters: a survey, Internet Mathematics 1(4), 2004, section 2.
func BloomBits(n uint64, p float64) uint64 {
	if p >= 1 {
		return 0
	}
	const ln2 float64 = math.Ln2
	square := ln2
	square *= ln2
	return uint64(math.Ceil(float64(-float64(n)*ln(p)) / square))
}

// BloomProbes is the textbook's number of probes, max(1, m/n ln 2 rounded to
// the nearest whole number, halves to even), without an upper bound. See
// BloomBestProbes for the true optimum. n >= 1.
func BloomProbes(n, m uint64) int {
	if n == 0 {
		return 1
	}
	return int(max(1, math.RoundToEven(float64(m)/float64(n)*math.Ln2)))
}

// BloomClassic is the classic formula for the FPR, (1-e^(-kn/m))^k. It takes
// the bits for independent and is below BloomExact, by about 0.9/n of it at an
// FPR of 1 %.
//
// Source: Broder and Mitzenmacher 2004, section 2.
func BloomClassic(n, m uint64, k int) float64 {
	return math.Pow(-math.Expm1(-float64(float64(k)*float64(n))/float64(m)), float64(k))
}

// BloomExact is the expected FPR after n keys if each key and each lookup
// draws its k positions independently, with replacement. The result is exact
// but for its rounding to float64, at any size. m >= 1, and k from 1 to a few
// hundred.
//
// Source: Bose, Guo, Kranakis, Maheshwari, Morin, Morrison, Smid and Tang, On
// the false-positive rate of Bloom filters, IPL 108(4), 2008; Christensen,
// Roginsky and Jimeno, A new analysis of the false positive rate of a Bloom
// filter, IPL 110(21), 2010.
func BloomExact(n, m uint64, k int) float64 {
	if n == 0 || bloomUnderflows(n, m, k) {
		return 0
	}
	p, _ := fillMoment(n, m, k, k, 0).Float64()
	return p
}

// bloomUnderflows reports whether the FPR is below the least float64: X <= kn.
func bloomUnderflows(n, m uint64, k int) bool {
	most := float64(k) * float64(n) / float64(m)
	return float64(k)*math.Log2(most) < -1080
}

// BloomSD is the standard deviation between filters of their own FPRs, which
// differ because their keys set different numbers of bits. It is absolute, and
// exact as BloomExact is.
//
// Source: the fill's moments, as for BloomExact. To first order it is
// k rho^(k-1) sd(rho), with rho the fill.
func BloomSD(n, m uint64, k int) float64 {
	if n == 0 || bloomUnderflows(n, m, k) {
		return 0
	}
	return sdFrom(n, m, k, k)
}

// sdFrom is the standard deviation of (X/m)^r.
func sdFrom(n, m uint64, k, r int) float64 {
	// The variance is the small difference of two moments. Relative to either
	// it is at least 2^-2 Len(m) or so, unless it is zero.
	const guard = 192
	mean := fillMoment(n, m, k, r, guard)
	variance := fillMoment(n, m, k, 2*r, guard)
	variance.Sub(variance, newFloat(variance.Prec()).Mul(mean, mean))
	if variance.Sign() <= 0 || variance.MantExp(nil) < 2*mean.MantExp(nil)-guard {
		return 0 // what is left is rounding
	}
	sd, _ := variance.Sqrt(variance).Float64()
	return sd
}

// BloomFill is the expected share of bits set after n keys,
// 1-(1-1/m)^(kn). m >= 1.
func BloomFill(n, m uint64, k int) float64 {
	if n == 0 {
		return 0
	}
	return -math.Expm1(float64(k) * float64(n) * math.Log1p(-1/float64(m)))
}

// BloomFillSD is the standard deviation between filters of the share of bits
// set (Johnson and Kotz, Urn Models and Their Application, 1977, section 3.2).
func BloomFillSD(n, m uint64, k int) float64 {
	if n == 0 {
		return 0
	}
	return sdFrom(n, m, k, 1)
}

// ProbesAbsent is the expected number of probes of a lookup that stops at the
// first 0, for an absent key in a filter of which the share fill is set:
// 1 + fill + ... + fill^(k-1). A present key costs k.
func ProbesAbsent(fill float64, k int) float64 {
	sum := 0.0
	for range k {
		sum = float64(sum*fill) + 1
	}
	return sum
}

// BloomBestProbes is the whole k, at most MaxProbes, with the least exact FPR;
// the smaller of equals. n, m >= 1.
func BloomBestProbes(n, m uint64) int {
	return bestProbes(BloomProbes(n, m), func(k int) float64 { return BloomExact(n, m, k) })
}

// maxBits bounds the search for a size, in bits.
const maxBits = 1 << 56

// BloomBitsForAtMost is the least number of bits at which a whole k, at most
// MaxProbes, gives an exact FPR of at most p, and that k. It is 0, 0 if p <= 0
// or 2^56 bits do not suffice. n >= 1.
func BloomBitsForAtMost(n uint64, p float64) (m uint64, k int) {
	if !(p > 0) {
		return 0, 0
	}
	k = bestProbes(int(min(-math.Log2(p), MaxProbes)), func(k int) uint64 {
		return BloomBitsWith(n, p, k) - 1 // none, 0, becomes the worst
	})
	if m = BloomBitsWith(n, p, k); m == 0 {
		return 0, 0
	}
	return m, k
}

// BloomBitsWith is the least number of bits at which the given k has an exact
// FPR of at most p, or 0 if p <= 0 or 2^56 bits do not suffice. n >= 1.
func BloomBitsWith(n uint64, p float64, k int) uint64 {
	if !(p > 0) {
		return 0
	}
	// What the classic formula would need is a little less: a good guess.
	guess := float64(k) * float64(n) / -math.Log1p(-math.Pow(min(p, 1), 1/float64(k)))
	return least(uint64(min(guess, maxBits)), maxBits, func(m uint64) bool { return BloomExact(n, m, k) <= p })
}

// LevelDBProbes is the number of probes that LevelDB takes: bits per key times
// 0.69, cut off, within 1..30. It is deliberately below the optimum (LevelDB,
// util/bloom.cc).
func LevelDBProbes(bitsPerKey float64) int {
	return int(min(max(float64(bitsPerKey*0.69), 1), 30))
}

// ShortSteps is the share of the steps h2 from 0 to m-1 with which double
// hashing, h1 + i h2 mod m, reaches fewer than k distinct positions: those for
// which m/gcd(h2, m) is below k. Of each divisor d of m there are phi(d) steps
// that reach d positions. m, k >= 1.
func ShortSteps(m uint64, k int) float64 {
	short := uint64(0)
	for d := uint64(1); d < uint64(k); d++ {
		if m%d == 0 {
			short += totient(d)
		}
	}
	return float64(short) / float64(m)
}

// totient is Euler's: how many of 1 to n share no factor with it.
func totient(n uint64) (coprime uint64) {
	for i := uint64(1); i <= n; i++ {
		a, b := n, i
		for b != 0 {
			a, b = b, a%b
		}
		if a == 1 {
			coprime++
		}
	}
	return coprime
}
