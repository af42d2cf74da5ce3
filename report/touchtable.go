package report

import (
	"math"
	"slices"

	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
)

// touchTable lists what operations touch.
func touchTable(cells []touchCell) table.Table {
	t := table.Table{
		Name: "touch", Title: "Lines touched",
		Note: "Distinct lines of 64 bytes and pages of 4 KiB of the filter's memory, and loads of it, for an operation. Model is what the design says of the lines. " +
			"L1, L2 and L3 are loads that miss modelled caches of 32 KiB, 512 KiB and 32 MiB with nothing else in them.",
		Columns: []table.Column{text("filter"), number("size"), text("operation"), number("lines"), number("95% interval"), number("model"),
			number("pages"), number("loads"), number("L1 misses"), number("L2 misses"), number("L3 misses")},
	}
	for _, c := range cells {
		model := c.first("model-lines")
		row := []string{c.filter, format.Bytes(c.size), c.op, format.Fixed(c.lines.mid, 4), c.lines.interval(), orDash(format.Fixed(model, 4), !math.IsNaN(model)),
			format.Fixed(c.pages, 4), format.Fixed(c.load, 4)}
		for _, m := range c.misses {
			row = append(row, format.Fixed(m, 3))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// touchHereTable lists the misses in a model of the machine that measured, and
// beside them what its CPU counted.
func touchHereTable(records []results.Record) table.Table {
	t := table.Table{
		Name: "touch-here", Title: "Misses on this machine",
		Note: "Loads of a lookup or an add that miss modelled caches of this machine's own sizes (ways of each behind the point), and what the CPU counted of single lookups, median of the rounds, " +
			"where its counters can be read. A virtual machine has a share of the last level only. Not to be compared with another machine's.",
		Columns: []table.Column{text("filter"), number("size"), text("operation"), text("caches"),
			number("L1 misses"), number("L2 misses"), number("L3 misses"), number("L1 counted"), number("last counted")},
	}
	counted := cellsOf(records, "TouchCounters")
	for _, c := range cellsOf(records, "TouchHere") {
		row := []string{c.Axis("filter"), c.Axis("size"), c.Axis("op"), c.Axis("caches")}
		for _, unit := range []string{"l1-misses/op", "l2-misses/op", "l3-misses/op"} {
			row = append(row, format.Fixed(c.first(unit), 3))
		}
		l1, last := math.NaN(), math.NaN()
		if i := slices.IndexFunc(counted, func(o cell) bool {
			return o.Axis("filter") == c.Axis("filter") && o.Axis("size") == c.Axis("size") && o.Axis("op") == c.Axis("op")
		}); i >= 0 {
			l1, last = counted[i].median("counted-l1-misses/op").mid, counted[i].median("counted-last-misses/op").mid
		}
		t.Rows = append(t.Rows, append(row, format.Fixed(l1, 3), format.Fixed(last, 3)))
	}
	return t
}
