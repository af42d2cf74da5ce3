package theory

import (
	"math"
	"testing"
)

// near fails unless got is within the relative error of want.
func near(t *testing.T, got, want, relative float64, format string, args ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf(format+" = %v, want %v within %v of it", append(args, got, want, relative)...)
	}
}

// occupied is the distribution of the number of bits set, of m, after the given
// number of draws: the definition, one draw after the other.
func occupied(draws, m int) []float64 {
	chance := make([]float64, m+1)
	chance[0] = 1
	for range draws {
		for x := m; x >= 0; x-- {
			chance[x] *= float64(x) / float64(m)
			if x > 0 {
				chance[x] += chance[x-1] * float64(m-x+1) / float64(m)
			}
		}
	}
	return chance
}

// powerOfFill is the mean and the standard deviation of (X/m)^k.
func powerOfFill(n, m, k int) (mean, sd float64) {
	for x, c := range occupied(n*k, m) {
		mean += c * math.Pow(float64(x)/float64(m), float64(k))
	}
	variance := 0.0
	for x, c := range occupied(n*k, m) {
		d := math.Pow(float64(x)/float64(m), float64(k)) - mean
		variance += c * d * d
	}
	return mean, math.Sqrt(variance)
}
