package stat

import "math"

// Wilson returns the two-sided score interval at the given level for a rate of
// which hits were seen in the given number of trials. Without trials it is
// 0, 1.
//
// Source: Wilson, Probable inference, the law of succession, and statistical
// inference, JASA 22(158), 1927. Unlike the interval of the textbooks it keeps
// its level for few hits and never leaves 0..1 (Brown, Cai and DasGupta,
// Interval estimation for a binomial proportion, Statistical Science 16(2),
// 2001).
func Wilson(hits, trials uint64, level float64) (lo, hi float64) {
	if trials == 0 {
		return 0, 1
	}
	n := float64(trials)
	rate := float64(hits) / n
	z := twoSidedZ(level)
	z2 := z * z / n
	centre := (rate + z2/2) / (1 + z2)
	half := z / (1 + z2) * math.Sqrt(rate*(1-rate)/n+z2/(4*n))
	lo, hi = max(0, centre-half), min(1, centre+half)
	if hits == 0 {
		lo = 0 // not a rounding error above it
	}
	if hits >= trials {
		hi = 1
	}
	return lo, hi
}

// twoSidedZ is the normal quantile that leaves out (1-level)/2 on either side.
func twoSidedZ(level float64) float64 { return math.Sqrt2 * math.Erfinv(level) }

// ZeroUpper is the exact one-sided upper bound, at the given level, of a rate
// of which nothing was seen in the given number of trials: the rate at which
// that would happen with chance 1-level. It is 3/trials at 95 % (the rule of
// three; Hanley and Lippman-Hand, If nothing goes wrong, is everything all
// right?, JAMA 249(13), 1983).
func ZeroUpper(trials uint64, level float64) float64 {
	if trials == 0 {
		return 1
	}
	return -math.Expm1(math.Log(1-level) / float64(trials))
}

// Queries is how many absent keys it takes to know the rate p within the
// relative half-width rel at the given level: z^2 (1-p) / (p rel^2), rounded
// up. 0 < p < 1 and rel > 0.
func Queries(p, rel, level float64) uint64 {
	z := twoSidedZ(level)
	return uint64(math.Ceil(z * z * (1 - p) / (p * rel * rel)))
}
