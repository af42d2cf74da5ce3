package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
	"filterbench/results/stat"
)

func readLSM(set *results.Set) content {
	records := set.Records("lsm")
	cells, bad := treeCells(records)
	c := content{unusable: bad, tables: []table.Table{treeTable(cells)}}
	c.charts = append(treeCharts(cells), treeHitCharts(cells)...)
	c.charts = append(c.charts, paysCharts(cells, set)...)
	for _, kind := range []struct{ record, name, title string }{
		{"Liar", "lsm-liars", "Filters that lie"},
		{"Resident", "lsm-resident", "Filters that must be read themselves"},
	} {
		of := slices.DeleteFunc(slices.Clone(records), func(r results.Record) bool { return r.Name != kind.record })
		c.tables = append(c.tables, recordTable(kind.name, kind.title, of))
	}
	for _, one := range cells {
		if lost := one.first("lost-gets"); lost > 0 {
			c.warnings = append(c.warnings, fmt.Sprintf("lsm.txt: %s lost %s gets: it has false negatives", one.filter, format.Count(lost)))
		}
	}
	return c
}

// treeCell is gets in an LSM tree of one filter.
type treeCell struct {
	cell
	filter, stop       string
	tables, hits, gets float64
	probes, saved      float64 // a get
	reads              median  // a get, with its interval
	any                median  // share of the gets that read at least one table
}

func treeCells(records []results.Record) (cells []treeCell, unusable int) {
	for _, c := range cellsOf(records, "LSM") {
		t := treeCell{cell: c, filter: c.Axis("filter"), stop: c.Axis("stop"), gets: c.first("queries")}
		var ok1, ok2 bool
		t.tables, ok1 = c.number("tables")
		t.hits, ok2 = c.number("hits")
		probes, reads, wrong, with := c.first("probes"), c.first("reads"), c.first("false"), c.first("queries-with-reads")
		if !ok1 || !ok2 || t.filter == "" || !(t.tables >= 1 && t.gets >= 1 && t.gets < 1e15) || !(0 <= wrong && wrong <= reads && reads <= probes && probes < 1e15) ||
			!(0 <= with && with <= t.gets) || t.hits < 0 || t.hits > 100 {
			unusable += c.rounds
			continue
		}
		t.probes, t.saved = probes/t.gets, (probes-reads)/t.gets
		right := reads - wrong // of the table that holds the key
		sample := stat.Sample{Hits: uint64(wrong), Queries: max(1, uint64(probes-right)), Filters: uint64(t.tables), SD: max(0, orZero(c.first("model-sd")))}
		lo, hi := sample.Interval(.95)
		others := (probes - right) / t.gets
		t.reads = median{reads / t.gets, right/t.gets + lo*others, right/t.gets + hi*others}
		lo, hi = stat.Wilson(uint64(with), uint64(t.gets), .95)
		t.any = median{with / t.gets, lo, hi}
		cells = append(cells, t)
	}
	return cells, unusable
}

func orZero(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// noFilter is what a get reads in a tree without filters: every table that it asks.
const noFilter = "no filter"

// treeCharts draw the reads of absent keys against the number of tables, of one
// filter of each design.
func treeCharts(cells []treeCell) []chart.Chart {
	var absent []treeCell // of each filter and tree once
	for _, t := range cells {
		same := func(o treeCell) bool { return o.filter == t.filter && o.tables == t.tables }
		if t.hits == 0 && !slices.ContainsFunc(absent, same) {
			absent = append(absent, t)
		}
	}
	specs := distinct(absent, func(t treeCell) string { return t.filter })
	if len(specs) == 0 {
		return nil
	}
	names := newNamer(specs)
	shown := themesOf(specs)[0].specs()
	absent = slices.DeleteFunc(absent, func(t treeCell) bool { return !slices.Contains(shown, t.filter) })
	c := chart.Chart{
		Name:     "lsm",
		Title:    treeTitle(absent, names),
		Subtitle: treeSubtitle(absent),
		Caption: "Lower is better; both axes are logarithmic. A filter spares its table all reads but those of its false positives, and these add up over the tables. " +
			"Filters that come in powers of two may spend more bits than were asked for: the table has them.",
		X:     chart.Axis{Label: "tables of the tree", Log: true, Ticks: chart.Decimal},
		Y:     chart.Axis{Label: "tables read by a get of an absent key", Log: true, Ticks: chart.Decimal},
		Dodge: true,
	}
	none := chart.Series{Name: noFilter, Style: chart.Style{Color: chart.Gray}}
	tables := distinct(absent, func(t treeCell) float64 { return t.tables })
	slices.Sort(tables)
	for _, t := range tables {
		none.Curve = append(none.Curve, chart.XY{X: t, Y: t})
	}
	c.Series = append(c.Series, none)
	styles := chart.Styles(shown)
	for i, f := range shown {
		s := chart.Series{Name: names.name(f), Style: styles[i], Join: true}
		for _, t := range absent {
			if t.filter == f {
				s.Points = append(s.Points, t.point())
			}
		}
		slices.SortFunc(s.Points, func(a, b chart.Point) int { return compareFloat(a.X, b.X) })
		c.Series = append(c.Series, s)
	}
	return []chart.Chart{c}
}

// point is what a get reads of so many tables. Where none was read, it is the
// end of the interval.
func (t treeCell) point() chart.Point {
	if t.reads.mid == 0 {
		return chart.Point{X: t.tables, Y: t.reads.hi, Bound: true}
	}
	return chart.Point{X: t.tables, Y: t.reads.mid, Lo: t.reads.lo, Hi: t.reads.hi}
}

func treeSubtitle(cells []treeCell) string {
	axis := func(key string) string {
		return strings.Join(distinct(cells, func(t treeCell) string { return t.Axis(key) }), ", ")
	}
	gets := distinct(cells, func(t treeCell) float64 { return t.gets })
	return fmt.Sprintf("a model: tables of %s keys (%s), filters of %s bits per key asked for; %s gets, 95%% interval",
		axis("n"), axis("keys"), axis("bits"), span(slices.Min(gets), slices.Max(gets)))
}

// treeTitle says what the filter reads that is read least with, and what the one
// read most with, of the largest tree.
func treeTitle(absent []treeCell, names namer) string {
	most := slices.MaxFunc(absent, func(a, b treeCell) int { return compareFloat(a.tables, b.tables) }).tables
	at := slices.DeleteFunc(slices.Clone(absent), func(t treeCell) bool { return t.tables != most })
	slices.SortStableFunc(at, func(a, b treeCell) int { return compareFloat(a.reads.mid, b.reads.mid) })
	first, last := at[0], at[len(at)-1]
	of := fmt.Sprintf("Of %s tables a get of an absent key reads ", format.Count(most))
	if most == 1 {
		of = "Of a single table a get of an absent key reads "
	}
	share := func(t treeCell) string {
		return fmt.Sprintf("%s with %s", format.Fixed(t.reads.mid, 2), names.name(t.filter))
	}
	if len(at) == 1 || !(first.reads.hi < last.reads.lo) {
		return of + share(first) + fmt.Sprintf("; %s of the gets read one or more", format.Percent(first.any.mid, 2))
	}
	return of + share(first) + ", " + share(last) + fmt.Sprintf("; %s and %s of the gets read one or more", format.Percent(first.any.mid, 2), format.Percent(last.any.mid, 2))
}

// hitTree are the cells that differ in the share of present keys: of the texts'
// filter, or else the first one, in a tree of several tables.
func hitTree(cells []treeCell, tables func(float64) bool) (at []treeCell) {
	shares := func(filter string, tables float64) (n int) {
		for _, t := range cells {
			if t.filter == filter && t.tables == tables {
				n++
			}
		}
		return n
	}
	best, filter, of := 2, "", 0.0
	for _, t := range cells {
		if n := shares(t.filter, t.tables); tables(t.tables) && (n > best || n == best && family(t.filter) == "bloom" && family(filter) != "bloom") {
			best, filter, of = n, t.filter, t.tables
		}
	}
	for _, t := range cells {
		same := func(o treeCell) bool { return o.hits == t.hits && o.stop == t.stop }
		if t.filter == filter && t.tables == of && !slices.ContainsFunc(at, same) {
			at = append(at, t)
		}
	}
	slices.SortStableFunc(at, func(a, b treeCell) int { return compareFloat(a.hits, b.hits) })
	return at
}

// stops are the two ways to search, with their names.
var stops = []struct{ stop, name string }{{"never", "asking all tables"}, {"early", "stopping at the key"}}

// ofStop are the cells of one of them; absent keys stop at nothing.
func ofStop(cells []treeCell, stop string) []treeCell {
	return slices.DeleteFunc(slices.Clone(cells), func(t treeCell) bool { return t.hits != 0 && t.stop != stop })
}

// treeHitCharts draw reads against the share of present keys.
func treeHitCharts(cells []treeCell) []chart.Chart {
	at := hitTree(cells, func(tables float64) bool { return tables > 1 })
	if len(at) == 0 {
		return nil
	}
	name := newNamer([]string{at[0].filter}).name(at[0].filter)
	c := chart.Chart{
		Name: "lsm-hits", Minor: true,
		Title:    treeHitTitle(at, name),
		Subtitle: treeSubtitle(at) + "; " + format.Count(at[0].tables) + " tables",
		Caption: "What lies between the grey line and the filter's is what it saves. A get that may stop once it has found its key reads fewer tables even without filters, " +
			"so that there is less to save where keys are present.",
		X: chart.Axis{Label: "share of gets whose key is present (%)"},
		Y: chart.Axis{Label: "tables read by a get", Zero: true},
	}
	for i, s := range stops {
		none := chart.Series{Name: noFilter + ", " + s.name, Style: chart.Style{Color: chart.Gray, Dash: chart.Dash(i)}}
		with := chart.Series{Name: name + ", " + s.name, Style: chart.Ordered(2+2*i, 5), Join: true}
		for _, t := range ofStop(at, s.stop) {
			none.Curve = append(none.Curve, chart.XY{X: t.hits, Y: t.probes})
			with.Points = append(with.Points, chart.Point{X: t.hits, Y: t.reads.mid, Lo: t.reads.lo, Hi: t.reads.hi})
		}
		c.Series = append(c.Series, none, with)
	}
	return []chart.Chart{c}
}

func treeHitTitle(at []treeCell, name string) string {
	early := ofStop(at, "early")
	first, last := early[0], early[len(early)-1]
	if first.hits == last.hits {
		return "Tables read against the share of present keys"
	}
	where := func(t treeCell) string {
		switch t.hits {
		case 0:
			return "where no key is present"
		case 100:
			return "where all are"
		}
		return "where " + format.Short(t.hits) + "% are"
	}
	return fmt.Sprintf("Of %s tables %s saves a get %s reads %s, %s %s", format.Count(first.tables), name,
		format.Fixed(first.saved, 2), where(first), format.Fixed(last.saved, 2), where(last))
}

// treeTable lists every tree and kind of gets.
func treeTable(cells []treeCell) table.Table {
	t := table.Table{
		Name: "lsm", Title: "Reads in an LSM tree",
		Note: "A model: a tree whose tables overlap, each with a filter. Probes are filters asked, and without filters each would be a read; saved is their difference. " +
			"Early, a get that has found its key asks no older table; for absent keys there is nothing to stop at. Expected is what theory says of the reads.",
		Columns: []table.Column{text("filter"), number("bits/key"), number("tables"), text("stop"), number("present"), number("gets"), number("probes"), number("reads"), number("expected"), number("saved"),
			number("reads/get"), number("95% interval"), number("gets with reads"), number("lost gets")},
	}
	for _, c := range cells {
		count := func(unit string) string {
			v := c.first(unit)
			return orDash(format.Count(v), !math.IsNaN(v))
		}
		t.Rows = append(t.Rows, []string{c.filter, format.Fixed(c.first("bits/key"), 4), format.Count(c.tables), c.stop, format.Short(c.hits) + "%", format.Count(c.gets),
			count("probes"), count("reads"), count("model-reads"), count("saved"), format.Fixed(c.reads.mid, 3), c.reads.interval(), format.Percent(c.any.mid, 3), count("lost-gets")})
	}
	return t
}
