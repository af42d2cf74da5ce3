package quotient

import (
	"math/bits"

	"filterbench/filters"
)

// Memory is the slots.
func (t *table) Memory() []uint64 { return t.block.Words() }

// trace collects the lines of the loads of a table's bytes.
type trace []uint64

func (t *trace) load(at, size uint64) { *t = filters.AppendLines(*t, at, size) }

// LookupLines appends the lines of the slots that a lookup reads: the
// quotient's, and if that has a run, back to the beginning of the cluster and
// forth to the fingerprint, or to the first that is not below it.
func (f *Flags) LookupLines(lines []uint64, hash uint64) []uint64 {
	t := trace(lines)
	quotient, remainder := f.split(hash)
	if f.slotOf(&t, quotient)&isOccupied != 0 {
		f.seekOf(&t, f.startOf(&t, quotient), remainder)
	}
	return t
}

// AddLines adds the key, and appends the lines of the slots that this reads:
// those of a lookup, and from where the fingerprint belongs to the next that is
// empty.
func (f *Flags) AddLines(lines []uint64, hash uint64) ([]uint64, error) {
	if f.full() {
		return lines, filters.ErrFull
	}
	t := trace(lines)
	quotient, remainder := f.split(hash)
	home := f.slotOf(&t, quotient)
	if home&anyFlag != 0 {
		// Where a new run begins is found by counting that run, too.
		f.set(quotient, home|isOccupied)
		at := f.startOf(&t, quotient)
		if home&isOccupied != 0 {
			at = f.seekOf(&t, at, remainder)
		}
		f.set(quotient, home)
		for f.slotOf(&t, at)&anyFlag != 0 {
			at = f.next(at)
		}
	}
	return t, f.AddHash(hash)
}

// slotOf, startOf and seekOf are slot, start and seek.
func (f *Flags) slotOf(t *trace, i uint64) uint64 {
	t.load(i*uint64(f.r+flagBits)>>3, 8)
	return f.slot(i)
}

func (f *Flags) startOf(t *trace, quotient uint64) uint64 {
	i, behind := quotient, 0
	for s := f.slotOf(t, i); s&isShifted != 0; s = f.slotOf(t, i) {
		behind += int(s & isOccupied)
		i = f.previous(i)
	}
	for ; behind > 0; behind-- {
		for i = f.next(i); f.slotOf(t, i)&isContinuation != 0; {
			i = f.next(i)
		}
	}
	return i
}

func (f *Flags) seekOf(t *trace, i, remainder uint64) (at uint64) {
	for s := f.slotOf(t, i); s>>flagBits < remainder; {
		i = f.next(i)
		if s = f.slotOf(t, i); s&isContinuation == 0 {
			return i
		}
	}
	return i
}

// LookupLines appends the lines of what a lookup reads: the word of occupied
// quotients; if the quotient has a run, the ends of runs up to its own, and the
// remainders from there back to the first that is not above.
func (f *Rank) LookupLines(lines []uint64, hash uint64) []uint64 {
	t := trace(lines)
	quotient, remainder := f.split(hash)
	block := f.at(quotient)
	t.load(block+atOccupied, 8)
	upTo := occupieds(f.line(quotient)) << (63 - quotient%64)
	if int64(upTo) >= 0 {
		return t
	}
	own := quotient&^63 + f.offsetOf(&t, quotient)
	at := f.selectEndOf(&t, own, bits.OnesCount64(upTo))
	first := quotient
	if at&^63 == quotient&^63 {
		first = max(quotient, own)
	}
	for ; ; at-- {
		if f.remainderOf(&t, at) <= remainder || at == first || f.endsOf(&t, at-1) {
			return t
		}
	}
}

// AddLines adds the key, and appends the lines of what this reads: where its run
// and those behind it end, up to the next empty slot, and the remainders from
// the place where it belongs up to that.
func (f *Rank) AddLines(lines []uint64, hash uint64) ([]uint64, error) {
	if f.full() {
		return lines, filters.ErrFull
	}
	t := trace(lines)
	quotient, remainder := f.split(hash)
	at := max(quotient, f.behindOf(&t, quotient, true))
	hole := f.holeOf(&t, quotient, at)
	if f.occupied(quotient) {
		for at > quotient && f.remainderOf(&t, at-1) > remainder {
			if at--; at > quotient && f.endsOf(&t, at-1) {
				break
			}
		}
	}
	for block := quotient &^ 63; block < hole&^63; block += blockSlots {
		f.offsetOf(&t, f.wrap(block+blockSlots))
	}
	if at > 0 { // the end of the run may move
		f.endsOf(&t, at-1)
	}
	f.moveOnOf(&t, at, hole)
	f.remainderOf(&t, at)
	return t, f.AddHash(hash)
}

// at is the first byte of a slot's block.
func (f *Rank) at(slot uint64) uint64 { return slot / blockSlots * stride(f.r) }

// What follows is hole, moveOn (but nothing moves), offset, carry, selectEnd,
// behind, remainder and ends. Slots that endsOf and remainderOf take may be
// virtual.
func (f *Rank) holeOf(t *trace, quotient, at uint64) uint64 {
	occupiedIn := func(from, to uint64) int {
		for block := (from + 1) &^ 63; block <= to|63; block += blockSlots {
			t.load(f.at(f.wrap(block))+atOccupied, 8)
		}
		return f.occupiedIn(from, to)
	}
	for runs := occupiedIn(quotient, at); runs > 0; {
		from := at
		at = f.selectEndOf(t, from, runs) + 1
		runs = occupiedIn(from, at)
	}
	return at
}

func (f *Rank) moveOnOf(t *trace, at, hole uint64) {
	for {
		from := max(at, hole&^63)
		block := f.at(f.wrap(hole))
		t.load(block+atRunends, 8)
		first, last := from%64*uint64(f.r)/64, ((hole%64+1)*uint64(f.r)-1)/64
		for word := last; word+1 > first; word-- {
			t.load(block+header+8*word, 8)
		}
		if from == at {
			return
		}
		f.remainderOf(t, from-1)
		f.endsOf(t, from-1)
		hole = from - 1
	}
}

func (f *Rank) offsetOf(t *trace, quotient uint64) uint64 {
	t.load(f.at(quotient), 1)
	line := f.line(quotient)
	if line[0] == manySlots {
		from := quotient &^ 63
		var blocks []uint64
		for f.line(from)[0] == manySlots {
			if from == 0 {
				from = f.slots
			}
			from -= blockSlots
			t.load(f.at(from), 1)
			blocks = append(blocks, from)
		}
		offset := uint64(f.line(from)[0])
		for i := len(blocks) - 1; i >= 0; i-- {
			t.load(f.at(blocks[i])+atOccupied, 8)
			if runs := bits.OnesCount64(occupieds(f.line(blocks[i]))); runs > 0 {
				f.selectEndOf(t, blocks[i]+offset, runs)
			}
			offset = f.carry(blocks[i], offset)
		}
	}
	return f.offset(quotient, line)
}

func (f *Rank) selectEndOf(t *trace, from uint64, rank int) uint64 {
	end := f.selectEnd(from, rank)
	for at := from &^ 63; at <= end; at += blockSlots {
		t.load(f.at(f.wrap(at))+atRunends, 8)
	}
	return end
}

func (f *Rank) behindOf(t *trace, quotient uint64, included bool) uint64 {
	slot := f.wrap(quotient)
	t.load(f.at(slot)+atOccupied, 8)
	mask := uint64(1)<<(slot%64) - 1
	if included {
		mask = mask<<1 | 1
	}
	end := slot&^63 + f.offsetOf(t, slot)
	if rank := bits.OnesCount64(occupieds(f.line(slot)) & mask); rank > 0 {
		f.selectEndOf(t, end, rank)
	}
	return f.behind(quotient, included)
}

func (f *Rank) remainderOf(t *trace, slot uint64) uint64 {
	slot = f.wrap(slot)
	t.load(f.at(slot)+header+slot%64*uint64(f.r)>>3, 8)
	return f.remainder(slot)
}

func (f *Rank) endsOf(t *trace, slot uint64) bool {
	slot = f.wrap(slot)
	t.load(f.at(slot)+atRunends, 8)
	return f.ends(slot)
}
