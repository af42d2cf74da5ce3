package cuckoo

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"filterbench/filters/hashing"
)

// shape is the size of a table, and how its buckets are written.
type shape struct {
	buckets uint64 // even
	slots   uint64 // in a bucket: 2, 4 or 8
	fpBits  uint64 // in a fingerprint: 2 to 32
	sorted  bool   // semi-sorted buckets: of 4 slots, with fpBits from 4 on
}

// bucketBits is the number of bits that a bucket takes.
func (s shape) bucketBits() uint64 {
	if s.sorted {
		return s.slots * (s.fpBits - 1)
	}
	return s.slots * s.fpBits
}

// bits is the number of bits that all buckets take.
func (s shape) bits() uint64 { return s.buckets * s.bucketBits() }

// bytes is the memory of a table: up to the end of the last load.
func (s shape) bytes() uint64 {
	w := windowOf(s)
	return (s.bits()-w.size)&^w.within>>3 + 8
}

// other is the bucket with which a fingerprint in the given one is paired.
func (s *shape) other(bucket, fp uint64) uint64 {
	sum := 2*hashing.Reduce(hashing.Mix(fp), s.buckets/2) + 1
	at := sum - bucket
	return at + s.buckets&uint64(int64(at)>>63) // plus the buckets if negative
}

// window says how a bucket is read: by loads of 64 bits that start at aligned
// addresses, as few loads as can be, and aligned as far as can be, since an
// aligned load crosses from one cache line to the next less often.
type window struct {
	loads  uint64 // in a bucket
	size   uint64 // bits that the last load is for
	within uint64 // a load starts at the bits that are a multiple of within+1
}

func windowOf(s shape) window {
	for loads := uint64(1); ; loads *= 2 {
		if s.sorted && loads > 1 {
			return window{loads: 1 + s.slots, size: s.rest(), within: 31} // the code and each slot
		}
		size := s.bucketBits() / loads
		for align := uint64(64); align >= 8; align /= 2 {
			// The loads start at multiples of size, and of what divides both.
			if most := align - min(align, size&-size); most+size <= 64 {
				return window{loads: loads, size: size, within: align - 1}
			}
		}
	}
}

// table is the memory of a filter: bucket i is the bits from i*bucketBits on,
// and slot j of it the fpBits from j*fpBits on, or what semisort.go says. Bit i is
// bit i%8 of byte i/8 on every machine. A slot with 0 is empty.
type table struct {
	shape
	window
	data      []byte
	perBucket uint64 // bits
	perLoad   uint64 // slots
	mask      uint64 // of a fingerprint
	ones      uint64 // the lowest bits of the slots in a load
	highs     uint64 // and the highest
	slotShift uint   // a random word shifted by this is a slot
}

func newTable(s shape, words []uint64) table {
	t := table{
		shape: s, window: windowOf(s), perBucket: s.bucketBits(), mask: 1<<s.fpBits - 1,
		data:      unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words)),
		slotShift: uint(65 - bits.Len64(s.slots)),
	}
	t.perLoad = s.slots / t.loads
	for i := range t.perLoad {
		t.ones |= 1 << (i * s.fpBits)
	}
	t.highs = t.ones << (s.fpBits - 1)
	return t
}

// load returns the bits of a window from the given one on; what is behind its
// end may be anything. (That a shift is below 64 the compiler cannot know.)
func (t *table) load(bit uint64) uint64 {
	return binary.LittleEndian.Uint64(t.data[bit&^t.within>>3:]) >> (bit & t.within & 63)
}

// store sets count bits inside a window to value.
func (t *table) store(bit, count, value uint64) {
	word := t.data[bit&^t.within>>3:]
	shift := bit & t.within
	mask := uint64(1<<count-1) << shift
	binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)&^mask|value<<shift)
}

// zeros has the high bit set of the lowest slot that is zero, if there is one;
// other high bits may be set above it, none below. Other bits mean nothing.
func zeros(x, ones uint64) uint64 { return (x - ones) &^ x }

// holds is not zero if the fingerprint is in the bucket.
func (t *table) holds(bucket, fp uint64) (found uint64) {
	bit := bucket * t.perBucket
	if t.sorted {
		return t.holdsSorted(bit, fp)
	}
	pattern := fp * t.ones
	for range t.loads {
		found |= zeros(t.load(bit)^pattern, t.ones)
		bit += t.size
	}
	return found & t.highs
}

// find returns the first slot of the bucket with the fingerprint, or with 0 an
// empty one.
func (t *table) find(bucket, fp uint64) (slot uint64, ok bool) {
	bit := bucket * t.perBucket
	if t.sorted {
		return t.findSorted(bit, fp)
	}
	pattern := fp * t.ones
	for i := range t.loads {
		if found := zeros(t.load(bit)^pattern, t.ones) & t.highs; found != 0 {
			return i*t.perLoad + uint64(bits.TrailingZeros64(found))/t.fpBits, true
		}
		bit += t.size
	}
	return 0, false
}

// get is the fingerprint in a slot.
func (t *table) get(bucket, slot uint64) uint64 {
	if t.sorted {
		return t.readSorted(bucket * t.perBucket)[slot]
	}
	load, i := slot/t.perLoad, slot%t.perLoad
	return t.load(bucket*t.perBucket+load*t.size) >> (i * t.fpBits) & t.mask
}

// exchange replaces what is in a slot by a fingerprint, which then lies in slot
// at, and returns the old one. To exchange it again, at slot at, undoes it.
func (t *table) exchange(bucket, slot, fp uint64) (old, at uint64) {
	if t.sorted {
		return t.exchangeSorted(bucket*t.perBucket, slot, fp)
	}
	load, i := slot/t.perLoad, slot%t.perLoad
	bit := bucket*t.perBucket + load*t.size
	old = t.load(bit) >> (i * t.fpBits) & t.mask
	t.store(bit, t.size, t.load(bit)&(1<<t.size-1)^(old^fp)<<(i*t.fpBits))
	return old, slot
}
