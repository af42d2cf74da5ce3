package splitblock

import (
	"fmt"
	"math"

	"filterbench/filters"
	"filterbench/filters/memory"
	"filterbench/filters/simd"
	"filterbench/filters/theory"
)

// Family describes the filter to the registry.
var Family = &filters.Family{
	Name:        "splitblock",
	Summary:     "Parquet's filter: one bit in each of 8 lanes of a 256-bit block, half a cache line a lookup",
	Source:      "Apache Parquet format, BloomFilter.md; Putze, Sanders and Singler, JEA 14 (2009), section 3; Broder and Mitzenmacher 2004, section 2.1",
	Options:     []filters.Option{simd.Option()},
	Hash:        filters.XXH64,
	NanosPerKey: 3,
	ForBits: func(s filters.Spec, n uint64, bits float64) (filters.Design, error) {
		return design(s, n, max(1, (filters.RoundedBits(n, bits)+blockBits-1)/blockBits))
	},
	ForFPR: func(s filters.Spec, n uint64, p float64) (filters.Design, error) {
		blocks := theory.SplitBlockBlocksForAtMost(n, p)
		if most := max(1, n*filters.MaxBitsPerKey/blockBits); blocks == 0 || blocks > most {
			return filters.Design{}, fmt.Errorf("no size within %d bits per key gives a rate of %v to %d keys; the least is %.3g",
				filters.MaxBitsPerKey, p, n, theory.SplitBlockFPR(n, most))
		}
		return design(s, n, blocks)
	},
}

func design(s filters.Spec, n, blocks uint64) (filters.Design, error) {
	if blocks > maxBlocks {
		return filters.Design{}, fmt.Errorf("%d blocks are needed; the hash has 32 bits for them, enough for 2^32 (128 GiB)", blocks)
	}
	avx2, err := simd.Choose(s, "")
	if err != nil {
		return filters.Design{}, err
	}
	return filters.Design{
		N:        n,
		Params:   []filters.Param{{Name: "m", Value: blocks * blockBits}, {Name: "k", Value: lanes}},
		SizeBits: 8 * memory.Size(blocks*blockBytes),
		Model: filters.Model{
			FPR:       func(n uint64) float64 { return theory.SplitBlockFPR(n, blocks) },
			SD:        func(n uint64) float64 { return theory.SplitBlockSD(n, blocks) },
			MinN:      1,
			Tolerance: tolerance(n, blocks),
			Why:       "mixture over the keys in a block of the rate of 8 independent lanes (Putze et al. 2009, section 3); the tolerance is for the 32 bits of hash that the block and the lanes have each",
		},
		Lines:     func(bool) float64 { return 1 },
		NewHashed: func() (filters.Hashed, error) { return newFilter(blocks, avx2) },
	}, nil
}

// tolerance is what the halves of the hash add to the model, which takes block
// and lanes for uniform and independent.
//
// The upper half has 2^32 values, and 2^32/blocks of them, rounded down or up,
// choose a block. The chances of blocks so differ by a relative variance of at
// most v = (blocks/2^32)^2/4. A rate that rises with the 8th power of the load
// at most, weighted with the chance that the query is in the block, changes by
// C(9,2) v.
//
// The lower half decides all lanes, so a key of the same block whose lower half
// is equal, with chance 2^-32, covers the query in all of them at once.
// TestLanes shows that lanes have nothing else in common that could be seen.
func tolerance(n, blocks uint64) float64 {
	share := float64(blocks) / maxBlocks
	equal := float64(n) / float64(blocks) / (1 << 32)
	return 9*share*share + equal/math.Max(theory.SplitBlockFPR(n, blocks), math.SmallestNonzeroFloat64)
}
