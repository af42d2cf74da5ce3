package blocked

import (
	"math/rand/v2"
	"testing"

	"filterbench/filters/filtertest"
	"filterbench/filters/simd"
)

// pair makes a filter with the kernel and one without.
func pair(t testing.TB, blocks uint64, blockBytes, k int, fetch bool) (kernel, portable *Filter) {
	t.Helper()
	if simd.Kernel() != simd.AVX2 {
		t.Skip("no kernel here")
	}
	kernel, err := newFilter(blocks, blockBytes, k, true)
	if err != nil {
		t.Fatal(err)
	}
	kernel.fetch = fetch
	if portable, err = newFilter(blocks, blockBytes, k, false); err != nil {
		t.Fatal(err)
	}
	return kernel, portable
}

func random(n int, seed uint64) []uint64 {
	rng := rand.New(rand.NewPCG(seed, 3))
	out := make([]uint64, n)
	for i := range out {
		out[i] = rng.Uint64()
	}
	return out
}

// The kernel sets the bits that portable code sets, and gives its answers, for
// every k, in both sizes of blocks, whether blocks are fetched ahead or not.
func TestKernel(t *testing.T) {
	for k := 1; k <= maxProbes; k++ {
		for _, blockBytes := range []int{64, 128} {
			for _, blocks := range []uint64{1, 2, 3, 1000} {
				kernel, portable := pair(t, blocks, blockBytes, k, k%2 == 0)
				filtertest.Kernel(t, kernel, portable, random(int(blocks)*blockBytes/k, uint64(k)))
			}
		}
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(uint32(1), false, uint8(6), true, []byte{})
	f.Add(uint32(1000), true, uint8(32), false, []byte("12345678abcdefgh\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, blocks uint32, wide bool, k uint8, fetch bool, data []byte) {
		filtertest.FuzzKernel(t, data, func() (kernel, portable *Filter) {
			size := 64
			if wide {
				size = 128
			}
			return pair(t, uint64(blocks%5000)+1, size, int(k%maxProbes)+1, fetch)
		})
	})
}
