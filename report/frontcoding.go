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

func readFrontCoding(set *results.Set) content {
	cells, bad := frontCells(set.Records("frontcoding"))
	return content{unusable: bad, charts: frontCharts(cells), tables: []table.Table{frontTable(cells)}}
}

// frontCell is how many times smaller front-coded keys are.
type frontCell struct {
	cell
	keys, restart string
	ratio         float64
}

func frontCells(records []results.Record) (cells []frontCell, unusable int) {
	for _, c := range cellsOf(records, "FrontCoding") {
		f := frontCell{cell: c, keys: c.Axis("keys"), restart: c.Axis("restart"), ratio: c.first("key-B") / c.first("coded-B")}
		if f.keys == "" || f.restart == "" || !(f.ratio > 0) || math.IsInf(f.ratio, 0) {
			unusable += c.rounds
			continue
		}
		cells = append(cells, f)
	}
	return cells, unusable
}

// frontCharts draw the ratios, the largest first.
func frontCharts(cells []frontCell) []chart.Chart {
	if len(cells) == 0 {
		return nil
	}
	rows := slices.Clone(cells)
	slices.SortStableFunc(rows, func(a, b frontCell) int { return -compareFloat(a.ratio, b.ratio) })
	keys := distinct(rows, func(f frontCell) string { return f.keys })
	c := chart.Chart{
		Name:     "frontcoding",
		Title:    frontTitle(cells),
		Subtitle: fmt.Sprintf("%s sorted keys of each kind; bytes of the keys over bytes coded, lengths and restarts included; counted", wholeAxis(cells[0].cell, "n")),
		Caption: "Further right is better. Each key leaves out the prefix that it shares with the one before, as in LevelDB's blocks. A restart is a key in full, from which a search can begin. " +
			"Below 1 the lengths cost more than the prefixes saved.",
		X:    chart.Axis{Label: "times smaller", Log: true, Ticks: chart.Decimal},
		Rows: keys,
	}
	for i, restart := range distinct(cells, func(f frontCell) string { return f.restart }) {
		name := "a restart every " + restart + " keys"
		if restart == "none" {
			name = "no restarts"
		}
		s := chart.Series{Name: name, Style: chart.Ordered(min(4, 1+2*i), 5)}
		for _, f := range cells {
			if f.restart == restart {
				s.Points = append(s.Points, chart.Point{X: f.ratio, Y: float64(slices.Index(keys, f.keys))})
			}
		}
		c.Series = append(c.Series, s)
	}
	return []chart.Chart{c}
}

// wholeAxis writes an axis that is a number with separators.
func wholeAxis(c cell, axis string) string {
	v, ok := c.number(axis)
	return orDash(format.Count(v), ok)
}

// frontTitle gives the range of the ratios, with restarts if there are any.
func frontTitle(cells []frontCell) string {
	of := slices.DeleteFunc(slices.Clone(cells), func(f frontCell) bool { return f.restart == "none" })
	how := ", with a restart every so often"
	if len(of) == 0 {
		of, how = cells, ", without restarts"
	} else if restarts := distinct(of, func(f frontCell) string { return f.restart }); len(restarts) == 1 {
		how = fmt.Sprintf(", with a restart every %s", restarts[0])
	}
	by := func(a, b frontCell) int { return compareFloat(a.ratio, b.ratio) }
	least, most := slices.MinFunc(of, by), slices.MaxFunc(of, by)
	if least.keys == most.keys {
		return fmt.Sprintf("Front coding makes sorted %s keys %s times smaller%s", most.keys, format.Fixed(most.ratio, 2), how)
	}
	return fmt.Sprintf("Front coding makes sorted keys %s (%s) to %s times (%s) smaller%s", format.Fixed(least.ratio, 2), least.keys, format.Fixed(most.ratio, 2), most.keys, how)
}

func frontTable(cells []frontCell) table.Table {
	t := table.Table{
		Name: "frontcoding", Title: "Front-coded keys",
		Note:    "padded8 and padded19 are numbers in order, with zeros before them; sha1 is in hexadecimal. Ratio is bytes over bytes coded.",
		Columns: []table.Column{text("keys"), text("restart"), number("n"), number("bytes"), number("coded"), number("ratio")},
	}
	for _, f := range cells {
		t.Rows = append(t.Rows, []string{f.keys, f.restart, wholeAxis(f.cell, "n"), format.Count(f.first("key-B")), format.Count(f.first("coded-B")), format.Fixed(f.ratio, 3)})
	}
	return t
}
