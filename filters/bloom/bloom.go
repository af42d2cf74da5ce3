// Package bloom is the classic Bloom filter over one 64-bit hash a key: the k
// positions come from two words, the hash and a second mix of it (Kirsch and
// Mitzenmacher, ESA 2006), or from k independent mixes.
package bloom

import (
	"math/bits"

	"filterbench/filters/hashing"
	"filterbench/filters/internal/bitarray"
	"filterbench/filters/internal/probes"
)

// Filter is a Bloom filter of m bits and k positions a key.
type Filter struct {
	bits bitarray.Array
	k    int
	n    uint64
	mod  bool // index=mod
	step step
	odd  uint // index=range, step=odd: log2 of the least step
}

type step uint8

const (
	enhanced    step = iota // a step that changes by a growing amount
	odd                     // a constant step, odd in units of one position
	plain                   // a constant step, zero included: degenerates
	independent             // no step: k mixes of the hash
)

// The values of the options, the default first.
var (
	indexes = []string{"range", "mod"}
	steps   = []string{"enhanced", "odd", "any", "independent"}
)

func newFilter(m uint64, k int, mod bool, s step) (*Filter, error) {
	array, err := bitarray.New(m)
	if err != nil {
		return nil, err
	}
	return &Filter{bits: array, k: k, mod: mod, step: s, odd: oddShift(m)}, nil
}

// oddShift is log2 of the least step of index=range, step=odd: with 2^t <= m,
// a step of 2^(64-t) moves by at least one position.
func oddShift(m uint64) uint { return min(63, uint(65-bits.Len64(m))) }

// Len is the number of keys added.
func (f *Filter) Len() uint64 { return f.n }

// SizeBits is every bit allocated.
func (f *Filter) SizeBits() uint64 { return f.bits.SizeBits() }

// Free gives the memory back.
func (f *Filter) Free() { f.bits.Free() }

// BitsSet is the number of ones.
func (f *Filter) BitsSet() uint64 { return f.bits.BitsSet() }

// Bitmap is the bit array as bytes.
func (f *Filter) Bitmap() []byte { return f.bits.Bitmap() }

// Pages is the kind of memory the bits lie in.
func (f *Filter) Pages() string { return f.bits.Pages() }

// walk is the sequence of a key's positions. With index=range the words are
// fractions of the array; with index=mod they are positions modulo m, as the
// textbooks write them.
type walk = probes.Walk

func (f *Filter) start(hash uint64) walk {
	if f.mod {
		return f.startMod(hash%f.bits.M, hashing.Mix(hash)%f.bits.M)
	}
	return f.startRange(hash, hashing.Mix(hash))
}

// startRange begins the walk of index=range.
func (f *Filter) startRange(h1, h2 uint64) walk {
	switch f.step {
	case enhanced:
		return probes.EnhancedFrom(h1, h2)
	case odd:
		return walk{X: h1, Y: (h2>>f.odd | 1) << f.odd}
	default:
		return walk{X: h1, Y: h2}
	}
}

// startMod begins the walk of index=mod from two residues.
func (f *Filter) startMod(h1, h2 uint64) walk {
	switch f.step {
	case enhanced:
		return walk{X: h1, Y: h2, Z: 1 % f.bits.M, C: 1 % f.bits.M}
	case odd:
		if h2 |= 1; h2 >= f.bits.M { // m odd, or 1
			h2 = 1 % f.bits.M
		}
		return walk{X: h1, Y: h2}
	default:
		return walk{X: h1, Y: h2}
	}
}

// next returns the position and moves on.
func (f *Filter) next(w *walk) uint64 {
	if !f.mod {
		at := w.At(f.bits.M)
		*w = w.Next()
		return at
	}
	at := w.X
	w.X = addMod(w.X, w.Y, f.bits.M)
	w.Y = addMod(w.Y, w.Z, f.bits.M)
	w.Z = addMod(w.Z, w.C, f.bits.M)
	return at
}

// addMod is (a+b) mod m for a, b < m <= 2^63.
func addMod(a, b, m uint64) uint64 {
	if a += b; a >= m {
		a -= m
	}
	return a
}

// AddHash sets the key's k bits. It never fails.
func (f *Filter) AddHash(hash uint64) error {
	f.n++
	if f.step == independent {
		for i := range uint64(f.k) {
			f.bits.Set(f.reduce(hashing.Mix(hash + i*hashing.Golden)))
		}
		return nil
	}
	w := f.start(hash)
	for range f.k {
		f.bits.Set(f.next(&w))
	}
	return nil
}

// ContainsHash reports whether all of the key's bits are set; it stops at the
// first that is not.
func (f *Filter) ContainsHash(hash uint64) bool {
	switch {
	case f.step == independent:
		return f.containsIndependent(hash)
	case f.mod:
		return f.containsMod(hash)
	}
	w := f.startRange(hash, hashing.Mix(hash))
	words, m := f.bits.Words, f.bits.M
	for range f.k {
		if at := w.At(m); words[at>>6]>>(at&63)&1 == 0 {
			return false
		}
		w = w.Next()
	}
	return true
}

func (f *Filter) containsMod(hash uint64) bool {
	w := f.start(hash)
	for range f.k {
		if !f.bits.Get(f.next(&w)) {
			return false
		}
	}
	return true
}

func (f *Filter) containsIndependent(hash uint64) bool {
	for i := range uint64(f.k) {
		if !f.bits.Get(f.reduce(hashing.Mix(hash + i*hashing.Golden))) {
			return false
		}
	}
	return true
}

func (f *Filter) reduce(x uint64) uint64 {
	if f.mod {
		return x % f.bits.M
	}
	return hashing.Reduce(x, f.bits.M)
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
			if f.ContainsHash(h) {
				word |= 1 << i
			}
		}
		out[from/64] = word
		hits += bits.OnesCount64(word)
	}
	return hits
}

// CountHashes counts the positives.
func (f *Filter) CountHashes(hashes []uint64) (hits int) {
	for _, h := range hashes {
		if f.ContainsHash(h) {
			hits++
		}
	}
	return hits
}
