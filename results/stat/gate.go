package stat

import (
	"cmp"
	"slices"
)

// PValue is the two-sided p-value of the count hits against the model c, whose
// rate may itself be off by the relative error tolerance, either way: twice the
// smaller tail, each from the end of that range which is nearer to it. It is 1
// where hits lies in the middle of what the model expects.
func (c Count) PValue(hits uint64, tolerance float64) float64 {
	low, high := c, c
	low.Rate *= 1 - tolerance
	high.Rate *= 1 + tolerance
	atMost, _ := low.Tails(hits)
	_, atLeast := high.Tails(hits)
	return min(1, 2*min(atMost, atLeast))
}

// Holm adjusts the p-values of a family of tests, such that rejecting those
// whose adjusted value is at most alpha makes a false rejection anywhere in the
// family no likelier than alpha, however the tests depend on each other. The
// result is in the order of p.
//
// Source: Holm, A simple sequentially rejective multiple test procedure,
// Scandinavian Journal of Statistics 6(2), 1979.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	floor := 0.0
	for rank, i := range order {
		floor = max(floor, min(1, float64(len(p)-rank)*p[i]))
		adjusted[i] = floor
	}
	return adjusted
}
