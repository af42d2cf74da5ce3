package report

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// targets are the rates at which filters are compared at equal FPR.
var targets = []float64{.05, .03, .01, .001, .0001}

// estimate is a number with its 95 % interval; ok is false where there is none.
type estimate struct {
	mid, lo, hi float64
	ok          bool
}

// spaceRow is what one filter spends at the rates of targets.
type spaceRow struct {
	filter string
	n      float64
	bits   []estimate // for each target
	// designs are the filter's own sizes and rates, where there are no others.
	designs []rate
	// overhead is bits per key over the information bound, at 1 % or the rate of
	// the best design; infinite where nothing tells it.
	overhead float64
}

// spaceRows are the filters by what they spend over the information bound, the
// least first.
func spaceRows(cells []rate) (keys string, n float64, rows []spaceRow) {
	keys, n, all := sweeps(cells)
	for _, s := range all {
		row := spaceRow{filter: s.filter, n: s.n, bits: make([]estimate, len(targets)), overhead: math.Inf(1)}
		for i, p := range targets {
			if s.designs {
				continue // nothing between them could be built
			}
			row.bits[i] = bitsFor(s.points, p)
			if p == headlineRate && row.bits[i].ok {
				row.overhead = row.bits[i].mid / math.Log2(1/p)
			}
		}
		if s.designs {
			row.designs = slices.DeleteFunc(s.points, rate.zero)
			for _, d := range row.designs {
				if o := d.overhead(); o < row.overhead {
					row.overhead = o
				}
			}
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b spaceRow) int { return compareFloat(a.overhead, b.overhead) })
	return keys, n, rows
}

// bitsFor is how many bits per key a filter needs for the target rate: read
// off a straight line, in ln(rate) against bits, through the points around it.
// Each weighs as its count and its closeness to the target say. It is not ok
// without a measured point on either side: nothing is extrapolated.
func bitsFor(points []rate, target float64) estimate {
	var xs, ys, ws, vs []float64
	far := window(points, target)
	for _, r := range points {
		d := distance(r, target) / far
		if !(math.Abs(d) < 1) {
			continue
		}
		near := 1 - math.Abs(d*d*d)
		xs, ys = append(xs, r.alloc), append(ys, math.Log(r.p))
		ws = append(ws, near*near*near*float64(r.Hits))
		se := (r.hi - r.lo) / (2 * z95 * r.p)
		vs = append(vs, se*se)
	}
	if len(xs) < 2 || slices.Max(xs) == slices.Min(xs) {
		return estimate{}
	}
	a, b := stat.LinearRegression(xs, ys, ws, false)
	bits := (math.Log(target) - a) / b
	half := z95 * math.Sqrt(lineVariance(xs, ws, vs, bits)) / math.Abs(b)
	ok := b < 0 && bits >= slices.Min(xs) && bits <= slices.Max(xs)
	return estimate{bits, bits - half, bits + half, ok}
}

// distance is the logarithm of a rate over the target; NaN where there is none.
func distance(r rate, target float64) float64 {
	if r.zero() || !(r.p > 0) || math.IsNaN(r.alloc) {
		return math.NaN()
	}
	return math.Log(r.p / target)
}

// window is how far from the target, as a logarithm, points still count: up to a
// factor of 3, or somewhat beyond the nearest point on either side, where the
// steps are larger. It is 0 where a side has none within a factor of 10.
func window(points []rate, target float64) float64 {
	above, below := math.Inf(1), math.Inf(1)
	for _, r := range points {
		d := distance(r, target)
		if d >= 0 {
			above = min(above, d)
		}
		if d <= 0 {
			below = min(below, -d)
		}
	}
	far := max(above, below)
	if far > math.Log(10) {
		return 0
	}
	return max(math.Log(3), 1.5*far)
}

// z95 is the normal quantile of a two-sided 95 %.
const z95 = 1.959963984540054

// lineVariance is the variance of a weighted regression line at x, whose points
// have the variances vs: the line's height there is a sum of theirs.
func lineVariance(xs, ws, vs []float64, x float64) (v float64) {
	mean, total, spread := stat.Mean(xs, ws), 0.0, 0.0
	for i, w := range ws {
		total += w
		spread += w * (xs[i] - mean) * (xs[i] - mean)
	}
	for i, w := range ws {
		h := w/total + w*(x-mean)*(xs[i]-mean)/spread
		v += h * h * vs[i]
	}
	return v
}
