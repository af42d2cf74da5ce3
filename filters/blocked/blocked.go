// Package blocked is the cache-line blocked Bloom filter (Putze, Sanders and
// Singler, JEA 14, 2009, section 3): a key's k bits lie in one cache line, so
// that a lookup costs one memory access, at the price of a somewhat higher
// false-positive rate, since lines fill unevenly.
package blocked

import (
	"math/bits"

	"filterbench/filters/memory"
	"filterbench/filters/simd"
)

// Filter is a blocked Bloom filter of whole blocks.
type Filter struct {
	words  []uint64 // block i is the wordsPerBlock words from i*wordsPerBlock
	blocks uint64
	k      int
	log2   uint // log2(words in a block)
	n      uint64
	block  *memory.Block
	avx2   bool              // uses the kernel
	fetch  bool              // which fetches blocks ahead
	steps  [maxProbes]uint32 // step^i; behind the k-th they repeat the first
}

func newFilter(blocks uint64, blockBytes, k int, avx2 bool) (*Filter, error) {
	block, err := memory.Alloc(blocks * uint64(blockBytes))
	if err != nil {
		return nil, err
	}
	f := &Filter{
		words: block.Words(), blocks: blocks, k: k,
		log2:  uint(bits.Len(uint(blockBytes)) - 4),
		block: block, avx2: simd.Compiled && avx2, fetch: simd.FetchAhead(block.Bytes()),
	}
	power := uint32(1)
	for i := range f.steps {
		if f.steps[i] = 1; i < k {
			f.steps[i] = power
		}
		power *= step
	}
	return f, nil
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
// sequence: probe i is at the top 9 or 10 bits of g * step^i mod 2^32. The
// multiplications do not depend on each other once step^i is tabled, so that a
// vector unit computes eight positions at once.
const step = 0x9e3779b9 // 2^32 over the golden section

// locate splits a hash, taken as a fraction of the array, 2^64 to the whole: the
// block it falls into, and g, 32 bits of where in the block (the two halves of
// Lemire's product; the second is as uniform as the first while a hash has bits
// for both).
func (f *Filter) locate(hash uint64) (block uint64, g uint32) {
	block, rest := bits.Mul64(hash, f.blocks)
	return block, uint32(rest >> 32)
}

// The blocks of the two sizes. As pointers to arrays they need no bounds checks.
type (
	block64  = [8]uint64
	block128 = [16]uint64
)

// AddHash sets the key's bits. It never fails.
func (f *Filter) AddHash(hash uint64) error {
	f.add(f.locate(hash))
	f.n++
	return nil
}

func (f *Filter) add(block uint64, g uint32) {
	if f.log2 == 3 {
		line := (*block64)(f.words[block<<3:])
		for range f.k {
			at := g >> 23
			line[at>>6] |= 1 << (at & 63)
			g *= step
		}
		return
	}
	line := (*block128)(f.words[block<<4:])
	for range f.k {
		at := g >> 22
		line[at>>6] |= 1 << (at & 63)
		g *= step
	}
}

// ContainsHash reports whether all of the key's bits are set. It looks at all
// of them whatever the first says: they share a line, and a branch that is
// mispredicted costs more than they do.
func (f *Filter) ContainsHash(hash uint64) bool { return f.test(hash) != 0 }

// test is 1 if all of the key's bits are set, else 0: loops over keys use the
// number, since a branch on the answer would be mispredicted on mixed queries.
func (f *Filter) test(hash uint64) uint64 {
	if simd.Compiled && f.avx2 {
		if f.log2 == 3 {
			return test64AVX2(f, hash)
		}
		return test128AVX2(f, hash)
	}
	return f.testPortable(hash)
}

func (f *Filter) testPortable(hash uint64) uint64 {
	block, g := f.locate(hash)
	all := uint8(1)
	if f.log2 == 3 {
		line := (*block64)(f.words[block<<3:])
		for range f.k {
			at := g >> 23
			all &= bit(line[at>>6], at&63)
			g *= step
		}
		return uint64(all)
	}
	line := (*block128)(f.words[block<<4:])
	for range f.k {
		at := g >> 22
		all &= bit(line[at>>6], at&63)
		g *= step
	}
	return uint64(all)
}

// bit is bit i of word, in the form that compiles to one test of a bit.
func bit(word uint64, i uint32) uint8 {
	if word&(1<<i) != 0 {
		return 1
	}
	return 0
}

// AddHashes adds all keys.
func (f *Filter) AddHashes(hashes []uint64) (int, error) {
	f.n += uint64(len(hashes))
	if simd.Compiled && f.avx2 && f.fetch && len(hashes) >= 4 {
		f.addKernel(hashes)
		return len(hashes), nil
	}
	for _, h := range hashes {
		f.add(f.locate(h))
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
