package splitblock

import (
	"math/bits"
	"runtime"
)

// chunk is how many keys the kernel takes at once: the answers of a word. Where
// blocks have to be fetched, it is also how many keys ahead that is done.
const chunk = 64

// located are the addresses of the blocks of some keys.
type located [chunk]uint64

// locate finds the blocks of the next keys, unless the kernel has done so, and
// returns how many there are and how many behind them it is to fetch now. There
// is at least one key, and a multiple of four.
func (f *Filter) locate(blocks *located, hashes []uint64, first bool) (n, next int) {
	n = min(chunk, len(hashes))
	if first || !f.fetch {
		locateAVX2(f, &blocks[0], &hashes[0], n)
	}
	if !f.fetch {
		return n, 0
	}
	if first {
		fetchAVX2(&blocks[0], n)
	}
	return n, min(chunk, len(hashes)-n)
}

// containsKernel is ContainsHashes. The last keys, up to three, are looked up one
// by one.
func (f *Filter) containsKernel(hashes, out []uint64) (hits int) {
	var blocks located
	at, whole := 0, len(hashes)&^3
	for at < whole {
		n, next := f.locate(&blocks, hashes[at:whole], at == 0)
		word := containsAVX2(f, &blocks[0], &hashes[at], n, next) & (1<<n - 1)
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

// addKernel is AddHashes, likewise.
func (f *Filter) addKernel(hashes []uint64) {
	var blocks located
	at, whole := 0, len(hashes)&^3
	for at < whole {
		n, next := f.locate(&blocks, hashes[at:whole], at == 0)
		addAVX2(f, &blocks[0], &hashes[at], n, next)
		at += n
	}
	for _, h := range hashes[whole:] {
		f.add(h)
	}
	runtime.KeepAlive(f)
}
