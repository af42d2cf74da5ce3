package blocked

import (
	"fmt"
	"strconv"

	"filterbench/filters"
	"filterbench/filters/internal/bitarray"
	"filterbench/filters/machine"
	"filterbench/filters/memory"
	"filterbench/filters/simd"
	"filterbench/filters/theory"
)

const maxProbes = 32

// Family describes the filter to the registry. The default block is this
// machine's cache line; results always carry the resolved size.
var Family = &filters.Family{
	Name:    "blocked",
	Summary: "k bits inside one cache line: a single memory access a lookup",
	Source:  "Putze, Sanders and Singler, Cache-, hash- and space-efficient Bloom filters, JEA 14 (2009), section 3",
	Options: []filters.Option{
		{Name: "block", Default: strconv.Itoa(machine.LineSize()), Values: []string{"64", "128"}, Help: "bytes in a block: 64 or 128; the default is this machine's cache line"},
		filters.ProbesOption(maxProbes),
		simd.Option(),
	},
	NanosPerKey: 4,
	ForBits: func(s filters.Spec, n uint64, bits float64) (filters.Design, error) {
		blockBits := uint64(8 * s.Int("block"))
		blocks := max(1, (filters.RoundedBits(n, bits)+blockBits-1)/blockBits)
		k := s.Int("k")
		if k == 0 {
			k = min(maxProbes, theory.BlockedBestProbes(n, blocks, int(blockBits)))
		}
		return design(s, n, blocks, k)
	},
	ForFPR: func(s filters.Spec, n uint64, p float64) (filters.Design, error) {
		blockBits := 8 * s.Int("block")
		k, blocks := s.Int("k"), uint64(0)
		if k == 0 {
			if blocks, k = theory.BlockedBlocksForAtMost(n, p, blockBits); k > maxProbes {
				blocks, k = 0, maxProbes
			}
		}
		if blocks == 0 { // k is given, or the best is beyond what the family has
			blocks = theory.BlockedBlocksWith(n, p, blockBits, k)
		}
		if blocks == 0 {
			return filters.Design{}, fmt.Errorf("no size gives a rate of %v to %d keys with k=%s", p, n, s.Option("k"))
		}
		return design(s, n, blocks, k)
	},
}

func design(s filters.Spec, n, blocks uint64, k int) (filters.Design, error) {
	blockBytes := s.Int("block")
	blockBits := 8 * blockBytes
	bits := blocks * uint64(blockBits)
	avx2, err := simd.Choose(s, lacks(blocks))
	if err != nil {
		return filters.Design{}, err
	}
	if perKey := float64(bits) / float64(n); n > uint64(blockBits) && perKey > filters.MaxBitsPerKey {
		return filters.Design{}, fmt.Errorf("%.3g bits per key are needed; at most %d are allowed", perKey, filters.MaxBitsPerKey)
	}
	return filters.Design{
		N:        n,
		Params:   []filters.Param{{Name: "m", Value: bits}, {Name: "k", Value: uint64(k)}},
		SizeBits: 8 * memory.Size(bits/8),
		Model: filters.Model{
			FPR:  func(n uint64) float64 { return theory.BlockedFPR(n, blocks, blockBits, k) },
			SD:   func(n uint64) float64 { return theory.BlockedSD(n, blocks, blockBits, k) },
			MinN: 1,
			Why:  "mixture over the keys in a block of the exact rate inside it (Putze et al. 2009, section 3)",
		},
		Lines:     func(bool) float64 { return bitarray.Lines(uint64(blockBits), float64(k)) },
		NewHashed: func() (filters.Hashed, error) { return newFilter(blocks, blockBytes, k, avx2) },
	}, nil
}
