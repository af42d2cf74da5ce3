//go:build !amd64 || purego

package bloom

const noKernel = "bloom: this program has no kernels"

func firstAVX2(*rounds, *uint64, int) int   { panic(noKernel) }
func secondAVX2(*rounds, *uint64, int) int  { panic(noKernel) }
func nextAVX2(*rounds, int) int             { panic(noKernel) }
func fetchFirstAVX2(*rounds, *uint64, int)  { panic(noKernel) }
func fetchSecondAVX2(*rounds, *uint64, int) { panic(noKernel) }
func fetchNextAVX2(*rounds, int)            { panic(noKernel) }
func stayAVX2(*rounds, int) int             { panic(noKernel) }
func addAVX2(*adder, *uint64, int)          { panic(noKernel) }
