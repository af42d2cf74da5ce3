package guava

import (
	"encoding/binary"
	"math/bits"
)

const (
	c1 = 0x87c37b91114253d5
	c2 = 0x4cf5ad432745937f
)

// Murmur128 is MurmurHash3_x64_128 with the seed 0 (Appleby, SMHasher, public
// domain): the two words that Guava takes a key's positions from.
func Murmur128(key []byte) (h1, h2 uint64) {
	length := uint64(len(key))
	for ; len(key) >= 16; key = key[16:] {
		h1 ^= mixK1(binary.LittleEndian.Uint64(key))
		h1 = (bits.RotateLeft64(h1, 27)+h2)*5 + 0x52dce729
		h2 ^= mixK2(binary.LittleEndian.Uint64(key[8:]))
		h2 = (bits.RotateLeft64(h2, 31)+h1)*5 + 0x38495ab5
	}
	if len(key) > 0 { // the rest, padded with zeros; mixed, a zero is zero
		var last [16]byte
		copy(last[:], key)
		h1 ^= mixK1(binary.LittleEndian.Uint64(last[:]))
		h2 ^= mixK2(binary.LittleEndian.Uint64(last[8:]))
	}
	h1 ^= length
	h2 ^= length
	h1 += h2
	h2 += h1
	h1, h2 = finish(h1), finish(h2)
	h1 += h2
	return h1, h2 + h1
}

func mixK1(k uint64) uint64 { return bits.RotateLeft64(k*c1, 31) * c2 }
func mixK2(k uint64) uint64 { return bits.RotateLeft64(k*c2, 33) * c1 }

func finish(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
