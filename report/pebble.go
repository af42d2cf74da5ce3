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
)

func readPebble(set *results.Set) content {
	cells, bad := storeCells(set.Records("pebble"))
	return content{unusable: bad, charts: storeCharts(cells), tables: []table.Table{storeTable(cells)}}
}

// storeCell is gets in a store of the engine.
type storeCell struct {
	cell
	filter, keys, hits string
	ns                 median // a get
}

// The filters of stores that are no specs.
const (
	storeNone = "none"
	storeOwn  = "pebble-bloom"
)

// storeName is how charts call a store's filter.
func storeName(filter string, names namer) string {
	switch filter {
	case storeNone:
		return noFilter
	case storeOwn:
		return "Pebble's own"
	}
	return names.name(filter)
}

func storeCells(records []results.Record) (cells []storeCell, unusable int) {
	for _, c := range cellsOf(records, "Pebble") {
		s := storeCell{cell: c, filter: c.Axis("filter"), keys: c.Axis("keys"), hits: c.Axis("hits")}
		times := opsCell{cell: c}.times()
		if s.filter == "" || s.keys == "" || s.hits == "" || !positive(times) {
			unusable += c.rounds
			continue
		}
		s.ns = medianOf(times)
		cells = append(cells, s)
	}
	return cells, unusable
}

// storeCharts draw the time of a get, with each kind of filter, of the keys that
// most filters were measured with.
func storeCharts(cells []storeCell) []chart.Chart {
	if len(cells) == 0 {
		return nil
	}
	kinds := distinct(cells, func(s storeCell) string { return s.keys })
	of := func(keys string) []storeCell {
		return slices.DeleteFunc(slices.Clone(cells), func(s storeCell) bool { return s.keys != keys })
	}
	keys := kinds[0]
	for _, k := range kinds {
		if len(of(k)) > len(of(keys)) {
			keys = k
		}
	}
	shown := of(keys)
	filters := distinct(shown, func(s storeCell) string { return s.filter })
	names := newNamer(filters)
	c := chart.Chart{
		Name:  "pebble",
		Title: storeTitle(shown, names),
		Subtitle: fmt.Sprintf("a store of Pebble's, %s tables of %s keys (%s) in one level, all blocks in its cache; median of %s rounds, 95%% interval",
			shown[0].Axis("tables"), shown[0].Axis("n"), keys, span(fewest(shown))),
		Caption: "Further left is better. On the right, the blocks that a get of an absent key asks the cache for: filters and indexes are among them. " +
			"Were the blocks on a disk, each that a filter spares would be a read. Pebble asks a filter with the key's bytes, so that each table hashes the key again.",
		X: chart.Axis{Label: "microseconds for a get", Zero: true},
	}
	present := chart.Series{Name: "present key", Style: chart.Ordered(1, 5)}
	absent := chart.Series{Name: "absent key", Style: chart.Ordered(4, 5)}
	for i, f := range filters {
		c.Rows = append(c.Rows, storeName(f, names))
		note := ""
		for _, s := range shown {
			if s.filter != f {
				continue
			}
			p := chart.Point{X: s.ns.mid / 1e3, Lo: s.ns.lo / 1e3, Hi: s.ns.hi / 1e3, Y: float64(i)}
			switch blocks := s.first("blocks/op"); s.hits {
			case "0":
				absent.Points = append(absent.Points, p)
				if blocks >= 0 && !math.IsInf(blocks, 0) {
					note = format.Fixed(blocks, 3) + " blocks"
				}
			case "100":
				present.Points = append(present.Points, p)
			}
		}
		c.Notes = append(c.Notes, note)
	}
	c.Series = []chart.Series{present, absent}
	return []chart.Chart{c}
}

// fewest and most rounds of the cells.
func fewest(cells []storeCell) (least, most float64) {
	rounds := distinct(cells, func(s storeCell) float64 { return float64(s.rounds) })
	return slices.Min(rounds), slices.Max(rounds)
}

// storeTitle compares absent keys without filters with the first of ours, or the
// engine's own, and says whether that own can be told from ours.
func storeTitle(shown []storeCell, names namer) string {
	absent := func(is func(filter string) bool) (storeCell, bool) {
		i := slices.IndexFunc(shown, func(s storeCell) bool { return s.hits == "0" && is(s.filter) })
		if i < 0 {
			return storeCell{}, false
		}
		return shown[i], true
	}
	none, ok1 := absent(func(f string) bool { return f == storeNone })
	own, ok2 := absent(func(f string) bool { return f == storeOwn })
	ours, ok3 := absent(func(f string) bool { return f != storeOwn && f != storeNone })
	if !ok3 {
		ours, ok3 = own, ok2
	}
	us := func(s storeCell) string { return format.Fixed(s.ns.mid/1e3, 2) + " µs" }
	name := func(s storeCell) string {
		if s.filter == storeOwn {
			return "Pebble's own filter"
		}
		return names.name(s.filter)
	}
	switch {
	case !ok1 || !ok3:
		return "Gets in a store, by the filter of its tables"
	case ours.ns.lo <= none.ns.hi && none.ns.lo <= ours.ns.hi:
		return fmt.Sprintf("A get of an absent key takes as long with %s as without a filter, as far as the rounds tell", name(ours))
	}
	title := fmt.Sprintf("A get of an absent key takes %s without filters, %s with %s", us(none), us(ours), name(ours))
	if ok2 && ours.filter != own.filter {
		if ours.ns.lo <= own.ns.hi && own.ns.lo <= ours.ns.hi {
			return title + ", and as long with Pebble's own"
		}
		title += ", " + us(own) + " with Pebble's own"
	}
	return title
}

// storeTable lists all stores.
func storeTable(cells []storeCell) table.Table {
	t := table.Table{
		Name: "pebble", Title: "Gets in a store of Pebble's",
		Note: "Blocks are those of tables, indexes and filters that a get asks for, in the cache or not; bytes read are from files, the first time that the gets are done after the store was opened. " +
			"Noes and maybes are tables that filters ruled out, and did not; FPR is maybes over both, for absent keys.",
		Columns: []table.Column{text("filter"), text("keys"), number("present"), number("µs/get"), number("95% interval"), number("blocks"), number("bytes read"), number("noes"), number("maybes"), number("FPR"), number("filters")},
	}
	for _, s := range cells {
		no, maybe := s.first("filter-noes/op"), s.first("filter-maybes/op")
		micros := median{s.ns.mid / 1e3, s.ns.lo / 1e3, s.ns.hi / 1e3}
		t.Rows = append(t.Rows, []string{strings.TrimSpace(s.filter), s.keys, s.hits + "%", format.Fixed(micros.mid, 3), micros.interval(),
			format.Fixed(s.first("blocks/op"), 3), format.Fixed(s.first("read-B/op"), 3), format.Fixed(no, 3), format.Fixed(maybe, 3),
			orDash(format.Percent(maybe/(no+maybe), 2), s.hits == "0" && no+maybe > 0), orDash(format.Bytes(s.first("filter-B")), s.first("filter-B") > 0)})
	}
	return t
}
