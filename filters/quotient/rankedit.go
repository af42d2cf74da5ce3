package quotient

import (
	"encoding/binary"
	"math/bits"

	"filterbench/filters"
)

// AddHash inserts the key's fingerprint; ErrFull from a load of 95 % on.
func (f *Rank) AddHash(hash uint64) error {
	if f.full() {
		return filters.ErrFull
	}
	quotient, remainder := f.split(hash)
	f.insert(quotient, remainder)
	f.n++
	return nil
}

func (f *Rank) insert(quotient, remainder uint64) {
	end := f.behind(quotient, true)
	at := max(quotient, end)
	hole := at // the first empty slot from there on
	for next := f.behind(hole, true); next > hole; next = f.behind(hole, true) {
		hole = next
	}
	more := f.occupied(quotient)
	if more {
		start := max(quotient, f.behind(quotient, false))
		for at > start && f.remainder(f.wrap(at-1)) > remainder {
			at--
		}
	}
	f.shiftOffsets(quotient, hole, 1)
	last := !more || at == end
	if more && last {
		f.setEnd(f.wrap(at-1), false)
	}
	for i := hole; i > at; i-- {
		f.set(f.wrap(i), f.remainder(f.wrap(i-1)), f.ends(f.wrap(i-1)))
	}
	f.set(f.wrap(at), remainder, last)
	f.setOccupied(quotient, true)
}

// DeleteHash takes out one copy of the key's fingerprint.
func (f *Rank) DeleteHash(hash uint64) bool {
	quotient, remainder := f.split(hash)
	if !f.occupied(quotient) {
		return false
	}
	start, end := max(quotient, f.behind(quotient, false)), f.behind(quotient, true)
	at := start
	for at < end && f.remainder(f.wrap(at)) < remainder {
		at++
	}
	if at == end || f.remainder(f.wrap(at)) != remainder {
		return false
	}
	f.close(quotient, start, at, end)
	f.n--
	return true
}

// close removes the fingerprint at virtual position at from the quotient's
// run, which is from start to before end. What lies behind moves back by one,
// up to the first slot that is empty or whose own quotient's run begins there.
func (f *Rank) close(quotient, start, at, end uint64) {
	stop := end
	for next := f.behind(stop-1, true); next > stop; next = f.behind(stop-1, true) {
		stop = next
	}
	f.shiftOffsets(quotient, stop-1, -1)
	switch {
	case end-start == 1:
		f.setOccupied(quotient, false)
	case at == end-1:
		f.setEnd(f.wrap(at-1), true)
	}
	for ; at < stop-1; at++ {
		f.set(f.wrap(at), f.remainder(f.wrap(at+1)), f.ends(f.wrap(at+1)))
	}
	f.set(f.wrap(at), 0, false)
}

// shiftOffsets adds by to the offsets of the blocks that begin behind the
// quotient's slot, up to virtual position to: before the slots from there on
// move, since the true value of a long offset is read from them.
func (f *Rank) shiftOffsets(quotient, to uint64, by int) {
	block := quotient &^ 63
	if block == to&^63 {
		return
	}
	offset := f.offset(quotient, f.line(quotient))
	for ; block < to&^63; block += blockSlots {
		next := f.line(f.wrap(block + blockSlots))
		if next[0] == manySlots {
			offset = f.carry(f.wrap(block), offset)
		} else {
			offset = uint64(next[0])
		}
		next[0] = byte(min(int(offset)+by, manySlots))
	}
}

func (f *Rank) set(slot, remainder uint64, end bool) {
	bit := slot % 64 * uint64(f.r)
	at := f.line(slot)[header+bit>>3:]
	word := binary.LittleEndian.Uint64(at) &^ ((1<<f.r - 1) << (bit & 7))
	binary.LittleEndian.PutUint64(at, word|remainder<<(bit&7))
	f.setEnd(slot, end)
}

func (f *Rank) setEnd(slot uint64, to bool) { setBit(f.line(slot)[atRunends:], slot%64, to) }

func (f *Rank) setOccupied(quotient uint64, to bool) {
	setBit(f.line(quotient)[atOccupied:], quotient%64, to)
}

func setBit(set []byte, i uint64, to bool) {
	if to {
		set[i/8] |= 1 << (i % 8)
	} else {
		set[i/8] &^= 1 << (i % 8)
	}
}

func (f *Rank) put(quotient, slot, remainder uint64, first bool) {
	f.setOccupied(quotient, true)
	f.set(slot, remainder, true)
	if !first {
		f.setEnd(f.previous(slot), false)
	}
}

func (f *Rank) finish(spill uint64) {
	for block := uint64(0); block < f.slots; block += blockSlots {
		f.line(block)[0] = byte(min(spill, manySlots))
		spill = f.carry(block, spill)
	}
}

// selectBit returns the position of the one of rank k, counted from 0, among
// those of x, which has more than k (Vigna, Broadword implementation of
// rank/select queries, WEA 2008): the byte by counts of all prefixes at once,
// and inside the byte one by one.
func selectBit(x uint64, k int) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	s := x - x>>1&0x5555555555555555
	s = s&0x3333333333333333 + s>>2&0x3333333333333333
	s = (s + s>>4) & 0x0f0f0f0f0f0f0f0f * each                 // byte i: ones in bytes 0..i
	at := 8 * bits.OnesCount64(((uint64(k)*each|high)-s)&high) // bytes up to whose end are at most k
	k -= int(s << 8 >> at & 0xff)
	x = x >> at & 0xff
	for ; k > 0; k-- {
		x &= x - 1
	}
	return at + bits.TrailingZeros64(x)
}
