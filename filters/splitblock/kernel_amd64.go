//go:build !purego

package splitblock

// All numbers of keys are multiples of 4, from 4 to 64.

// locateAVX2 finds the addresses of the blocks of n hashes.
//
//go:noescape
func locateAVX2(f *Filter, blocks, hashes *uint64, n int)

// fetchAVX2 begins to fetch the blocks of n keys that are located.
//
//go:noescape
func fetchAVX2(blocks *uint64, n int)

// containsAVX2 answers n keys whose blocks are located: bit i for key i; bits
// from n on are undefined. On its way it locates and fetches the blocks of the
// next keys, those from hashes[64] on, and writes them where those of the first
// were. If next is not 0, n must be 64.
//
//go:noescape
func containsAVX2(f *Filter, blocks, hashes *uint64, n, next int) uint64

// addAVX2 sets the bits of keys, likewise.
//
//go:noescape
func addAVX2(f *Filter, blocks, hashes *uint64, n, next int)

// testAVX2 is Filter.test.
//
//go:noescape
func testAVX2(f *Filter, hash uint64) uint64
