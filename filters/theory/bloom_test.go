package theory

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// Golden values: the textbook's formulas in Python (bloom_m, bloom_k_seed),
// with the hostile sizes that other libraries have reported bugs for.
func TestBloomBitsAndProbes(t *testing.T) {
	for _, c := range []struct {
		n uint64
		p float64
		m uint64
		k int
	}{
		{1, 0.5, 2, 1},
		{1, 0.999, 1, 1},
		{2, 0.01, 20, 7},
		{10, 0.01, 96, 7},
		{100, 0.01, 959, 7},
		{1000, 0.01, 9586, 7},
		{10000, 0.05, 62353, 4},
		{10000, 0.01, 95851, 7},
		{10000, 0.001, 143776, 10},
		{100000, 0.01, 958506, 7},
		{1000000, 0.01, 9585059, 7},
		{5000000, 0.001, 71887938, 10},
		{100000000, 1e-05, 2396264595, 17},
		{150000000, 0.0001, 2875517514, 13},
		{350000000, 0.01, 3354770433, 7},
		{1000000000, 0.01, 9585058378, 7},
		{10, 1e-06, 288, 20},
		{10, 1e-300, 14378, 997},
		{1099511627776, 1e-15, 79041623541205, 50},
		{10000000, 1e-07, 335477044, 23},
		{7691, 2.2007e-08, 282249, 25},
		{64746109, 4.412e-09, 2592649695, 28},
		{2695156, 1.797345e-06, 74210707, 19},
		{4, 3.2822981e-05, 86, 15},
		{2, 7.235134e-06, 50, 17},
		{6, 6.417e-09, 236, 27},
		{124231, 0.022855141245, 977030, 5},
		{30, 9.7012e-08, 1009, 23},
		{33821952, 0.272025481606, 91645655, 2},
		{8418512, 3.392003e-06, 220674019, 18},
		{518873232637, 2.598e-09, 21349346581273, 29},
		{20027258735, 3.78027e-07, 616437208392, 21},
		{53, 1.1178e-08, 2020, 26},
		{5032, 0.018345290623, 41877, 6},
		{147, 0.000150051885, 2694, 13},
		{46447423, 2.062235e-06, 1265631912, 19},
		{3740533, 3.621e-09, 151321620, 28},
		{5, 6.8082e-08, 172, 24},
		{146150288, 6.39104e-06, 3638331043, 17},
		{5885, 0.000162742351, 106851, 13},
	} {
		if m := BloomBits(c.n, c.p); m != c.m {
			t.Errorf("BloomBits(%d, %v) = %d, want %d", c.n, c.p, m, c.m)
		}
		if k := BloomProbes(c.n, c.m); k != c.k {
			t.Errorf("BloomProbes(%d, %d) = %d, want %d", c.n, c.m, k, c.k)
		}
	}
}

// Golden values: bloom_fpr_exact in Python, inclusion and exclusion over the
// query's distinct positions, in 80 decimal digits.
func TestBloomExact(t *testing.T) {
	for _, c := range []struct {
		n, m uint64
		k    int
		want float64
	}{
		{1, 1, 1, 1.0},
		{1, 2, 1, 0.5},
		{3, 1, 4, 1.0},
		{5, 3, 8, 0.9999997392730372},
		{20, 10, 3, 0.9951338256856205},
		{1, 10, 7, 0.0174705766201},
		{10, 96, 7, 0.010888081171544974},
		{100, 959, 7, 0.010105200507570869},
		{1000, 9586, 7, 0.01004358399014652},
		{10000, 95851, 7, 0.010039915908834284},
		{10000, 62353, 4, 0.05027043235734143},
		{10000, 143776, 10, 0.0010001388921715172},
		{1000000, 9585059, 7, 0.010039223613456863},
		{1000000, 9592955, 7, 0.01000000761313743},
		{5000000, 71887938, 10, 0.0010000251504341641},
		{32, 256, 8, 0.02641283586623143},
		{51, 512, 7, 0.008179662730683207},
		{100, 2000, 14, 6.823853031801348e-05},
		{100, 1000, 7, 0.008266247514843566},
		{1000, 20000, 14, 6.724663288958613e-05},
		{10, 288, 20, 1.2211421541189887e-06},
		{65536, 1179648, 12, 0.00017615341323226047},
		{100, 6400, 44, 4.644342358771378e-14},
		{1000, 64000, 64, 1.7974143910018029e-13},
		{1000000, 1000000, 3, 0.8579519575714082},
		{0, 1000, 7, 0},
	} {
		near(t, BloomExact(c.n, c.m, c.k), c.want, 0x1p-52, "BloomExact(%d, %d, %d)", c.n, c.m, c.k)
	}
}

// bose is the formula as Bose et al. 2008 state it, in exact rationals:
// m^-k(n+1) times the sum over i of i^k i! C(m,i) S(kn,i).
func bose(n, m, k int) float64 {
	draws := k * n
	stirling := make([]*big.Int, draws+1)
	for i := range stirling {
		stirling[i] = new(big.Int)
	}
	stirling[0].SetInt64(1)
	for range draws {
		for i := draws; i >= 1; i-- {
			stirling[i].Mul(stirling[i], big.NewInt(int64(i)))
			stirling[i].Add(stirling[i], stirling[i-1])
		}
		stirling[0].SetInt64(0)
	}
	sum, factorial := new(big.Int), big.NewInt(1)
	for i := 1; i <= min(m, draws); i++ {
		factorial.Mul(factorial, big.NewInt(int64(i)))
		term := new(big.Int).Exp(big.NewInt(int64(i)), big.NewInt(int64(k)), nil)
		term.Mul(term, factorial)
		term.Mul(term, new(big.Int).Binomial(int64(m), int64(i)))
		sum.Add(sum, term.Mul(term, stirling[i]))
	}
	all := new(big.Int).Exp(big.NewInt(int64(m)), big.NewInt(int64(k*(n+1))), nil)
	p, _ := new(big.Rat).SetFrac(sum, all).Float64()
	return p
}

func TestBloomExactIsBose(t *testing.T) {
	for n := 1; n <= 6; n++ {
		for _, m := range []int{1, 2, 3, 7, 20} {
			for k := 1; k <= 5; k++ {
				near(t, BloomExact(uint64(n), uint64(m), k), bose(n, m, k), 0x1p-52, "BloomExact(%d, %d, %d)", n, m, k)
			}
		}
	}
}

// At sizes that no reference can sum, the exact rate exceeds rho^k by the
// second moment of the fill, k(k-1)/2 Var(X/m)/rho^2 of it, and by terms of
// order 1/n^2.
func TestBloomExactHuge(t *testing.T) {
	for _, c := range []struct {
		n, m uint64
		k    int
	}{{1e8, 1e9, 7}, {1e10, 1e11, 7}, {1e10, 1 << 38, 19}, {1e9, 1 << 40, 40}, {1 << 40, 1 << 46, 44}, {1 << 40, 1 << 40, 1}} {
		m, k, draws := float64(c.m), float64(c.k), float64(c.k)*float64(c.n)
		load := draws / m
		zeros := math.Exp(-load)
		variance := zeros * (1 - (1+load)*zeros) / m
		rho := BloomFill(c.n, c.m, c.k)
		want := math.Pow(rho, k) * (1 + k*(k-1)/2*variance/(rho*rho))
		near(t, BloomExact(c.n, c.m, c.k), want, 1e-12, "BloomExact(%d, %d, %d)", c.n, c.m, c.k)
	}
}

func TestBloomExactBelowFloats(t *testing.T) {
	if p := BloomExact(1, 1<<40, 64); p != 0 { // at most (64/2^40)^64
		t.Errorf("BloomExact(1, 2^40, 64) = %v, want 0: it is below 10^-600", p)
	}
	// (X/m)^20 with X = 20 but for a chance of 2e-10.
	near(t, BloomExact(1, 1<<40, 20), math.Pow(20/0x1p40, 20), 1e-8, "BloomExact(1, 2^40, 20)")
}

func TestBloomClassic(t *testing.T) {
	near(t, BloomClassic(1e6, 9585059, 7), 0.01003921455, 1e-8, "BloomClassic at 1 %%")
	// The classic formula is too low by 113 % at n = 1 and 0.09 % at n = 1000.
	near(t, BloomExact(1, 10, 7)/BloomClassic(1, 10, 7), 2.132, 1e-3, "exact/classic for 1 key")
	near(t, BloomExact(1000, 9586, 7)/BloomClassic(1000, 9586, 7), 1.0009021, 1e-6, "exact/classic for 1000 keys")
}

// Golden values: bloom_fpr_sd_between_filters in Python, the first-order
// approximation, whose own error is of relative order 1/n.
func TestBloomSDFirstOrder(t *testing.T) {
	for _, c := range []struct {
		n, m uint64
		want float64
	}{
		{1000, 9586, 0.0003920606677705496},
		{10000, 95851, 0.00012401403166726683},
		{100000, 958506, 3.9216722862874707e-05},
		{1000000, 9585059, 1.2401398717211068e-05},
	} {
		near(t, BloomSD(c.n, c.m, 7), c.want, 2/float64(c.n), "BloomSD(%d, %d, 7)", c.n, c.m)
	}
}

func TestBloomSDByOccupancy(t *testing.T) {
	for _, c := range [][3]int{{1, 10, 7}, {10, 96, 7}, {50, 480, 7}, {3, 5, 2}, {2, 100, 1}, {20, 64, 3}} {
		mean, sd := powerOfFill(c[0], c[1], c[2])
		near(t, BloomExact(uint64(c[0]), uint64(c[1]), c[2]), mean, 1e-12, "BloomExact(%v)", c)
		near(t, BloomSD(uint64(c[0]), uint64(c[1]), c[2]), sd, 1e-11, "BloomSD(%v)", c)
	}
	for _, c := range [][3]uint64{{1, 100, 1}, {5, 1, 3}, {0, 9, 2}} { // every filter is alike
		if sd := BloomSD(c[0], c[1], int(c[2])); sd != 0 {
			t.Errorf("BloomSD(%v) = %v, want 0", c, sd)
		}
	}
}

func TestBloomFill(t *testing.T) {
	near(t, 1-BloomFill(10000, 95851, 7), 0.48176, 1e-5, "zeros after 10,000 keys")
	near(t, BloomFillSD(10000, 95851, 7)*95851, 87.65901195370301, 1e-9, "sd of the bits set") // bloom_fill_sd in Python
	for _, c := range []struct{ fill, want float64 }{{0, 1}, {0.25, 1.3333}, {0.518, 2.0539}, {0.75, 3.4661}, {0.99, 6.7935}, {1, 7}} {
		near(t, ProbesAbsent(c.fill, 7), c.want, 1e-4, "ProbesAbsent(%v, 7)", c.fill)
	}
}

func TestBloomBestProbes(t *testing.T) {
	for bits, want := range map[uint64]int{4: 3, 5: 3, 6: 4, 8: 6, 10: 7, 12: 8, 15: 10, 16: 11, 20: 14, 25: 17} {
		if k := BloomBestProbes(1e6, bits*1e6); k != want { // best_int_k in Python
			t.Errorf("best k at %d bits per key = %d, want %d", bits, k, want)
		}
	}
	if k := BloomBestProbes(1, 1<<40); k < 1 || k > MaxProbes {
		t.Errorf("BloomBestProbes(1, 2^40) = %d", k)
	}
}

// Every k is tried, by the twin that needs no big numbers.
func TestBloomBestProbesOfSmallFilters(t *testing.T) {
	for n := uint64(1); n <= 8; n++ {
		for m := 1; m <= 100; m += 7 {
			least := 1.0
			for k := 1; k <= MaxProbes; k++ {
				least = min(least, BlockedFPR(n, 1, m, k))
			}
			k := BloomBestProbes(n, uint64(m))
			near(t, BloomExact(n, uint64(m), k), least, 1e-11, "FPR at BloomBestProbes(%d, %d), which is %d,", n, m, k)
		}
	}
}

// Golden values: bloom_fpr_exact in Python is 1.0000000266 % at 9,592,956 bits
// and 0.9999999770 % at 9,592,957. (By the classic formula 9,592,955 would do.)
func TestBloomBitsForAtMost(t *testing.T) {
	m, k := BloomBitsForAtMost(1e6, 0.01)
	if m != 9592957 || k != 7 {
		t.Errorf("BloomBitsForAtMost(10^6, 1 %%) = %d, %d, want 9592957, 7", m, k)
	}
	for _, c := range []struct {
		n uint64
		p float64
		m uint64
		k int
	}{{10, 0, 0, 0}, {10, -1, 0, 0}, {10, math.NaN(), 0, 0}, {10, 1, 1, 1}, {10, 2, 1, 1}} {
		if m, k := BloomBitsForAtMost(c.n, c.p); m != c.m || k != c.k {
			t.Errorf("BloomBitsForAtMost(%d, %v) = %d, %d, want %d, %d", c.n, c.p, m, k, c.m, c.k)
		}
	}
}

func TestBloomBitsForAtMostIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, 3000).Draw(t, "n")
		p := math.Exp(-rapid.Float64Range(0.1, 25).Draw(t, "-ln p"))
		m, k := BloomBitsForAtMost(n, p)
		if got := BloomExact(n, m, k); !(got <= p) {
			t.Fatalf("%d bits, k %d: %v is above %v", m, k, got, p)
		}
		if m > 1 {
			if got := BloomExact(n, m-1, BloomBestProbes(n, m-1)); got <= p {
				t.Fatalf("%d bits would have done: %v", m-1, got)
			}
		}
	})
}

func TestBloomStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(0, 1<<rapid.IntRange(0, 40).Draw(t, "log n")).Draw(t, "n")
		m := 1 + uint64(float64(n)*rapid.Float64Range(0, 64).Draw(t, "bits per key"))
		k := rapid.IntRange(1, MaxProbes).Draw(t, "k")
		exact, classic, fill := BloomExact(n, m, k), BloomClassic(n, m, k), BloomFill(n, m, k)
		for name, v := range map[string]float64{
			"exact": exact, "classic": classic, "fill": fill, "sd": BloomSD(n, m, k), "fill's sd": BloomFillSD(n, m, k),
		} {
			if !(v >= 0 && v <= 1) {
				t.Fatalf("%s is %v", name, v)
			}
		}
		if exact < classic*(1-1e-9) {
			t.Fatalf("exact %v is below classic %v", exact, classic)
		}
		if more := BloomExact(n+1, m, k); more < exact {
			t.Fatalf("%v for %d keys, %v for one more", exact, n, more)
		}
		if roomier := BloomExact(n, m+1, k); roomier > exact {
			t.Fatalf("%v in %d bits, %v in one more", exact, m, roomier)
		}
	})
}

func TestLevelDBProbes(t *testing.T) {
	for bits, want := range map[float64]int{1: 1, 2: 1, 3: 2, 5: 3, 8: 5, 10: 6, 12: 8, 16: 11, 20: 13, 43: 29, 50: 30, 0.1: 1} {
		if k := LevelDBProbes(bits); k != want {
			t.Errorf("LevelDBProbes(%v) = %d, want %d", bits, k, want)
		}
	}
}

func BenchmarkBloomExact(b *testing.B) {
	for _, k := range []int{7, 14, 44} {
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			for b.Loop() {
				BloomExact(1e6, 1e6*uint64(k)*10/7, k)
			}
		})
	}
}

// Counted step by step: those that come round to where they began before the
// k-th position.
func TestShortSteps(t *testing.T) {
	for _, m := range []uint64{1, 2, 7, 12, 1000, 1024, 95_851} {
		for _, k := range []int{1, 2, 7, 14} {
			short := 0
			for step := range m {
				seen := map[uint64]bool{}
				for i := range uint64(k) {
					seen[i*step%m] = true
				}
				if len(seen) < k {
					short++
				}
			}
			near(t, ShortSteps(m, k), float64(short)/float64(m), 1e-15, "ShortSteps(%d, %d)", m, k)
		}
	}
	near(t, ShortSteps(1024, 7), 4./1024, 0, "the case of field reports")
}
