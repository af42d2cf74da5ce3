// Package xxph3 is the 64-bit hash of RocksDB's filters: a preview of XXH3, from
// xxHash 0.7.2, that RocksDB keeps since filters on disk depend on it. No length
// hashes to the same value as with XXH3 as it was released.
//
// Source: the algorithm of RocksDB's util/xxph3.h (Collet, xxHash 0.7.2), whose
// hash of the empty key is its own.
package xxph3

import (
	"encoding/binary"
	"math/bits"
)

// The primes of xxHash.
const (
	prime32x1 = 0x9e3779b1
	prime32x2 = 0x85ebca77
	prime32x3 = 0xc2b2ae3d
	prime64x1 = 0x9e3779b185ebca87
	prime64x2 = 0xc2b2ae3d27d4eb4f
	prime64x3 = 0x165667b19e3779f9
	prime64x4 = 0x85ebca77c2b2ae63
	prime64x5 = 0x27d4eb2f165667c5
)

// secret is xxHash's: pseudo-random bytes that inputs are mixed with.
var secret = [secretLen]byte([]byte("" +
	"\xb8\xfe\x6c\x39\x23\xa4\x4b\xbe\x7c\x01\x81\x2c\xf7\x21\xad\x1c\xde\xd4\x6d\xe9\x83\x90\x97\xdb\x72\x40\xa4\xa4\xb7\xb3\x67\x1f" +
	"\xcb\x79\xe6\x4e\xcc\xc0\xe5\x78\x82\x5a\xd0\x7d\xcc\xff\x72\x21\xb8\x08\x46\x74\xf7\x43\x24\x8e\xe0\x35\x90\xe6\x81\x3a\x26\x4c" +
	"\x3c\x28\x52\xbb\x91\xc3\x00\xcb\x88\xd0\x65\x8b\x1b\x53\x2e\xa3\x71\x64\x48\x97\xa2\x0d\xf9\x4e\x38\x19\xef\x46\xa9\xde\xac\xd8" +
	"\xa8\xfa\x76\x3f\xe3\x9c\x34\x3f\xf9\xdc\xbb\xc7\xc7\x0b\x4f\x1d\x8a\x51\xe0\x4b\xcd\xb4\x59\x31\xc8\x9f\x7e\xc9\xd9\x78\x73\x64" +
	"\xea\xc5\xac\x83\x34\xd3\xeb\xc3\xc5\x81\xa0\xff\xfa\x13\x63\xeb\x17\x0d\xdd\x51\xb7\xf0\xda\x49\xd3\x16\x55\x26\x29\xd4\x68\x9e" +
	"\x2b\x16\xbe\x58\x7d\x47\xa1\xfc\x8f\xf8\xb8\xd1\x7a\xd0\x31\xce\x45\xcb\x3a\x8f\x95\x16\x04\x28\xaf\xd7\xfb\xca\xbb\x4b\x40\x7e"))

const secretLen = 192

// key64 is the 8 bytes of the secret from the given one on.
func key64(at int) uint64 { return binary.LittleEndian.Uint64(secret[at:]) }

// Sum is the hash of a key; RocksDB's filters take the seed 0.
func Sum(key []byte, seed uint64) uint64 {
	switch n := len(key); {
	case n > 240:
		return sumLong(key, seed)
	case n > 128:
		return sumMiddle(key, seed)
	case n > 16:
		return sumShort(key, seed)
	case n > 8:
		lo := binary.LittleEndian.Uint64(key) ^ (key64(0) + seed)
		hi := binary.LittleEndian.Uint64(key[n-8:]) ^ (key64(8) - seed)
		return avalanche(uint64(n) + lo + hi + fold(lo, hi))
	case n >= 4:
		in := uint64(binary.LittleEndian.Uint32(key)) | uint64(binary.LittleEndian.Uint32(key[n-4:]))<<32
		in ^= key64(0) + seed
		mix := uint64(n) + (in^in>>51)*prime32x1
		return avalanche((mix ^ mix>>47) * prime64x2)
	case n > 0:
		in := uint64(key[0]) | uint64(key[n>>1])<<8 | uint64(key[n-1])<<16 | uint64(n)<<24
		return avalanche((in ^ (key64(0)&0xffffffff + seed)) * prime64x1)
	}
	return fold(seed+key64(0), prime64x2)
}

// fold multiplies to 128 bits and folds the halves.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

func avalanche(h uint64) uint64 {
	h = (h ^ h>>37) * prime64x3
	return h ^ h>>32
}

// mix16 takes 16 bytes of the key in, with the secret from the given byte on.
func mix16(in []byte, at int, seed uint64) uint64 {
	in = in[:16:16]
	return fold(binary.LittleEndian.Uint64(in)^(key64(at)+seed), binary.LittleEndian.Uint64(in[8:])^(key64(at+8)-seed))
}

// sumShort is the hash of 17 to 128 bytes: pairs of 16 bytes from both ends.
func sumShort(key []byte, seed uint64) uint64 {
	n := len(key)
	acc := uint64(n) * prime64x1
	switch { // written out, so that the places in the secret are constants
	case n > 96:
		acc += mix16(key[48:], 96, seed) + mix16(key[n-64:], 112, seed)
		fallthrough
	case n > 64:
		acc += mix16(key[32:], 64, seed) + mix16(key[n-48:], 80, seed)
		fallthrough
	case n > 32:
		acc += mix16(key[16:], 32, seed) + mix16(key[n-32:], 48, seed)
		fallthrough
	default:
		acc += mix16(key, 0, seed) + mix16(key[n-16:], 16, seed)
	}
	return avalanche(acc)
}

// sumMiddle is the hash of 129 to 240 bytes.
func sumMiddle(key []byte, seed uint64) uint64 {
	const (
		firstRounds = 8
		laterSecret = 3        // where the secret begins again,
		lastSecret  = 136 - 17 // and what of it the last 16 bytes get
	)
	n := len(key)
	acc := uint64(n) * prime64x1
	for i := range firstRounds {
		acc += mix16(key[16*i:], 16*i, seed)
	}
	acc = avalanche(acc)
	for i := firstRounds; i < n/16; i++ {
		acc += mix16(key[16*i:], 16*(i-firstRounds)+laterSecret, seed)
	}
	acc += mix16(key[n-16:], lastSecret, seed)
	return avalanche(acc)
}
