package blocked

import (
	"math"
	"math/bits"

	"filterbench/filters/simd"
)

// chunk is how many keys the kernel takes at once: the answers of a word.
const chunk = 64

// located are keys whose blocks are known: the block above the 32 bits from
// which the positions in it come. Its block must have less than 33 bits.
type located [chunk]uint64

// kernel is how batches and single keys are answered.
type kernel struct {
	avx2 bool
	// ahead is how many keys ahead of the lookups blocks are fetched; 0 where
	// the whole filter is in the L2 cache.
	ahead int
}

func newKernel(avx2 bool, bytes uint64) kernel {
	k := kernel{avx2: simd.Compiled && avx2}
	if bytes >= simd.PrefetchFrom() {
		k.ahead = aheadOf
	}
	return k
}

// aheadOf is the prefetch distance, in keys: the best of 16, 32 and 64 in
// filters of 16 and 256 MiB.
const aheadOf = 32

// locate finds the blocks of up to 64 hashes, and begins to fetch them.
func (f *Filter) locateAll(keys *located, hashes []uint64) {
	n := len(hashes) &^ 3
	switch {
	case n == 0:
	case f.kernel.ahead > 0:
		fetchAVX2(f, &keys[0], &hashes[0], n)
	default:
		locateAVX2(f, &keys[0], &hashes[0], n)
	}
	for i, h := range hashes[n:] {
		block, g := f.locate(h)
		keys[n+i] = block<<32 | uint64(g)
	}
}

// step is the number of keys that are located at once.
func (f *Filter) stride() int {
	if f.kernel.ahead > 0 {
		return f.kernel.ahead
	}
	return chunk
}

// containsAVX2 is ContainsHashes: while it looks into the blocks of some keys,
// those of the next are on their way.
func (f *Filter) containsAVX2(hashes, out []uint64) (hits int) {
	var buffers [2]located
	now, next := &buffers[0], &buffers[1]
	stride := f.stride()
	f.locateAll(now, hashes[:min(stride, len(hashes))])
	for from := 0; from < len(hashes); from += stride {
		n := min(stride, len(hashes)-from)
		if rest := hashes[from+n:]; len(rest) > 0 {
			f.locateAll(next, rest[:min(stride, len(rest))])
		}
		word := f.answer(now, n)
		if shift := from % 64; shift == 0 {
			out[from/64] = word
		} else {
			out[from/64] |= word << shift
		}
		hits += bits.OnesCount64(word)
		now, next = next, now
	}
	return hits
}

// answer looks up n located keys.
func (f *Filter) answer(keys *located, n int) (word uint64) {
	all := (n + 3) &^ 3 // keys behind n are old ones, or of block 0
	switch {
	case f.log2 == 3 && f.k <= 8:
		word = contains64x8AVX2(f, &keys[0], all)
	case f.log2 == 3:
		word = contains64AVX2(f, &keys[0], all)
	case f.k <= 8:
		word = contains128x8AVX2(f, &keys[0], all)
	default:
		word = contains128AVX2(f, &keys[0], all)
	}
	return word & (1<<n - 1)
}

// addAVX2 is AddHashes, likewise.
func (f *Filter) addAVX2(hashes []uint64) {
	var buffers [2]located
	now, next := &buffers[0], &buffers[1]
	stride := f.stride()
	f.locateAll(now, hashes[:min(stride, len(hashes))])
	for len(hashes) > 0 {
		n := min(stride, len(hashes))
		hashes = hashes[n:]
		if len(hashes) > 0 {
			f.locateAll(next, hashes[:min(stride, len(hashes))])
		}
		if f.log2 == 3 {
			add64AVX2(f, &now[0], n)
		} else {
			add128AVX2(f, &now[0], n)
		}
		now, next = next, now
	}
}

// lacks says why a filter of so many blocks has no kernel, or "".
func lacks(blocks uint64) string {
	if blocks > math.MaxUint32 {
		return "it has none for more than 2^32-1 blocks"
	}
	return ""
}
