package report

import (
	"fmt"
	"math"
	"strings"

	"filterbench/filters/theory"
	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/results"
	"filterbench/results/stat"
)

// clearCharts draw what goes with a key whose bits are cleared.
func clearCharts(records []results.Record) []chart.Chart {
	measured := chart.Series{Style: chart.StyleOf("bloom")}
	expected := chart.Series{Style: chart.Style{Color: chart.Gray}}
	title := ""
	for _, c := range cellsOf(records, "Clear") {
		n, ok1 := c.number("n")
		m, ok2 := c.number("m")
		k, ok3 := c.number("k")
		lost, ok4 := meanOf(c.Record, "lost", "trials", n-1)
		if !ok1 || !ok2 || !ok3 || !ok4 || !(m >= 1 && m < maxCount) || !(k >= 1 && k <= theory.MaxProbes) {
			continue
		}
		bits := m / n
		measured.Points = append(measured.Points, chart.Point{X: bits, Y: lost.mid, Lo: lost.lo, Hi: lost.hi, Label: "k = " + format.Short(k)})
		expected.Curve = append(expected.Curve, chart.XY{X: bits, Y: theory.BrokenByClearing(uint64(n), uint64(m), int(k))})
		if k == 7 || title == "" {
			title = fmt.Sprintf("To clear one key's bits loses %s other keys at %s bits per key", format.Digits(lost.mid, 2), format.Short(bits))
			if lost.mid == 0 {
				title = "To clear one key's bits loses no other key"
			}
		}
	}
	return []chart.Chart{{
		Name: "delete-clear", Minor: true, Title: title,
		Subtitle: "plain Bloom filters of the texts' sizes, full, each key by itself; mean, 95% interval; line: theory",
		X:        chart.Axis{Label: "bits per key"},
		Y:        chart.Axis{Label: "other keys lost", Zero: true},
		Series:   []chart.Series{expected, measured},
	}}
}

// counterCharts draw how many counters have each value.
func counterCharts(records []results.Record) []chart.Chart {
	measured := chart.Series{Name: "measured", Style: chart.StyleOf("counting")}
	expected := chart.Series{Name: "theory", Style: chart.Style{Color: chart.Gray}}
	for _, c := range cellsOf(records, "Counter") {
		v, ok1 := c.number("value")
		n, ok2 := c.number("n")
		m, ok3 := c.number("counters")
		k, ok4 := c.number("k")
		count, ok5 := c.Value("counters")
		filters, ok6 := c.Value("filters")
		if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 || !(m >= 2 && m < maxCount) || !(n >= 1 && n < maxCount) || !(v >= 0 && v <= 255) ||
			!(k >= 1 && k <= theory.MaxProbes) || !(filters >= 1 && filters*m < maxCount) || !(count >= 0 && count <= filters*m) {
			continue
		}
		lo, hi := stat.Wilson(uint64(count), uint64(filters*m), level)
		measured.Points = append(measured.Points, chart.Point{X: v, Y: count, Lo: lo * filters * m, Hi: hi * filters * m})
		expected.Curve = append(expected.Curve, chart.XY{X: v, Y: filters * m * theory.CounterValue(uint64(n), uint64(m), int(k), int(v))})
	}
	c := chart.Chart{
		Name: "delete-counters", Minor: true, Title: counterTitle(records),
		Subtitle: "a counting filter of a million distinct keys at 9.585 counters a key, k = 7; 95% interval",
		X:        chart.Axis{Label: "value of a counter", Max: 17},
		Y:        chart.Axis{Label: "counters", Log: true, Ticks: chart.Decimal},
		Series:   []chart.Series{expected, measured},
	}
	for _, bits := range []int{2, 3, 4} {
		c.Marks = append(c.Marks, chart.Mark{At: math.Exp2(float64(bits)) - .5, Name: fmt.Sprintf("%d bits end", bits)})
	}
	return []chart.Chart{c}
}

// counterTitle says how many counters would not fit.
func counterTitle(records []results.Record) string {
	const unknown = "Values of counters"
	cells := cellsOf(records, "Counters")
	if len(cells) == 0 {
		return unknown
	}
	m, ok1 := cells[0].number("counters")
	filters, ok2 := cells[0].Value("filters")
	if !ok1 || !ok2 {
		return unknown
	}
	var parts []string
	for _, bits := range []string{"2", "3", "4"} {
		v, ok := cells[0].Value("over-" + bits + "bit")
		if !ok {
			return unknown
		}
		said := format.Count(v)
		if v == 0 {
			said = "none"
		}
		parts = append(parts, said+" in "+bits)
	}
	parts[0] = strings.Replace(parts[0], " in ", " would not fit in ", 1) + " bits"
	return fmt.Sprintf("Of %s counters %s", format.Count(m*filters), list(parts))
}
