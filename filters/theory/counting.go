package theory

import "math"

// CounterValue is the chance that a given one of m counters stands at v after n
// distinct keys with k increments each: P(Binomial(kn, 1/m) = v). m >= 2.
func CounterValue(n, m uint64, k, v int) float64 {
	draws, counters := float64(k)*float64(n), float64(m)
	if v < 0 || float64(v) > draws {
		return 0
	}
	return math.Exp(logCount(draws, counters, float64(v)))
}

// logCount is the logarithm of C(draws,c) (1/m)^c (1-1/m)^(draws-c).
func logCount(draws, m, c float64) float64 {
	log := (draws - c) * math.Log1p(-1/m)
	for i := 1.0; i <= c; i++ {
		log += math.Log((draws - i + 1) / i / m)
	}
	return log
}

// CounterOverflow is the chance that a given one of m counters, each of the
// given number of bits, has been asked to count beyond its largest value after
// n distinct keys with k increments each: P(Binomial(kn, 1/m) >= 2^bits).
// m times it is the expected number of such counters, and about the chance that
// there is any while that is small. m >= 1, 1 <= bits <= 16.
//
// Source: Fan, Cao, Almeida and Broder, Summary cache, IEEE/ACM Trans.
// Networking 8(3), 2000, section V.C, who bound it; this is the exact value.
func CounterOverflow(n, m uint64, k, bits int) float64 {
	draws, counters, limit := float64(k)*float64(n), float64(m), math.Exp2(float64(bits))
	switch {
	case draws < limit:
		return 0
	case m == 1:
		return 1
	}
	// Sum on the side of the limit away from the mean, where the terms fall.
	sum, term := 0.0, math.Exp(logCount(draws, counters, limit))
	if draws/counters >= limit {
		for c := limit; c > 0 && term > 0; c-- {
			term *= c * (counters - 1) / (draws - c + 1)
			sum += term
		}
		return max(0, 1-sum)
	}
	for c := limit; c <= draws && term > sum*0x1p-60; c++ {
		sum += term
		term *= (draws - c) / (c + 1) / (counters - 1)
	}
	return min(sum, 1)
}

// CounterOverflowBound is Fan's bound for CounterOverflow, (e c/2^bits)^(2^bits)
// with c = kn/m, at most 1.
func CounterOverflowBound(n, m uint64, k, bits int) float64 {
	limit := math.Exp2(float64(bits))
	c := float64(k) * float64(n) / float64(m)
	return min(1, math.Pow(math.E*c/limit, limit))
}

// BrokenByClearing is the expected number of the other n-1 keys that a plain
// Bloom filter no longer finds once the bits of one key are cleared: those of
// which a position is among them, (n-1)(1-E[(1-J/m)^k]) for the J distinct bits
// of the key. For large m that is n k^2/m. n, m, k >= 1.
func BrokenByClearing(n, m uint64, k int) float64 {
	if n == 0 {
		return 0
	}
	spared := 0.0
	for j, chance := range distinctDraws(m, k) {
		spared += chance * math.Pow(1-float64(j)/float64(m), float64(k))
	}
	return float64(n-1) * max(0, 1-spared)
}
