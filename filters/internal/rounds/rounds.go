// Package rounds looks keys up in batches, in arrays of small fields of which a
// key has k: the bits of a Bloom filter, or the counters of a counting one.
//
// A batch goes in rounds: each takes one probe of every key that is left, and
// keeps the keys whose field is not zero. Most keys that are absent leave after
// two probes. To branch on that for each key would be to guess wrong once a key;
// here nothing branches on a field, and the reads of a round do not wait for each
// other.
package rounds

import (
	"runtime"
	"sync"

	"filterbench/filters"
	"filterbench/filters/simd"
)

// Array is an array of fields, with the walks of its keys.
type Array struct {
	Walker
	fields []uint64
	kernel bool
	fetch  bool // the kernel fetches lines ahead
}

// New is the array that lies in words, which must stay while it is in use. kernel
// says whether the kernels answer, or portable code.
func New(words []uint64, w Walker, kernel bool) Array {
	w.words = &words[0]
	return Array{w, words, simd.Compiled && kernel, simd.FetchAhead(8 * uint64(len(words)))}
}

// SetFetch says whether kernels fetch lines ahead, which New decides by the size.
// It is for tests.
func (a *Array) SetFetch(ahead bool) { a.fetch = ahead }

// roundKeys is how many keys start together. The last rounds have few keys left,
// whose reads do not hide each other's latency: the more start, the less that is.
const roundKeys = 1024

// rounds is a batch under way.
type rounds struct {
	Walker
	// change is by how much the step of this round differs from that of the
	// second, the same for all keys.
	change uint64
	// keys are those left, by their place in the batch. They are 32 bits wide since
	// loads next to a store of 16 bits were seen to wait for it.
	keys [roundKeys]uint32
	// Of each key: the word whose fraction of m is the position, the step and,
	// while its line is fetched, where its field begins.
	word, step [roundKeys]uint64
	//lint:ignore U1000 the assembly keeps it
	at [roundKeys]uint64
}

var pool = sync.Pool{New: func() any { return new(rounds) }}

// Contains looks up all keys: bit i%64 of out[i/64] says that no field of key i is
// zero. It returns how many of them there are.
func (a *Array) Contains(hashes, out []uint64) (hits int) {
	r := pool.Get().(*rounds)
	defer pool.Put(r)
	r.Walker = a.Walker
	for from := 0; from < len(hashes); from += roundKeys {
		batch := hashes[from:min(from+roundKeys, len(hashes))]
		left := a.left(r, batch)
		hits += left
		answers := out[from/64:][:filters.BitsetLen(len(batch))]
		clear(answers)
		for _, i := range r.keys[:left] {
			answers[i/64] |= 1 << (i % 64)
		}
	}
	r.Walker = Walker{}  // the pool must not hold the filter's memory
	runtime.KeepAlive(a) // which the kernels read by address
	return hits
}

// left takes all rounds of a batch and returns how many keys are left.
func (a *Array) left(r *rounds, hashes []uint64) int {
	left := a.first(r, hashes)
	if a.k > 1 && left > 0 {
		left = a.second(r, hashes, left)
	}
	r.change = 0
	z := a.z
	for i := uint64(2); i < a.k && left > 0; i++ {
		r.change += z
		z += a.c
		left = a.next(r, left)
	}
	return left
}

func (a *Array) first(r *rounds, hashes []uint64) (left int) {
	n := len(hashes)
	switch {
	case !(simd.Compiled && a.kernel):
		return r.first(a.fields, hashes)
	case a.fetch:
		fetchFirstAVX2(r, &hashes[0], n)
		return a.stay(r, n)
	case a.width == 0:
		return firstBitsAVX2(r, &hashes[0], n)
	}
	return firstCountersAVX2(r, &hashes[0], n)
}

func (a *Array) second(r *rounds, hashes []uint64, n int) (left int) {
	switch {
	case !(simd.Compiled && a.kernel):
		return r.second(a.fields, hashes, n)
	case a.fetch:
		fetchSecondAVX2(r, &hashes[0], n)
		return a.stay(r, n)
	case a.width == 0:
		return secondBitsAVX2(r, &hashes[0], n)
	}
	return secondCountersAVX2(r, &hashes[0], n)
}

func (a *Array) next(r *rounds, n int) (left int) {
	switch {
	case !(simd.Compiled && a.kernel):
		return r.next(a.fields, n)
	case a.fetch:
		fetchNextAVX2(r, n)
		return a.stay(r, n)
	case a.width == 0:
		return nextBitsAVX2(r, n)
	}
	return nextCountersAVX2(r, n)
}

// stay keeps the keys whose fields, which have been fetched, are not zero.
func (a *Array) stay(r *rounds, n int) (left int) {
	if a.width == 0 {
		return stayBitsAVX2(r, n)
	}
	return stayCountersAVX2(r, n)
}
