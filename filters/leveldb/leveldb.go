// Package leveldb is LevelDB's Bloom filter, bit for bit: one 32-bit hash a key,
// and as the step between positions the same hash rotated. It saves a second
// hash, and pays for it with a rate above theory, by how much depends on the
// size in bits.
package leveldb

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"filterbench/filters"
	"filterbench/filters/internal/bitarray"
	"filterbench/filters/internal/rounds"
	"filterbench/filters/simd"
)

// Filter is a Bloom filter of m bits and k positions a key.
type Filter struct {
	bits bitarray.Array
	m    uint32 // of the bits: 32-bit remainders are the faster ones
	k    int
	n    uint64

	fetch bool // batches fetch lines first
}

// New makes an empty filter of m bits, at least 1, with k probes, at least 1.
func New(m uint32, k int) (*Filter, error) {
	array, err := bitarray.New(uint64(m))
	if err != nil {
		return nil, err
	}
	return &Filter{bits: array, m: m, k: k, fetch: simd.FetchesBits(array.SizeBits() / 8)}, nil
}

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

// Block is the filter as LevelDB stores it: the bitmap, and k in a byte.
func (f *Filter) Block() []byte { return append(f.Bitmap(), byte(f.k)) }

// Hash is LevelDB's 32-bit hash with the seed of its filters: words of 4 bytes,
// little-endian, added, multiplied and folded, in the manner of MurmurHash.
func Hash(key []byte) uint32 {
	const (
		seed  = 0xbc9f1d34
		prime = 0xc6a4a793
	)
	h := uint32(seed) ^ uint32(len(key))*prime
	for ; len(key) >= 4; key = key[4:] {
		h = (h + binary.LittleEndian.Uint32(key)) * prime
		h ^= h >> 16
	}
	if len(key) == 0 {
		return h
	}
	for i, b := range key {
		h += uint32(b) << (8 * i)
	}
	h *= prime
	return h ^ h>>24
}

// A key's positions are h, h+d, h+2d, ... modulo 2^32, then modulo m, with d the
// hash h rotated right by 17 bits.
func step(h uint32) uint32 { return bits.RotateLeft32(h, -17) }

// Add sets the key's bits. It never fails.
func (f *Filter) Add(key []byte) error {
	h := Hash(key)
	d := step(h)
	for range f.k {
		f.bits.Set(uint64(h % f.m))
		h += d
	}
	f.n++
	return nil
}

// Contains reports whether all of the key's bits are set; it stops at the first
// that is not.
func (f *Filter) Contains(key []byte) bool {
	h := Hash(key)
	d := step(h)
	for range f.k {
		if !f.bits.Get(uint64(h % f.m)) {
			return false
		}
		h += d
	}
	return true
}

// batch is the keys of a list under way in rounds: one position of every key that
// is left in each.
type batch struct {
	rounds.List
	next, step [rounds.ListKeys]uint32 // of each key
}

// hash begins with the keys of a list from a number on and returns how many there
// are.
func (b *batch) hash(keys *filters.Keys, from int) (n int) {
	n = min(rounds.ListKeys, keys.Len()-from)
	b.Start(n)
	for i := range n {
		h := Hash(keys.At(from + i))
		b.next[i], b.step[i] = h, step(h)
	}
	return n
}

// positions finds the next position of every key that is left.
func (b *batch) positions(m uint32) {
	for i, key := range b.Left() {
		b.At[i] = uint64(b.next[key] % m)
		b.next[key] += b.step[key]
	}
}

// AddKeys adds all keys.
func (f *Filter) AddKeys(keys *filters.Keys) (int, error) {
	if !f.fetch {
		for i := range keys.Len() {
			f.Add(keys.At(i))
		}
		return keys.Len(), nil
	}
	var b batch
	for from := 0; from < keys.Len(); {
		from += b.hash(keys, from)
		for range f.k {
			b.positions(f.m)
			b.Set(f.bits.Words, true)
		}
	}
	f.n += uint64(keys.Len())
	return keys.Len(), nil
}

// ContainsKeys looks up all keys.
func (f *Filter) ContainsKeys(keys *filters.Keys, out []uint64) (hits int) {
	if keys.Len() < rounds.Enough {
		clear(out[:filters.BitsetLen(keys.Len())])
		for i := range keys.Len() {
			if f.Contains(keys.At(i)) {
				out[0] |= 1 << i
				hits++
			}
		}
		return hits
	}
	var b batch
	for from := 0; from < keys.Len(); {
		answers := out[from/64:]
		from += b.hash(keys, from)
		for i := 0; i < f.k && len(b.Left()) > 0; i++ {
			b.positions(f.m)
			b.Look(f.bits.Words, f.fetch)
		}
		hits += b.Answer(answers)
	}
	return hits
}

// CountKeys counts the positives.
func (f *Filter) CountKeys(keys *filters.Keys) (hits int) {
	for i := range keys.Len() {
		if f.Contains(keys.At(i)) {
			hits++
		}
	}
	return hits
}

// Merge adds the keys of another filter of the same m and k.
func (f *Filter) Merge(other filters.Filter) error {
	o, ok := other.(*Filter)
	if !ok {
		return fmt.Errorf("%w: a leveldb filter and %T", filters.ErrMismatch, other)
	}
	if o.m != f.m || o.k != f.k {
		return fmt.Errorf("%w: leveldb filters of m=%d k=%d and of m=%d k=%d", filters.ErrMismatch, f.m, f.k, o.m, o.k)
	}
	f.bits.Or(&o.bits)
	f.n += o.n
	return nil
}

// AppendState appends the number of keys, 8 bytes, and the bitmap.
func (f *Filter) AppendState(dst []byte) []byte { return f.bits.AppendState(dst, f.n) }

// LoadState sets the filter to what AppendState wrote.
func (f *Filter) LoadState(state []byte) error {
	n, err := f.bits.LoadState(state, f.k)
	if err != nil {
		return err
	}
	f.n = n
	return nil
}
