package stat

import (
	"math"
	"slices"
	"testing"
)

func TestNoiseFloor(t *testing.T) {
	pairs := func(factors ...float64) (out [][2]float64) {
		for i, f := range factors {
			p := [2]float64{f, 1}
			if i%2 == 1 {
				p = [2]float64{1, f} // either may be the slower
			}
			out = append(out, p)
		}
		return out
	}
	twenty := slices.Repeat([]float64{1.01}, 18)
	tests := []struct {
		name  string
		pairs [][2]float64
		want  float64 // 0 where there is none
	}{
		{"too few", pairs(slices.Repeat([]float64{1.1}, 9)...), 0},
		{"the same", pairs(slices.Repeat([]float64{1}, 10)...), 1},
		{"one of 20 is left out", pairs(append(twenty, 1.05, 1.5)...), 1.05},
		{"not two of 20", pairs(append(twenty, 1.4, 1.5)...), 1.4},
		{"one of 10 counts", pairs(append(twenty[:9], 2)...), 2},
		{"no time", pairs(append(twenty, 0)...), 0},
		{"not a number", pairs(append(twenty, math.NaN())...), 0},
	}
	for _, tt := range tests {
		got, ok := NoiseFloor(tt.pairs)
		if ok != (tt.want > 0) || ok && math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s: %v, %v; want %v", tt.name, got, ok, tt.want)
		}
	}
}

// The paper's own example (section 3.2): 15 p-values, of which the first four are
// rejected at q = 0.05; Holm's would be three.
func TestBenjaminiHochberg(t *testing.T) {
	p := []float64{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1}
	count := func(adjusted []float64) (n int) {
		for _, a := range adjusted {
			if a <= 0.05 {
				n++
			}
		}
		return n
	}
	if n := count(BenjaminiHochberg(p)); n != 4 {
		t.Errorf("%d rejected, want the paper's 4", n)
	}
	if n := count(Holm(p)); n != 3 {
		t.Errorf("Holm rejects %d, want 3", n)
	}
	reversed := slices.Clone(p)
	slices.Reverse(reversed)
	got, want := BenjaminiHochberg(reversed), BenjaminiHochberg(p)
	slices.Reverse(got)
	if !slices.Equal(got, want) {
		t.Errorf("the order of the tests matters: %v, %v", got, want)
	}
	if len(BenjaminiHochberg(nil)) != 0 {
		t.Error("of nothing something")
	}
}
