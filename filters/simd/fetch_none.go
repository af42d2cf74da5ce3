//go:build !amd64 || purego

package simd

func fetchBits(_, _ *uint64, _ int) { panic("simd: this program has no kernels") }
