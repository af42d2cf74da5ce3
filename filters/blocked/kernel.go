package blocked

import (
	"math"
	"math/bits"
	"runtime"
)

// chunk is how many keys the kernel takes at once: the answers of a word. Where
// blocks have to be fetched, it is also how many keys ahead that is done.
const chunk = 64

// located are keys whose blocks are known.
type located struct {
	//lint:ignore U1000 the assembly keeps them
	at  [chunk]uint64 // the addresses of the blocks
	key [chunk]uint64 // the blocks, above the 32 bits that the positions come from
}

// lacks says why a filter of so many blocks has no kernel, or "".
func lacks(blocks uint64) string {
	if blocks > math.MaxUint32 {
		return "it has none for more than 2^32-1 blocks"
	}
	return ""
}

// locateNext locates the next keys, unless the kernel has done so, and returns
// how many there are and how many behind them it is to fetch now. There is at
// least one key, and a multiple of four.
func (f *Filter) locateNext(keys *located, hashes []uint64, first bool) (n, next int) {
	n = min(chunk, len(hashes))
	if first || !f.fetch {
		f.locateAll(keys, hashes[:n])
	}
	if f.fetch {
		next = min(chunk, len(hashes)-n)
	}
	return n, next
}

func (f *Filter) locateAll(keys *located, hashes []uint64) {
	if f.log2 == 3 {
		locate64AVX2(f, keys, &hashes[0], len(hashes))
		if f.fetch {
			fetch64AVX2(keys, len(hashes))
		}
		return
	}
	locate128AVX2(f, keys, &hashes[0], len(hashes))
	if f.fetch {
		fetch128AVX2(keys, len(hashes))
	}
}

// containsKernel is ContainsHashes. The last keys, up to three, are looked up one
// by one.
func (f *Filter) containsKernel(hashes, out []uint64) (hits int) {
	var keys located
	at, whole := 0, len(hashes)&^3
	for at < whole {
		n, next := f.locateNext(&keys, hashes[at:whole], at == 0)
		word := f.answer(&keys, &hashes[at], n, next) & (1<<n - 1)
		out[at/64] = word
		hits += bits.OnesCount64(word)
		at += n
	}
	if whole < len(hashes) {
		word := f.testAll(hashes[whole:])
		hits += bits.OnesCount64(word)
		if whole%64 > 0 {
			word = out[whole/64] | word<<(whole%64)
		}
		out[whole/64] = word
	}
	runtime.KeepAlive(f) // whose memory the kernel reads by address
	return hits
}

func (f *Filter) answer(keys *located, hashes *uint64, n, next int) uint64 {
	switch {
	case f.log2 == 3 && f.k <= 8:
		return contains64x8AVX2(f, keys, hashes, n, next)
	case f.log2 == 3:
		return contains64AVX2(f, keys, hashes, n, next)
	case f.k <= 8:
		return contains128x8AVX2(f, keys, hashes, n, next)
	}
	return contains128AVX2(f, keys, hashes, n, next)
}

// addKernel is AddHashes where blocks have to be fetched. Where they are near,
// setting bits one by one, as portable code does, is faster than in registers.
func (f *Filter) addKernel(hashes []uint64) {
	var keys located
	at, whole := 0, len(hashes)&^3
	for at < whole {
		n, next := f.locateNext(&keys, hashes[at:whole], at == 0)
		if f.log2 == 3 {
			add64AVX2(f, &keys, &hashes[at], n, next)
		} else {
			now := keys.key
			if next > 0 {
				f.locateAll(&keys, hashes[at+n:at+n+next])
			}
			for _, key := range now[:n] {
				f.add(key>>32, uint32(key))
			}
		}
		at += n
	}
	for _, h := range hashes[whole:] {
		f.add(f.locate(h))
	}
	runtime.KeepAlive(f)
}
