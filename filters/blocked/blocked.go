// Package blocked is the cache-line blocked Bloom filter (Putze, Sanders and
// Singler, JEA 14, 2009, section 3): a key's k bits lie in one cache line, so
// that a lookup costs one memory access, at the price of a somewhat higher
// false-positive rate, since lines fill unevenly.
package blocked

import (
	"math/bits"

	"filterbench/filters/hashing"
	"filterbench/filters/memory"
)

// Filter is a blocked Bloom filter of whole blocks.
type Filter struct {
	words  []uint64 // block i is the wordsPerBlock words from i*wordsPerBlock
	blocks uint64
	k      int
	shift  uint // 32 - log2(bits in a block)
	log2   uint // log2(words in a block)
	n      uint64
	block  *memory.Block
}

func newFilter(blocks uint64, blockBytes, k int) (*Filter, error) {
	block, err := memory.Alloc(blocks * uint64(blockBytes))
	if err != nil {
		return nil, err
	}
	log2Bits := uint(bits.Len(uint(8*blockBytes)) - 1)
	return &Filter{
		words: block.Words(), blocks: blocks, k: k,
		shift: 32 - log2Bits, log2: log2Bits - 6, block: block,
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

// The positions of a key inside its block are the high bits of a geometric
// sequence: probe i is at (g * step^i mod 2^32) >> shift. The multiplications
// do not depend on each other once step^i is tabled, so that a vector unit
// computes eight positions at once.
const step = 0x9e3779b9 // 2^32 over the golden section

// locate splits a hash: the block by its high bits, and g by a second mix of
// all of them (the high half of a product with an odd constant).
func (f *Filter) locate(hash uint64) (block uint64, g uint32) {
	return hashing.Reduce(hash, f.blocks), uint32(hash * hashing.Golden >> 32)
}

// line returns the words of a block.
func (f *Filter) line(block uint64) []uint64 {
	at := block << f.log2
	return f.words[at : at+1<<f.log2]
}

// AddHash sets the key's bits. It never fails.
func (f *Filter) AddHash(hash uint64) error {
	block, g := f.locate(hash)
	line := f.line(block)
	for range f.k {
		at := g >> f.shift
		line[at>>6] |= 1 << (at & 63)
		g *= step
	}
	f.n++
	return nil
}

// ContainsHash reports whether all of the key's bits are set. It looks at all
// of them whatever the first says: they share a line, and a branch that is
// mispredicted costs more than they do.
func (f *Filter) ContainsHash(hash uint64) bool { return f.test(hash) != 0 }

// test is 1 if all of the key's bits are set, else 0: loops over keys use the
// number, since a branch on the answer would be mispredicted on mixed queries.
func (f *Filter) test(hash uint64) uint64 {
	block, g := f.locate(hash)
	line := f.line(block)
	all := uint64(1)
	for range f.k {
		at := g >> f.shift
		all &= line[at>>6] >> (at & 63)
		g *= step
	}
	return all
}

// AddHashes adds all keys.
func (f *Filter) AddHashes(hashes []uint64) (int, error) {
	for _, h := range hashes {
		f.AddHash(h)
	}
	return len(hashes), nil
}

// ContainsHashes looks up all keys.
func (f *Filter) ContainsHashes(hashes []uint64, out []uint64) (hits int) {
	for from := 0; from < len(hashes); from += 64 {
		var word uint64
		for i, h := range hashes[from:min(from+64, len(hashes))] {
			word |= f.test(h) << i
		}
		out[from/64] = word
		hits += bits.OnesCount64(word)
	}
	return hits
}

// CountHashes counts the positives.
func (f *Filter) CountHashes(hashes []uint64) (hits int) {
	for _, h := range hashes {
		hits += int(f.test(h))
	}
	return hits
}
