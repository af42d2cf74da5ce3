package cuckoo

import "slices"

// A bucket is a set: the order of its slots says nothing, and to leave it out
// saves log2(4!) bits at the most. Semi-sorted buckets (Fan et al. 2014, section
// 5.2) save four. Of four sorted fingerprints the high 4 bits, the nibbles, take
// C(19,4) = 3876 forms, and so 12 bits together instead of 16. A bucket is this
// code, and behind it the rest of each fingerprint, in the order of the
// fingerprints. An empty slot is a 0 like any other, and comes first.
const (
	codeBits = 12
	codes    = 3876
	codeMask = 1<<codeBits - 1
)

// rest is the number of bits of a fingerprint beside its nibble.
func (s shape) rest() uint64 { return s.fpBits - 4 }

// nibblesOf is the four nibbles by their code, the first in the low bits.
// Codes from 3876 on do not occur; the table reaches as far as 12 bits do.
var nibblesOf = func() (table [1 << codeBits]uint16) {
	for d := range uint64(16) {
		for c := range d + 1 {
			for b := range c + 1 {
				for a := range b + 1 {
					table[codeOf(a, b, c, d)] = uint16(a | b<<4 | c<<8 | d<<12)
				}
			}
		}
	}
	return table
}()

// codeOf is the number of sorted quadruples of nibbles before this one in
// colexicographic order: a <= b <= c <= d are the combination a < b+1 < c+2 <
// d+3 of 4 from 19 (Knuth, TAOCP 4A, section 7.2.1.3).
func codeOf(a, b, c, d uint64) uint64 {
	b, c, d = b+1, c+2, d+3
	return a + b*(b-1)/2 + c*(c-1)*(c-2)/6 + d*(d-1)*(d-2)*(d-3)/24
}

// parts reads the bucket that starts at the given bit: its nibbles, and the
// rests one after the other, where all fits in one load.
func (t *table) parts(bit uint64) (nibbles, rests uint64) {
	word := t.load(bit)
	return uint64(nibblesOf[word&codeMask]), word >> codeBits
}

// holdsSorted is not zero if the fingerprint is in the bucket at the given bit.
func (t *table) holdsSorted(bit, fp uint64) uint64 {
	if t.loads > 1 {
		var found uint64
		for _, v := range t.readSorted(bit) {
			found |= (v ^ fp) - 1
		}
		return found >> 63
	}
	nibbles, rests := t.parts(bit)
	width := t.rest()
	mask := uint64(1)<<width - 1
	// What differs, slot by slot; the nibbles' differences are in the same places
	// for all four of them.
	nibbles ^= fp >> width * 0x1111
	rest := fp & mask
	// x-1 has its highest bit set just if x is 0, for x below 2^63.
	found := (nibbles&15 | (rests&mask ^ rest)) - 1
	rests >>= width
	found |= (nibbles>>4&15 | (rests&mask ^ rest)) - 1
	rests >>= width
	found |= (nibbles>>8&15 | (rests&mask ^ rest)) - 1
	rests >>= width
	found |= (nibbles>>12 | (rests&mask ^ rest)) - 1
	return found >> 63
}

// readSorted is the four fingerprints of a bucket, in order.
func (t *table) readSorted(bit uint64) (fps [4]uint64) {
	nibbles, rests := t.parts(bit)
	width := t.rest()
	for i := range fps {
		rest := rests
		if t.loads > 1 {
			rest = t.load(bit + codeBits + uint64(i)*width)
		}
		fps[i] = nibbles>>(4*i)&15<<width | rest&(1<<width-1)
		rests >>= width
	}
	return fps
}

// writeSorted sets a bucket to four fingerprints in order.
func (t *table) writeSorted(bit uint64, fps [4]uint64) {
	width := t.rest()
	word := codeOf(fps[0]>>width, fps[1]>>width, fps[2]>>width, fps[3]>>width)
	if t.loads > 1 {
		t.store(bit, codeBits, word)
	}
	at := uint64(codeBits)
	for _, fp := range fps {
		if rest := fp & (1<<width - 1); t.loads > 1 {
			t.store(bit+at, width, rest)
		} else {
			word |= rest << at
		}
		at += width
	}
	if t.loads == 1 {
		t.store(bit, t.size, word)
	}
}

// findSorted is find.
func (t *table) findSorted(bit, fp uint64) (slot uint64, ok bool) {
	for i, v := range t.readSorted(bit) {
		if v == fp {
			return uint64(i), true
		}
	}
	return 0, false
}

// exchangeSorted is exchange; it moves the new fingerprint to where it belongs.
func (t *table) exchangeSorted(bit, slot, fp uint64) (old, at uint64) {
	fps := t.readSorted(bit)
	old, fps[slot], at = fps[slot], fp, slot
	for ; at > 0 && fps[at-1] > fp; at-- {
		fps[at-1], fps[at] = fp, fps[at-1]
	}
	for ; at < 3 && fps[at+1] < fp; at++ {
		fps[at], fps[at+1] = fps[at+1], fp
	}
	t.writeSorted(bit, fps)
	return old, at
}

// validSorted reports whether writeSorted can have written a bucket: there is
// such a code, and fingerprints with the same nibble are in order.
func (t *table) validSorted(bit uint64) bool {
	if t.load(bit)&codeMask >= codes {
		return false
	}
	fps := t.readSorted(bit)
	return slices.IsSorted(fps[:])
}
