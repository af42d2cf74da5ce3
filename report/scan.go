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

func readScan(set *results.Set) content {
	records := set.Records("scan")
	var c content
	times := slices.DeleteFunc(cellsOf(records, "Scan"), func(x cell) bool {
		n, ok := x.number("n")
		bad := !ok || !(n >= 1) || !(x.median("ns/op").mid > 0)
		if bad {
			c.unusable += x.rounds
		}
		return bad
	})
	c.charts = append(scanCharts(times), candidateCharts(records)...)
	c.tables = []table.Table{scanTable(times)}
	for _, x := range []struct{ kind, title string }{
		{"Cages", "Cages opened without a filter and behind one"},
		{"Dictionary", "A universe asked for, key by key"},
		{"Range", "Ranges of absent keys"},
	} {
		var of []results.Record
		for _, r := range records {
			if r.Name == x.kind {
				of = append(of, r)
			}
		}
		c.tables = append(c.tables, recordTable("scan-"+x.kind, x.title, of))
	}
	return c
}

// scanCharts draw the time of finding out that a key is absent against the keys.
func scanCharts(times []cell) []chart.Chart {
	absent := slices.DeleteFunc(slices.Clone(times), func(c cell) bool { return c.Axis("hits") != "0" })
	if len(absent) == 0 {
		return nil
	}
	specs := distinct(absent, func(c cell) string { return c.Axis("filter") })
	specs = specs[:min(len(specs), perChart)]
	names, styles := newNamer(specs), chart.Styles(specs)
	c := chart.Chart{
		Name: "scan", Title: scanTitle(absent),
		Subtitle: fmt.Sprintf("one absent key of 8 bytes after the other, hashing included; median of %d rounds, 95%% interval", absent[0].rounds),
		Caption: "Lower is better; both axes are logarithmic. A scan looks at every key before it knows that one is absent, a binary search at as many as the number has bits. " +
			"A map and a filter hash the key and look in one place or a few, however many keys there are; the filter takes a fraction of the memory, and errs.",
		X: chart.Axis{Label: "keys", Log: true, Ticks: chart.Decimal},
		Y: chart.Axis{Label: "ns per absent key", Log: true, Ticks: chart.Decimal},
	}
	for i, f := range specs {
		s := chart.Series{Name: scanned(names.name(f)), Style: styles[i], Join: true}
		if f == "linear" {
			s.Style = chart.Style{Color: chart.Gray, Glyph: chart.Diamond}
		}
		for _, t := range absent {
			if n, _ := t.number("n"); t.Axis("filter") == f {
				m := t.median("ns/op")
				s.Points = append(s.Points, chart.Point{X: n, Y: m.mid, Lo: m.lo, Hi: m.hi})
			}
		}
		slices.SortFunc(s.Points, func(a, b chart.Point) int { return compareFloat(a.X, b.X) })
		c.Series = append(c.Series, s)
	}
	return []chart.Chart{c}
}

// scanned says what a structure is.
func scanned(name string) string {
	switch name {
	case "linear":
		return "linear scan"
	case "array":
		return "binary search"
	case "set":
		return "map"
	}
	return name
}

// scanTitle compares a scan with the first filter at the most keys that both were
// measured with.
func scanTitle(absent []cell) string {
	filter := ""
	for _, c := range absent {
		if f := family(c.Axis("filter")); filter == "" && !slices.Contains([]string{"linear", "array", "set"}, f) {
			filter = c.Axis("filter")
		}
	}
	most, scan, asked := 0., median{}, median{}
	for _, a := range absent {
		for _, b := range absent {
			n, _ := a.number("n")
			if m, _ := b.number("n"); a.Axis("filter") == "linear" && b.Axis("filter") == filter && n == m && n > most {
				most, scan, asked = n, a.median("ns/op"), b.median("ns/op")
			}
		}
	}
	switch {
	case most == 0:
		return "What finding out that a key is absent takes"
	case scan.lo > asked.hi:
		return fmt.Sprintf("Among %s keys a scan takes %s times as long as %s to find out that one is absent", format.Count(most), times(scan.mid/asked.mid), family(filter))
	case scan.hi < asked.lo:
		return fmt.Sprintf("Even among %s keys a scan is faster than %s", format.Count(most), family(filter))
	}
	return fmt.Sprintf("Among %s keys a scan and %s cannot be told apart in these rounds", format.Count(most), family(filter))
}

// candidateCharts draw how many keys of a universe filters do not rule out against
// how many they hold.
func candidateCharts(records []results.Record) []chart.Chart {
	var cells []cell
	for _, c := range cellsOf(records, "Dictionary") {
		n, ok := c.number("n")
		if left := c.first("candidates"); ok && n >= 1 && left >= n && left < maxCount {
			cells = append(cells, c)
		}
	}
	if len(cells) == 0 {
		return nil
	}
	specs := distinct(cells, func(c cell) string { return c.Axis("filter") })
	specs = specs[:min(len(specs), perChart)]
	names, styles := newNamer(specs), chart.Styles(specs)
	c := chart.Chart{
		Name: "scan-candidates", Minor: true,
		Subtitle: "every key of a universe of " + cells[0].Axis("universe") + " asked for; filters of 9.585 bits per key; dotted: the members themselves",
		X:        chart.Axis{Label: "keys that the filter holds", Log: true, Ticks: chart.Decimal},
		Y:        chart.Axis{Label: "keys that it does not rule out", Log: true, Ticks: chart.Decimal},
	}
	least, most := math.Inf(1), 0.
	for _, x := range cells {
		n, _ := x.number("n")
		least, most = min(least, n), max(most, n)
	}
	c.Series = []chart.Series{{Style: chart.Style{Color: chart.Gray, Dash: chart.Dotted, Thin: true}, Curve: []chart.XY{{X: least, Y: least}, {X: most, Y: most}}}}
	for i, f := range specs {
		s := chart.Series{Name: names.name(f), Style: styles[i], Join: true}
		for _, x := range cells {
			if n, _ := x.number("n"); x.Axis("filter") == f {
				s.Points = append(s.Points, chart.Point{X: n, Y: x.first("candidates")})
				if i == 0 && n == least {
					c.Title = fmt.Sprintf("Asked for a whole universe, %s of %s keys leaves %s candidates", names.name(f), format.Count(n), format.Count(x.first("candidates")))
				}
			}
		}
		slices.SortFunc(s.Points, func(a, b chart.Point) int { return compareFloat(a.X, b.X) })
		c.Series = append(c.Series, s)
	}
	if c.Title == "" {
		c.Title = "A filter is no list of what it holds"
	}
	return []chart.Chart{c}
}

func scanTable(times []cell) table.Table {
	t := table.Table{
		Name: "scan", Title: "Absent and present keys, with a filter and without",
		Note:    "One key after the other, hashing included; a scan stops at the key that it looks for. Medians over the rounds with their 95% interval.",
		Columns: []table.Column{text("structure"), number("keys"), number("present"), number("ns/op"), number("95% interval"), number("rounds")},
	}
	for _, c := range times {
		n, _ := c.number("n")
		m := c.median("ns/op")
		t.Rows = append(t.Rows, []string{c.Axis("filter"), format.Count(n), c.Axis("hits") + "%", format.Fixed(m.mid, 3), m.interval(), format.Count(float64(c.rounds))})
	}
	return t
}
