// Package bloom is the classic Bloom filter over one 64-bit hash a key: the k
// positions come from two words, the hash and a second mix of it (Kirsch and
// Mitzenmacher, ESA 2006), or from k independent mixes.
package bloom

import (
	"math/bits"

	"filterbench/filters/hashing"
	"filterbench/filters/internal/bitarray"
	"filterbench/filters/internal/probes"
	"filterbench/filters/internal/rounds"
)

// Filter is a Bloom filter of m bits and k positions a key.
type Filter struct {
	bits   bitarray.Array
	k      int
	n      uint64
	mod    bool // index=mod
	step   step
	rounds rounds.Array // of index=range, but for step=independent
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

func newFilter(m uint64, k int, mod bool, s step, avx2 bool) (*Filter, error) {
	array, err := bitarray.New(m)
	if err != nil {
		return nil, err
	}
	return &Filter{bits: array, k: k, mod: mod, step: s, rounds: rounds.New(array.Words, walker(m, k, s), avx2)}, nil
}

// walker takes the walks of index=range, but for step=independent.
func walker(m uint64, k int, s step) rounds.Walker {
	w := rounds.NewWalker(m, k, 0)
	switch s {
	case enhanced:
		return w.Enhanced()
	case odd:
		return w.Odd(oddShift(m))
	}
	return w
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
	return f.rounds.Start(hash, hashing.Mix(hash))
}

// walks reports whether positions are fractions of words that follow from each
// other by steps.
func (f *Filter) walks() bool { return !f.mod && f.step != independent }

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
	f.add(hash)
	return nil
}

func (f *Filter) add(hash uint64) {
	if f.step == independent {
		for i := range uint64(f.k) {
			f.bits.Set(f.reduce(hashing.Mix(hash + i*hashing.Golden)))
		}
		return
	}
	w := f.start(hash)
	for range f.k {
		f.bits.Set(f.next(&w))
	}
}

// ContainsHash reports whether all of the key's bits are set.
func (f *Filter) ContainsHash(hash uint64) bool {
	switch {
	case f.step == independent:
		return f.containsIndependent(hash)
	case f.mod:
		return f.containsMod(hash)
	}
	return f.containsRange(hash)
}

// containsRange takes three probes at a time. A branch on each would be guessed
// wrong once a key, which costs more than up to two probes behind the first zero,
// in the caches and from DRAM alike.
func (f *Filter) containsRange(hash uint64) bool {
	w := f.rounds.Start(hash, hashing.Mix(hash))
	words, m, k := f.bits.Words, f.bits.M, f.k
	for ; k >= 3; k -= 3 {
		w2 := w.Next()
		w3 := w2.Next()
		if bit(words, w.At(m))&bit(words, w2.At(m))&bit(words, w3.At(m)) == 0 {
			return false
		}
		w = w3.Next()
	}
	for ; k > 0; k-- {
		if bit(words, w.At(m)) == 0 {
			return false
		}
		w = w.Next()
	}
	return true
}

// bit is the bit at a position, in the form that compiles to one test of a bit.
func bit(words []uint64, at uint64) uint8 {
	if words[at>>6]&(1<<(at&63)) != 0 {
		return 1
	}
	return 0
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
	f.n += uint64(len(hashes))
	if f.walks() && f.rounds.Adds(len(hashes)) {
		f.rounds.Add(hashes)
		return len(hashes), nil
	}
	for _, h := range hashes {
		f.add(h)
	}
	return len(hashes), nil
}

// ContainsHashes looks up all keys.
func (f *Filter) ContainsHashes(hashes []uint64, out []uint64) (hits int) {
	if f.walks() && len(hashes) >= 8 { // else rounds do not pay
		return f.rounds.Contains(hashes, out)
	}
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
