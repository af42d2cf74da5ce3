package report

import (
	"fmt"
	"math"
	"slices"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/results/stat"
)

// ratioBits is the space at which workloads and numbers of keys are compared.
const ratioBits = "10"

// ratioCharts draw measured over expected rates across workloads and numbers
// of keys: a filter whose rate drifts off its model shows here.
func ratioCharts(cells []rate) (charts []chart.Chart) {
	var shown []rate
	for _, r := range cells {
		if r.bits == ratioBits && !math.IsNaN(r.ratio()) && r.model > 0 {
			shown = append(shown, r)
		}
	}
	// A filter that was measured at one or two places has nothing to compare.
	places := map[string]int{}
	for _, r := range shown {
		places[r.filter]++
	}
	if most := slices.Max(append(mapValues(places), 0)); most > 2 {
		shown = slices.DeleteFunc(shown, func(r rate) bool { return places[r.filter] < 3 })
	}
	filters := distinct(shown, func(r rate) string { return r.filter })
	names := newNamer(filters)
	for i, group := range pages(filters) {
		c := ratioChart(shown, group, names)
		// Filters that no chart shows count in the first.
		c.Title = ratioTitle(slices.DeleteFunc(slices.Clone(cells), func(r rate) bool {
			return !slices.Contains(group, r.filter) && (i > 0 || slices.Contains(filters, r.filter))
		}))
		charts = append(charts, numbered(c, "fpr-ratio", i))
	}
	return charts
}

func mapValues(m map[string]int) (vs []int) {
	for _, v := range m {
		vs = append(vs, v)
	}
	return vs
}

// ratioRow is a row of the chart: a workload, at one number of keys where the
// workload has several for one filter.
type ratioRow struct {
	keys   string
	lo, hi float64 // range of n
}

func (r ratioRow) name() string {
	if r.lo == r.hi {
		return r.keys + ", n = " + format.Compact(r.lo)
	}
	return r.keys + ", n = " + format.Compact(r.lo) + "–" + format.Compact(r.hi)
}

func ratioRows(cells []rate) (rows []ratioRow) {
	for _, keys := range distinct(cells, func(r rate) string { return r.keys }) {
		ns := map[float64]bool{}
		perFilter := map[string]int{}
		for _, r := range cells {
			if r.keys == keys {
				ns[r.n] = true
				perFilter[r.filter]++
			}
		}
		var sizes []float64
		several := false
		for n := range ns {
			sizes = append(sizes, n)
		}
		for _, count := range perFilter {
			several = several || count > 1
		}
		slices.Sort(sizes)
		if !several {
			rows = append(rows, ratioRow{keys, sizes[0], sizes[len(sizes)-1]})
			continue
		}
		for _, n := range sizes {
			rows = append(rows, ratioRow{keys, n, n})
		}
	}
	return rows
}

func ratioChart(cells []rate, group []string, names namer) chart.Chart {
	c := chart.Chart{
		Subtitle: "measured over expected rate at " + ratioBits + " bits per key, 95% interval; dashed: theory",
		Caption: "Each row is a kind of keys and a number of them. Points on the dashed line agree with theory; " +
			"a filter that leaves it for some keys or sizes has a weak hash, a fault in its indexing, or a model that does not hold there.",
		X: chart.Axis{Label: "measured rate over theory", Log: true, Ticks: chart.Times, Min: .95, Max: 1.05},
	}
	shown := slices.DeleteFunc(slices.Clone(cells), func(r rate) bool { return !slices.Contains(group, r.filter) })
	rows := ratioRows(shown)
	for _, r := range rows {
		c.Rows = append(c.Rows, r.name())
	}
	c.Marks = []chart.Mark{{At: 1}}
	styles := chart.Styles(group)
	for i, f := range group {
		s := chart.Series{Name: names.name(f), Style: styles[i]}
		step := .7 / float64(len(group))
		offset := (float64(i) - float64(len(group)-1)/2) * step
		for _, r := range shown {
			row := slices.IndexFunc(rows, func(w ratioRow) bool { return w.keys == r.keys && w.lo <= r.n && r.n <= w.hi })
			if r.filter != f || row < 0 {
				continue
			}
			p := chart.Point{X: r.ratio(), Y: float64(row) + offset, Lo: r.lo / r.model, Hi: r.hi / r.model}
			if r.zero() {
				p.X, p.Bound = r.hi/r.model, true
			}
			s.Points = append(s.Points, p)
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// ratioTitle judges all cells that have a model, at every space, not only
// those shown: how many lie off it by more than the model admits and chance
// explains. The chance of calling any one wrongly is 5 % (Holm).
func ratioTitle(cells []rate) string {
	var held []rate
	var p []float64
	for _, r := range cells {
		if r.held() {
			held, p = append(held, r), append(p, r.pValue())
		}
	}
	if len(held) == 0 {
		return "Measured rates against theory"
	}
	off, worst := 0, 0
	adjusted := stat.Holm(p)
	for i, a := range adjusted {
		if a < 1-level {
			off++
		}
		if further(a, held[i], adjusted[worst], held[worst]) {
			worst = i
		}
	}
	switch {
	case off == 0 && len(held) == 1:
		return "The measured rate agrees with theory"
	case off == 0:
		return fmt.Sprintf("All %s measured rates agree with theory", format.Count(float64(len(held))))
	}
	names := newNamer(distinct(cells, func(r rate) string { return r.filter }))
	w := held[worst]
	return fmt.Sprintf("%s of %s measured rates miss theory, worst %s at %s bits, %s %s keys: %s× theory",
		format.Count(float64(off)), format.Count(float64(len(held))), names.name(w.filter), w.bits,
		format.Compact(w.n), w.keys, format.Digits(w.ratio(), 3))
}

// further reports whether the first cell is less likely than the second, or,
// where both chances vanish, further off.
func further(p1 float64, r1 rate, p2 float64, r2 rate) bool {
	if p1 != p2 {
		return p1 < p2
	}
	return math.Abs(math.Log(r1.ratio())) > math.Abs(math.Log(r2.ratio()))
}
