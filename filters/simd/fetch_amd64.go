//go:build !purego

package simd

//go:noescape
func fetchBits(array, bits *uint64, n int)
