//go:build !amd64 || purego

package quotient

const noKernel = "quotient: this program has no kernel"

func fetchRankAVX2(*Rank, *uint64, int)                { panic(noKernel) }
func findAVX2(*Rank, *located, *uint64, int)           { panic(noKernel) }
func findFetchAVX2(*Rank, *located, *uint64, int, int) { panic(noKernel) }
func findFarAVX2(*Rank, *located, *uint64)             { panic(noKernel) }
func compareAVX2(*Rank, *located, *uint64) uint64      { panic(noKernel) }
func testAVX2(*Rank, uint64) uint64                    { panic(noKernel) }
func fetchFlagsAVX2(*Flags, *uint64, int)              { panic(noKernel) }
