// Package bitarray is the array of m bits that the plain Bloom filters share.
package bitarray

import (
	"encoding/binary"

	"filterbench/filters"
	"filterbench/filters/internal/state"
	"filterbench/filters/memory"
	"filterbench/filters/theory"
)

// Array is m bits in memory of its own: bit i is bit i%64 of word i/64.
type Array struct {
	Words []uint64
	M     uint64
	block *memory.Block
}

// Size is the number of bits that New allocates for m.
func Size(m uint64) uint64 { return 8 * memory.Size(bytes(m)) }

func bytes(m uint64) uint64 { return (m-1)/8 + 1 }

// New allocates m bits, all zero; m must be at least 1.
func New(m uint64) (Array, error) {
	block, err := memory.Alloc(bytes(m))
	if err != nil {
		return Array{}, err
	}
	return Array{Words: block.Words(), M: m, block: block}, nil
}

// Set sets bit i.
func (a *Array) Set(i uint64) { a.Words[i>>6] |= 1 << (i & 63) }

// Get reports whether bit i is set.
func (a *Array) Get(i uint64) bool { return a.Words[i>>6]>>(i&63)&1 != 0 }

// SizeBits is everything allocated.
func (a *Array) SizeBits() uint64 { return 8 * a.block.Bytes() }

// Pages is the kind of memory behind the array.
func (a *Array) Pages() string { return a.block.Pages() }

// Free gives the memory back.
func (a *Array) Free() {
	a.block.Free()
	a.Words = nil
}

// BitsSet counts the ones.
func (a *Array) BitsSet() uint64 { return uint64(filters.CountBits(a.Words)) }

// Bitmap returns the bits as bytes, bit i in byte i/8, bit i%8, whatever the
// byte order of the machine.
func (a *Array) Bitmap() []byte {
	out := make([]byte, 0, 8*len(a.Words))
	for _, w := range a.Words {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	return out[:bytes(a.M)]
}

// Or sets the bits that are set in b, which must be of the same size.
func (a *Array) Or(b *Array) {
	for i, w := range b.Words {
		a.Words[i] |= w
	}
}

// AppendState appends the snapshot of a Bloom filter of n keys: n as 8 bytes,
// little-endian, and the bitmap.
func (a *Array) AppendState(dst []byte, n uint64) []byte {
	return state.Append(dst, n, a.Words, bytes(a.M))
}

// LoadState sets the array to a snapshot and returns the number of keys. A
// state that no filter of this size and k bits a key can have is an error, and
// changes nothing.
func (a *Array) LoadState(snapshot []byte, k int) (n uint64, err error) {
	n, array, err := state.Split(snapshot, bytes(a.M))
	if err != nil {
		return 0, err
	}
	if err := array.CheckBits(n, a.M, k); err != nil {
		return 0, err
	}
	array.CopyTo(a.Words)
	return n, nil
}

// Lines is the expected number of distinct 64-byte lines among the given
// number of positions, uniform over m bits.
func Lines(m uint64, probes float64) float64 { return theory.DistinctLines((m-1)/512+1, probes) }

// LookupLines is the expected number of distinct lines that a lookup in a
// Bloom filter of n keys reads: all k probes where the key is present, those
// up to the first zero where it is not.
func LookupLines(n, m uint64, k int) func(present bool) float64 {
	return func(present bool) float64 {
		if present {
			return Lines(m, float64(k))
		}
		return Lines(m, theory.ProbesAbsent(theory.BloomFill(n, m, k), k))
	}
}
