package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Golden values: blocked_fpr in Python, the Poisson mixture, at the best k of
// 1..15, which it was searched for.
var blockedGolden = []struct {
	bits      uint64 // per key
	blockBits int
	k         int
	want      float64
}{
	{6, 512, 4, 0.0577423817396997},
	{8, 512, 5, 0.023263375945800392},
	{10, 512, 6, 0.009664748360480275},
	{12, 512, 8, 0.0041349171325006815},
	{16, 512, 9, 0.0008439133015454855},
	{20, 512, 11, 0.00019783181983247384},
	{6, 256, 4, 0.0594122434723571},
	{8, 256, 5, 0.024841802165538367},
	{10, 256, 6, 0.010914491332055099},
	{12, 256, 7, 0.005045730822048305},
	{16, 256, 9, 0.0012573141902772222},
	{20, 256, 10, 0.00036815370565874744},
	{6, 64, 4, 0.06912156222663073},
	{8, 64, 4, 0.03354078805196065},
	{10, 64, 5, 0.01784438511928799},
	{12, 64, 5, 0.010351842678459663},
	{16, 64, 6, 0.004052263933248209},
	{20, 64, 7, 0.0018935397547236725},
}

func TestBlockedFPR(t *testing.T) {
	const blocks = 30e6 // n is a whole number, and the binomial as good as Poisson
	for _, c := range blockedGolden {
		n := blocks * uint64(c.blockBits) / c.bits
		near(t, BlockedFPR(n, blocks, c.blockBits, c.k), c.want, 1e-6, "BlockedFPR at %d bits, block %d, k %d", c.bits, c.blockBits, c.k)
		if k := BlockedBestProbes(n, blocks, c.blockBits); k != c.k {
			t.Errorf("best k at %d bits, block %d = %d, want %d", c.bits, c.blockBits, k, c.k)
		}
	}
	// More probes, as the plain optimum would have it, are worse (RocksDB 6092).
	near(t, BlockedFPR(blocks*32, blocks, 512, 11), 0.0008855412652879174, 1e-6, "BlockedFPR at 16 bits, k 11")
}

func TestOneBlockIsAPlainFilter(t *testing.T) {
	for _, c := range []struct {
		n     uint64
		m, k  int
		loose float64
	}{{51, 512, 7, 1e-11}, {32, 256, 8, 1e-11}, {1, 64, 3, 1e-11}, {500, 512, 5, 1e-10}, {40, 4096, 40, 1e-10}} {
		near(t, BlockedFPR(c.n, 1, c.m, c.k), BloomExact(c.n, uint64(c.m), c.k), 1e-12, "BlockedFPR of one block, %+v", c)
		near(t, BlockedSD(c.n, 1, c.m, c.k), BloomSD(c.n, uint64(c.m), c.k), c.loose, "BlockedSD of one block, %+v", c)
	}
}

// Two blocks, three keys: the loads are 0..3 with chances 1, 3, 3, 1 of 8.
func TestFewBlocks(t *testing.T) {
	want := (3*BloomExact(1, 64, 4) + 3*BloomExact(2, 64, 4) + BloomExact(3, 64, 4)) / 8
	near(t, BlockedFPR(3, 2, 64, 4), want, 1e-12, "BlockedFPR(3, 2, 64, 4)")
}

// Simulated filters, whose rates are known from their blocks' fills without a
// query. The mean must be within 5 standard errors, and so must the variance,
// whose relative standard error is sqrt(2/filters) for nearly normal rates.
func TestBlockedAgainstSimulation(t *testing.T) {
	const filters, n, blocks, blockBits, k = 1500, 1000, 20, 512, 6
	rng := rand.New(rand.NewPCG(1, 2))
	var sum, squares float64
	for range filters {
		var set [blocks][blockBits]bool
		for range n {
			block := rng.IntN(blocks)
			for range k {
				set[block][rng.IntN(blockBits)] = true
			}
		}
		rate := 0.0
		for _, block := range set {
			ones := 0
			for _, bit := range block {
				if bit {
					ones++
				}
			}
			rate += math.Pow(float64(ones)/blockBits, k) / blocks
		}
		sum += rate
		squares += rate * rate
	}
	mean := sum / filters
	variance := squares/filters - mean*mean
	sd := BlockedSD(n, blocks, blockBits, k)
	near(t, BlockedFPR(n, blocks, blockBits, k), mean, 5*math.Sqrt(variance/filters)/mean, "BlockedFPR")
	near(t, sd*sd, variance, 5*math.Sqrt(2.0/filters), "variance between filters")
}

// Golden values: Python's solve_bits over blocked_fpr.
func TestBlockedBlocksForAtMost(t *testing.T) {
	for _, c := range []struct {
		p, bits float64
		k       int
	}{{0.01, 9.917988143251357, 6}, {0.001, 15.545503011975994, 9}} {
		const n = 1e6
		blocks, k := BlockedBlocksForAtMost(n, c.p, 512)
		if want := uint64(math.Ceil(c.bits * n / 512)); blocks != want || k != c.k {
			t.Errorf("BlockedBlocksForAtMost(10^6, %v) = %d, %d, want %d, %d", c.p, blocks, k, want, c.k)
		}
		if got := BlockedBlocksWith(n, c.p, 512, c.k); got != blocks {
			t.Errorf("BlockedBlocksWith(10^6, %v, k %d) = %d, want %d", c.p, c.k, got, blocks)
		}
	}
	if blocks, k := BlockedBlocksForAtMost(10, 0, 512); blocks != 0 || k != 0 {
		t.Errorf("for p = 0: %d blocks, k %d", blocks, k)
	}
	if blocks, _ := BlockedBlocksForAtMost(1<<40, 1e-15, 8); blocks != 0 {
		t.Errorf("blocks of a byte reach 1e-15 for 2^40 keys with %d blocks?", blocks)
	}
}

func TestBlockedBlocksForAtMostIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, 1e6).Draw(t, "n")
		p := math.Exp(-rapid.Float64Range(0.1, 16).Draw(t, "-ln p"))
		blockBits := rapid.SampledFrom([]int{256, 512, 1024}).Draw(t, "block")
		blocks, k := BlockedBlocksForAtMost(n, p, blockBits)
		if got := BlockedFPR(n, blocks, blockBits, k); !(got <= p) {
			t.Fatalf("%d blocks, k %d: %v is above %v", blocks, k, got, p)
		}
		if blocks > 1 {
			if got := BlockedFPR(n, blocks-1, blockBits, BlockedBestProbes(n, blocks-1, blockBits)); got <= p {
				t.Fatalf("%d blocks would have done: %v", blocks-1, got)
			}
		}
	})
}

func TestBlockedStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(0, 1<<rapid.IntRange(0, 40).Draw(t, "log n")).Draw(t, "n")
		blocks := rapid.Uint64Range(1, 1<<rapid.IntRange(0, 36).Draw(t, "log blocks")).Draw(t, "blocks")
		blockBits := rapid.IntRange(1, 1024).Draw(t, "block")
		k := rapid.IntRange(1, 16).Draw(t, "k")
		blocked := BlockedFPR(n, blocks, blockBits, k)
		for name, v := range map[string]float64{
			"blocked": blocked, "its sd": BlockedSD(n, blocks, blockBits, k),
			"split": SplitBlockFPR(n, blocks), "split's sd": SplitBlockSD(n, blocks),
		} {
			if !(v >= 0 && v <= 1) {
				t.Fatalf("%s is %v", name, v)
			}
		}
		// Uneven loads cost: the rate is convex in the load, if not overfull.
		plain := BloomExact(n, blocks*uint64(blockBits), k)
		if blockBits >= 64 && BloomFill(n, blocks*uint64(blockBits), k) < 0.25 && blocked < plain*(1-1e-9) {
			t.Fatalf("blocked %v is below plain %v", blocked, plain)
		}
		if more := BlockedFPR(n+n/8+1, blocks, blockBits, k); more < blocked*(1-1e-12) {
			t.Fatalf("%v for %d keys, %v for more", blocked, n, more)
		}
	})
}

// Golden values: sbbf_fpr in Python.
func TestSplitBlockFPR(t *testing.T) {
	const blocks = 1e6
	for _, c := range []struct{ bits, want float64 }{
		{5, 0.1792117235619277},
		{6, 0.09933874170970962},
		{8, 0.03321186370875318},
		{10, 0.012648451535639125},
		{10.5, 0.010128501680858609},
		{16.9, 0.0009969374988652155},
		{20, 0.00041997086479383234},
		{26.4, 9.884760130675697e-05},
		{41, 9.981640185603712e-06},
	} {
		n := uint64(math.Round(blocks * 256 / c.bits))
		near(t, SplitBlockFPR(n, blocks), c.want, 3e-6, "SplitBlockFPR at %v bits", c.bits)
	}
	// Python's solve_bits over sbbf_fpr.
	for p, bits := range map[float64]float64{0.01: 10.529233492048329, 0.001: 16.88981127577643} {
		if got, want := SplitBlockBlocksForAtMost(1e6, p), uint64(math.Ceil(bits*1e6/256)); got != want {
			t.Errorf("SplitBlockBlocksForAtMost(10^6, %v) = %d, want %d", p, got, want)
		}
	}
	if got := SplitBlockBlocksForAtMost(10, 0); got != 0 {
		t.Errorf("for p = 0: %d blocks", got)
	}
}

// One block of i keys: lanes are independent filters of 32 bits with one probe.
func TestSplitBlockOfOne(t *testing.T) {
	for _, n := range []int{1, 2, 10, 50, 300} {
		mean, sd := powerOfFill(n, splitLaneBits, 1)
		near(t, SplitBlockFPR(uint64(n), 1), math.Pow(mean, 8), 1e-12, "SplitBlockFPR(%d, 1)", n)
		second := math.Pow(mean*mean+sd*sd, 8)
		near(t, SplitBlockSD(uint64(n), 1), math.Sqrt(max(0, second-math.Pow(mean, 16))), 1e-6, "SplitBlockSD(%d, 1)", n)
	}
}

func BenchmarkBlockedFPR(b *testing.B) {
	for b.Loop() {
		BlockedFPR(1e6, 19532, 512, 6) // 10 bits per key
	}
}

func BenchmarkBlockedBlocksForAtMost(b *testing.B) {
	for b.Loop() {
		BlockedBlocksForAtMost(1e6, 0.01, 512)
	}
}
