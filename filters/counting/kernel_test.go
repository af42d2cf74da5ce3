package counting

import (
	"testing"

	"filterbench/filters/filtertest"
	"filterbench/filters/simd"
)

// pair makes a filter with the kernels and one without.
func pair(t testing.TB, m uint64, k int, width uint, fetch bool) (kernel, portable *Filter) {
	t.Helper()
	if simd.Kernel() != simd.AVX2 {
		t.Skip("no kernel here")
	}
	kernel, err := newFilter(m, k, width, true)
	if err != nil {
		t.Fatal(err)
	}
	kernel.rounds.SetFetch(fetch)
	if portable, err = newFilter(m, k, width, false); err != nil {
		t.Fatal(err)
	}
	return kernel, portable
}

// The kernels leave the counters that portable code leaves, stuck ones included,
// and give its answers, for every k and width, whether lines are fetched ahead or
// not.
func TestKernel(t *testing.T) {
	for k := 1; k <= maxProbes; k++ {
		for width := uint(2); width <= 3; width++ {
			m := []uint64{1, 15, 16, 1000, 100_003}[k%5]
			kernel, portable := pair(t, m, k, width, (k/5+int(width))%2 == 0)
			defer kernel.Free()
			defer portable.Free()
			filtertest.Kernel(t, kernel, portable, hashes(int(m)/k+300, uint64(k)))
		}
	}
}

// Keys that repeat inside a batch drive their counters up to where they are stuck
// while more of them wait for their lines.
func TestKernelStuck(t *testing.T) {
	for width := uint(2); width <= 3; width++ {
		for _, m := range []uint64{1, 16, 97, 1000} {
			kernel, portable := pair(t, m, 7, width, true)
			defer kernel.Free()
			defer portable.Free()
			var batch []uint64
			for i, hash := range hashes(40, m) {
				for range 10 * i {
					batch = append(batch, hash)
				}
			}
			filtertest.Kernel(t, kernel, portable, batch)
			if h := kernel.Histogram(); h[len(h)-1] == 0 {
				t.Errorf("%d counters of %d bits: none is stuck, so nothing was tested", m, 1<<width)
			}
		}
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(uint32(1), uint8(7), false, true, []byte{})
	f.Add(uint32(1000), uint8(3), true, false, []byte("12345678abcdefgh\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, m uint32, k uint8, wide, fetch bool, data []byte) {
		filtertest.FuzzKernel(t, data, func() (kernel, portable *Filter) {
			width := uint(2)
			if wide {
				width = 3
			}
			return pair(t, uint64(m%1e6)+1, int(k%maxProbes)+1, width, fetch)
		})
	})
}
