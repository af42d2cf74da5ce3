package report

import (
	"fmt"
	"slices"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
)

func readHashOnce(set *results.Set) content {
	cells, bad := onceCells(set.Records("hashonce"))
	return content{unusable: bad, charts: onceCharts(cells), tables: []table.Table{onceTable(cells)}}
}

// onceCell is lookups of one key in many filters.
type onceCell struct {
	cell
	filter, keys, hashed string
	ns                   median // a lookup in one filter
}

func onceCells(records []results.Record) (cells []onceCell, unusable int) {
	for _, c := range cellsOf(records, "HashOnce") {
		o := onceCell{cell: c, filter: c.Axis("filter"), keys: c.Axis("keys"), hashed: c.Axis("hashed")}
		times := opsCell{cell: c}.times()
		if o.filter == "" || o.keys == "" || o.hashed == "" || !positive(times) {
			unusable += c.rounds
			continue
		}
		o.ns = medianOf(times)
		cells = append(cells, o)
	}
	return cells, unusable
}

// oncePair is the two ways to look the same keys up in the same filters.
type oncePair struct {
	filter, keys string
	once, each   onceCell
}

func oncePairs(cells []onceCell) (pairs []oncePair) {
	for _, c := range cells {
		other := func(o onceCell) bool { return o.filter == c.filter && o.keys == c.keys && o.hashed == "each" }
		if i := slices.IndexFunc(cells, other); c.hashed == "once" && i >= 0 {
			pairs = append(pairs, oncePair{c.filter, c.keys, c, cells[i]})
		}
	}
	return pairs
}

func onceCharts(cells []onceCell) []chart.Chart {
	pairs := oncePairs(cells)
	if len(pairs) == 0 {
		return nil
	}
	names := newNamer(distinct(pairs, func(p oncePair) string { return p.filter }))
	first := pairs[0].once
	size, _ := format.ParseBytes(first.Axis("size"))
	c := chart.Chart{
		Name:  "hashonce",
		Title: onceTitle(pairs, names),
		Subtitle: fmt.Sprintf("absent keys, each in %s filters of %s, through an interface; median of %d rounds, 95%% interval",
			first.Axis("filters"), format.Bytes(size), first.rounds),
		Caption: "Further left is better; the time is that of a lookup in one of the filters. An LSM tree asks many filters for one key: if all take the same hash, it is computed once. " +
			"Random keys have 8 bytes, addresses about 77.",
		X: chart.Axis{Label: "ns for a lookup in one filter", Zero: true},
	}
	once := chart.Series{Name: "hashed once", Style: chart.Ordered(4, 5)}
	each := chart.Series{Name: "hashed for each filter", Style: chart.Ordered(1, 5)}
	for i, p := range pairs {
		c.Rows = append(c.Rows, names.name(p.filter)+", "+p.keys)
		for _, of := range []struct {
			to *chart.Series
			ns median
		}{{&once, p.once.ns}, {&each, p.each.ns}} {
			of.to.Points = append(of.to.Points, chart.Point{X: of.ns.mid, Lo: of.ns.lo, Hi: of.ns.hi, Y: float64(i)})
		}
	}
	c.Series = []chart.Series{each, once}
	return []chart.Chart{c}
}

// onceTitle names the pair that gains most, and the one that gains least, of those
// that the rounds tell apart.
func onceTitle(pairs []oncePair, names namer) string {
	gain := func(p oncePair) float64 { return p.each.ns.mid / p.once.ns.mid }
	told := slices.DeleteFunc(slices.Clone(pairs), func(p oncePair) bool { return p.once.ns.lo <= p.each.ns.hi && p.each.ns.lo <= p.once.ns.hi })
	if len(told) == 0 {
		return "Whether a key is hashed once for all filters or for each makes no difference that the rounds tell"
	}
	slices.SortStableFunc(told, func(a, b oncePair) int { return -compareFloat(gain(a), gain(b)) })
	show := func(p oncePair) string {
		return fmt.Sprintf("%s times (%s, %s keys)", format.Fixed(gain(p), 2), names.name(p.filter), p.keys)
	}
	first, last := told[0], told[len(told)-1]
	title := fmt.Sprintf("Hashing a key for each filter anew takes %s as long as hashing it once", show(first))
	if len(told) > 1 && format.Fixed(gain(first), 2) != format.Fixed(gain(last), 2) {
		title = fmt.Sprintf("Hashing a key for each filter anew takes %s to %s as long as hashing it once", show(last), show(first))
	}
	return title
}

func onceTable(cells []onceCell) table.Table {
	t := table.Table{
		Name: "hashonce", Title: "One key in many filters",
		Note:    "ns of a lookup in one filter, median over the rounds.",
		Columns: []table.Column{text("filter"), text("keys"), text("hashed"), number("filters"), number("size"), number("ns"), number("95% interval")},
	}
	for _, c := range cells {
		t.Rows = append(t.Rows, []string{c.filter, c.keys, c.hashed, c.Axis("filters"), c.Axis("size"), format.Fixed(c.ns.mid, 3), c.ns.interval()})
	}
	return t
}
