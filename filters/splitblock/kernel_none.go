//go:build !amd64 || purego

package splitblock

const noKernel = "splitblock: this program has no kernel"

func locateAVX2(*Filter, *uint64, *uint64, int)               { panic(noKernel) }
func fetchAVX2(*uint64, int)                                  { panic(noKernel) }
func containsAVX2(*Filter, *uint64, *uint64, int, int) uint64 { panic(noKernel) }
func addAVX2(*Filter, *uint64, *uint64, int, int)             { panic(noKernel) }
func testAVX2(*Filter, uint64) uint64                         { panic(noKernel) }
