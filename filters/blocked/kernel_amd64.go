//go:build !purego

package blocked

// There are kernels for blocks of 64 and of 128 bytes. All numbers of keys are
// multiples of 4, from 4 to 64.

// locate64AVX2 locates the keys of n hashes.
//
//go:noescape
func locate64AVX2(f *Filter, keys *located, hashes *uint64, n int)

//go:noescape
func locate128AVX2(f *Filter, keys *located, hashes *uint64, n int)

// fetch64AVX2 begins to fetch the blocks of n located keys.
//
//go:noescape
func fetch64AVX2(keys *located, n int)

//go:noescape
func fetch128AVX2(keys *located, n int)

// contains64x8AVX2 answers n located keys of a filter of at most 8 probes: bit i
// for key i; bits from n on are undefined. On its way it locates the next keys,
// those from hashes[64] on, and begins to fetch their blocks; it writes them where
// the first were. If next is not 0, n must be 64.
//
//go:noescape
func contains64x8AVX2(f *Filter, keys *located, hashes *uint64, n, next int) uint64

//go:noescape
func contains128x8AVX2(f *Filter, keys *located, hashes *uint64, n, next int) uint64

// contains64AVX2 is contains64x8AVX2 for any number of probes.
//
//go:noescape
func contains64AVX2(f *Filter, keys *located, hashes *uint64, n, next int) uint64

//go:noescape
func contains128AVX2(f *Filter, keys *located, hashes *uint64, n, next int) uint64

// add64AVX2 sets the bits of located keys, likewise.
//
//go:noescape
func add64AVX2(f *Filter, keys *located, hashes *uint64, n, next int)

// test64AVX2 is Filter.test.
//
//go:noescape
func test64AVX2(f *Filter, hash uint64) uint64

//go:noescape
func test128AVX2(f *Filter, hash uint64) uint64
