package theory

import "math"

// A blocked filter is many small Bloom filters, one for each block, that share
// the keys unevenly. Its FPR is the mean, over the loads of a block, of the
// exact FPR inside a block of that load: taking every block at the average
// load promises too much, because the rate is convex in the load.
//
// Source: Putze, Sanders and Singler, Cache-, hash- and space-efficient Bloom
// filters, WEA 2007 (JEA 14, 2009), section 3. They take the load for Poisson;
// the binomial here is what it is the limit of, and right for few blocks too.

// loads returns the chances that a block holds from, from+1, ... keys when n
// keys fall into the given number of blocks. Loads that are 10^-40 as likely
// as the likeliest are left out.
func loads(n, blocks uint64) (from uint64, chance []float64) {
	const negligible = 1e-40
	mode := min((n+1)/blocks, n)
	others := float64(blocks - 1)
	below := []float64{} // from the mode downwards
	for i, w := mode, 1.0; i > 0; i-- {
		w *= float64(i) / float64(n-i+1) * others
		if w < negligible {
			break
		}
		below = append(below, w)
	}
	for i := len(below) - 1; i >= 0; i-- {
		chance = append(chance, below[i])
	}
	chance = append(chance, 1)
	for i, w := mode, 1.0; i < n; i++ {
		w *= float64(n-i) / float64(i+1) / others
		if w < negligible {
			break
		}
		chance = append(chance, w)
	}
	sum := 0.0
	for _, w := range chance {
		sum += w
	}
	for i := range chance {
		chance[i] /= sum
	}
	return mode - uint64(len(below)), chance
}

// blockModel gives a block's FPR by its load. rates returns, for 0, 1, ...
// count-1 keys in the block, the expectation of its FPR (power 1) or of that
// rate's square (power 2). After full keys both are 1.
type blockModel struct {
	rates func(power, count int) []float64
	full  int
}

// fpr is the mean of the rates over the loads.
func (b blockModel) fpr(n, blocks uint64) float64 {
	from, chance := loads(n, blocks)
	if from >= uint64(b.full) {
		return 1
	}
	mean := 0.0
	for i, rate := range b.rates(1, int(from)+len(chance))[from:] {
		mean += float64(chance[i] * rate)
	}
	return min(mean, 1)
}

// sd is the standard deviation between filters. A filter's rate is the mean
// over its blocks, which would be independent if the loads were. Their sum is
// fixed at n, which takes out what the rates vary along with the load:
// variance = (Var G - Cov(G,L)^2/Var L) / blocks, for a block's rate G and
// load L, but for terms of order 1/blocks^2.
func (b blockModel) sd(n, blocks uint64) float64 {
	from, chance := loads(n, blocks)
	if from >= uint64(b.full) {
		return 0
	}
	rates := b.rates(1, int(from)+len(chance))[from:]
	squares := b.rates(2, int(from)+len(chance))[from:]
	meanLoad := float64(n) / float64(blocks)
	mean := 0.0
	for i, c := range chance {
		mean += c * rates[i]
	}
	var within, between, varLoad, cov float64
	for i, c := range chance {
		load := float64(from) + float64(i) - meanLoad
		within += c * max(0, squares[i]-rates[i]*rates[i])
		between += c * (rates[i] - mean) * (rates[i] - mean)
		varLoad += c * load * load
		cov += c * load * (rates[i] - mean)
	}
	if varLoad > 0 {
		between -= cov * cov / varLoad
	}
	return math.Sqrt((within + max(0, between)) / float64(blocks))
}

// leastBlocks is the least number of blocks for which enough holds, or 0.
func leastBlocks(n uint64, p float64, blockBits int, enough func(blocks uint64) bool) uint64 {
	if !(p > 0) {
		return 0
	}
	guess := BloomBits(n, p)/uint64(blockBits) + 1
	return least(guess, maxBits/uint64(blockBits), enough)
}

func bloomBlock(blockBits, k int) blockModel {
	return blockModel{
		rates: func(power, count int) []float64 { return fillMoments(blockBits, k, power*k, count) },
		full:  fullAfter(blockBits, k, 2*k),
	}
}

// BlockedFPR is the expected FPR of a blocked Bloom filter after n keys: each
// key draws a block, and k bits inside it, independently and with replacement.
// blocks, blockBits, k >= 1. It is the same on every CPU.
func BlockedFPR(n, blocks uint64, blockBits, k int) float64 {
	return bloomBlock(blockBits, k).fpr(n, blocks)
}

// BlockedSD is the standard deviation between filters of the FPR of a blocked
// Bloom filter, absolute; see BlockedFPR.
func BlockedSD(n, blocks uint64, blockBits, k int) float64 {
	return bloomBlock(blockBits, k).sd(n, blocks)
}

// BlockedBestProbes is the whole k, at most MaxProbes, with the least
// BlockedFPR; the smaller of equals. It is below that of a plain filter, since
// crowded blocks, which make most of the errors, want fewer probes. n >= 1.
func BlockedBestProbes(n, blocks uint64, blockBits int) int {
	plain := float64(blocks) * float64(blockBits) / float64(n) * math.Ln2
	return blockedBestFrom(int(min(plain, MaxProbes)), n, blocks, blockBits)
}

func blockedBestFrom(start int, n, blocks uint64, blockBits int) int {
	return bestProbes(start, func(k int) float64 { return BlockedFPR(n, blocks, blockBits, k) })
}

// BlockedBlocksForAtMost is the least number of blocks at which a whole k, at
// most MaxProbes, gives a BlockedFPR of at most p, and that k. It is 0, 0 if
// p <= 0 or 2^56 bits do not suffice. n >= 1.
func BlockedBlocksForAtMost(n uint64, p float64, blockBits int) (blocks uint64, k int) {
	k = 1 // from one size to the next the best k moves little
	blocks = leastBlocks(n, p, blockBits, func(blocks uint64) bool {
		k = blockedBestFrom(k, n, blocks, blockBits)
		return BlockedFPR(n, blocks, blockBits, k) <= p
	})
	if blocks == 0 {
		return 0, 0
	}
	return blocks, blockedBestFrom(k, n, blocks, blockBits)
}

// BlockedBlocksWith is the least number of blocks at which the given k has a
// BlockedFPR of at most p, or 0 if p <= 0 or 2^56 bits do not suffice. n >= 1.
func BlockedBlocksWith(n uint64, p float64, blockBits, k int) uint64 {
	return leastBlocks(n, p, blockBits, func(blocks uint64) bool { return BlockedFPR(n, blocks, blockBits, k) <= p })
}
