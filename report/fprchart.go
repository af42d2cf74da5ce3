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
}

// sweeps picks, for the workload measured most, the sweep of each filter: at
// the number of keys that most filters share, or else at its own largest. A
// filter with a few single points has none.
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
	for _, f := range distinct(cells, func(r rate) string { return r.filter }) {
		s := sweep{filter: f, n: best.n}
		if len(groups[key{best.keys, f, best.n}]) < enough {
			s.n = 0
			for k, g := range groups {
				if k.keys == best.keys && k.filter == f && len(g) >= enough {
					s.n = max(s.n, k.n)
				}
			}
		}
		if s.points = groups[key{best.keys, f, s.n}]; s.n == 0 || len(s.points) < enough {
			continue
		}
		slices.SortStableFunc(s.points, func(a, b rate) int { return cmp.Compare(a.alloc, b.alloc) })
		all = append(all, s)
	}
	return best.keys, best.n, all
}

// fprCharts draw the false-positive rate against bits per key.
func fprCharts(cells []rate) (charts []chart.Chart) {
	keys, n, all := sweeps(cells)
	names := newNamer(distinct(all, func(s sweep) string { return s.filter }))
	for i, group := range pages(distinct(all, func(s sweep) string { return s.filter })) {
		var shown []sweep
		for _, s := range all {
			if slices.Contains(group, s.filter) {
				shown = append(shown, s)
			}
		}
		charts = append(charts, numbered(fprChart(shown, names, keys, n), "fpr", i))
	}
	return charts
}

// numbered names the i-th chart of a kind. The first explains how to read all.
func numbered(c chart.Chart, name string, i int) chart.Chart {
	c.Name = name
	if i > 0 {
		c.Name = fmt.Sprintf("%s-%d", name, i+1)
		c.Caption = ""
	}
	return c
}

func fprChart(shown []sweep, names namer, keys string, n float64) chart.Chart {
	c := chart.Chart{
		Title:    fprTitle(shown, names),
		Subtitle: fprSubtitle(shown, keys, n),
		Caption: "Lower and further left is better. Points are counts, with their 95% interval where it is wider than the marker; " +
			"lines are what theory expects. An open marker with an arrow is a filter of which no false positive was seen: " +
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
			if !math.IsNaN(p.model) {
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

// fprTitle states what the points say of the texts' claim, or else which
// filter needs the least space.
func fprTitle(shown []sweep, names namer) string {
	for _, s := range shown {
		if slices.ContainsFunc(s.points, func(r rate) bool { return r.contradicts > 0 }) {
			return "Records contradict themselves: " + findingOf(shown, names)
		}
	}
	return findingOf(shown, names)
}

func findingOf(shown []sweep, names namer) string {
	title, subject := headlineTitle(shown, names)
	if title == "" {
		return leastTitle(shown, names)
	}
	ref, ok := bitsFor(subject.points, headlineRate)
	if !ok {
		return title
	}
	for _, s := range shown {
		if family(s.filter) != "blocked" {
			continue
		}
		if bits, ok := bitsFor(s.points, headlineRate); ok {
			return title + "; blocking " + costs(bits-ref)
		}
	}
	return title
}

// headlineTitle judges the point at 9.585 bits per key.
func headlineTitle(shown []sweep, names namer) (title string, subject sweep) {
	for _, f := range []string{"bloom", "naive"} {
		for _, s := range shown {
			i := slices.IndexFunc(s.points, func(r rate) bool { return r.bits == headlineAsk })
			if family(s.filter) != f || i < 0 {
				continue
			}
			return sentence(names.name(s.filter)) + " at 9.6 bits per key gives " + verdictOnPercent(s.points[i]), s
		}
	}
	return "", sweep{}
}

// verdictOnPercent says "1%" where the interval reaches to within a twentieth
// of it, and otherwise what was measured instead.
func verdictOnPercent(p rate) string {
	switch {
	case p.zero():
		return "less than " + format.Percent(p.hi, 2) + ", not 1%"
	case p.hi > 1.5*p.lo:
		return format.PercentInterval(p.lo, p.hi)
	case p.lo <= 1.05*headlineRate && p.hi >= .95*headlineRate:
		return "1%"
	}
	return format.Percent(p.p, 2) + ", not 1%"
}

func costs(bits float64) string {
	switch {
	case math.Abs(bits) < .05:
		return "costs nothing"
	case bits < 0:
		return fmt.Sprintf("saves %.1f bits", -bits)
	}
	return fmt.Sprintf("costs %.1f bits", bits)
}

// leastTitle names the filter that needs the least space for 1 %.
func leastTitle(shown []sweep, names namer) string {
	best, least := "", math.Inf(1)
	for _, s := range shown {
		if bits, ok := bitsFor(s.points, headlineRate); ok && bits < least {
			best, least = names.name(s.filter), bits
		}
	}
	if best == "" {
		return "False-positive rate against bits per key"
	}
	title := fmt.Sprintf("%s needs %.1f bits per key for 1%%", sentence(best), least)
	if len(shown) > 1 {
		title += ", the least of these"
	}
	return title
}
