package theory

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Golden values: cbf_overflow_binom in Python, which loses 9 digits of 16 to
// lgamma; and cbf_overflow, the Poisson limit, to which 10^-5 are 2^40 keys near.
func TestCounterOverflow(t *testing.T) {
	for _, c := range []struct {
		n, m uint64
		k    int
		bits int
		want float64
	}{
		{10000, 95851, 7, 4, 1.5724636681488136e-16},
		{10000, 95851, 7, 3, 1.051010777104092e-06},
		{10000, 95851, 7, 2, 0.006656677566268525},
		{1000000, 9585059, 7, 4, 1.5749988899831373e-16},
		{1000000, 9585059, 7, 3, 1.0513867055458966e-06},
		{1000000, 9585059, 7, 2, 0.0066571418415667105},
		{1 << 40, 1 << 40, 1, 4, 1.867763463168067e-14},
		{1 << 40, 1 << 40, 1, 2, 0.018988156876153812},
		{1 << 40, 1 << 40, 2, 4, 4.799682757265366e-10},
		{1 << 40, 1 << 40, 2, 3, 0.0010967189678587038},
	} {
		near(t, CounterOverflow(c.n, c.m, c.k, c.bits), c.want, 1e-6, "CounterOverflow(%d, %d, %d, %d)", c.n, c.m, c.k, c.bits)
	}
	for _, c := range []struct {
		n, m uint64
		want float64
	}{{0, 5, 0}, {15, 7, 0}, {16, 1, 1}, {1 << 40, 7, 1}, {16, 2, 0x1p-16}} {
		near(t, CounterOverflow(c.n, c.m, 1, 4), c.want, 1e-13, "CounterOverflow(%d, %d, 1, 4)", c.n, c.m)
	}
	near(t, CounterOverflow(25, 2, 1, 4), 0.11476147174835205, 1e-13, "P(16 heads or more of 25)") // exact fraction in Python
	near(t, CounterOverflow(40, 2, 1, 4), 0.923070027918584, 1e-13, "P(16 heads or more of 40)")
}

func TestCounterOverflowBound(t *testing.T) {
	// (e ln2/16)^16 at k = m/n ln2.
	near(t, CounterOverflowBound(1e6, 1e7, 1, 4), math.Pow(math.E*0.1/16, 16), 1e-12, "bound at c = 0.1")
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(0, 1e6).Draw(t, "n")
		m := rapid.Uint64Range(1, 1e6).Draw(t, "m")
		bits := rapid.IntRange(1, 8).Draw(t, "bits")
		p, bound := CounterOverflow(n, m, 3, bits), CounterOverflowBound(n, m, 3, bits)
		if !(p >= 0 && p <= bound && bound <= 1) {
			t.Fatalf("overflow %v, bound %v", p, bound)
		}
	})
}

func TestBrokenByClearing(t *testing.T) {
	near(t, BrokenByClearing(10000, 95851, 7), 5.11, 1e-3, "keys broken by clearing one")
	// One bit of two, one probe: each other key is hit with chance 1/2.
	near(t, BrokenByClearing(11, 2, 1), 5, 1e-13, "BrokenByClearing(11, 2, 1)")
	// Two bits of two draws each: J is 1 or 2 alike; a key of the other bit
	// twice is spared, with chance 1/4, if J is 1.
	near(t, BrokenByClearing(9, 2, 2), 8*(1-0.5*0.25), 1e-13, "BrokenByClearing(9, 2, 2)")
	for _, c := range [][2]uint64{{0, 10}, {1, 10}} {
		if got := BrokenByClearing(c[0], c[1], 3); got != 0 {
			t.Errorf("BrokenByClearing(%d, %d, 3) = %v, want 0", c[0], c[1], got)
		}
	}
	near(t, BrokenByClearing(5, 1, 3), 4, 0, "BrokenByClearing(5, 1, 3)")
}

// Values are those of coins, and add up to overflows and to all increments.
func TestCounterValue(t *testing.T) {
	near(t, CounterValue(4, 2, 1, 2), 6./16, 1e-14, "two heads of four")
	near(t, CounterValue(2, 10, 2, 0), .6561, 1e-14, "none of four tenths")
	if CounterValue(3, 10, 1, 4) != 0 || CounterValue(3, 10, 1, -1) != 0 {
		t.Error("more than there are")
	}
	const n, m, k = 10_000, 95_851, 7
	all, keys, over := 0.0, 0.0, 0.0
	for v := range 40 {
		p := CounterValue(n, m, k, v)
		all += p
		keys += m * p * float64(v)
		if v >= 4 {
			over += p
		}
	}
	near(t, all, 1, 1e-12, "all values")
	near(t, keys, n*k, 1e-12, "all increments")
	near(t, over, CounterOverflow(n, m, k, 2), 1e-9, "those from 4 on")
}
