package report

import (
	"math"
	"slices"
)

// knee is a size from which on reads take longer: a cache ends there in effect.
type knee struct {
	at, lo, hi    float64 // bytes, and the ends of its 95 % interval
	before, after float64 // ns a read, of the plateaus on both sides
}

const (
	mostKnees = 4
	// A step by less than leastStep is none that a cache makes.
	leastStep = 1.25
	// Knees are sought so many to an octave. Caches grow by a factor of eight or
	// so from level to level; two knees that are much nearer are one that is not
	// sharp, as of a cache that is shared.
	kneesPerOctave = 8
	leastApart     = 6
	// By so much a knee must better the criterion, beyond its parameters: strong
	// evidence (Kass and Raftery, Bayes factors, JASA 90(430), 1995, section 3.2).
	evidence = 6
	// No fit is asked to be nearer than this, relative to a time.
	fitFloor = .01
)

// shape is how the share of reads that a cache misses grows with what is read.
type shape struct {
	// sharp is p in the share 1-(C/S)^p of reads of S bytes that a cache of C bytes
	// misses: 1 where reads are random and the cache keeps what it may, more where it
	// has a cliff.
	sharp float64
	// spread is the standard deviation of ln C: what a cache that others use, too,
	// leaves to us varies.
	spread float64
}

// rise is the mean share of misses over a lognormal C whose median is knee: the
// formula of Black and Scholes (1973) for an option to sell.
func (f shape) rise(knee, size float64) float64 {
	r := math.Log(size / knee)
	if f.spread == 0 {
		return max(0, 1-math.Exp(-f.sharp*r))
	}
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	a, v := r/f.spread, f.sharp*f.spread
	return max(0, normal(a)-math.Exp(v*v/2-f.sharp*r)*normal(a-v))
}

// shapes are those that are tried; all knees of a fit have the same.
func shapes() (all []shape) {
	for _, spread := range []float64{0, .25, .5} {
		for _, sharp := range []float64{1, 2, 4, 8} {
			all = append(all, shape{sharp, spread})
		}
	}
	return all
}

// knees fits the time of a random read to the size S of what is read:
//
//	t(S) = a + sum over the knees C of d(C) rise(C, S),  d(C) > 0
//
// by least squares of the relative error. The steps d are linear, the knees are
// found by adding one after the other and moving each in turn; as many are taken
// as Schwarz's criterion (Estimating the dimension of a model, Annals of
// Statistics 6(2), 1978) finds worth their parameters, and as are real steps.
//
// An interval is that of the profile likelihood, the other knees held, and at
// least the grid of the sizes wide. Sizes ascend; there is no knee among fewer
// than six.
func knees(sizes, ns []float64) []knee {
	if len(sizes) < 6 || !slices.IsSorted(sizes) {
		return nil
	}
	var best fit
	for i, form := range shapes() {
		l := newLadderFit(sizes, ns, form.rise)
		for _, f := range l.fits() {
			if i == 0 && len(f.at) == 0 || f.score < best.score {
				best = f
			}
		}
	}
	return best.knees()
}

// ladderFit is the data of a fit with one shape. Column 0 is the constant, the
// others are of the candidates for knees; each is divided by the times, so that
// they are to add up to 1 in every row.
type ladderFit struct {
	sizes      []float64
	candidates []float64   // of knees, bytes
	seen       []float64   // share of a candidate's step that the sizes show
	products   [][]float64 // of each two columns, over the rows
	sums       []float64   // of each column
}

// fit is a solution: which candidates are knees, in order, and their steps.
type fit struct {
	of         *ladderFit
	at         []int
	base       float64
	steps      []float64
	rss, score float64
}

func newLadderFit(sizes, ns []float64, rise func(knee, size float64) float64) *ladderFit {
	l := &ladderFit{sizes: sizes}
	last := sizes[len(sizes)-1]
	columns := [][]float64{make([]float64, len(ns))}
	for i, t := range ns {
		columns[0][i] = 1 / t
	}
	// A plateau must be seen before a knee, and its end after it.
	for c := 2 * sizes[0]; c <= last/2; c *= math.Exp2(1. / kneesPerOctave) {
		column := make([]float64, len(ns))
		for i, t := range ns {
			column[i] = rise(c, sizes[i]) / t
		}
		columns = append(columns, column)
		l.candidates = append(l.candidates, c)
		l.seen = append(l.seen, rise(c, last)-rise(c, sizes[0]))
	}
	l.sums = make([]float64, len(columns))
	l.products = make([][]float64, len(columns))
	for i, c := range columns {
		l.products[i] = make([]float64, len(columns))
		for r, v := range c {
			l.sums[i] += v
			for j := range i + 1 {
				l.products[i][j] += v * columns[j][r]
			}
		}
		for j := range i {
			l.products[j][i] = l.products[i][j]
		}
	}
	return l
}

func (l *ladderFit) rows() float64 { return float64(len(l.sizes)) }

// fits are the best with 0, 1, 2, ... knees.
func (l *ladderFit) fits() (all []fit) {
	f := l.solve(nil)
	for all = append(all, f); len(f.at) < mostKnees; all = append(all, f) {
		more := fit{rss: math.Inf(1)}
		for c := range l.candidates {
			if g := l.solve(append(slices.Clone(f.at), c)); g.rss < more.rss {
				more = g
			}
		}
		if math.IsInf(more.rss, 1) {
			break
		}
		f = l.improve(more)
	}
	return all
}

// improve moves one knee after the other to where it fits best, until none moves.
func (l *ladderFit) improve(f fit) fit {
	for moved := true; moved; {
		moved = false
		for i := range f.at {
			for c := range l.candidates {
				at := slices.Clone(f.at)
				at[i] = c
				if g := l.solve(at); g.rss < f.rss {
					f, moved = g, true
					break // its order may have changed
				}
			}
		}
	}
	return f
}

// solve finds base and steps for the knees. Where that needs a step down, or one
// that is none, or knees side by side, the sum of squares is infinite.
func (l *ladderFit) solve(at []int) fit {
	slices.Sort(at)
	f := fit{of: l, at: at, rss: math.Inf(1), score: math.Inf(1)}
	columns := make([]int, 1, mostKnees+1)
	for i, c := range at {
		if i > 0 && l.candidates[c] < l.candidates[at[i-1]]*leastApart {
			return f
		}
		columns = append(columns, c+1)
	}
	coef, ok := l.leastSquares(columns)
	if !ok || coef[0] <= 0 {
		return f
	}
	level := coef[0]
	for i, d := range coef[1:] {
		if d*l.seen[at[i]] < level*(leastStep-1) {
			return f
		}
		level += d
	}
	n := l.rows()
	rss := n // of the residuals: by the normal equations, that of 1 less that of the fit
	for i, c := range columns {
		rss -= coef[i] * l.sums[c]
	}
	f.base, f.steps, f.rss = coef[0], coef[1:], max(0, rss)
	f.score = n*math.Log(f.rss/n+fitFloor*fitFloor) + float64(2*len(at)+1)*math.Log(n) + float64(evidence*len(at))
	return f
}

// leastSquares finds the coefficients with which the columns best add up to 1 in
// every row, by the normal equations, eliminated after Gauss and Jordan. Their
// matrix is positive definite, so that the pivots are on the diagonal.
func (l *ladderFit) leastSquares(columns []int) (coef []float64, ok bool) {
	var m [mostKnees + 1][mostKnees + 2]float64
	k := len(columns)
	for i, a := range columns {
		for j, b := range columns {
			m[i][j] = l.products[a][b]
		}
		m[i][k] = l.sums[a]
	}
	for i := range k {
		pivot := m[i][i]
		if !(pivot > 1e-12*l.products[columns[i]][columns[i]]) {
			return nil, false
		}
		for j := range k + 1 {
			m[i][j] /= pivot
		}
		for r := range k {
			if f := m[r][i]; r != i {
				for j := range k + 1 {
					m[r][j] -= f * m[i][j]
				}
			}
		}
	}
	for i := range k {
		coef = append(coef, m[i][k])
	}
	return coef, true
}

// knees are the fit's, with their intervals.
func (f fit) knees() (out []knee) {
	level := f.base
	for i, c := range f.at {
		k := knee{at: f.of.candidates[c], before: level, after: level + f.steps[i]}
		k.lo, k.hi = f.interval(i)
		level = k.after
		out = append(out, k)
	}
	return out
}

// interval is of where knee i may lie: the sum of squares there is not above the
// least by more than the chi-square quantile allows.
func (f fit) interval(i int) (lo, hi float64) {
	const quantile = 3.84 // chi-square, one degree of freedom, 95 %
	l := f.of
	n := l.rows()
	free := max(1, n-float64(2*len(f.at)+1))
	most := f.rss + quantile*(f.rss/free+fitFloor*fitFloor)
	at := l.candidates[f.at[i]]
	lo, hi = at, at
	for c, size := range l.candidates {
		moved := slices.Clone(f.at)
		moved[i] = c
		if g := l.solve(moved); g.rss <= most {
			lo, hi = min(lo, size), max(hi, size)
		}
	}
	// Between two sizes that were read the knee is where the form of the curve puts
	// it: no nearer than half their distance.
	j, _ := slices.BinarySearch(l.sizes, at)
	step := 1.0
	if j > 0 && j < len(l.sizes) {
		step = math.Sqrt(l.sizes[j] / l.sizes[j-1])
	}
	return min(lo, at/step), max(hi, at*step)
}
