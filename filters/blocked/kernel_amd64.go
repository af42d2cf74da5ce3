//go:build !purego

package blocked

// All numbers of keys are multiples of 4, from 4 to 64.

// locateAVX2 locates n hashes.
//
//go:noescape
func locateAVX2(f *Filter, keys, hashes *uint64, n int)

// fetchAVX2 does so, and begins to fetch their blocks.
//
//go:noescape
func fetchAVX2(f *Filter, keys, hashes *uint64, n int)

// contains64x8AVX2 answers n located keys in a filter of blocks of 64 bytes and
// at most 8 probes: bit i for key i; bits from n on are undefined. On its way it
// locates the next keys, those from hashes[64] on, and begins to fetch their
// blocks; it writes them where the first were. If next is not 0, n must be 64.
//
//go:noescape
func contains64x8AVX2(f *Filter, keys, hashes *uint64, n, next int) uint64

//go:noescape
func contains128x8AVX2(f *Filter, keys, hashes *uint64, n, next int) uint64

// contains64AVX2 is contains64x8AVX2 for any number of probes.
//
//go:noescape
func contains64AVX2(f *Filter, keys, hashes *uint64, n, next int) uint64

//go:noescape
func contains128AVX2(f *Filter, keys, hashes *uint64, n, next int) uint64

// add64AVX2 sets the bits of located keys, likewise, in blocks of 64 bytes.
//
//go:noescape
func add64AVX2(f *Filter, keys, hashes *uint64, n, next int)

// test64AVX2 is Filter.test for blocks of 64 bytes.
//
//go:noescape
func test64AVX2(f *Filter, hash uint64) uint64

//go:noescape
func test128AVX2(f *Filter, hash uint64) uint64
