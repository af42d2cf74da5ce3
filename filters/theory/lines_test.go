package theory

import (
	"math"
	"testing"
)

// Against the sum over how many of the reads fall on lines read before.
func TestDistinctLines(t *testing.T) {
	for _, lines := range []uint64{1, 2, 3, 16, 1000} {
		seen := make([]float64, 12) // chance of so many distinct lines
		seen[0] = 1
		for reads := range 10 {
			want := 0.0
			for d, p := range seen {
				want += float64(d) * p
			}
			if got := DistinctLines(lines, float64(reads)); !(math.Abs(got-want) <= 1e-12*float64(lines)) {
				t.Errorf("%d reads of %d lines: %v distinct, want %v", reads, lines, got, want)
			}
			next := make([]float64, len(seen))
			for d, p := range seen[:len(seen)-1] {
				old := float64(d) / float64(lines)
				next[d] += p * old
				next[d+1] += p * (1 - old)
			}
			seen = next
		}
	}
}

func TestUniformMisses(t *testing.T) {
	for _, x := range []struct {
		cache, lines uint64
		want         float64
	}{{0, 10, 1}, {5, 20, 0.75}, {20, 20, 0}, {30, 20, 0}} {
		if got := UniformMisses(x.cache, x.lines); got != x.want {
			t.Errorf("%d of %d lines cached: %v, want %v", x.cache, x.lines, got, x.want)
		}
	}
}
