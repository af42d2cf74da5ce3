//go:build !amd64 || purego

package rounds

const noKernel = "rounds: this program has no kernels"

func firstBitsAVX2(*rounds, *uint64, int) int      { panic(noKernel) }
func firstCountersAVX2(*rounds, *uint64, int) int  { panic(noKernel) }
func secondBitsAVX2(*rounds, *uint64, int) int     { panic(noKernel) }
func secondCountersAVX2(*rounds, *uint64, int) int { panic(noKernel) }
func nextBitsAVX2(*rounds, int) int                { panic(noKernel) }
func nextCountersAVX2(*rounds, int) int            { panic(noKernel) }
func fetchFirstAVX2(*rounds, *uint64, int)         { panic(noKernel) }
func fetchSecondAVX2(*rounds, *uint64, int)        { panic(noKernel) }
func fetchNextAVX2(*rounds, int)                   { panic(noKernel) }
func stayBitsAVX2(*rounds, int) int                { panic(noKernel) }
func stayCountersAVX2(*rounds, int) int            { panic(noKernel) }
func addBitsAVX2(*adder, *uint64, int)             { panic(noKernel) }
func addCountersAVX2(*adder, *uint64, int)         { panic(noKernel) }
