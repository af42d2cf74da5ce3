//go:build !purego

package quotient

// The kernels need BMI2 only; they go by the name of the level that all kernels
// share. There are at most 64 keys, and at least one.

// fetchRankAVX2 begins to fetch the metadata of n keys, the line of the quotient's own
// slot and the one behind it.
//
//go:noescape
func fetchRankAVX2(f *Rank, hashes *uint64, n int)

// findAVX2 finds the runs of n keys.
//
//go:noescape
func findAVX2(f *Rank, keys *located, hashes *uint64, n int)

// findFetchAVX2 is findAVX2, and begins to fetch the first remainders of each run,
// or where its end is to be looked for. On its way it begins to fetch the metadata of
// the next keys, those from hashes[64] on; if next is not 0, n must be 64.
//
//go:noescape
func findFetchAVX2(f *Rank, keys *located, hashes *uint64, n, next int)

// findFarAVX2 finds those runs that end in the block behind the quotient's.
//
//go:noescape
func findFarAVX2(f *Rank, keys *located, hashes *uint64)

// compareAVX2 compares the remainders of the runs that have been found: bit i for
// key i.
//
//go:noescape
func compareAVX2(f *Rank, keys *located, hashes *uint64) uint64

// testAVX2 answers one key, 0 or 1, or leaves it to portable code: 2.
//
//go:noescape
func testAVX2(f *Rank, hash uint64) uint64

// fetchFlagsAVX2 begins to fetch what is near the slots of the quotients of n keys,
// from 8 bytes before to 16 behind.
//
//go:noescape
func fetchFlagsAVX2(f *Flags, hashes *uint64, n int)
