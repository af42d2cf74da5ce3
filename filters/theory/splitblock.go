package theory

// A split block is 256 bits in 8 lanes of 32; a key sets one bit in each lane.
const (
	splitLanes    = 8
	splitLaneBits = 32
	splitBits     = splitLanes * splitLaneBits
)

// splitBlock has independent lanes, so that moments of a block's rate are
// those of one lane to the 8th power.
var splitBlock = blockModel{
	rates: func(power, count int) []float64 {
		rates := fillMoments(splitLaneBits, 1, power, count)
		for i, r := range rates {
			r *= r
			r *= r
			rates[i] = r * r
		}
		return rates
	},
	full: fullAfter(splitLaneBits, 1, 2),
}

// SplitBlockFPR is the expected FPR after n keys of a split-block filter: the
// mean over the loads i of a block of (1-(31/32)^i)^8. blocks >= 1.
//
// Source: Apache Parquet, split block Bloom filter specification; Lang,
// Neumann, Kemper and Boncz, Performance-optimal filtering, PVLDB 12(5), 2019,
// section 3 (sectorized); the loads as in Putze et al. 2007.
func SplitBlockFPR(n, blocks uint64) float64 { return splitBlock.fpr(n, blocks) }

// SplitBlockSD is the standard deviation between filters of SplitBlockFPR,
// absolute.
func SplitBlockSD(n, blocks uint64) float64 { return splitBlock.sd(n, blocks) }

// SplitBlockBlocksForAtMost is the least number of 256-bit blocks with a
// SplitBlockFPR of at most p, or 0 if p <= 0 or 2^56 bits do not suffice.
// n >= 1.
func SplitBlockBlocksForAtMost(n uint64, p float64) uint64 {
	return leastBlocks(n, p, splitBits, func(blocks uint64) bool { return SplitBlockFPR(n, blocks) <= p })
}
