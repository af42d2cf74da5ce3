package peers

import (
	"fmt"
	"math"
	"math/bits"

	"filterbench/filters"
	"filterbench/filters/theory"

	"github.com/parquet-go/parquet-go/bloom"
)

// Parquet is the split-block filter of parquet-go, with its assembly on amd64.
var Parquet = &filters.Family{
	Name:        "peer-parquet",
	Summary:     "parquet-go's split-block filter: 8 bits a key in a block of 32 bytes",
	Source:      "github.com/parquet-go/parquet-go v0.32.0, package bloom; Apache Parquet, split block Bloom filter specification",
	Hash:        filters.XXH64,
	NanosPerKey: 4,
	ForBits: func(_ filters.Spec, n uint64, bits float64) (filters.Design, error) {
		return parquetDesign(n, max(1, (filters.RoundedBits(n, bits)+255)/256))
	},
	ForFPR: func(_ filters.Spec, n uint64, p float64) (filters.Design, error) {
		blocks := theory.SplitBlockBlocksForAtMost(n, p)
		if blocks == 0 {
			return filters.Design{}, fmt.Errorf("no size gives a rate of %v to %d keys", p, n)
		}
		return parquetDesign(n, blocks)
	},
}

func parquetDesign(n, blocks uint64) (filters.Design, error) {
	if blocks > math.MaxInt32 {
		return filters.Design{}, tooLarge(float64(blocks)*256, math.MaxInt32*256)
	}
	d := filters.Design{
		N:      n,
		Params: []filters.Param{{Name: "m", Value: 256 * blocks}, {Name: "k", Value: 8}},
		Model: filters.Model{
			FPR:  func(n uint64) float64 { return theory.SplitBlockFPR(n, blocks) },
			SD:   func(n uint64) float64 { return theory.SplitBlockSD(n, blocks) },
			MinN: 1,
			Why:  "mixture over the keys in a block, with independent lanes",
		},
		Lines: func(bool) float64 { return 1 },
	}
	return hashed(d, 256*blocks, func() (filters.Hashed, error) {
		return &parquetFilter{account{bits: 256 * blocks}, make(bloom.SplitBlockFilter, blocks)}, nil
	}), nil
}

type parquetFilter struct {
	account
	blocks bloom.SplitBlockFilter
}

func (f *parquetFilter) AddHash(hash uint64) error {
	f.blocks.Insert(hash)
	f.n++
	return nil
}

func (f *parquetFilter) ContainsHash(hash uint64) bool { return f.blocks.Check(hash) }

func (f *parquetFilter) AddHashes(hashes []uint64) (int, error) {
	f.blocks.InsertBulk(hashes)
	f.n += uint64(len(hashes))
	return len(hashes), nil
}

func (f *parquetFilter) ContainsHashes(hashes []uint64, out []uint64) (hits int) {
	for from := 0; from < len(hashes); from += 64 {
		var word uint64
		for i, h := range hashes[from:min(from+64, len(hashes))] {
			word |= bit(f.blocks.Check(h)) << i
		}
		out[from/64] = word
		hits += bits.OnesCount64(word)
	}
	return hits
}

func (f *parquetFilter) CountHashes(hashes []uint64) (hits int) {
	for _, h := range hashes {
		hits += int(bit(f.blocks.Check(h)))
	}
	return hits
}
