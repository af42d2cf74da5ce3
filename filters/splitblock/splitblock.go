// Package splitblock is Parquet's split-block Bloom filter: blocks of 256 bits
// in eight lanes of 32, and a key sets one bit in each lane of one block. The
// bits are those that other writers of the format set for the same hashes.
package splitblock

import (
	"math/bits"

	"filterbench/filters"
	"filterbench/filters/memory"
	"filterbench/filters/simd"
)

const (
	lanes      = 8
	blockBits  = 256
	blockBytes = blockBits / 8
	blockWords = blockBits / 64
)

// maxBlocks is the most that the 32 bits of the hash which choose the block can
// tell apart.
const maxBlocks = 1 << 32

// salt are the odd multipliers of the lanes, part of the format.
var salt = [lanes]uint32{
	0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
	0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
}

// Filter is a split-block Bloom filter.
type Filter struct {
	words  []uint64 // block i is the 4 words from 4i; lane 2j is the low half of word j
	blocks uint64
	n      uint64
	block  *memory.Block
	avx2   bool // uses the kernel
	fetch  bool // which fetches blocks ahead
}

// newFilter makes an empty filter of 1 to maxBlocks blocks.
func newFilter(blocks uint64, avx2 bool) (*Filter, error) {
	block, err := memory.Alloc(blocks * blockBytes)
	if err != nil {
		return nil, err
	}
	return &Filter{
		words: block.Words(), blocks: blocks, block: block,
		avx2: simd.Compiled && avx2, fetch: simd.FetchAhead(block.Bytes()),
	}, nil
}

// Len is the number of keys added.
func (f *Filter) Len() uint64 { return f.n }

// SizeBits is every bit allocated.
func (f *Filter) SizeBits() uint64 { return 8 * f.block.Bytes() }

// Pages is the kind of memory the blocks lie in.
func (f *Filter) Pages() string { return f.block.Pages() }

// Free gives the memory back.
func (f *Filter) Free() {
	f.block.Free()
	f.words = nil
}

// BitsSet is the number of ones.
func (f *Filter) BitsSet() uint64 { return uint64(filters.CountBits(f.words)) }

// at returns the block of a hash, chosen by its upper half.
func (f *Filter) at(hash uint64) *[blockWords]uint64 {
	block := hash >> 32 * f.blocks >> 32
	return (*[blockWords]uint64)(f.words[block*blockWords:])
}

// AddHash sets the key's bits, chosen by the lower half of its hash. It never
// fails.
func (f *Filter) AddHash(hash uint64) error {
	f.n++
	f.add(hash)
	return nil
}

func (f *Filter) add(hash uint64) {
	block, x := f.at(hash), uint32(hash)
	for i := range block {
		block[i] |= 1<<(x*salt[2*i]>>27) | 1<<(32+x*salt[2*i+1]>>27)
	}
}

// ContainsHash reports whether all of the key's bits are set. It looks at all of
// them: they share a line, and a branch that is mispredicted costs more than
// they do.
func (f *Filter) ContainsHash(hash uint64) bool { return f.test(hash) != 0 }

// test is 1 if all of the key's bits are set, else 0: loops over keys use the
// number, since a branch on the answer would be mispredicted on mixed queries.
func (f *Filter) test(hash uint64) uint64 {
	if simd.Compiled && f.avx2 {
		return testAVX2(f, hash)
	}
	return f.testPortable(hash)
}

func (f *Filter) testPortable(hash uint64) uint64 {
	block, x := f.at(hash), uint32(hash)
	all := uint64(1)
	for i, w := range block {
		all &= w >> (x * salt[2*i] >> 27) & (w >> (32 + x*salt[2*i+1]>>27))
	}
	return all
}

// AddHashes adds all keys.
func (f *Filter) AddHashes(hashes []uint64) (int, error) {
	f.n += uint64(len(hashes))
	if simd.Compiled && f.avx2 && len(hashes) >= 4 {
		f.addKernel(hashes)
		return len(hashes), nil
	}
	for _, h := range hashes {
		f.add(h)
	}
	return len(hashes), nil
}

// ContainsHashes looks up all keys.
func (f *Filter) ContainsHashes(hashes []uint64, out []uint64) (hits int) {
	if simd.Compiled && f.avx2 && len(hashes) >= 4 {
		return f.containsKernel(hashes, out)
	}
	for from := 0; from < len(hashes); from += 64 {
		word := f.testAll(hashes[from:min(from+64, len(hashes))])
		out[from/64] = word
		hits += bits.OnesCount64(word)
	}
	return hits
}

// testAll answers up to 64 keys: bit i for key i.
func (f *Filter) testAll(hashes []uint64) (word uint64) {
	for i, h := range hashes {
		word |= f.test(h) << i
	}
	return word
}

// CountHashes counts the positives.
func (f *Filter) CountHashes(hashes []uint64) (hits int) {
	for _, h := range hashes {
		hits += int(f.test(h))
	}
	return hits
}
