// Package rocksdb is the cache-local Bloom filter of RocksDB, bit for bit: the
// one of table format version 5 and later. A key's bits lie in one line of 64
// bytes, for any number of probes.
package rocksdb

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"filterbench/filters"
	"filterbench/filters/internal/state"
	"filterbench/filters/memory"
	"filterbench/filters/simd"
)

const (
	lineBytes = 64
	lineBits  = 8 * lineBytes
	lineWords = lineBytes / 8
)

// Filter is a Bloom filter of whole lines.
type Filter struct {
	words []uint64 // bit i of a line is bit i%64 of its word i/64
	lines uint32
	k     int
	n     uint64
	fetch bool // batches fetch lines ahead
	block *memory.Block
}

func newFilter(lines uint32, k int) (*Filter, error) {
	block, err := memory.Alloc(lineBytes * uint64(lines))
	if err != nil {
		return nil, err
	}
	fetch := simd.FetchesBits(block.Bytes())
	return &Filter{words: block.Words(), lines: lines, k: k, fetch: fetch, block: block}, nil
}

// Len is the number of keys added.
func (f *Filter) Len() uint64 { return f.n }

// SizeBits is every bit allocated.
func (f *Filter) SizeBits() uint64 { return 8 * f.block.Bytes() }

// Pages is the kind of memory the lines lie in.
func (f *Filter) Pages() string { return f.block.Pages() }

// Free gives the memory back.
func (f *Filter) Free() {
	f.block.Free()
	f.words = nil
}

func (f *Filter) size() uint64 { return lineBytes * uint64(f.lines) }

// BitsSet is the number of ones.
func (f *Filter) BitsSet() uint64 { return uint64(filters.CountBits(f.words)) }

// Bitmap is the lines as bytes.
func (f *Filter) Bitmap() []byte {
	out := make([]byte, 0, f.size()+5)
	for _, w := range f.words[:f.size()/8] {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	return out
}

// Block is the filter as RocksDB stores it: the lines, a mark for filters newer
// than the first kind, the number of this kind, k, and two bytes of zero.
func (f *Filter) Block() []byte { return append(f.Bitmap(), 0xff, 0, byte(f.k), 0, 0) }

// The positions of a key in its line are the high bits of a geometric sequence
// modulo 2^32, whose first member is the upper half of the hash. Two of them fall
// together with the chance 1/512, as independent ones do, whatever their distance.
const (
	factor = 0x9e3779b9 // 2^32 over the golden section
	shift  = 32 - 9     // a line has 2^9 bits
)

// locate is the line of a hash, by its lower half (Lemire 2019), and the first
// member of the sequence.
func (f *Filter) locate(hash uint64) (line *[lineWords]uint64, g uint32) {
	at := f.line(hash) * lineWords
	return (*[lineWords]uint64)(f.words[at : at+lineWords]), uint32(hash >> 32)
}

func (f *Filter) line(hash uint64) uint64 { return uint64(uint32(hash)) * uint64(f.lines) >> 32 }

// chunk is how many keys ahead lines are fetched.
const chunk = 64

// fetchNext begins to fetch the lines of the next keys, up to a chunk of them.
func (f *Filter) fetchNext(hashes []uint64) {
	if !f.fetch {
		return
	}
	var at [chunk]uint64
	n := min(chunk, len(hashes))
	for i, h := range hashes[:n] {
		at[i] = f.line(h) * lineBits
	}
	simd.FetchBits(f.words, at[:n])
}

// AddHash sets the key's bits. It never fails.
func (f *Filter) AddHash(hash uint64) error {
	line, g := f.locate(hash)
	for range f.k {
		at := g >> shift
		line[at>>6] |= 1 << (at & 63)
		g *= factor
	}
	f.n++
	return nil
}

// ContainsHash reports whether all of the key's bits are set. It looks at all of
// them whatever the first says: they share a line, and a branch that is
// mispredicted costs more than they do.
func (f *Filter) ContainsHash(hash uint64) bool { return f.test(hash) != 0 }

// test is 1 if all of the key's bits are set, else 0.
func (f *Filter) test(hash uint64) uint64 {
	line, g := f.locate(hash)
	all := uint64(1)
	for range f.k {
		at := g >> shift
		all &= line[at>>6] >> (at & 63)
		g *= factor
	}
	return all
}

// AddHashes adds all keys.
func (f *Filter) AddHashes(hashes []uint64) (int, error) {
	f.fetchNext(hashes)
	for from := 0; from < len(hashes); from += chunk {
		to := min(from+chunk, len(hashes))
		f.fetchNext(hashes[to:])
		for _, h := range hashes[from:to] {
			f.AddHash(h)
		}
	}
	return len(hashes), nil
}

// ContainsHashes looks up all keys.
func (f *Filter) ContainsHashes(hashes []uint64, out []uint64) (hits int) {
	f.fetchNext(hashes)
	for from := 0; from < len(hashes); from += chunk {
		to := min(from+chunk, len(hashes))
		f.fetchNext(hashes[to:])
		var word uint64
		for i, h := range hashes[from:to] {
			word |= f.test(h) << i
		}
		out[from/64] = word
		hits += bits.OnesCount64(word)
	}
	return hits
}

// CountHashes counts the positives.
func (f *Filter) CountHashes(hashes []uint64) (hits int) {
	for _, h := range hashes {
		hits += int(f.test(h))
	}
	return hits
}

// Merge adds the keys of another filter of the same lines and k.
func (f *Filter) Merge(other filters.Filter) error {
	o, ok := other.(*Filter)
	if !ok {
		return fmt.Errorf("%w: a rocksdb filter and %T", filters.ErrMismatch, other)
	}
	if o.lines != f.lines || o.k != f.k {
		return fmt.Errorf("%w: rocksdb filters of %d lines, k=%d and of %d lines, k=%d", filters.ErrMismatch, f.lines, f.k, o.lines, o.k)
	}
	for i, w := range o.words {
		f.words[i] |= w
	}
	f.n += o.n
	return nil
}

// AppendState appends the number of keys, 8 bytes, and the lines.
func (f *Filter) AppendState(dst []byte) []byte { return state.Append(dst, f.n, f.words, f.size()) }

// LoadState sets the filter to what AppendState wrote.
func (f *Filter) LoadState(snapshot []byte) error {
	n, array, err := state.Split(snapshot, f.size())
	if err != nil {
		return err
	}
	if err := array.CheckBits(n, 8*f.size(), f.k); err != nil {
		return err
	}
	array.CopyTo(f.words)
	f.n = n
	return nil
}
