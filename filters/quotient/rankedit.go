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
	hole := f.hole(quotient, at)
	more := f.occupied(quotient)
	if more { // back over those of the run that are above
		for at > quotient && f.remainder(f.wrap(at-1)) > remainder {
			if at--; at > quotient && f.ends(f.wrap(at-1)) {
				break
			}
		}
	}
	f.shiftOffsets(quotient, hole, 1)
	last := !more || at == end
	if more && last {
		f.setEnd(f.wrap(at-1), false)
	}
	f.moveOn(at, hole)
	f.set(f.wrap(at), remainder, last)
	f.setOccupied(quotient, true)
}

// hole is the first empty slot from at on, a virtual position behind the runs up to
// the quotient's. Runs behind them whose quotients are not behind a position end at
// it or later.
func (f *Rank) hole(quotient, at uint64) uint64 {
	for runs := f.occupiedIn(quotient, at); runs > 0; {
		from := at
		at = f.selectEnd(from, runs) + 1
		runs = f.occupiedIn(from, at)
	}
	return at
}

// occupiedIn is the number of occupied quotients behind from, up to to, not far away.
func (f *Rank) occupiedIn(from, to uint64) (n int) {
	from++
	word := occupieds(f.line(f.wrap(from))) >> (from % 64) << (from % 64)
	for block := from &^ 63; block < to&^63; {
		n += bits.OnesCount64(word)
		block += blockSlots
		word = occupieds(f.line(f.wrap(block)))
	}
	if from > to {
		return 0
	}
	return n + bits.OnesCount64(word<<(63-to%64))
}

// moveOn moves what lies in the slots from at up to before hole, virtual positions, on
// by one. What slot at then holds, and whether a run ends there, is undefined.
func (f *Rank) moveOn(at, hole uint64) {
	for {
		from := max(at, hole&^63)
		f.moveInBlock(f.line(f.wrap(hole)), from%64, hole%64)
		if from == at {
			return
		}
		before := f.wrap(from - 1)
		f.set(f.wrap(from), f.remainder(before), f.ends(before))
		hole = from - 1
	}
}

// moveInBlock moves the slots from and up to before to of a block, by words.
func (f *Rank) moveInBlock(line []byte, from, to uint64) {
	mask := uint64(2)<<to - 1<<from
	ends := runends(line)
	binary.LittleEndian.PutUint64(line[atRunends:], ends&^mask|ends<<1&mask)

	words := line[header:f.stride]
	first, last := from*uint64(f.r), (to+1)*uint64(f.r)-1 // bits, both inclusive
	mask = ^uint64(0) >> (63 - last%64)
	word := binary.LittleEndian.Uint64(words[last/64*8:])
	for at := last / 64 * 8; at > first/64*8; at -= 8 {
		below := binary.LittleEndian.Uint64(words[at-8:])
		binary.LittleEndian.PutUint64(words[at:], word&^mask|(word<<f.r|below>>(64-f.r))&mask)
		word, mask = below, ^uint64(0)
	}
	mask &= ^uint64(0) << (first % 64)
	binary.LittleEndian.PutUint64(words[first/64*8:], word&^mask|word<<f.r&mask)
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
	for from, runs := quotient, f.occupiedIn(quotient, end-1); runs > 0; runs = f.occupiedIn(from, stop-1) {
		from, stop = stop-1, f.selectEnd(stop, runs)+1
	}
	f.shiftOffsets(quotient, stop-1, -1)
	switch {
	case end-start == 1:
		f.setOccupied(quotient, false)
	case at == end-1:
		f.setEnd(f.wrap(at-1), true)
	}
	f.moveBack(at, stop-1)
	f.set(f.wrap(stop-1), 0, false)
}

// moveBack moves what lies in the slots behind at up to last, virtual positions, back
// by one. What slot last then holds, and whether a run ends there, is undefined.
func (f *Rank) moveBack(at, last uint64) {
	for {
		to := min(last, at|63)
		f.moveBackInBlock(f.line(f.wrap(at)), at%64, to%64)
		if to == last {
			return
		}
		at = to + 1
		behind := f.wrap(at)
		f.set(f.wrap(to), f.remainder(behind), f.ends(behind))
	}
}

// moveBackInBlock moves the slots behind from up to to of a block, by words.
func (f *Rank) moveBackInBlock(line []byte, from, to uint64) {
	if from == to {
		return
	}
	mask := uint64(1)<<to - 1<<from
	ends := runends(line)
	binary.LittleEndian.PutUint64(line[atRunends:], ends&^mask|ends>>1&mask)

	words := line[header:f.stride]
	first, last := from*uint64(f.r), to*uint64(f.r)-1 // bits that change, both inclusive
	mask = ^uint64(0) << (first % 64)
	at := first / 64 * 8
	word := binary.LittleEndian.Uint64(words[at:])
	for ; at < last/64*8; at += 8 {
		above := binary.LittleEndian.Uint64(words[at+8:])
		binary.LittleEndian.PutUint64(words[at:], word&^mask|(word>>f.r|above<<(64-f.r))&mask)
		word, mask = above, ^uint64(0)
	}
	above := uint64(0)
	if at+8 < uint64(len(words)) {
		above = binary.LittleEndian.Uint64(words[at+8:])
	}
	mask &= ^uint64(0) >> (63 - last%64)
	binary.LittleEndian.PutUint64(words[at:], word&^mask|(word>>f.r|above<<(64-f.r))&mask)
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
// rank/select queries, WEA 2008): first the byte, by counts of all prefixes at once,
// and then the bit, each made a byte of its own.
func selectBit(x uint64, k int) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	s := x - x>>1&0x5555555555555555
	s = s&0x3333333333333333 + s>>2&0x3333333333333333
	s = (s + s>>4) & 0x0f0f0f0f0f0f0f0f * each                 // byte i: ones in bytes 0..i
	at := 8 * bits.OnesCount64(((uint64(k)*each|high)-s)&high) // bytes up to whose end are at most k
	k -= int(s << 8 >> at & 0xff)
	s = x >> at & 0xff * each & 0x8040201008040201 // byte i: bit i
	s = (s + ^uint64(high)) >> 7 & each * each     // ones in bits 0..i
	return at + bits.OnesCount64(((uint64(k)*each|high)-s)&high)
}
