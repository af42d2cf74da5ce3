// Package quotient is the quotient filter: a hash table of fingerprints in
// which a fingerprint's upper part, its quotient, is not stored but told by
// the slot it lies in, and only the lower r bits, the remainder, are. Runs of
// equal quotients stay sorted beside each other (linear probing), so that the
// filter can delete, count duplicates, list its fingerprints in order, merge,
// and grow without the keys.
//
// There are two layouts of the same table. Flags has three bits a slot that
// tell runs apart (Bender et al., Don't thrash: how to cache your hash on
// flash, PVLDB 5(11), 2012). Rank has two bits a slot and a byte for 64 slots,
// read by rank and select (Pandey et al., A general-purpose counting filter,
// SIGMOD 2017).
//
// # Any number of slots
//
// The papers cut a fingerprint of q+r bits in two, which makes the number of
// slots a power of two, and a filter for one key more twice as large. Here the
// fingerprint of a hash h is floor(h U / 2^64) with U = slots 2^r: for powers
// of two the same bits as in the papers, and for any other number of slots
// just as uniform. Quotient and remainder are still its two parts, and one
// multiplication yields both: the quotient is the whole part of h slots / 2^64
// and the remainder the first r bits behind the point. So the order of
// fingerprints is that of the hashes, and since U stays when the slots double
// and r falls by one, so do all fingerprints, whatever the number of slots:
// that is how the filter grows.
//
// # Wrapping around
//
// The table is a ring: a run that does not fit before the last slot goes on at
// slot 0. At most 95 % of the slots are ever filled, so that there is always
// an empty one, and what lies where follows from the multiset of fingerprints
// alone: not from the order of adds, nor from what has been deleted. A
// position that may have gone around, below 2 slots, is called virtual.
package quotient

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"unsafe"

	"filterbench/filters"
	"filterbench/filters/memory"
	"filterbench/filters/simd"
)

// Filter is what both layouts can do.
type Filter interface {
	filters.Hashed
	filters.Deleter
	filters.Merger
	filters.Snapshotter
	filters.Loader
	filters.Clusterer
	// Slots is the number of slots, and RemainderBits the bits that each of
	// them holds beside its metadata.
	Slots() uint64
	RemainderBits() int
	// Fingerprints lists the fingerprints, quotient<<r | remainder, in
	// ascending order, repeats included. The filter must not change meanwhile.
	Fingerprints() iter.Seq[uint64]
	// Grow doubles the slots and shortens the remainders by a bit. Membership
	// and the false-positive rate stay exactly as they are. It fails where a
	// remainder has one bit only, or if the memory is not to be had; the
	// filter is then as it was.
	Grow() error
}

var _, _ Filter = (*Flags)(nil), (*Rank)(nil)

// MaxLoad is the percentage of slots from which on adds are refused.
const MaxLoad = 95

// table is what the layouts share: slots in flat memory, and their count.
type table struct {
	data  []byte // the slots, and slack
	slots uint64
	r     uint
	n     uint64
	block *memory.Block
	avx2  bool // uses the kernels
	fetch bool // and they fetch lines ahead
}

// slack is the number of bytes behind the last slot, so that any slot can be
// read as part of one 8-byte word.
const slack = 7

func newTable(slots uint64, r uint, bytes uint64, avx2 bool) (table, error) {
	block, err := memory.Alloc(bytes)
	if err != nil {
		return table{}, err
	}
	words := block.Words()
	data := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
	return table{
		data: data[:bytes:bytes], slots: slots, r: r, block: block,
		avx2: simd.Compiled && avx2, fetch: simd.Compiled && avx2 && simd.FetchAhead(block.Bytes()),
	}, nil
}

// Len is the number of keys in the filter, repeats included.
func (t *table) Len() uint64 { return t.n }

// SizeBits is every bit allocated.
func (t *table) SizeBits() uint64 { return 8 * t.block.Bytes() }

// Pages is the kind of memory the slots lie in.
func (t *table) Pages() string { return t.block.Pages() }

// Free gives the memory back.
func (t *table) Free() {
	t.block.Free()
	t.data = nil
}

// Slots is the number of slots.
func (t *table) Slots() uint64 { return t.slots }

// RemainderBits is the length of a remainder.
func (t *table) RemainderBits() int { return int(t.r) }

// Load is the share of slots that is filled.
func (t *table) Load() float64 { return float64(t.n) / float64(t.slots) }

// capacity is the number of fingerprints from which on adds are refused. It is
// below the number of slots.
func capacity(slots uint64) uint64 { return slots * MaxLoad / 100 }

func (t *table) full() bool { return t.n >= capacity(t.slots) }

// split cuts a hash into the two parts of its fingerprint.
func (t *table) split(hash uint64) (quotient, remainder uint64) {
	quotient, fraction := bits.Mul64(hash, t.slots)
	return quotient, fraction >> (64 - t.r)
}

// wrap is the slot of a virtual position.
func (t *table) wrap(at uint64) uint64 {
	if at >= t.slots {
		return at - t.slots
	}
	return at
}

// previous is the slot before i on the ring.
func (t *table) previous(i uint64) uint64 {
	if i == 0 {
		i = t.slots
	}
	return i - 1
}

func (t *table) base() *table { return t }

// layout is how a table keeps its runs apart. Its methods take slots, not
// virtual positions, and any bytes at all may be behind the first three.
type layout interface {
	base() *table
	occupied(quotient uint64) bool // the quotient has a run
	ends(slot uint64) bool         // the last of a run lies in the slot
	remainder(slot uint64) uint64
	// insert adds a fingerprint, for which there must be room.
	insert(quotient, remainder uint64)
	// put writes a fingerprint to the slot where it belongs: the first of its
	// run, or the next of the run that was put last. The table cannot be used
	// until finish, which is told how many slots are taken by runs that have
	// gone around.
	put(quotient, slot, remainder uint64, first bool)
	finish(spill uint64)
}

// run is the run of a quotient, in the virtual positions from to to, both
// inclusive.
type run struct{ quotient, from, to uint64 }

// runs lists the runs in the order of their quotients. Of a table with any
// bytes at all it lists something, in time proportional to the slots.
func runs(l layout) iter.Seq[run] {
	return func(yield func(run) bool) {
		t := l.base()
		spill := spill(l)
		at := spill
		for q := range t.slots {
			if !l.occupied(q) {
				continue
			}
			r := run{q, max(at, q), max(at, q)}
			for r.to < t.slots+spill && !l.ends(t.wrap(r.to)) {
				r.to++
			}
			if r.to >= t.slots+spill || !yield(r) {
				return
			}
			at = r.to + 1
		}
	}
}

// spill is the number of slots, from 0 on, that are taken by runs which have
// gone around. That many runs have as there are more ends than quotients up to
// some slot; they end first.
func spill(l layout) uint64 {
	slots := l.base().slots
	around, excess := 0, 0
	for i := range slots {
		if l.ends(i) {
			excess++
		}
		if l.occupied(i) {
			excess--
		}
		around = max(around, excess)
	}
	for i := uint64(0); around > 0; i++ {
		if l.ends(i) {
			around--
		}
		if around == 0 {
			return i + 1
		}
	}
	return 0
}

func fingerprints(l layout) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		t := l.base()
		for r := range runs(l) {
			for at := r.from; at <= r.to; at++ {
				if !yield(r.quotient<<t.r | l.remainder(t.wrap(at))) {
					return
				}
			}
		}
	}
}

// fill writes fingerprints, in ascending order and not more than there is room
// for, to an empty table, in time proportional to its slots.
func fill(l layout, fingerprints iter.Seq[uint64]) {
	t := l.base()
	// A first lap finds what spills over the end. It begins without what its
	// own end spills, and so is wrong only up to the first empty slot.
	at := uint64(0)
	for fp := range fingerprints {
		at = max(at, fp>>t.r) + 1
	}
	spilled := max(at, t.slots) - t.slots
	at = spilled
	last := t.slots // no quotient
	for fp := range fingerprints {
		q := fp >> t.r
		at = max(at, q)
		l.put(q, t.wrap(at), fp&(1<<t.r-1), q != last)
		at++
		last = q
		t.n++
	}
	l.finish(spilled)
}

// merge adds the fingerprints of from, a layout of the same kind.
func merge(into, from layout) error {
	a, b := into.base(), from.base()
	switch {
	case a.slots != b.slots || a.r != b.r:
		return fmt.Errorf("%w: quotient filters of %d slots of %d bits and of %d slots of %d bits", filters.ErrMismatch, a.slots, a.r, b.slots, b.r)
	case a.n+b.n > capacity(a.slots):
		return filters.ErrFull
	}
	for fp := range fingerprints(from) {
		into.insert(fp>>a.r, fp&(1<<a.r-1))
		a.n++
	}
	return nil
}

// mismatch is the error of a merge of filters of different kinds.
func mismatch(into, from filters.Filter) error {
	return fmt.Errorf("%w: %T and %T", filters.ErrMismatch, into, from)
}

var errShort = errors.New("a quotient filter with remainders of one bit cannot grow")
