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
func ln(x float64) float64 { return nearestLn(newFloat(lnPrec).SetFloat64(x)) }

// ln1p returns the float64 nearest to ln(1+x), -1 <= x < +Inf.
func ln1p(x float64) float64 {
	if x == -1 {
		return math.Inf(-1)
	}
	bigX := newFloat(lnPrec).SetFloat64(x)
	if math.Abs(x) > 0.25 { // 1+x is exact then
		return nearestLn(bigX.Add(bigX, newFloat(lnPrec).SetInt64(1)))
	}
	denominator := newFloat(lnPrec).SetInt64(2)
	denominator.Add(denominator, bigX)
	nearest, _ := doubleArtanh(bigX.Quo(bigX, denominator)).Float64()
	return nearest
}

func nearestLn(x *big.Float) float64 {
	frac := newFloat(lnPrec)
	exp := x.MantExp(frac) // frac is in 0.5..1
	if frac.Cmp(big.NewFloat(math.Sqrt2/2)) < 0 {
		frac.SetMantExp(frac, 1) // now in 0.7..1.42: the series is short
		exp--
	}
	one := newFloat(lnPrec).SetInt64(1)
	sum := doubleArtanh(newFloat(lnPrec).Quo(newFloat(lnPrec).Sub(frac, one), newFloat(lnPrec).Add(frac, one)))
	ln2, _, err := big.ParseFloat(ln2Digits, 10, lnPrec, big.ToNearestEven)
	if err != nil {
		panic(err) // the digits are a constant
	}
	sum.Add(sum, ln2.Mul(ln2, newFloat(lnPrec).SetInt64(int64(exp))))
	nearest, _ := sum.Float64()
	return nearest
}

// doubleArtanh returns 2 artanh(t) = 2(t + t^3/3 + t^5/5 + ...), which is
// ln((1+t)/(1-t)). It overwrites t.
func doubleArtanh(t *big.Float) *big.Float {
	square := newFloat(lnPrec).Mul(t, t)
	sum := newFloat(lnPrec)
	for d := int64(1); t.Sign() != 0 && (sum.Sign() == 0 || t.MantExp(nil) > sum.MantExp(nil)-lnPrec); d += 2 {
		sum.Add(sum, newFloat(lnPrec).Quo(t, newFloat(lnPrec).SetInt64(d)))
		t.Mul(t, square)
	}
	return sum.Add(sum, sum)
}

func newFloat(prec uint) *big.Float { return new(big.Float).SetPrec(prec) }
