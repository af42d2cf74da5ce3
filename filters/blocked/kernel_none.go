//go:build !amd64 || purego

package blocked

const noKernel = "blocked: this program has no kernel"

func locate64AVX2(*Filter, *located, *uint64, int)                  { panic(noKernel) }
func locate128AVX2(*Filter, *located, *uint64, int)                 { panic(noKernel) }
func fetch64AVX2(*located, int)                                     { panic(noKernel) }
func fetch128AVX2(*located, int)                                    { panic(noKernel) }
func contains64x8AVX2(*Filter, *located, *uint64, int, int) uint64  { panic(noKernel) }
func contains128x8AVX2(*Filter, *located, *uint64, int, int) uint64 { panic(noKernel) }
func contains64AVX2(*Filter, *located, *uint64, int, int) uint64    { panic(noKernel) }
func contains128AVX2(*Filter, *located, *uint64, int, int) uint64   { panic(noKernel) }
func add64AVX2(*Filter, *located, *uint64, int, int)                { panic(noKernel) }
func test64AVX2(*Filter, uint64) uint64                             { panic(noKernel) }
func test128AVX2(*Filter, uint64) uint64                            { panic(noKernel) }
