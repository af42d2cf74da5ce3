// Package cuckoo is the cuckoo filter: a hash table of short fingerprints, each
// in one of two buckets, from which keys can be deleted again.
//
// # Where a fingerprint may lie
//
// In two buckets, each of which must follow from the other one and the
// fingerprint, as the key is not there to be asked. The paper takes the
// exclusive or with a hash of the fingerprint, which stays inside the table only
// if the number of buckets is a power of two. Here the two indexes have a sum,
// modulo the number of buckets, that is an odd hash of the fingerprint; and the
// number of buckets is even. So taking the other bucket twice leads back, and a
// bucket is never paired with itself: an even one with odd ones only.
//
// # Deleting
//
// A filter is a multiset of fingerprints with their pairs of buckets. Deleting a
// key that is in it takes out one copy, and no other key is lost. Deleting one
// that is not there takes out another key's fingerprint with the chance of a
// false positive; that key is then no longer found. To ask Contains first does
// not help, as it is what delete does.
package cuckoo

import (
	"math/bits"

	"filterbench/filters"
	"filterbench/filters/hashing"
	"filterbench/filters/memory"
	"filterbench/filters/simd"
)

// maxKicks is how many fingerprints an add moves before it gives up (Fan et al.
// 2014, section 4.2).
const maxKicks = 500

// Filter is a cuckoo filter.
type Filter struct {
	table
	fingerprints uint64 // how many there are, 2^f-1: from 1 on
	n            uint64
	kicks        uint64
	refused      uint64
	block        *memory.Block
	avx2         bool // uses the kernel
	fetch        bool // which fetches buckets ahead
	kernel       kernel
}

// newFilter makes an empty filter.
func newFilter(s shape, avx2 bool) (*Filter, error) {
	block, err := memory.Alloc(s.bytes())
	if err != nil {
		return nil, err
	}
	f := &Filter{
		table: newTable(s, block.Words()), fingerprints: 1<<s.fpBits - 1, block: block,
		avx2: simd.Compiled && avx2, fetch: simd.FetchAhead(block.Bytes()),
	}
	f.kernel = newKernel(&f.table)
	return f, nil
}

// Len is the number of keys in the filter.
func (f *Filter) Len() uint64 { return f.n }

// SizeBits is every bit allocated.
func (f *Filter) SizeBits() uint64 { return 8 * f.block.Bytes() }

// Pages is the kind of memory the table lies in.
func (f *Filter) Pages() string { return f.block.Pages() }

// Free gives the memory back.
func (f *Filter) Free() {
	f.block.Free()
	f.data = nil
}

// Slots is the number of fingerprints that the table has room for.
func (f *Filter) Slots() uint64 { return f.buckets * f.slots }

// Load is the share of slots that hold one.
func (f *Filter) Load() float64 { return float64(f.n) / float64(f.Slots()) }

// Kicks is how many fingerprints the adds that were taken have moved.
func (f *Filter) Kicks() uint64 { return f.kicks }

// Refused is how many adds found no room; each moved maxKicks fingerprints, and
// moved them back.
func (f *Filter) Refused() uint64 { return f.refused }

// locate is a key's first bucket, by the high bits of the hash, and its
// fingerprint, by the high bits of a second mix of all of them.
func (f *Filter) locate(hash uint64) (bucket, fp uint64) {
	return hashing.Reduce(hash, f.buckets), 1 + hashing.Reduce(hash*hashing.Golden, f.fingerprints)
}

// AddHash adds a key, and copies of one up to twice the slots in a bucket. It
// returns filters.ErrFull, and has changed nothing, if there is no room.
func (f *Filter) AddHash(hash uint64) error {
	bucket, fp := f.locate(hash)
	return f.insert(bucket, fp, hash)
}

// insert adds a fingerprint to the bucket or the other one. What is moved to
// make room depends on the seed alone.
func (f *Filter) insert(bucket, fp, seed uint64) error {
	return f.insertAt(bucket, f.other(bucket, fp), fp, seed)
}

// insertAt is insert where the other bucket is known.
func (f *Filter) insertAt(bucket, other, fp, seed uint64) error {
	if !f.put(bucket, fp) && !f.put(other, fp) && !f.kick(bucket, other, fp, hashing.Mix(seed)) {
		f.refused++
		return filters.ErrFull
	}
	f.n++
	return nil
}

// put adds a fingerprint if the bucket has an empty slot.
func (f *Filter) put(bucket, fp uint64) bool {
	slot, ok := f.find(bucket, 0)
	if ok {
		f.exchange(bucket, slot, fp)
	}
	return ok
}

// kick puts a fingerprint in the place of a random one, that one in the place of
// a random one in its other bucket, and so on, until there is an empty slot.
// After maxKicks it goes all the way back: the table is then as it was.
func (f *Filter) kick(bucket, other, fp, random uint64) bool {
	var path [maxKicks]uint8 // the slots that took a fingerprint
	if random>>63 != 0 {
		bucket = other
	}
	for i := range path {
		random = random*6364136223846793005 + 1442695040888963407 // Knuth's MMIX
		var slot uint64
		fp, slot = f.exchange(bucket, random>>f.slotShift, fp)
		path[i] = uint8(slot)
		bucket = f.other(bucket, fp)
		if f.put(bucket, fp) {
			f.kicks += uint64(i) + 1
			return true
		}
	}
	for i := maxKicks - 1; i >= 0; i-- {
		bucket = f.other(bucket, fp)
		fp, _ = f.exchange(bucket, uint64(path[i]), fp)
	}
	return false
}

// DeleteHash takes out one copy of a key that is in the filter. It returns false
// if nothing there looks like the key; see the package's comment for what it
// does to others if the key is not there.
func (f *Filter) DeleteHash(hash uint64) bool {
	bucket, fp := f.locate(hash)
	slot, ok := f.find(bucket, fp)
	if !ok {
		bucket = f.other(bucket, fp)
		slot, ok = f.find(bucket, fp)
	}
	if ok {
		f.exchange(bucket, slot, 0)
		f.n--
	}
	return ok
}

// ContainsHash reports whether the key's fingerprint is in either bucket. It
// reads both, whatever the first says: neither waits for the other, and which of
// them holds a key that is present no branch predictor can tell.
func (f *Filter) ContainsHash(hash uint64) bool { return f.test(hash) != 0 }

// AddHashes adds keys up to the first that is refused.
func (f *Filter) AddHashes(hashes []uint64) (int, error) {
	if simd.Compiled && f.avx2 && f.fetch {
		return f.addKernel(hashes)
	}
	for i, h := range hashes {
		if err := f.AddHash(h); err != nil {
			return i, err
		}
	}
	return len(hashes), nil
}

// ContainsHashes looks up all keys.
func (f *Filter) ContainsHashes(hashes []uint64, out []uint64) (hits int) {
	if simd.Compiled && f.avx2 && len(hashes) >= group {
		return f.containsKernel(hashes, out)
	}
	for from := 0; from < len(hashes); from += 64 {
		word := f.contains64(hashes[from:min(from+64, len(hashes))])
		out[from/64] = word
		hits += bits.OnesCount64(word)
	}
	return hits
}

// contains64 answers up to 64 keys, the first in the lowest bit.
func (f *Filter) contains64(hashes []uint64) (word uint64) {
	if f.sorted || f.loads > 1 {
		for i, h := range hashes {
			word |= f.test(h) << i
		}
		return word
	}
	// The same, without a call for each key.
	for i, h := range hashes {
		bucket, fp := f.locate(h)
		pattern := fp * f.ones
		first := f.load(bucket*f.perBucket) ^ pattern
		second := f.load(f.other(bucket, fp)*f.perBucket) ^ pattern
		found := (zeros(first, f.ones) | zeros(second, f.ones)) & f.highs
		word |= (found | -found) >> 63 << (i & 63)
	}
	return word
}

// test is 1 if the filter contains the hash, else 0: nothing branches on what is
// found, so that the memory reads of many keys overlap.
func (f *Filter) test(hash uint64) uint64 {
	bucket, fp := f.locate(hash)
	other := f.other(bucket, fp)
	if f.sorted || f.loads > 1 {
		found := f.holds(bucket, fp) | f.holds(other, fp)
		return (found | -found) >> 63
	}
	pattern := fp * f.ones
	first := f.load(bucket*f.perBucket) ^ pattern
	second := f.load(other*f.perBucket) ^ pattern
	found := (zeros(first, f.ones) | zeros(second, f.ones)) & f.highs
	return (found | -found) >> 63
}

// CountHashes counts the positives.
func (f *Filter) CountHashes(hashes []uint64) (hits int) {
	for _, h := range hashes {
		hits += int(f.test(h))
	}
	return hits
}
