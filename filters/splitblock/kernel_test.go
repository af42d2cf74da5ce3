package splitblock

import (
	"testing"

	"filterbench/filters/filtertest"
	"filterbench/filters/simd"
)

// pair makes a filter with the kernel and one without.
func pair(t testing.TB, blocks uint64, fetch bool) (kernel, portable *Filter) {
	t.Helper()
	if simd.Kernel() != simd.AVX2 {
		t.Skip("no kernel here")
	}
	kernel, err := newFilter(blocks, true)
	if err != nil {
		t.Fatal(err)
	}
	kernel.fetch = fetch
	if portable, err = newFilter(blocks, false); err != nil {
		t.Fatal(err)
	}
	return kernel, portable
}

// The kernel sets the bits that portable code sets, and gives its answers,
// whether blocks are fetched ahead or not.
func TestKernel(t *testing.T) {
	for _, fetch := range []bool{false, true} {
		for _, blocks := range []uint64{1, 2, 3, 255, 10_000} {
			kernel, portable := pair(t, blocks, fetch)
			filtertest.Kernel(t, kernel, portable, append(hashes(int(20*blocks), blocks), edges...))
		}
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(uint32(1), true, []byte{})
	f.Add(uint32(1000), false, []byte("12345678abcdefgh\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, blocks uint32, fetch bool, data []byte) {
		filtertest.FuzzKernel(t, data, func() (kernel, portable *Filter) { return pair(t, uint64(blocks%5000)+1, fetch) })
	})
}
