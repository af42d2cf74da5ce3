package theory

import (
	"math"
	"math/big"
	"math/bits"
)

// The exact FPR of a Bloom filter is a question about occupancy: if X of the m
// bits are set, a lookup's k independent probes all hit with chance (X/m)^k,
// so the expected rate is the k-th moment of the fill X/m, and the spread
// between filters follows from the 2k-th. Bose et al. 2008 write the same
// number with Stirling numbers of order kn.

// fillMoment returns E[(X/m)^r] where X is the number of bits set after n keys
// have drawn k bits each, independently and with replacement; n, m, k, r >= 1.
//
// By inclusion and exclusion over the bits that the r probes hit,
//
//	E[(X/m)^r] = sum over i of (-1)^i E[C(J,i)] (1-i/m)^(kn),
//
// with J the number of distinct bits among the r probes. The terms are as
// large as 2^r and cancel down to the result; the working precision makes up
// for it, and leaves guard bits below the last bit of the result.
func fillMoment(n, m uint64, k, r int, guard uint) *big.Float {
	prec := momentPrec(n, m, k, r) + guard
	top := r
	if m < uint64(r) {
		top = int(m)
	}
	missed := make([]*big.Float, top+1)  // missed[i] = 1-i/m: a draw misses i given bits
	subsets := make([]*big.Float, top+1) // subsets[i] = E[C(J,i)]
	bigM := newFloat(prec).SetUint64(m)
	for i := range missed {
		missed[i] = newFloat(prec).SetUint64(m - uint64(i))
		missed[i].Quo(missed[i], bigM)
		subsets[i] = newFloat(prec)
	}
	subsets[0].SetInt64(1)
	product := newFloat(prec)
	for range r {
		// A further probe is new with chance 1-J/m, and then adds C(J,i-1).
		for i := top; i >= 1; i-- {
			subsets[i].Mul(subsets[i], missed[i])
			subsets[i].Add(subsets[i], product.Mul(subsets[i-1], missed[i-1]))
		}
	}
	sum := newFloat(prec)
	for i := range missed {
		product.Mul(subsets[i], power(power(missed[i], uint64(k)), n))
		if i%2 == 1 {
			product.Neg(product)
		}
		sum.Add(sum, product)
	}
	return sum
}

// momentPrec is the precision at which fillMoment's result has 64 bits that
// are right: r for the size of its terms, the size of the result (at least the
// r-th power of the mean fill, by Jensen), and what powering by kn loses.
func momentPrec(n, m uint64, k, r int) uint {
	small := float64(r) * -math.Log2(BloomFill(n, m, k))
	need := 64 + uint(r) + uint(math.Ceil(small)) + uint(bits.Len64(n)+bits.Len64(uint64(k))) + 16
	return (need + 63) / 64 * 64
}

// power returns x^n.
func power(x *big.Float, n uint64) *big.Float {
	result := newFloat(x.Prec()).SetInt64(1)
	for i := bits.Len64(n) - 1; i >= 0; i-- {
		result.Mul(result, result)
		if n>>i&1 == 1 {
			result.Mul(result, x)
		}
	}
	return result
}

// fillMoments returns E[(X/m)^r] for 0, 1, ..., loads-1 keys that have drawn
// the given number of an array's m bits each, with replacement. It is the
// float64 twin of fillMoment for small arrays, such as the block of a blocked
// filter: no term is negative, so nothing cancels, and the relative error is
// below 2^-52 times the number of draws.
func fillMoments(m, draws, r, loads int) []float64 {
	distinct := distinctDraws(uint64(m), r)
	covered := make([]float64, len(distinct)) // covered[j]: j given bits are all set
	covered[0] = 1
	moments := make([]float64, loads)
	full := fullAfter(m, draws, r)
	for load := range moments {
		if load >= full {
			moments[load] = 1
			continue
		}
		for j, c := range covered {
			moments[load] += float64(distinct[j] * c)
		}
		for range draws {
			for j := len(covered) - 1; j >= 1; j-- {
				hit := float64(j) / float64(m)
				covered[j] = float64((1-hit)*covered[j]) + float64(hit*covered[j-1])
			}
		}
	}
	return moments
}

// fullAfter is a number of keys after which the r-th moment of the fill of m
// bits is 1 but for less than 2^-53: the chance that one of r given bits is
// still missed is at most r e^(-keys draws/m), and ln 2^53 < 37.
func fullAfter(m, draws, r int) int { return m*(37+bits.Len(uint(r)))/draws + 1 }

// distinctDraws returns the chances that r draws from m bits, with
// replacement, hit 0, 1, ..., min(r, m) distinct bits.
func distinctDraws(m uint64, r int) []float64 {
	chance := make([]float64, min(uint64(r), m)+1)
	chance[0] = 1
	for range r {
		for j := len(chance) - 1; j >= 1; j-- {
			again := float64(j) / float64(m)
			fresh := float64(m-uint64(j)+1) / float64(m)
			chance[j] = float64(again*chance[j]) + float64(fresh*chance[j-1])
		}
		chance[0] = 0
	}
	return chance
}
