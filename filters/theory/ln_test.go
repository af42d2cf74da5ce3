package theory

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Golden values: Python's decimal at 80 digits, rounded once to a float.
func TestLn(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{0.01, -4.605170185988091},
		{0.5, -0.6931471805599453},
		{0.05, -2.995732273553991},
		{0.001, -6.907755278982137},
		{0.999999, -1.000000500029089e-06},
		{1e-300, -690.7755278982137},
		{1, 0},
		{2, 0.6931471805599453},
		{3, 1.0986122886681098},
		{1.0000000000000002, 2.2204460492503128e-16},
		{0.9999999999999999, -1.1102230246251565e-16},
		{1e15, 34.538776394910684},
		{5e-324, -744.4400719213812},
		{0.7071067811865475, -0.34657359027997275},
		{0.7071067811865476, -0.3465735902799726},
	} {
		if got := ln(c.x); got != c.want {
			t.Errorf("ln(%v) = %v, want %v", c.x, got, c.want)
		}
	}
}

func TestLn1p(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{-1, math.Inf(-1)},
		{-0.9999999999999999, -36.7368005696771},
		{-0.5, -0.6931471805599453},
		{-0.26, -0.3011050927839216},
		{-0.25, -0.2876820724517809},
		{-0.01, -0.010050335853501442},
		{-1e-10, -1.00000000005e-10},
		{0, 0},
		{1e-300, 1e-300},
		{1e-10, 9.999999999500001e-11},
		{0.25, 0.22314355131420976},
		{0.3, 0.26236426446749106},
		{1e10, 23.025850930040455},
	} {
		if got := ln1p(c.x); got != c.want {
			t.Errorf("ln1p(%v) = %v, want %v", c.x, got, c.want)
		}
	}
}

func TestLnIsMathLogWithinAnUlp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(0x1p-1022, math.MaxFloat64).Draw(t, "x")
		want := math.Log(x)
		if got := ln(x); got != want && got != math.Nextafter(want, got) {
			t.Fatalf("ln(%v) = %v, math.Log %v", x, got, want)
		}
	})
}
