package filtertest

import (
	"testing"

	"filterbench/filters"
)

// checkSize compares what the design promised with what was allocated.
func checkSize(t *testing.T, spec filters.Spec) {
	for _, n := range []uint64{1, 2, 63, 1000, 98_000, 100_000} {
		d := design(t, spec, n)
		f, err := d.Keyed(hashSeed)
		if err != nil {
			t.Fatal(err)
		}
		if d.SizeBits != 0 && !spec.Family.Static && f.SizeBits() != d.SizeBits {
			t.Errorf("n=%d: the design says %d bits, the filter has %d", n, d.SizeBits, f.SizeBits())
		}
		filters.Free(f)
	}
}

// checkSizes sizes the filter for rates and bits over a wide range: absurd
// sizes are errors or designs, never a panic or an overflow.
func checkSizes(t *testing.T, spec filters.Spec) {
	if spec.Family.Exact {
		t.Skip("exact")
	}
	for _, n := range []uint64{1, 10, 1000, 1_000_000, 100_000_000, 350_000_000, filters.MaxKeys} {
		for _, p := range []float64{0.5, 0.1, 0.01, 1e-4, 1e-7} {
			d, err := spec.ForFPR(n, p)
			if err != nil {
				continue
			}
			if d.SizeBits == 0 || d.N != n {
				t.Errorf("n=%d p=%v: design of %d bits for %d keys", n, p, d.SizeBits, d.N)
			}
		}
		for _, bits := range []float64{0.001, 1, 10, 64} {
			if d, err := spec.ForBits(n, bits); err == nil && (d.N != n || d.SizeBits == 0) {
				t.Errorf("n=%d bits=%v: design of %d bits for %d keys", n, bits, d.SizeBits, d.N)
			}
		}
	}
}
