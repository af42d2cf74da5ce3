package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
)

// The skyline: which filter is the cheapest, for how many keys and for how dear
// a wasted access.

const (
	nobody    = "no filter"
	perDecade = 2 // places of the map
)

// decades are places from 10^from to 10^to, so many a decade.
func decades(from, to, each int) (all []float64) {
	for i := from * each; i <= to*each; i++ {
		all = append(all, math.Pow(10, float64(i)/float64(each)))
	}
	return all
}

// edge is so many steps from a place of the map, the same float from both sides.
func edge(v, steps float64) float64 {
	return math.Pow(10, (math.Round(math.Log10(v)*perDecade)+steps)/perDecade)
}

// spot is a place of the map and what is the cheapest there.
type spot struct {
	load
	best     cost
	name     string // of its family, or nobody
	measured bool
	sure     bool // the measurements tell it from all other families, and from no filter
}

// spots are the places of the map: row by row, by the cost of an access.
func spots(all []design, each int) (out []spot) {
	if len(all) == 0 {
		return nil
	}
	for _, miss := range decades(1, 7, each) {
		for _, n := range decades(3, 9, each) {
			if s, ok := spotAt(all, load{n: n, miss: miss}); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

func spotAt(all []design, l load) (s spot, ok bool) {
	costs := cheapest(all, l)
	if len(costs) == 0 {
		return s, false
	}
	best := costs[0]
	s = spot{load: l, best: best, name: family(best.filter), measured: best.measured, sure: best.pays()}
	if best.total().mid >= l.without() {
		s.name = nobody
		s.sure = best.measured && best.total().lo > l.without()
		return s, true
	}
	for _, c := range costs[1:] {
		if family(c.filter) != s.name && !cheaper(best, c) {
			s.sure = false
		}
	}
	return s, true
}

// text is what is written at the spot: its bits per key, rounded, with a mark
// where the measurements do not tell.
func (s spot) text() string {
	if s.name == nobody {
		return ""
	}
	bits := fmt.Sprintf("%.0f", s.best.alloc)
	if s.measured && !s.sure {
		return "~" + bits
	}
	return bits
}

func readSkyline(set *results.Set) content {
	all := designs(set)
	return content{charts: skylineCharts(spots(all, perDecade)), tables: []table.Table{skylineTable(all)}}
}

func skylineCharts(all []spot) []chart.Chart {
	if len(all) == 0 {
		return nil
	}
	holders := distinct(all, func(s spot) string { return s.name })
	families := slices.DeleteFunc(slices.Clone(holders), func(s string) bool { return s == nobody })
	styles := map[string]chart.Style{nobody: {Color: chart.Gray}}
	for i, s := range chart.Fills(families) {
		styles[families[i]] = s
	}
	c := chart.Chart{
		Name:     "skyline",
		Title:    skylineTitle(all),
		Subtitle: "absent keys in batches; lookup + rate × wasted access (Lang et al. 2019); bits per key; ~: not told apart; pale: extrapolated",
		Caption: "Which filter costs least, hashes given. ~ marks places where another family is not told apart from it (95% intervals, noise floor). " +
			"Pale places are extrapolated, to sizes that were not timed: larger ones along the line through the last two, smaller ones take the time of the smallest. " +
			"Times are those at 10 bits per key, rates those at the number of keys that was measured at most sizes.",
		X: chart.Axis{Label: "keys", Log: true, Ticks: chart.Counts},
		Y: chart.Axis{Label: "cost of a wasted access", Log: true, Ticks: chart.Nanoseconds},
	}
	for _, s := range all {
		c.Tiles = append(c.Tiles, chart.Tile{
			From: chart.XY{X: edge(s.n, -.5), Y: edge(s.miss, -.5)}, To: chart.XY{X: edge(s.n, .5), Y: edge(s.miss, .5)},
			Name: s.name, Style: styles[s.name], Text: s.text(), Faint: !s.measured,
		})
	}
	return []chart.Chart{c}
}

// skylineTitle says who is the cheapest in how many of the places measured, and
// in how many the measurements do not tell.
func skylineTitle(all []spot) string {
	count := map[string]int{}
	places, sure := 0, 0
	for _, s := range all {
		if s.measured {
			places++
		}
		if s.sure {
			sure++
			count[s.name]++
		}
	}
	switch {
	case places == 0:
		return "Which filter costs least: extrapolated, no such size was timed"
	case sure == 0:
		return fmt.Sprintf("In none of the %d places measured is one family told apart as the cheapest", places)
	}
	winners := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
	title := "Cheapest for certain: "
	for i, name := range winners {
		switch {
		case i == 0:
			title += fmt.Sprintf("%s in %d of the %d places measured", name, count[name], places)
		case i < 3:
			title += fmt.Sprintf(", %s in %d", name, count[name])
		}
	}
	if open := places - sure; open > 0 {
		title += fmt.Sprintf("; in %d no family is told apart", open)
	}
	return title
}

// skylineTable is the map by whole decades.
func skylineTable(all []design) table.Table {
	t := table.Table{
		Name: "skyline", Title: "Which filter costs least",
		Note: "By keys and by the cost of a wasted access: the filter, its bits per key as allocated, and the ns that an absent key costs, its wasted accesses included. " +
			"~: another family is not told apart; in parentheses: extrapolated, as its size was not timed.",
		Columns: []table.Column{number("wasted access")},
	}
	for _, n := range decades(3, 9, 1) {
		t.Columns = append(t.Columns, text(format.Compact(n)+" keys"))
	}
	names := newNamer(distinct(all, func(d design) string { return d.filter }))
	places := spots(all, 1)
	for _, miss := range decades(1, 7, 1) {
		row := []string{format.Nanoseconds(miss)}
		for _, s := range places {
			if s.miss == miss {
				row = append(row, s.entry(names))
			}
		}
		if len(row) == len(t.Columns) {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// entry is the spot's cell in the table.
func (s spot) entry(names namer) string {
	said := nobody
	if s.name != nobody {
		said = fmt.Sprintf("%s %s: %s", names.name(s.best.filter), format.Fixed(s.best.alloc, 3), format.Nanoseconds(s.best.total().mid))
	}
	switch {
	case !s.measured:
		return "(" + said + ")"
	case !s.sure:
		return "~" + said
	}
	return said
}
