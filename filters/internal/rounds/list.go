package rounds

import (
	"filterbench/filters"
	"filterbench/filters/simd"
)

// ListKeys is how many keys a List takes: a multiple of 64, so that the answers
// begin at a word.
const ListKeys = 256

// Enough is from how many keys on a List pays.
const Enough = 32

// List is a batch under way in a family that computes positions of bits itself.
type List struct {
	n, left int
	keys    [ListKeys]uint32
	// At is where the next positions go: At[i] is that of key Left()[i].
	At [ListKeys]uint64
}

// Start begins with n keys, of which all are left.
func (l *List) Start(n int) {
	l.n, l.left = n, n
	for i := range l.keys[:n] {
		l.keys[i] = uint32(i)
	}
}

// Left is the keys that are left, by their place in the batch.
func (l *List) Left() []uint32 { return l.keys[:l.left] }

// Look looks at the bits at the positions and keeps the keys whose bit is set;
// fetch says whether their lines are fetched first.
func (l *List) Look(words []uint64, fetch bool) {
	if fetch {
		simd.FetchBits(words, l.At[:l.left])
	}
	left := 0
	for i, key := range l.keys[:l.left] {
		at := l.At[i]
		l.keys[left%ListKeys] = key
		left += int(words[at>>6] >> (at & 63) & 1)
	}
	l.left = left
}

// Set sets the bits at the positions of all keys that are left, likewise.
func (l *List) Set(words []uint64, fetch bool) {
	if fetch {
		simd.FetchBits(words, l.At[:l.left])
	}
	for _, at := range l.At[:l.left] {
		words[at>>6] |= 1 << (at & 63)
	}
}

// Answer writes which keys are left, as ContainsKeys does, and returns how many.
func (l *List) Answer(out []uint64) (hits int) {
	clear(out[:filters.BitsetLen(l.n)])
	for _, key := range l.Left() {
		out[key/64] |= 1 << (key % 64)
	}
	return l.left
}
