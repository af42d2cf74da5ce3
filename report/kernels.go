package report

import (
	"cmp"
	"fmt"
	"slices"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
)

func readKernels(set *results.Set) content {
	cells, bad := opsCells(set.Records("kernels"), "Kernel")
	return content{
		unusable: bad,
		charts:   kernelCharts(cells),
		tables:   []table.Table{Targets(set), opsTable("kernels", "Batches beside the limit", cells)},
		warnings: beatLimit("kernels", cells),
	}
}

// opsCell is a filter that was asked in one way, on one kind of pages.
type opsCell struct {
	cell
	filter, api, op, pages string
	size                   float64 // bytes
	xLimit                 median
}

// opsCells takes the records of a name together. Cells without a size or a
// positive time are left out and counted.
func opsCells(records []results.Record, name string) (cells []opsCell, unusable int) {
	for _, c := range cellsOf(records, name) {
		o := opsCell{cell: c, filter: c.Axis("filter"), api: c.Axis("api"), op: c.Axis("op"), pages: c.Axis("pages"), xLimit: c.median("x-limit")}
		var ok bool
		if o.size, ok = format.ParseBytes(c.Axis("size")); !ok || o.filter == "" || !positive(o.times()) || !positive(c.samples["x-limit"]) {
			unusable += c.rounds
			continue
		}
		cells = append(cells, o)
	}
	return cells, unusable
}

// times are ns an operation, round by round: of the thread's CPU time, if each
// round has it, which other work on the machine moves less than the clock.
func (o opsCell) times() []float64 {
	if cpu := o.samples["cpu-ns/op"]; len(cpu) == o.rounds && positive(cpu) {
		return cpu
	}
	return o.samples["ns/op"]
}

// positive reports whether there are values, all above 0.
func positive(values []float64) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(v float64) bool { return !(v > 0) })
}

// over is how many times as long a takes as b, of the pairs of each round. There
// is none unless both were timed in the same rounds, with the same clock.
func (o opsCell) over(b opsCell) (ratio median, ok bool) {
	x, y := o.times(), b.times()
	if o.size != b.size || o.rounds != b.rounds || len(x) != len(y) {
		return median{}, false
	}
	ratios := make([]float64, len(x))
	for i := range x {
		ratios[i] = x[i] / y[i]
	}
	return medianOf(ratios), true
}

// beatLimit warns of what was faster than the memory.
func beatLimit(experiment string, cells []opsCell) (warnings []string) {
	const leastOfLimit = .9
	for _, c := range cells {
		if c.xLimit.mid < leastOfLimit {
			warnings = append(warnings, fmt.Sprintf("%s.txt: %s at %s (%s, %s pages) takes %.2f times the physical limit: one of the two is wrong",
				experiment, c.filter, format.Bytes(c.size), c.op, c.pages, c.xLimit.mid))
		}
	}
	return warnings
}

// kernelCharts draw batches of absent keys as multiples of the limit, a row for
// each filter and a mark for each size. Filters on two kinds of pages are shown
// on the first, and those that take no hashes with the hashing.
func kernelCharts(cells []opsCell) []chart.Chart {
	shown := firstOnPages(cells)
	if len(shown) == 0 {
		return nil
	}
	sizes := distinct(shown, func(c opsCell) float64 { return c.size })
	slices.Sort(sizes)
	if most := slices.MaxFunc(sizes, func(a, b float64) int { return cmp.Compare(len(atSize(shown, a)), len(atSize(shown, b))) }); len(atSize(shown, most)) > 1 {
		sizes = slices.DeleteFunc(sizes, func(s float64) bool { return len(atSize(shown, s)) < 2 }) // that of a filter by itself
	}
	if len(sizes) > 5 {
		sizes = sizes[len(sizes)-5:]
	}
	filters := distinct(shown, func(c opsCell) string { return c.filter })
	names := newNamer(filters)
	c := chart.Chart{
		Name:  "kernels",
		Title: kernelTitle(shown, names),
		Subtitle: fmt.Sprintf("absent keys in batches, as multiples of a prefetched read of one random line in the same round; median of %s rounds, 95%% interval",
			span(leastAndMost(shown, func(c opsCell) float64 { return float64(c.rounds) }))),
		Caption: "Further left is better; the axis is logarithmic. 1× is what the memory allows a filter that reads one line for a key, with equal bytes and, but for the " +
			"peers, equal pages. Peers that take only bytes hash inside the timer.",
		X:     chart.Axis{Label: "time over that of a line read", Log: true, Ticks: chart.Times, Min: 1, Max: 1.5},
		Marks: []chart.Mark{{At: 1, Name: "the limit"}},
	}
	for row, f := range filters {
		name := names.name(f)
		if i := slices.IndexFunc(shown, func(c opsCell) bool { return c.filter == f }); shown[i].api == "key" {
			name += ", with hashing"
		}
		c.Rows = append(c.Rows, name)
		for len(c.Series) < len(sizes) {
			i := len(c.Series)
			c.Series = append(c.Series, chart.Series{Name: format.Bytes(sizes[i]), Style: chart.Ordered((i+1)*4/len(sizes), 5)})
		}
		for i, size := range sizes {
			for _, t := range atSize(shown, size) {
				if t.filter == f {
					c.Series[i].Points = append(c.Series[i].Points, chart.Point{X: t.xLimit.mid, Lo: t.xLimit.lo, Hi: t.xLimit.hi, Y: float64(row) + abreast(i, len(sizes))})
				}
			}
		}
	}
	return []chart.Chart{c}
}

// abreast is the place of mark i of n within a row, that none may hide another.
func abreast(i, n int) float64 { return .22 * (float64(i) - float64(n-1)/2) }

// firstOnPages are the batches of absent keys, by hashes where the filter takes
// them, each filter and size on the kind of pages that comes first.
func firstOnPages(cells []opsCell) (shown []opsCell) {
	for _, api := range []string{"hash", "key"} {
		for _, c := range cells {
			seen := slices.ContainsFunc(shown, func(s opsCell) bool {
				return s.filter == c.filter && (s.size == c.size || s.api != api)
			})
			if c.api == api && c.op == "absent" && !seen {
				shown = append(shown, c)
			}
		}
	}
	return shown
}

func atSize(cells []opsCell, size float64) []opsCell {
	return slices.DeleteFunc(slices.Clone(cells), func(c opsCell) bool { return c.size != size })
}

func leastAndMost(cells []opsCell, f func(opsCell) float64) (lo, hi float64) {
	lo, hi = f(cells[0]), f(cells[0])
	for _, c := range cells {
		lo, hi = min(lo, f(c)), max(hi, f(c))
	}
	return lo, hi
}

// kernelTitle says which filters come nearest to the limit where the filters are
// largest, as far as the rounds tell them apart, and how far the last one is.
func kernelTitle(shown []opsCell, names namer) string {
	_, size := leastAndMost(shown, func(c opsCell) float64 { return c.size })
	at := atSize(shown, size)
	slices.SortStableFunc(at, func(a, b opsCell) int { return cmp.Compare(a.xLimit.mid, b.xLimit.mid) })
	first, last := at[0], at[len(at)-1]
	var nearest []string
	most := first.xLimit.mid
	for _, c := range at {
		if c.xLimit.lo <= first.xLimit.hi {
			nearest, most = append(nearest, names.name(c.filter)), c.xLimit.mid
		}
	}
	verb := "comes"
	if len(nearest) > 1 {
		verb = "come"
	}
	title := fmt.Sprintf("At %s %s %s nearest to the memory's limit: %s times its time", format.Bytes(size), list(nearest), verb, fromTo(first.xLimit.mid, most))
	if first.xLimit.hi < last.xLimit.lo {
		title += "; " + names.name(last.filter) + " takes " + times(last.xLimit.mid)
	}
	return title
}

// opsTable lists every cell.
func opsTable(name, title string, cells []opsCell) table.Table {
	t := table.Table{
		Name: name, Title: title,
		Note: "Medians over the rounds with their 95% interval; CPU time where the system tells it. op: absent or present keys in batches, single absent keys, batches of keys to add. " +
			"× limit is over the prefetched read of a random line of the same round, size and kind of pages.",
		Columns: []table.Column{text("filter"), number("size"), text("pages"), text("api"), text("op"), number("ns/op"), number("95% interval"),
			number("× limit"), number("95% interval"), number("rounds")},
	}
	for _, c := range cells {
		ns := medianOf(c.times())
		t.Rows = append(t.Rows, []string{c.filter, format.Bytes(c.size), c.pages, c.api, c.op, format.Fixed(ns.mid, 3), ns.interval(),
			format.Fixed(c.xLimit.mid, 3), c.xLimit.interval(), format.Count(float64(c.rounds))})
	}
	return t
}
