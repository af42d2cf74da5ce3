// Package naive is the textbooks' Bloom filter: k MD5 digests a key, nothing
// optimised. It is the specification that the golden numbers hold for, and the
// baseline that every other filter is compared with.
package naive

import (
	"crypto/md5"
	"encoding/binary"
	"math/bits"
	"strconv"

	"filterbench/filters"
	"filterbench/filters/internal/bitarray"
	"filterbench/filters/theory"
)

// Family describes the filter to the registry.
var Family = &filters.Family{
	Name:        "naive",
	Summary:     "the textbook's Bloom filter: position i is MD5(\"i:key\") mod m",
	Source:      "Bloom, CACM 13(7), 1970; position and rounding rules as in the course text's Python program",
	KeyedOnly:   true,
	NanosPerKey: 400,
	ForBits: func(_ filters.Spec, n uint64, bits float64) (filters.Design, error) {
		return design(n, max(1, filters.RoundedBits(n, bits))), nil
	},
	ForFPR: func(_ filters.Spec, n uint64, p float64) (filters.Design, error) {
		return design(n, theory.BloomBits(n, p)), nil
	},
}

func design(n, m uint64) filters.Design {
	k := theory.BloomProbes(n, m)
	return filters.Design{
		N:        n,
		Params:   []filters.Param{{Name: "m", Value: m}, {Name: "k", Value: uint64(k)}},
		SizeBits: bitarray.Size(m),
		Model: filters.Model{
			FPR:  func(n uint64) float64 { return theory.BloomExact(n, m, k) },
			SD:   func(n uint64) float64 { return theory.BloomSD(n, m, k) },
			MinN: 1,
			Why:  "exact for independent uniform positions (Bose et al. 2008), which MD5 gives",
		},
		Lines:    bitarray.LookupLines(n, m, k),
		NewKeyed: func() (filters.Keyed, error) { return New(m, k) },
	}
}

// Filter is a Bloom filter of m bits with k MD5 digests a key.
type Filter struct {
	bits bitarray.Array
	k    int
	n    uint64
}

// New makes an empty filter; m and k must be at least 1.
func New(m uint64, k int) (*Filter, error) {
	bits, err := bitarray.New(m)
	if err != nil {
		return nil, err
	}
	return &Filter{bits: bits, k: k}, nil
}

// Position is the i-th position of a key: the MD5 of "i:key" as a 128-bit
// big-endian integer, modulo m.
func Position(key []byte, i int, m uint64) uint64 {
	var stack [96]byte
	buf := append(strconv.AppendInt(stack[:0], int64(i), 10), ':')
	digest := md5.Sum(append(buf, key...))
	hi := binary.BigEndian.Uint64(digest[:8])
	lo := binary.BigEndian.Uint64(digest[8:])
	return bits.Rem64(hi, lo, m)
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

// Add sets the key's k bits. It never fails.
func (f *Filter) Add(key []byte) error {
	for i := range f.k {
		f.bits.Set(Position(key, i, f.bits.M))
	}
	f.n++
	return nil
}

// Probes is the number of positions, and so of MD5 digests, that a lookup
// computes before it knows the answer, and the answer.
func (f *Filter) Probes(key []byte) (probes int, maybe bool) {
	for i := range f.k {
		if !f.bits.Get(Position(key, i, f.bits.M)) {
			return i + 1, false
		}
	}
	return f.k, true
}

// Contains reports whether all of the key's bits are set; it stops at the
// first that is not.
func (f *Filter) Contains(key []byte) bool {
	_, maybe := f.Probes(key)
	return maybe
}

// AddKeys adds all keys.
func (f *Filter) AddKeys(keys *filters.Keys) (int, error) {
	for i := range keys.Len() {
		f.Add(keys.At(i))
	}
	return keys.Len(), nil
}

// ContainsKeys looks up all keys.
func (f *Filter) ContainsKeys(keys *filters.Keys, out []uint64) (hits int) {
	clear(out[:filters.BitsetLen(keys.Len())])
	for i := range keys.Len() {
		if f.Contains(keys.At(i)) {
			out[i/64] |= 1 << (i % 64)
			hits++
		}
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
