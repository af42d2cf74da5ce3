package theory

import (
	"math"
	"math/big"
)

// lnPrec is the working precision of ln, in bits. Rounding from there to the
// 53 of a float64 is wrong only if the true value lies within 2^-90 of the
// middle between two floats.
const lnPrec = 160

// ln2Digits is ln 2, to more digits than lnPrec needs.
const ln2Digits = "0.69314718055994530941723212145817656807550013436025525412068"

// ln returns the float64 nearest to the natural logarithm of x, 0 < x < +Inf.
// math.Log is off by up to an ulp, and not by the same on every CPU, which can
// move a filter's size by a bit.
func ln(x float64) float64 {
	frac, exp := math.Frexp(x)
	if frac < math.Sqrt2/2 {
		frac, exp = 2*frac, exp-1 // now 0.7 <= frac < 1.42: the series is short
	}
	// ln(frac) = 2 artanh(t) = 2 (t + t^3/3 + t^5/5 + ...), t = (frac-1)/(frac+1).
	t := newFloat(lnPrec).Quo(newFloat(lnPrec).SetFloat64(frac-1), newFloat(lnPrec).SetFloat64(frac+1))
	square := newFloat(lnPrec).Mul(t, t)
	sum := newFloat(lnPrec)
	for d := int64(1); t.Sign() != 0 && (sum.Sign() == 0 || t.MantExp(nil) > sum.MantExp(nil)-lnPrec); d += 2 {
		sum.Add(sum, newFloat(lnPrec).Quo(t, newFloat(lnPrec).SetInt64(d)))
		t.Mul(t, square)
	}
	ln2, _, err := big.ParseFloat(ln2Digits, 10, lnPrec, big.ToNearestEven)
	if err != nil {
		panic(err) // the digits are a constant
	}
	sum.Add(sum, sum).Add(sum, ln2.Mul(ln2, newFloat(lnPrec).SetInt64(int64(exp))))
	nearest, _ := sum.Float64()
	return nearest
}

func newFloat(prec uint) *big.Float { return new(big.Float).SetPrec(prec) }
