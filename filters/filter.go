// Package filters defines what is measured: approximate-membership filters,
// their sizing, and the text specs that name them.
//
// There are two levels. A Keyed filter works on the key's bytes. A Hashed
// filter works on a 64-bit hash of the key, so that a caller hashes once and
// probes many filters, as LSM engines do; WithHash makes a Keyed filter of it.
//
// Every loop over keys runs inside the family's own package, so that no
// interface call is paid per key.
package filters

import (
	"errors"
	"math/bits"
)

// ErrFull is returned by an add that a filter refuses for want of room. The
// refused add has changed nothing.
var ErrFull = errors.New("filter is full")

// ErrStatic is returned by an add to a filter that is built once, from the
// whole set: its first AddKeys or AddHashes builds it, and nothing is added
// later.
var ErrStatic = errors.New("static filter: it is built once, from the whole set")

// Filter is what every filter can do, keyed or hashed.
//
// Lookups may run concurrently with each other, adds may not.
type Filter interface {
	// Len is the number of keys accepted, repeats included.
	Len() uint64
	// SizeBits is every bit allocated for the filter, padding included.
	SizeBits() uint64
}

// Keyed is a filter over the bytes of keys.
type Keyed interface {
	Filter
	// Add inserts one key; ErrFull if there is no room for it.
	Add(key []byte) error
	// Contains reports whether the key may have been added.
	Contains(key []byte) bool
	// AddKeys adds a batch and returns how many of it were taken. It stops at
	// the first key that is refused, key number taken; the error is then
	// ErrFull, and the caller may go on behind that key.
	AddKeys(keys *Keys) (taken int, err error)
	// ContainsKeys looks up a batch: bit i%64 of out[i/64] answers key i, the
	// bits behind the last key are cleared, and hits counts the ones.
	// len(out) must be at least BitsetLen(keys.Len()).
	ContainsKeys(keys *Keys, out []uint64) (hits int)
	// CountKeys looks up one key after the other, with nothing batched, and
	// counts the positives: what a caller of Contains gets, less the
	// interface call.
	CountKeys(keys *Keys) (hits int)
}

// Hashed is a filter over 64-bit hashes of keys. The hash must be uniform in
// all of its 64 bits. The methods mirror those of Keyed.
type Hashed interface {
	Filter
	AddHash(hash uint64) error
	ContainsHash(hash uint64) bool
	AddHashes(hashes []uint64) (taken int, err error)
	ContainsHashes(hashes []uint64, out []uint64) (hits int)
	CountHashes(hashes []uint64) (hits int)
}

// Bitmapper is a filter that is a plain array of bits, and can show it.
type Bitmapper interface {
	// Bitmap returns a copy of the bit array: bit i is bit i%8 of byte i/8 on
	// every architecture, and the unused bits of the last byte are zero.
	Bitmap() []byte
	// BitsSet is the number of ones in it.
	BitsSet() uint64
}

// Freer is a filter whose memory the garbage collector does not own.
type Freer interface {
	// Free gives the memory back; the filter must not be used afterwards.
	Free()
}

// Free releases the memory of f if f holds any outside of the Go heap.
func Free(f Filter) {
	if fr, ok := f.(Freer); ok {
		fr.Free()
	}
}

// BitsetLen is the number of 64-bit words that hold n answers.
func BitsetLen(n int) int { return (n + 63) / 64 }

// CountBits counts the ones of a bitset.
func CountBits(set []uint64) int {
	n := 0
	for _, w := range set {
		n += bits.OnesCount64(w)
	}
	return n
}

// Deleter is a filter that can take keys out again. Only keys that are in it
// may be deleted: deleting another key may take out a third one with the same
// fingerprint or counters. Plain bit arrays have no delete.
type Deleter interface {
	// DeleteHash takes out one copy of the key and reports whether there was
	// one that looked like it.
	DeleteHash(hash uint64) bool
}

// Merger is a filter that can take in another one of the same design.
type Merger interface {
	// Merge adds the keys of other. A filter of another kind, size or
	// parameter is refused, and ErrFull returned where there is no room; the
	// receiver is then as it was.
	Merge(other Filter) error
}

// Snapshotter is a filter whose state can be written and read back.
type Snapshotter interface {
	// AppendState appends the filter's state: the same bytes on every
	// architecture for the same keys.
	AppendState(dst []byte) []byte
	// LoadState sets an empty filter of the same design to a state. A state
	// that no filter of this design can have is an error, and the filter is
	// as it was; nothing is allocated beyond what the filter holds already.
	LoadState(state []byte) error
}
