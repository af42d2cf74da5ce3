package filters

import (
	"sync"

	"filterbench/filters/internal/xxph3"

	"github.com/cespare/xxhash/v2"
	"github.com/zeebo/xxh3"
)

// Hash names the function that turns a key into the 64-bit hash of a Hashed
// filter. It is part of a filter's identity: hashes of different functions or
// seeds must not be mixed.
type Hash uint8

// The hash functions that families name.
const (
	XXH3  Hash = iota // the default, zeebo/xxh3
	XXH64             // cespare/xxhash; Parquet's hash is XXH64 with the seed 0
	XXPH3             // RocksDB's preview of XXH3; its filters have the seed 0
)

// String is the name of the hash as results show it.
func (h Hash) String() string {
	switch h {
	case XXH64:
		return "xxh64"
	case XXPH3:
		return "xxph3"
	}
	return "xxh3"
}

// Sum hashes one key.
func (h Hash) Sum(key []byte, seed uint64) uint64 {
	switch h {
	case XXH64:
		return xxh64(key, seed)
	case XXPH3:
		return xxph3.Sum(key, seed)
	}
	return xxh3.HashSeed(key, seed)
}

// SumKeys appends the hashes of keys from (inclusive) to to (exclusive).
func (h Hash) SumKeys(dst []uint64, keys *Keys, from, to int, seed uint64) []uint64 {
	switch h {
	case XXH64:
		for i := from; i < to; i++ {
			dst = append(dst, xxh64(keys.At(i), seed))
		}
	case XXPH3:
		for i := from; i < to; i++ {
			dst = append(dst, xxph3.Sum(keys.At(i), seed))
		}
	default:
		for i := from; i < to; i++ {
			dst = append(dst, xxh3.HashSeed(keys.At(i), seed))
		}
	}
	return dst
}

// xxh64 is fastest with the seed 0; the library takes another only for streams,
// which costs a short key some nanoseconds.
func xxh64(key []byte, seed uint64) uint64 {
	if seed == 0 {
		return xxhash.Sum64(key)
	}
	var d xxhash.Digest
	d.ResetWithSeed(seed)
	d.Write(key)
	return d.Sum64()
}

// WithHash makes a Keyed filter of a Hashed one: it hashes each key with h and
// the seed. Batches are hashed in chunks that stay in the L1 cache.
func WithHash(f Hashed, h Hash, seed uint64) Keyed { return &hashedKeys{f, h, seed} }

type hashedKeys struct {
	Hashed
	hash Hash
	seed uint64
}

// hashChunk is a multiple of 64, so that each chunk's answers start at a word.
const hashChunk = 512

// hashBuffers keeps lookups, which may run concurrently, free of allocations.
var hashBuffers = sync.Pool{New: func() any { return new([hashChunk]uint64) }}

func (a *hashedKeys) Add(key []byte) error     { return a.AddHash(a.hash.Sum(key, a.seed)) }
func (a *hashedKeys) Contains(key []byte) bool { return a.ContainsHash(a.hash.Sum(key, a.seed)) }

// AddKeys hands the whole list over at once, since a static filter is built
// from one call.
func (a *hashedKeys) AddKeys(keys *Keys) (int, error) {
	hashes := make([]uint64, 0, keys.Len())
	return a.AddHashes(a.hash.SumKeys(hashes, keys, 0, keys.Len(), a.seed))
}

func (a *hashedKeys) ContainsKeys(keys *Keys, out []uint64) (hits int) {
	buf := hashBuffers.Get().(*[hashChunk]uint64)
	defer hashBuffers.Put(buf)
	for from := 0; from < keys.Len(); from += hashChunk {
		to := min(from+hashChunk, keys.Len())
		hits += a.ContainsHashes(a.hash.SumKeys(buf[:0], keys, from, to, a.seed), out[from/64:])
	}
	return hits
}

// CountKeys hashes each key just before its lookup and pays the interface call
// of both, as a caller of Contains does.
func (a *hashedKeys) CountKeys(keys *Keys) (hits int) {
	for i := range keys.Len() {
		if a.ContainsHash(a.hash.Sum(keys.At(i), a.seed)) {
			hits++
		}
	}
	return hits
}

func (a *hashedKeys) Free() { Free(a.Hashed) }

// Unwrap returns the hashed filter inside.
func (a *hashedKeys) Unwrap() Hashed { return a.Hashed }
