package report

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// bitsFor is how many bits per key a filter needs for the target rate: read
// off a straight line, in bits against ln(rate), through the points around
// it. Each weighs as its count and its closeness to the target say. It is not
// ok without a measured point on either side: nothing is extrapolated.
func bitsFor(points []rate, target float64) (bits float64, ok bool) {
	const window = 3 // times the target, and its third
	var xs, ys, ws []float64
	above, below := false, false
	for _, r := range points {
		if r.zero() || !(r.p > 0) || math.IsNaN(r.alloc) {
			continue
		}
		d := math.Abs(math.Log(r.p/target)) / math.Log(window)
		if d >= 1 {
			continue
		}
		above = above || r.p >= target
		below = below || r.p <= target
		near := 1 - d*d*d
		xs, ys = append(xs, r.alloc), append(ys, math.Log(r.p))
		ws = append(ws, near*near*near*float64(r.Hits))
	}
	if !above || !below || slices.Max(xs) == slices.Min(xs) {
		return 0, false
	}
	a, b := stat.LinearRegression(xs, ys, ws, false)
	bits = (math.Log(target) - a) / b
	ok = b < 0 && bits >= slices.Min(xs) && bits <= slices.Max(xs)
	return bits, ok
}
