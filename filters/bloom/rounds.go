package bloom

import (
	"runtime"
	"sync"

	"filterbench/filters"
	"filterbench/filters/hashing"
	"filterbench/filters/simd"
)

// A batch is looked up in rounds: each round takes one probe of every key that is
// left, and keeps the keys whose bit is set. Most keys that are absent leave after
// two probes. To branch on that for each key would be to guess wrong once a key;
// here nothing branches on a bit, and the reads of a round do not wait for each
// other.

// roundKeys is how many keys start together. The last rounds have few keys left,
// whose reads do not hide each other's latency: the more start, the less that is.
const roundKeys = 1024

// rounds is a batch under way.
type rounds struct {
	walker
	// change is by how much the step of this round differs from that of the
	// second, the same for all keys.
	change uint64
	// keys are those left, by their place in the batch. They are 32 bits wide since
	// loads next to a store of 16 bits were seen to wait for it.
	keys [roundKeys]uint32
	// Of each key: the word whose fraction of m is the position, the step and,
	// while its line is fetched, the position.
	word, step [roundKeys]uint64
	//lint:ignore U1000 the assembly keeps it
	at [roundKeys]uint64
}

var roundsPool = sync.Pool{New: func() any { return new(rounds) }}

// containsRounds is ContainsHashes for index=range and double hashing.
func (f *Filter) containsRounds(hashes, out []uint64) (hits int) {
	r := roundsPool.Get().(*rounds)
	defer roundsPool.Put(r)
	r.walker = f.walker
	for from := 0; from < len(hashes); from += roundKeys {
		batch := hashes[from:min(from+roundKeys, len(hashes))]
		left := f.left(r, batch)
		hits += left
		answers := out[from/64:][:filters.BitsetLen(len(batch))]
		clear(answers)
		for _, i := range r.keys[:left] {
			answers[i/64] |= 1 << (i % 64)
		}
	}
	r.walker = walker{}  // the pool must not hold the filter's memory
	runtime.KeepAlive(f) // which the kernels read by address
	return hits
}

// left takes all rounds of a batch and returns how many keys are left.
func (f *Filter) left(r *rounds, hashes []uint64) int {
	left := f.probeFirst(r, hashes)
	if f.k > 1 && left > 0 {
		left = f.probeSecond(r, hashes, left)
	}
	r.change = 0
	z := r.z
	for i := 2; i < f.k && left > 0; i++ {
		r.change += z
		z += r.c
		left = f.probeNext(r, left)
	}
	return left
}

func (f *Filter) probeFirst(r *rounds, hashes []uint64) (left int) {
	switch {
	case !(simd.Compiled && f.avx2):
		return r.first(f.bits.Words, hashes)
	case f.fetch:
		fetchFirstAVX2(r, &hashes[0], len(hashes))
		return stayAVX2(r, len(hashes))
	}
	return firstAVX2(r, &hashes[0], len(hashes))
}

func (f *Filter) probeSecond(r *rounds, hashes []uint64, n int) (left int) {
	switch {
	case !(simd.Compiled && f.avx2):
		return r.second(f.bits.Words, hashes, n)
	case f.fetch:
		fetchSecondAVX2(r, &hashes[0], n)
		return stayAVX2(r, n)
	}
	return secondAVX2(r, &hashes[0], n)
}

func (f *Filter) probeNext(r *rounds, n int) (left int) {
	switch {
	case !(simd.Compiled && f.avx2):
		return r.next(f.bits.Words, n)
	case f.fetch:
		fetchNextAVX2(r, n)
		return stayAVX2(r, n)
	}
	return nextAVX2(r, n)
}

// first takes the first round, of all keys: the word is the hash.
func (r *rounds) first(words, hashes []uint64) (left int) {
	for i, h := range hashes {
		at := hashing.Reduce(h, r.m)
		r.keys[left%roundKeys] = uint32(i)
		left += int(words[at>>6] >> (at & 63) & 1)
	}
	return left
}

// second takes the second round, of the n keys that are left.
func (r *rounds) second(words, hashes []uint64, n int) (left int) {
	for _, key := range r.keys[:n] {
		h := hashes[key]
		step := r.walker.step(h)
		word := h + step
		r.word[key%roundKeys], r.step[key%roundKeys] = word, step
		at := hashing.Reduce(word, r.m)
		r.keys[left%roundKeys] = key
		left += int(words[at>>6] >> (at & 63) & 1)
	}
	return left
}

// next takes a later round.
func (r *rounds) next(words []uint64, n int) (left int) {
	for _, key := range r.keys[:n] {
		word := r.word[key%roundKeys] + r.step[key%roundKeys] + r.change
		r.word[key%roundKeys] = word
		at := hashing.Reduce(word, r.m)
		r.keys[left%roundKeys] = key
		left += int(words[at>>6] >> (at & 63) & 1)
	}
	return left
}
