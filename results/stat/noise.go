package stat

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// minPairs is the least number of A/A pairs from which a floor is read off.
const minPairs = 10

// NoiseFloor is the factor by which two timings of one thing may differ: the
// 95th percentile, over pairs of medians of the same thing timed twice, of the
// larger over the smaller. A smaller difference between two things says nothing.
// It is not ok of fewer than 10 pairs, or where a time is not positive.
func NoiseFloor(pairs [][2]float64) (factor float64, ok bool) {
	if len(pairs) < minPairs {
		return 0, false
	}
	logs := make([]float64, len(pairs))
	for i, p := range pairs {
		logs[i] = math.Abs(math.Log(p[0] / p[1]))
		if math.IsNaN(logs[i]) || math.IsInf(logs[i], 0) {
			return 0, false
		}
	}
	slices.Sort(logs)
	return math.Exp(stat.Quantile(0.95, stat.Empirical, logs, nil)), true
}

// Busy reports whether so many samples were disturbed, more than one in twenty,
// that the clock on the wall ranks what was timed by what else went on.
func Busy(samples, disturbed int) bool { return 20*disturbed > samples }

// BenjaminiHochberg adjusts the p-values of a family of tests, such that of
// those whose adjusted value is at most q a share of q is expected to be false.
// The result is in the order of p.
//
// Source: Benjamini and Hochberg, Controlling the false discovery rate, Journal
// of the Royal Statistical Society B 57(1), 1995.
func BenjaminiHochberg(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	least := 1.0
	for rank := len(p) - 1; rank >= 0; rank-- {
		i := order[rank]
		least = min(least, float64(len(p))/float64(rank+1)*p[i])
		adjusted[i] = least
	}
	return adjusted
}
