package quotient

import (
	"math"

	"filterbench/filters/theory"
)

// span is the expected number of 64-byte lines among bytes in a row, of which
// the first is at any multiple of unit, 64 or a divisor of it.
func span(bytes, unit float64) float64 { return 1 + (bytes-unit)/64 }

// flagsLines is the expected number of lines that a lookup among flags reads:
// the word with the slot of the quotient, and, if that has a run, those from
// the beginning of the cluster to the fingerprint, or to the first that is not
// below it.
func flagsLines(n, slots uint64, r uint) func(present bool) float64 {
	load, width := float64(n)/float64(slots), r+flagBits
	unit := float64(max(8, width&-width) / 8)
	walk := theory.QuotientWalk(load) + theory.QuotientShift(load)
	none := math.Exp(-load) // the quotient has no run
	words := func(slots float64) float64 { return span(8+float64(width)/8*slots, unit) }
	return func(present bool) float64 {
		if present { // half of the others in the run, load of them, are before it
			return words(walk + load/2)
		}
		run := load / (1 - none) // the mean length; half of it is below
		return none*words(0) + (1-none)*words(walk+run/2)
	}
}

// rankLines is the expected number of lines that a lookup by rank reads: the
// word of occupied quotients; if the quotient has a run, the rest of the
// block's metadata, the word of runends of each block that is entered up to
// the end of the run, and the words with the remainders from there back.
func rankLines(n, slots uint64, r uint) func(present bool) float64 {
	load, block := float64(n)/float64(slots), float64(stride(r))
	none := math.Exp(-load)
	shift := theory.QuotientShift(load)
	// Parts of a block that lie near each other share a line: remainders, as
	// likely from any of 64 slots on, and the metadata before them; runends,
	// and the metadata of the block before.
	same := func(distance float64) float64 { return max(0, 1-distance/64) }
	nearby := 0.0
	for slot := range uint(blockSlots) {
		nearby += same(float64(1+slot*r/8)) / blockSlots
	}
	entered := span(8, 1) - same(block+atRunends-(header-1))
	occupied := func(run, back float64) float64 {
		return span(header, 1) + entered*(shift+run-1)/blockSlots +
			span(8+back*block/blockSlots, 1) - nearby
	}
	return func(present bool) float64 {
		if present { // a run that has load others, half of them behind
			return occupied(1+load, load/2)
		}
		// Going back ends at the first that is not above: in a run of a, that is
		// after a/2 + 1 - 1/(a+1) of them.
		run := load / (1 - none)
		inverse := ((1-none)/load - none) / (1 - none) // of a+1, the mean
		return none*span(8, 1) + (1-none)*occupied(run, run/2-inverse)
	}
}
