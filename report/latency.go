package report

import (
	"fmt"
	"math"
	"slices"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
)

// tail is a quantile that is measured.
type tail struct {
	unit, name string
	one        float64 // of so many calls takes longer
}

var tails = []tail{{"p50-ns", "median", 2}, {"p95-ns", "95%", 20}, {"p99-ns", "99%", 100}, {"p99.9-ns", "99.9%", 1000}}

func readLatency(set *results.Set) content {
	records := set.Records("latency")
	var c content
	usable := func(name string) []cell {
		return slices.DeleteFunc(cellsOf(records, name), func(x cell) bool {
			bad := slices.ContainsFunc(tails, func(t tail) bool { return !(x.median(t.unit).mid > 0) })
			if bad {
				c.unusable += x.rounds
			}
			return bad
		})
	}
	calls, clocks := usable("Latency"), usable("Clock")
	c.charts = latencyCharts(calls, clocks)
	c.tables = []table.Table{latencyTable(calls, clocks)}
	return c
}

// latencyCharts draw the tails of single lookups, and of each size of batches, of
// absent keys at the largest size.
func latencyCharts(calls, clocks []cell) (charts []chart.Chart) {
	absent := slices.DeleteFunc(slices.Clone(calls), func(c cell) bool { return c.Axis("hits") != "0" })
	shown, size := atLargest(absent)
	clock, _ := atLargest(clocks)
	for _, batch := range distinct(shown, func(c cell) string { return c.Axis("batch") }) {
		of := slices.DeleteFunc(slices.Clone(shown), func(c cell) bool { return c.Axis("batch") != batch })
		specs := distinct(of, func(c cell) string { return c.Axis("filter") })
		specs = specs[:min(len(specs), perChart)]
		names, styles := newNamer(specs), chart.Styles(specs)
		c := chart.Chart{
			Name: "latency", Title: latencyTitle(of, names, size, batch), Minor: len(charts) > 0,
			Subtitle: fmt.Sprintf("%s, filters of %s, absent keys; median of %d rounds, 95%% interval", callsOf(of), size, of[0].rounds),
			Caption: "Lower is better; both axes are logarithmic. The further right, the rarer: at 1000 is the time that one call in a thousand exceeds. " +
				"Gray: what reading the clock takes by itself, which every call or chain that is timed has on top. " +
				"A chain is 32 calls in a row that are timed together, since one is too short for the clock; what slows one call of it down shows as a 32nd.",
			X: chart.Axis{Label: "one call in so many takes longer", Log: true, Ticks: chart.Decimal},
			Y: chart.Axis{Label: "ns per " + callName(batch), Log: true, Ticks: chart.Decimal},
		}
		if batch != "1" {
			c.Name += "-batch-" + batch
			c.Caption = ""
		}
		if len(clock) > 0 {
			name, share := clockOf(of)
			c.Series = append(c.Series, tailSeries(clock[0], name, chart.Style{Color: chart.Gray, Dash: chart.Dotted, Thin: true}, share))
		}
		for i, f := range specs {
			j := slices.IndexFunc(of, func(c cell) bool { return c.Axis("filter") == f })
			c.Series = append(c.Series, tailSeries(of[j], names.name(f)+chained(of[j]), styles[i], 1))
		}
		charts = append(charts, c)
	}
	return charts
}

func callName(batch string) string {
	if batch == "1" {
		return "lookup"
	}
	return "batch of " + batch
}

// chained marks what was not timed by itself.
func chained(c cell) string {
	if n := c.Axis("chain"); n != "1" && n != "" {
		return " (chains)"
	}
	return ""
}

// callsOf says how the calls of a chart were timed.
func callsOf(of []cell) string {
	chains := slices.ContainsFunc(of, func(c cell) bool { return chained(c) != "" })
	alone := slices.ContainsFunc(of, func(c cell) bool { return chained(c) == "" })
	name := callName(of[0].Axis("batch"))
	switch {
	case chains && alone:
		return "each " + name + " timed, or a 32nd of a chain of 32"
	case chains:
		return "a 32nd of 32 in a chain, each a " + name
	}
	return "each " + name + " timed"
}

// clockOf names what of the clock's own time is in what is shown: all of it, or a
// 32nd where all are chains.
func clockOf(of []cell) (name string, share float64) {
	for _, c := range of {
		if chained(c) == "" {
			return "clock", 1
		}
	}
	return "clock / 32", 1. / 32
}

// tailSeries are a cell's quantiles, of which a share is shown.
func tailSeries(c cell, name string, style chart.Style, share float64) chart.Series {
	s := chart.Series{Name: name, Style: style, Join: true}
	for _, t := range tails {
		m := c.median(t.unit)
		s.Points = append(s.Points, chart.Point{X: t.one, Y: share * m.mid, Lo: share * m.lo, Hi: share * m.hi})
	}
	return s
}

// latencyTitle says how much longer than the median the slowest of a thousand
// takes, for the filter of which that is least and the one of which it is most. It
// is of those that are timed as the first is: a chain's tail is another thing than
// a call's.
func latencyTitle(of []cell, names namer, size, batch string) string {
	ratio := func(c cell) float64 { return c.median("p99.9-ns").mid / c.median("p50-ns").mid }
	sorted := slices.DeleteFunc(slices.Clone(of), func(c cell) bool { return c.Axis("chain") != of[0].Axis("chain") })
	slices.SortStableFunc(sorted, func(a, b cell) int { return compareFloat(ratio(a), ratio(b)) })
	first, last := sorted[0], sorted[len(sorted)-1]
	subject := "one " + callName(batch)
	if chained(last) != "" {
		subject = "one chain of 32 " + map[bool]string{true: "lookups", false: "batches of " + batch}[batch == "1"]
	}
	title := fmt.Sprintf("At %s %s in a thousand takes %s %s times its median", size, subject, names.name(last.Axis("filter")), times(ratio(last)))
	// Ratios have no interval of their own; that of the tail is by far the wider.
	a, b := first.median("p99.9-ns"), last.median("p99.9-ns")
	if len(sorted) > 1 && a.hi/first.median("p50-ns").mid < b.lo/last.median("p50-ns").mid {
		title += fmt.Sprintf(", %s %s times", names.name(first.Axis("filter")), times(ratio(first)))
	}
	return title
}

// latencyTable lists all calls and the clock.
func latencyTable(calls, clocks []cell) table.Table {
	t := table.Table{
		Name: "latency", Title: "Latencies",
		Note: "ns that such a share of the calls does not exceed, medians over the rounds; the interval, at 95%, is that of the last. A chain of 32 is timed where one call takes less than ten readings " +
			"of the clock, and its times are a 32nd of the chain's. Calls that are timed alone hold one reading of the clock.",
		Columns: []table.Column{text("filter"), number("size"), number("hits"), number("batch"), number("chain")},
	}
	for _, q := range tails {
		t.Columns = append(t.Columns, number(q.name))
	}
	t.Columns = append(t.Columns, number("95% interval"), number("rounds"))
	row := func(c cell, name, batch, chain string) {
		cells := []string{name, c.Axis("size"), c.Axis("hits") + "%", batch, chain}
		last := median{math.NaN(), math.NaN(), math.NaN()}
		for _, q := range tails {
			last = c.median(q.unit)
			cells = append(cells, format.Fixed(last.mid, 3))
		}
		t.Rows = append(t.Rows, append(cells, last.interval(), format.Count(float64(c.rounds))))
	}
	for _, c := range clocks {
		row(c, "the clock", dash, dash)
	}
	for _, c := range calls {
		row(c, c.Axis("filter"), c.Axis("batch"), c.Axis("chain"))
	}
	return t
}
