//go:build !purego

package cuckoo

// All numbers of keys are multiples of 8, from 8 to 64. What is absent is bit i
// for key i; bits from n on are undefined.

// containsAVX2 looks up n keys.
//
//go:noescape
func containsAVX2(k *kernel, hashes *uint64, n int) (absent uint64)

// locateAVX2 finds the buckets of n keys, and begins to fetch them. It writes them
// from place at on.
//
//go:noescape
func locateAVX2(k *kernel, keys *located, at int, hashes *uint64, n int)

// answerAVX2 looks up n keys that are located. On its way it locates the next
// keys, those from hashes[64] on, fetches their buckets, and writes them where
// the first were. If next is not 0, n must be 64.
//
//go:noescape
func answerAVX2(k *kernel, keys *located, hashes *uint64, n, next int) (absent uint64)
