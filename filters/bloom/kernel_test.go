package bloom

import (
	"math/rand/v2"
	"testing"

	"filterbench/filters/filtertest"
	"filterbench/filters/simd"
)

// pair makes a filter with the kernels and one without.
func pair(t testing.TB, m uint64, k int, s step, fetch bool) (kernel, portable *Filter) {
	t.Helper()
	if simd.Kernel() != simd.AVX2 {
		t.Skip("no kernel here")
	}
	kernel, err := newFilter(m, k, false, s, true)
	if err != nil {
		t.Fatal(err)
	}
	kernel.rounds.SetFetch(fetch)
	if portable, err = newFilter(m, k, false, s, false); err != nil {
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

// The kernels set the bits that portable code sets, and give its answers, for
// every k and step, whether lines are fetched ahead or not.
func TestKernel(t *testing.T) {
	for k := 1; k <= maxProbes; k++ {
		for s := enhanced; s < independent; s++ {
			m := []uint64{1, 63, 64, 1000, 100_003}[k%5]
			kernel, portable := pair(t, m, k, s, (k/5+int(s))%2 == 0)
			filtertest.Kernel(t, kernel, portable, random(int(m)/k+1, uint64(k)))
		}
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(uint32(1), uint8(7), uint8(0), true, []byte{})
	f.Add(uint32(1000), uint8(3), uint8(1), false, []byte("12345678abcdefgh\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, m uint32, k, kind uint8, fetch bool, data []byte) {
		filtertest.FuzzKernel(t, data, func() (kernel, portable *Filter) {
			return pair(t, uint64(m%1e6)+1, int(k%maxProbes)+1, step(kind%uint8(independent)), fetch)
		})
	})
}
