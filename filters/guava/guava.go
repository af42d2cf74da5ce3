// Package guava is the Bloom filter of Google's Guava library, bit for bit: one
// 128-bit hash a key, of which one half is the first position and the other the
// step (its strategy MURMUR128_MITZ_64).
package guava

import (
	"encoding/binary"
	"fmt"
	"math"

	"filterbench/filters"
	"filterbench/filters/internal/bitarray"
	"filterbench/filters/internal/rounds"
	"filterbench/filters/simd"
)

// Filter is a Bloom filter of m bits, in whole words of 64, and k positions a
// key.
type Filter struct {
	bits bitarray.Array
	k    int
	n    uint64

	fetch bool // batches fetch lines first
}

// New makes an empty filter of at least the given number of bits, at least 1,
// with k probes, 1 to 255.
func New(bits uint64, k int) (*Filter, error) {
	array, err := bitarray.New(wholeWords(bits))
	if err != nil {
		return nil, err
	}
	return &Filter{bits: array, k: k, fetch: simd.FetchesBits(array.SizeBits() / 8)}, nil
}

func wholeWords(bits uint64) uint64 { return (bits + 63) / 64 * 64 }

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

// Stream is the filter as Guava writes it: the number of its strategy, k, the
// number of words, and the words, big-endian.
func (f *Filter) Stream() []byte {
	out := []byte{1, byte(f.k)}
	out = binary.BigEndian.AppendUint32(out, uint32(f.bits.M/64))
	for _, w := range f.bits.Words[:f.bits.M/64] {
		out = binary.BigEndian.AppendUint64(out, w)
	}
	return out
}

// at is the position of a sum of the two words: its sign is cut off, since Java
// has no unsigned numbers.
func (f *Filter) at(sum uint64) uint64 { return sum & math.MaxInt64 % f.bits.M }

// Add sets the key's bits. It never fails.
func (f *Filter) Add(key []byte) error {
	sum, step := Murmur128(key)
	for range f.k {
		f.bits.Set(f.at(sum))
		sum += step
	}
	f.n++
	return nil
}

// Contains reports whether all of the key's bits are set; it stops at the first
// that is not.
func (f *Filter) Contains(key []byte) bool {
	sum, step := Murmur128(key)
	for range f.k {
		if !f.bits.Get(f.at(sum)) {
			return false
		}
		sum += step
	}
	return true
}

// batch is the keys of a list under way in rounds: one position of every key that
// is left in each.
type batch struct {
	rounds.List
	sum, step [rounds.ListKeys]uint64 // of each key
}

// hash begins with the keys of a list from a number on and returns how many there
// are.
func (b *batch) hash(keys *filters.Keys, from int) (n int) {
	n = min(rounds.ListKeys, keys.Len()-from)
	b.Start(n)
	for i := range n {
		b.sum[i], b.step[i] = Murmur128(keys.At(from + i))
	}
	return n
}

// positions finds the next position of every key that is left.
func (b *batch) positions(f *Filter) {
	for i, key := range b.Left() {
		b.At[i] = f.at(b.sum[key])
		b.sum[key] += b.step[key]
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
			b.positions(f)
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
			b.positions(f)
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
		return fmt.Errorf("%w: a guava filter and %T", filters.ErrMismatch, other)
	}
	if o.bits.M != f.bits.M || o.k != f.k {
		return fmt.Errorf("%w: guava filters of m=%d k=%d and of m=%d k=%d", filters.ErrMismatch, f.bits.M, f.k, o.bits.M, o.k)
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
