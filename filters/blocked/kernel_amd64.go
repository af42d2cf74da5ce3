//go:build !purego

package blocked

// locateAVX2 packs n hashes, a multiple of 4, into located keys.
//
//go:noescape
func locateAVX2(f *Filter, keys, hashes *uint64, n int)

// fetchAVX2 does so, and prefetches their blocks.
//
//go:noescape
func fetchAVX2(f *Filter, keys, hashes *uint64, n int)

// contains64x8AVX2 answers n located keys, a multiple of 4 up to 64, in a filter
// of blocks of 64 bytes and at most 8 probes: bit i for key i.
//
//go:noescape
func contains64x8AVX2(f *Filter, keys *uint64, n int) uint64

//go:noescape
func contains128x8AVX2(f *Filter, keys *uint64, n int) uint64

// contains64AVX2 answers n located keys, any number up to 64, for any k.
//
//go:noescape
func contains64AVX2(f *Filter, keys *uint64, n int) uint64

//go:noescape
func contains128AVX2(f *Filter, keys *uint64, n int) uint64

// test64AVX2 is Filter.test for blocks of 64 bytes.
//
//go:noescape
func test64AVX2(f *Filter, hash uint64) uint64

//go:noescape
func test128AVX2(f *Filter, hash uint64) uint64

// add64AVX2 sets the bits of n located keys.
//
//go:noescape
func add64AVX2(f *Filter, keys *uint64, n int)

//go:noescape
func add128AVX2(f *Filter, keys *uint64, n int)
