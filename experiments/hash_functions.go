package experiments

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/binary"
	"hash/maphash"

	"filterbench/filters"
	"filterbench/filters/guava"
)

// hashFunction is a way to make 64 bits of a key.
type hashFunction struct {
	name   string
	nanos  float64 // roughly what 8 bytes cost, for plans
	calls  int     // digests of a key that are timed
	noHash bool    // it is not timed
	// sampled says that the function differs from run to run.
	sampled bool
	// sum appends the hashes of all keys. Each function has a loop of its own,
	// in which the compiler sees it: a call through a variable would cost as
	// much as the fastest of them.
	sum func(dst []uint64, keys *filters.Keys) []uint64
}

// textCalls is k at the texts' 1 %: their program takes so many MD5 digests of a
// key. (It puts the digest's number in front, which makes the key two bytes longer.)
const textCalls = 7

// hashFunctions are what filters are built with, or have been. The digests and
// Murmur's 128 bits are cut to 64: that one call has bits for more positions
// than 64 make is what B09 is about. FNV-1a is the one of 64 bits. The identity,
// the key's first 8 bytes, is no hash, and shows what structure does to a filter.
var hashFunctions = []hashFunction{
	{name: "md5", nanos: 110, calls: textCalls, sum: sumMD5},
	{name: "sha256", nanos: 90, calls: 1, sum: sumSHA256},
	{name: "murmur3", nanos: 10, calls: 1, sum: sumMurmur3},
	{name: "xxh64", nanos: 5, calls: 1, sum: sumOf(filters.XXH64)},
	{name: "xxh3", nanos: 4, calls: 1, sum: sumOf(filters.XXH3)},
	{name: "xxph3", nanos: 5, calls: 1, sum: sumOf(filters.XXPH3)},
	{name: "fnv1a", nanos: 8, calls: 1, sum: sumFNV1a},
	{name: "maphash", nanos: 6, calls: 1, sampled: true, sum: sumMaphash},
	{name: "identity", nanos: 2, noHash: true, sum: sumIdentity},
}

func sumMD5(dst []uint64, keys *filters.Keys) []uint64 {
	for i := range keys.Len() {
		d := md5.Sum(keys.At(i))
		dst = append(dst, binary.LittleEndian.Uint64(d[:]))
	}
	return dst
}

func sumSHA256(dst []uint64, keys *filters.Keys) []uint64 {
	for i := range keys.Len() {
		d := sha256.Sum256(keys.At(i))
		dst = append(dst, binary.LittleEndian.Uint64(d[:]))
	}
	return dst
}

func sumMurmur3(dst []uint64, keys *filters.Keys) []uint64 {
	for i := range keys.Len() {
		h, _ := guava.Murmur128(keys.At(i))
		dst = append(dst, h)
	}
	return dst
}

// sumOf is a hash that filters know, with the seed 0, with which all of them are
// fastest.
func sumOf(h filters.Hash) func(dst []uint64, keys *filters.Keys) []uint64 {
	return func(dst []uint64, keys *filters.Keys) []uint64 {
		return h.SumKeys(dst, keys, 0, keys.Len(), 0)
	}
}

// sumFNV1a is FNV-1a of 64 bits (Fowler, Noll and Vo; RFC 9923), written out:
// that of the standard library costs an allocation a key.
func sumFNV1a(dst []uint64, keys *filters.Keys) []uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	for i := range keys.Len() {
		h := uint64(offset)
		for _, b := range keys.At(i) {
			h = (h ^ uint64(b)) * prime
		}
		dst = append(dst, h)
	}
	return dst
}

// processSeed is this process's own: maphash has no other.
var processSeed = maphash.MakeSeed()

func sumMaphash(dst []uint64, keys *filters.Keys) []uint64 {
	for i := range keys.Len() {
		dst = append(dst, maphash.Bytes(processSeed, keys.At(i)))
	}
	return dst
}

func sumIdentity(dst []uint64, keys *filters.Keys) []uint64 {
	for i := range keys.Len() {
		var first [8]byte
		copy(first[:], keys.At(i))
		dst = append(dst, binary.LittleEndian.Uint64(first[:]))
	}
	return dst
}
