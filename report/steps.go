package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
)

func readSteps(set *results.Set) content {
	cells, bad := comparedRates(set.Records("steps"), "Steps")
	c := content{unusable: bad, charts: stepsCharts(cells), tables: []table.Table{stepsTable(cells)}}
	if positions := ofName(set.Records("steps"), "Positions"); len(positions) > 0 {
		c.tables = append(c.tables, recordTable("positions", "Bits that a key sets", positions))
	}
	return c
}

// comparedRates are the rates of records of a name, each by itself, that have a
// model to be compared with. Others are left out and counted.
func comparedRates(records []results.Record, name string) (cells []rate, unusable int) {
	for _, r := range ofName(records, name) {
		one, ok := readRate(r)
		if !ok || !(one.model > 0) {
			unusable++
			continue
		}
		one.estimate()
		cells = append(cells, one)
	}
	return cells, unusable
}

func ofName(records []results.Record, name string) (of []results.Record) {
	for _, r := range records {
		if r.Name == name {
			of = append(of, r)
		}
	}
	return of
}

// over is the rate over its model's, with its interval.
func (r rate) over() chart.Point {
	return chart.Point{Y: r.ratio(), Lo: r.lo / r.model, Hi: r.hi / r.model}
}

// stepName says how a filter's positions follow from each other.
func stepName(spec string) string {
	for _, o := range options(spec) {
		if step, ok := strings.CutPrefix(o, "step="); ok {
			if step == "any" {
				return "plain double hashing"
			}
			return step + map[string]string{"odd": " steps", "enhanced": " double hashing"}[step]
		}
	}
	return spec
}

// stepsCharts draw rates over those of independent positions against the number
// of keys, a chart for each size, the largest first: there it shows most.
func stepsCharts(cells []rate) (charts []chart.Chart) {
	sizes := distinct(cells, func(r rate) string { return r.bits })
	slices.SortStableFunc(sizes, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(b, a)) // as numbers, longest first
	})
	filters := distinct(cells, func(r rate) string { return r.filter })
	for i, bits := range sizes {
		at := slices.DeleteFunc(slices.Clone(cells), func(r rate) bool { return r.bits != bits })
		c := stepsChart(at, filters, bits)
		if c.Minor = i > 0; c.Minor {
			c.Name, c.Caption = c.Name+"-"+bits, ""
		}
		charts = append(charts, c)
	}
	return charts
}

func stepsChart(at []rate, filters []string, bits string) chart.Chart {
	c := chart.Chart{
		Name:     "steps",
		Title:    stepsTitle(at, bits),
		Subtitle: fmt.Sprintf("Bloom filters of index=mod at %s bits per key, many of each size; 95%% interval; dashed: independent positions, by theory", bits),
		Caption: "Both axes are logarithmic. Two keys whose two hashes are alike modulo m have all positions in common; that happens more often the smaller m is, " +
			"and independent positions err so rarely at many bits per key that it shows.",
		X:     chart.Axis{Label: "keys", Log: true, Ticks: chart.Decimal},
		Y:     chart.Axis{Label: "false positives over those of independent positions", Log: true, Ticks: chart.Times, Min: .8, Max: 1.25},
		Marks: []chart.Mark{{At: 1, Horizontal: true}},
		Dodge: true,
	}
	for i, f := range filters {
		s := chart.Series{Name: stepName(f), Style: chart.Numbered(i), Join: true}
		for _, r := range at {
			if r.filter == f && !r.zero() {
				p := r.over()
				p.X = r.n
				s.Points = append(s.Points, p)
			}
		}
		slices.SortFunc(s.Points, func(a, b chart.Point) int { return compareFloat(a.X, b.X) })
		c.Series = append(c.Series, s)
	}
	return c
}

// stepsTitle names the step that errs most, and the number of keys from which on
// the counts do not tell it from independent positions.
func stepsTitle(at []rate, bits string) string {
	worst := -1
	for i, r := range at {
		if r.lo > r.model && (worst < 0 || r.ratio() > at[worst].ratio()) {
			worst = i
		}
	}
	if worst < 0 {
		return fmt.Sprintf("At %s bits per key no step is shown to err more often than independent positions", bits)
	}
	w := at[worst]
	same := slices.DeleteFunc(slices.Clone(at), func(r rate) bool { return r.filter != w.filter })
	slices.SortFunc(same, func(a, b rate) int { return -compareFloat(a.n, b.n) }) // most keys first
	title := fmt.Sprintf("At %s bits per key %s errs %s times as often as independent positions do for %s keys",
		bits, stepName(w.filter), times(w.ratio()), format.Count(w.n))
	if last := same[0]; last.lo > last.model {
		if last.n == w.n {
			return title
		}
		return fmt.Sprintf("%s, and still %s times for %s", title, times(last.ratio()), format.Count(last.n))
	}
	from := same[0]
	for _, r := range same {
		if r.lo > r.model {
			break
		}
		from = r
	}
	return fmt.Sprintf("%s; from %s on the counts show no difference", title, format.Count(from.n))
}

func stepsTable(cells []rate) table.Table {
	t := table.Table{
		Name: "steps", Title: "Positions that follow from two hashes",
		Note: "Filters of index=mod. The ratio is over the exact rate of independent positions (Bose et al. 2008), with its 95% interval.",
		Columns: []table.Column{text("positions"), number("bits"), number("n"), number("filters"), number("false positives"), number("queries"),
			number("FPR"), number("independent"), number("ratio"), number("95% interval")},
	}
	for _, r := range cells {
		p := r.over()
		t.Rows = append(t.Rows, []string{stepName(r.filter), r.bits, format.Count(r.n), format.Count(float64(r.Filters)), format.Count(float64(r.Hits)),
			format.Count(float64(r.Queries)), format.Percent(r.p, 3), format.Percent(r.model, 4), format.Fixed(p.Y, 3), format.Interval(p.Lo, p.Hi, 3)})
	}
	return t
}
