package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"filterbench/report/chart"
	"filterbench/report/format"
)

// The texts' claim: 1 % takes -log2(0.01)/ln 2 = 9.585 bits per key.
const (
	headlineRate = .01
	headlineAsk  = "9.585" // the axis value of the cells that test it
)

var headlineBits = -math.Log2(headlineRate) / math.Ln2

// sweep is one filter's rates over bits per key, by bits allocated.
type sweep struct {
	filter string
	n      float64
	points []rate
	// designs says that the points are single designs, with nothing between
	// them: the family has no others.
	designs bool
}

// sweeps picks, for the workload measured most, the sweep of each filter: at
// the number of keys that most filters share, or else at its own largest. Few
// points are no sweep: they count if their family has nothing else, such as a
// filter of fixed fingerprints.
func sweeps(cells []rate) (keys string, n float64, all []sweep) {
	type key struct {
		keys, filter string
		n            float64
	}
	groups := map[key][]rate{}
	for _, r := range cells {
		k := key{r.keys, r.filter, r.n}
		groups[k] = append(groups[k], r)
	}
	most := 0
	for _, g := range groups {
		most = max(most, len(g))
	}
	enough := min(most, 5)
	type panel struct {
		keys string
		n    float64
	}
	score := map[panel]int{}
	for k, g := range groups {
		if len(g) >= enough {
			score[panel{k.keys, k.n}] += len(g)
		}
	}
	var best panel
	for p, s := range score {
		b := score[best]
		if s > b || s == b && (p.n > best.n || p.n == best.n && p.keys < best.keys) {
			best = p
		}
	}
	pick := func(f string, least int) sweep {
		s := sweep{filter: f, n: best.n, designs: least < enough}
		if len(groups[key{best.keys, f, best.n}]) < least {
			s.n = 0
			for k, g := range groups {
				if k.keys == best.keys && k.filter == f && len(g) >= least {
					s.n = max(s.n, k.n)
				}
			}
		}
		s.points = slices.Clone(groups[key{best.keys, f, s.n}])
		slices.SortStableFunc(s.points, func(a, b rate) int { return cmp.Compare(a.alloc, b.alloc) })
		return s
	}
	filters := distinct(cells, func(r rate) string { return r.filter })
	swept := map[string]bool{}
	for _, f := range filters {
		swept[family(f)] = swept[family(f)] || len(pick(f, enough).points) > 0
	}
	for _, f := range filters {
		s := pick(f, enough)
		if !swept[family(f)] {
			s = pick(f, 1)
		}
		if len(s.points) > 0 {
			all = append(all, s)
		}
	}
	return best.keys, best.n, all
}

// sweepEnd is how far charts reach, in bits per key. A claim may have asked for
// a point beyond the sweep, which would squeeze all the others; tables have it.
const sweepEnd = 22

func upTo(bits float64, all []sweep) (kept []sweep) {
	for _, s := range all {
		s.points = slices.DeleteFunc(slices.Clone(s.points), func(r rate) bool { return r.alloc > bits })
		if len(s.points) > 0 {
			kept = append(kept, s)
		}
	}
	return kept
}

// fprCharts draw the false-positive rate against bits per key.
func fprCharts(cells []rate) (charts []chart.Chart) {
	keys, n, all := sweeps(cells)
	filters := distinct(all, func(s sweep) string { return s.filter })
	names := newNamer(filters)
	for _, t := range themesOf(filters, counters) {
		var shown []sweep
		for _, f := range t.specs() {
			shown = append(shown, all[slices.Index(filters, f)])
		}
		if t.name != counters {
			shown = upTo(sweepEnd, shown)
		}
		c := fprChart(shown, names, keys, n)
		if t.minor {
			c.Title = minorTitle(shown, t, names)
		}
		charts = append(charts, t.named("fpr", c))
	}
	return charts
}

func fprChart(shown []sweep, names namer, keys string, n float64) chart.Chart {
	c := chart.Chart{
		Title:    fprTitle(shown, names),
		Subtitle: fprSubtitle(shown, keys, n),
		Caption: "Lower and further left is better. Points are counts, with their 95% interval where it is wider than the marker; " +
			"lines are what theory expects; a marker without a line is a filter that comes in no other sizes. An open marker with an arrow is a filter of which no false positive was seen: " +
			"the rate is below the marker with 95% confidence. The shaded corner is out of reach for any filter: " +
			"a rate of p takes at least log2(1/p) bits per key.",
		X: chart.Axis{Label: "space (bits per key, as allocated)"},
		Y: chart.Axis{Label: "false-positive rate", Log: true, Ticks: chart.Percent},
		Marks: []chart.Mark{
			{At: headlineBits, Name: "9.585 bits: 1% in theory", Short: "9.585"},
			{At: headlineRate, Horizontal: true},
		},
		Region: &chart.Region{Name: "no filter can be here"},
	}
	for b := 0.0; b <= 64; b++ {
		c.Region.Curve = append(c.Region.Curve, chart.XY{X: b, Y: math.Exp2(-b)})
	}
	styles := chart.Styles(distinct(shown, func(s sweep) string { return s.filter }))
	for i, s := range shown {
		r := chart.Series{Name: names.name(s.filter), Style: styles[i]}
		if s.n != n {
			r.Name += ", n = " + format.Compact(s.n)
		}
		for _, p := range s.points {
			r.Points = append(r.Points, ratePoint(p.alloc, p))
			if !math.IsNaN(p.model) && !s.designs {
				r.Curve = append(r.Curve, chart.XY{X: p.alloc, Y: p.model})
			}
		}
		c.Series = append(c.Series, r)
	}
	return c
}

// ratePoint is a rate at x, or the upper bound that a count of zero gives.
func ratePoint(x float64, r rate) chart.Point {
	if r.zero() {
		return chart.Point{X: x, Y: r.hi, Bound: true}
	}
	return chart.Point{X: x, Y: r.p, Lo: r.lo, Hi: r.hi}
}

func fprSubtitle(shown []sweep, keys string, n float64) string {
	least, most := math.Inf(1), 0.0
	for _, s := range shown {
		for _, p := range s.points {
			least, most = min(least, float64(p.Queries)), max(most, float64(p.Queries))
		}
	}
	return fmt.Sprintf("n = %s %s keys, %s absent keys asked a point; points: measured, 95%% interval; lines: theory",
		format.Compact(n), keys, compactSpan(least, most))
}

// compactSpan is span for large numbers: "5.43k to 10M".
func compactSpan(lo, hi float64) string {
	if lo == hi {
		return format.Compact(lo)
	}
	return format.Compact(lo) + " to " + format.Compact(hi)
}

// span writes one number, or the two ends of a range.
func span(lo, hi float64) string {
	if lo == hi {
		return format.Count(lo)
	}
	return format.Count(lo) + " to " + format.Count(hi)
}
