package report

import (
	"fmt"
	"slices"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
)

func readPages(set *results.Set) content {
	cells, bad := opsCells(set.Records("pages"), "Pages")
	costs := append(limitCosts(set.Records("pages")), pageCosts(cells)...)
	return content{
		unusable: bad,
		charts:   pagesCharts(costs),
		tables:   []table.Table{opsTable("pages", "Small and huge pages", cells)},
		warnings: beatLimit("pages", cells),
	}
}

// pageCost is how many times as long something takes on small pages as on huge
// ones, of the pairs of each round.
type pageCost struct {
	what   string // a filter's spec, or a kind of reads
	op     string
	size   float64
	rounds int
	ratio  median
}

func (p pageCost) apart() bool { return p.ratio.lo > 1 || p.ratio.hi < 1 }

// pageCosts pairs what was timed on both kinds of pages.
func pageCosts(cells []opsCell) (costs []pageCost) {
	for _, huge := range cells {
		if huge.pages != "huge" {
			continue
		}
		for _, small := range cells {
			if small.pages == "small" && small.filter == huge.filter && small.op == huge.op && small.api == huge.api {
				if x, ok := small.over(huge); ok {
					costs = append(costs, pageCost{small.filter, small.op, small.size, small.rounds, x})
				}
			}
		}
	}
	return costs
}

// limitCosts does so for the reads of the memory itself.
func limitCosts(records []results.Record) (costs []pageCost) {
	var cells []opsCell
	for _, c := range cellsOf(records, "Limit") {
		name, shown := map[string]string{"line-read": "a line read", "dependent-read": "a dependent read"}[c.Axis("kind")]
		size, ok := format.ParseBytes(c.Axis("size"))
		if o := (opsCell{cell: c, filter: name, op: "limit", pages: c.Axis("pages"), size: size}); ok && shown && positive(o.times()) {
			cells = append(cells, o)
		}
	}
	return pageCosts(cells)
}

func pagesCharts(costs []pageCost) []chart.Chart {
	if len(costs) == 0 {
		return nil
	}
	size := slices.MaxFunc(costs, func(a, b pageCost) int { return compareFloat(a.size, b.size) }).size
	costs = slices.DeleteFunc(slices.Clone(costs), func(p pageCost) bool { return p.size != size })
	whats := distinct(costs, func(p pageCost) string { return p.what })
	names := newNamer(whats)
	rounds := distinct(costs, func(p pageCost) int { return p.rounds })
	c := chart.Chart{
		Name:  "pages",
		Title: pagesTitle(costs, names),
		Subtitle: fmt.Sprintf("absent keys, %s, time on pages of 4 KiB over that on huge ones in the same round; median of %s rounds, 95%% interval",
			format.Bytes(size), span(float64(slices.Min(rounds)), float64(slices.Max(rounds)))),
		Caption: "1× is no difference. On small pages most reads of random lines need a walk through the page tables first, and few walks can be under way at once.",
		X:       chart.Axis{Label: "time on small pages over that on huge ones", Log: true, Ticks: chart.Times, Min: 1, Max: 1.2},
		Marks:   []chart.Mark{{At: 1, Name: "no difference"}},
	}
	for _, w := range whats {
		c.Rows = append(c.Rows, names.name(w))
	}
	for i, op := range []struct {
		op, name string
		style    chart.Style
	}{
		{"limit", "the memory itself", chart.Style{Color: chart.Gray, Glyph: chart.Diamond}},
		{"absent", "in batches", chart.Ordered(3, 5)},
		{"single", "one by one", chart.Ordered(1, 5)},
	} {
		c.Series = append(c.Series, chart.Series{Name: op.name, Style: op.style})
		for _, p := range costs {
			if p.op == op.op {
				row := float64(slices.Index(whats, p.what))
				c.Series[i].Points = append(c.Series[i].Points, chart.Point{X: p.ratio.mid, Lo: p.ratio.lo, Hi: p.ratio.hi, Y: row})
			}
		}
	}
	return []chart.Chart{c}
}

// pagesTitle says what small pages cost batches, from the least to the most, of
// the filters that they are shown to cost something.
func pagesTitle(costs []pageCost, names namer) string {
	size := format.Bytes(costs[0].size)
	filters := slices.DeleteFunc(slices.Clone(costs), func(p pageCost) bool { return p.op != "absent" })
	shown := slices.DeleteFunc(slices.Clone(filters), func(p pageCost) bool { return !p.apart() })
	switch {
	case len(filters) == 0:
		return "What small pages cost at " + size
	case len(shown) == 0:
		return "At " + size + " small pages cost batches nothing that these rounds would show"
	}
	slices.SortStableFunc(shown, func(a, b pageCost) int { return compareFloat(a.ratio.mid, b.ratio.mid) })
	first, last := shown[0], shown[len(shown)-1]
	if first.ratio.hi < last.ratio.lo {
		return fmt.Sprintf("At %s a batch takes %s %s times as long on small pages, %s %s times", size,
			names.name(first.what), times(first.ratio.mid), names.name(last.what), times(last.ratio.mid))
	}
	return fmt.Sprintf("At %s a batch takes %s times as long on small pages", size, fromTo(first.ratio.mid, last.ratio.mid))
}

// fromTo writes two factors, or one if they read the same.
func fromTo(lo, hi float64) string {
	if times(lo) == times(hi) {
		return times(lo)
	}
	return times(lo) + " to " + times(hi)
}
