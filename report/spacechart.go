package report

import (
	"fmt"
	"math"
	"slices"

	"filterbench/report/chart"
	"filterbench/report/format"
)

// leastName is the row of the information bound.
const leastName = "least for any filter"

// spaceCharts draw bits per key at equal rates.
func spaceCharts(cells []rate) []chart.Chart {
	keys, n, rows := spaceRows(cells)
	return spaceChart(rows, fmt.Sprintf("n = %s %s keys; read off between measured points, 95%% interval; right: over the bound, at 1%% or its only rate",
		format.Compact(n), keys))
}

// spaceChart draws a row for each filter.
func spaceChart(rows []spaceRow, subtitle string) []chart.Chart {
	n := mostOften(rows)
	names := newNamer(distinct(rows, func(r spaceRow) string { return r.filter }))
	c := chart.Chart{
		Name:     "space",
		Title:    spaceTitle(rows, names),
		Subtitle: subtitle,
		Caption: "Further left is better; the axis is logarithmic, so that an equal distance from the top row, the bound log2(1/p), is an equal factor. " +
			"A black diamond is a filter that comes in no other sizes, with its own rate.",
		X: chart.Axis{Label: "space (bits per key, as allocated)", Log: true, Ticks: chart.Bits},
	}
	c.Rows, c.Notes = []string{leastName}, []string{"1×"}
	series := make([]chart.Series, len(targets))
	for i, p := range targets {
		series[i] = chart.Series{Name: format.Percent(p, 1), Style: chart.Ordered(i, len(targets)),
			Points: []chart.Point{{X: math.Log2(1 / p)}}}
	}
	own := chart.Series{Name: "no other sizes", Style: chart.Style{Color: chart.Ink, Glyph: chart.Diamond}}
	for i, r := range rows {
		y := float64(i + 1)
		for j, b := range r.bits {
			if b.ok {
				series[j].Points = append(series[j].Points, chart.Point{X: b.mid, Y: y, Lo: b.lo, Hi: b.hi})
			}
		}
		for _, d := range r.designs {
			own.Points = append(own.Points, chart.Point{X: d.alloc, Y: y, Label: format.Percent(d.p, 2)})
		}
		note := "–"
		if !math.IsInf(r.overhead, 1) {
			note = format.Fixed(r.overhead, 3) + "×"
		}
		name := names.name(r.filter)
		if r.n != n {
			name += ", n = " + format.Compact(r.n)
		}
		c.Rows, c.Notes = append(c.Rows, name), append(c.Notes, note)
	}
	if len(rows) == 0 {
		return nil
	}
	for i, s := range series {
		if len(s.Points) > 1 { // a filter has the rate, not the bound alone
			c.Series = append(c.Series, s)
			c.Marks = append(c.Marks, chart.Mark{At: math.Log2(1 / targets[i])})
		}
	}
	c.Series = append(c.Series, own)
	return []chart.Chart{c}
}

// mostOften is the number of keys that most rows have, or the first of several.
func mostOften(rows []spaceRow) (n float64) {
	count := map[float64]int{}
	for _, r := range rows {
		count[r.n]++
	}
	for _, r := range rows {
		if count[r.n] > count[n] {
			n = r.n
		}
	}
	return n
}

// spaceTitle names the filter that keeps to 1 % with the fewest bits, and what
// Bloom's takes, as far as their intervals tell the two apart.
func spaceTitle(rows []spaceRow, names namer) string {
	least, bloom := -1, -1
	need := make([]estimate, len(rows))
	for i, r := range rows {
		if need[i] = r.forOne(); !need[i].ok {
			continue
		}
		if least < 0 || need[i].mid < need[least].mid {
			least = i
		}
		if bloom < 0 && family(r.filter) == "bloom" {
			bloom = i
		}
	}
	if least < 0 {
		return "Bits per key at equal rates"
	}
	said := func(i int) string {
		return fmt.Sprintf("%s bits per key, %s over the bound", format.Fixed(need[i].mid, 3),
			format.Percent(need[i].mid/math.Log2(1/headlineRate)-1, 2))
	}
	switch {
	case bloom < 0:
		return fmt.Sprintf("Least for 1%%: %s with %s", names.name(rows[least].filter), said(least))
	case need[least].hi < need[bloom].lo:
		return fmt.Sprintf("%s keeps to 1%% with %s; %s takes %s", sentence(names.name(rows[least].filter)), said(least),
			names.name(rows[bloom].filter), format.Fixed(need[bloom].mid, 3))
	}
	return fmt.Sprintf("No filter here needs fewer bits for 1%% than %s: %s", names.name(rows[bloom].filter), said(bloom))
}

// forOne is what keeps to 1 %: bits read off between sizes, or the least of the
// only sizes whose rate is shown to be below that.
func (r spaceRow) forOne() estimate {
	for _, d := range r.designs { // by bits
		if d.hi <= headlineRate {
			return estimate{d.alloc, d.alloc, d.alloc, true}
		}
	}
	return r.bits[slices.Index(targets, headlineRate)]
}
