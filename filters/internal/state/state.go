// Package state writes and reads what the snapshots of flat filters have in
// common: the number of keys, 8 bytes, and an array of 64-bit words. All of it
// is little-endian, whatever the machine is.
package state

import (
	"encoding/binary"
	"fmt"
)

// Append appends n and the first size bytes of the words.
func Append(dst []byte, n uint64, words []uint64, size uint64) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, n)
	for _, w := range words[:size/8] {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	for i := range size % 8 {
		dst = append(dst, byte(words[size/8]>>(8*i)))
	}
	return dst
}

// Words is an array of words as bytes; a last word that is cut off ends in
// zeros.
type Words []byte

// Split takes a state of exactly the given size of array apart.
func Split(state []byte, size uint64) (n uint64, array Words, err error) {
	if uint64(len(state)) != 8+size {
		return 0, nil, fmt.Errorf("a state of %d bytes; this filter's has %d", len(state), 8+size)
	}
	return binary.LittleEndian.Uint64(state), state[8:], nil
}

// Len is the number of words.
func (w Words) Len() int { return (len(w) + 7) / 8 }

// At returns word i.
func (w Words) At(i int) uint64 {
	if rest := w[8*i:]; len(rest) >= 8 {
		return binary.LittleEndian.Uint64(rest)
	}
	var last [8]byte
	copy(last[:], w[8*i:])
	return binary.LittleEndian.Uint64(last[:])
}

// CopyTo sets the words to the array, and those behind it to zero.
func (w Words) CopyTo(words []uint64) {
	for i := range w.Len() {
		words[i] = w.At(i)
	}
	clear(words[w.Len():])
}
