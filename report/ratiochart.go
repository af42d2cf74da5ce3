package report

import (
	"fmt"
	"slices"
	"strings"

	"filterbench/report/chart"
	"filterbench/report/format"
)

// ratioCharts draw measured over expected rates across workloads and numbers of
// keys, of one filter of each design: a filter whose rate drifts off its model
// shows here. Each is shown at the size at which it was measured most widely;
// what was measured at fewer places is left to the chart of all filters.
func ratioCharts(cells []rate) (charts []chart.Chart) {
	var shown []rate
	for _, f := range distinct(cells, func(r rate) string { return r.filter }) {
		if at := widest(cells, f); len(at) > 2 {
			shown = append(shown, at...)
		}
	}
	filters := distinct(shown, func(r rate) string { return r.filter })
	rows, _ := modelRows(cells)
	names := newNamer(rows) // as in the chart of all filters
	for _, t := range themesOf(filters)[:min(1, len(filters))] {
		shown = slices.DeleteFunc(shown, func(r rate) bool { return !slices.Contains(t.specs(), r.filter) })
		charts = append(charts, t.named("fpr-ratio", ratioChart(shown, t.specs(), names)))
	}
	return charts
}

// widest are a filter's cells with a model, at the bits per key at which there
// are most of them.
func widest(cells []rate, filter string) (at []rate) {
	sizes := map[string][]rate{}
	var order []string
	for _, r := range cells {
		if r.filter != filter || !(r.model > 0) {
			continue
		}
		if sizes[r.bits] == nil {
			order = append(order, r.bits)
		}
		sizes[r.bits] = append(sizes[r.bits], r)
	}
	for _, bits := range order {
		if len(sizes[bits]) > len(at) {
			at = sizes[bits]
		}
	}
	return at
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

func ratioChart(shown []rate, filters []string, names namer) chart.Chart {
	c := chart.Chart{
		Title:    ratioTitle(shown, names),
		Subtitle: "measured over expected rate at " + strings.Join(distinct(shown, func(r rate) string { return r.bits }), " or ") + " bits per key, 95% interval; dashed: theory",
		Caption: "Each row is a kind of keys and a number of them. Points on the dashed line agree with theory; " +
			"a filter that leaves it for some keys or sizes has a weak hash, a fault in its indexing, or a model that does not hold there.",
		X:     chart.Axis{Label: "measured rate over theory", Log: true, Ticks: chart.Times, Min: .95, Max: 1.05},
		Marks: []chart.Mark{{At: 1}},
	}
	rows := ratioRows(shown)
	for _, r := range rows {
		c.Rows = append(c.Rows, r.name())
	}
	styles := chart.Styles(filters)
	for i, f := range filters {
		s := chart.Series{Name: names.name(f), Style: styles[i]}
		step := .7 / float64(len(filters))
		offset := (float64(i) - float64(len(filters)-1)/2) * step
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

// ratioTitle says what kinds and numbers of keys do to the rate.
func ratioTitle(shown []rate, names namer) string {
	j := judge(shown)
	switch {
	case len(j.held) == 0:
		return "Measured rates against theory"
	case len(j.off) == 0:
		ns := distinct(j.held, func(r rate) float64 { return r.n })
		return fmt.Sprintf("The rates are theory's for %s kinds of keys, and for %s to %s of them",
			format.Count(float64(len(distinct(j.held, func(r rate) string { return r.keys })))),
			format.Compact(slices.Min(ns)), format.Compact(slices.Max(ns)))
	}
	return j.misses(names)
}
