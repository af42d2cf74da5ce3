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

func readCrawl(set *results.Set) content {
	cells, bad := crawlCells(set.Records("crawl"))
	c := content{unusable: bad, charts: crawlCharts(cells), tables: []table.Table{crawlTable(cells)}}
	for _, one := range cells {
		if missed := one.counts.first("missed"); missed > 0 {
			c.warnings = append(c.warnings, fmt.Sprintf("crawl.txt: %s took %s repeats for new addresses: it has lost keys", one.filter, format.Count(missed)))
		}
	}
	return c
}

// crawlCell is a filter and the stream that it went through.
type crawlCell struct {
	filter, op, keys string
	n                float64
	parts            int
	ns, total, limit median // ns an address: the filter's, with the making of the address, and of a line read
	xLimit           median
	counts           cell // what was counted; empty if nothing was
}

// lost is the share of new addresses that were taken for repeats; NaN where
// nothing was dropped on purpose.
func (c crawlCell) lost() float64 { return c.counts.first("dropped") / c.n }

func crawlCells(records []results.Record) (cells []crawlCell, unusable int) {
	counted, limits := cellsOf(records, "Crawl"), cellsOf(records, "Limit")
	for _, c := range cellsOf(records, "CrawlRate") {
		one := crawlCell{filter: c.Axis("filter"), op: c.Axis("op"), keys: c.Axis("keys"), parts: c.rounds, xLimit: c.median("x-limit"), total: c.median("total-ns/op")}
		var ok bool
		one.n, ok = c.number("n")
		times := opsCell{cell: c}.times()
		if !ok || !(one.n >= 1) || one.filter == "" || !positive(times) {
			unusable += c.rounds
			continue
		}
		one.ns = medianOf(times)
		same := func(o cell) bool {
			return o.Axis("filter") == one.filter && o.Axis("op") == one.op && o.Axis("keys") == one.keys && o.Axis("n") == c.Axis("n")
		}
		if i := slices.IndexFunc(counted, same); i >= 0 {
			one.counts = counted[i]
		}
		one.limit = median{math.NaN(), math.NaN(), math.NaN()}
		if i := slices.IndexFunc(limits, same); i >= 0 {
			if reads := (opsCell{cell: limits[i]}).times(); positive(reads) {
				one.limit = medianOf(reads)
			}
		}
		cells = append(cells, one)
	}
	return cells, unusable
}

// crawlCharts draw the addresses a second of the longest streams.
func crawlCharts(cells []crawlCell) []chart.Chart {
	if len(cells) == 0 {
		return nil
	}
	n := slices.MaxFunc(cells, func(a, b crawlCell) int { return compareFloat(a.n, b.n) }).n
	shown := slices.DeleteFunc(slices.Clone(cells), func(c crawlCell) bool { return c.n != n })
	slices.SortStableFunc(shown, func(a, b crawlCell) int { return strings.Compare(b.op, a.op) }) // dedupe first
	names := newNamer(distinct(shown, func(c crawlCell) string { return c.filter }))
	parts := distinct(shown, func(c crawlCell) int { return c.parts })
	c := chart.Chart{
		Name:  "crawl",
		Title: crawlTitle(shown, names),
		Subtitle: fmt.Sprintf("%s new keys (%s), one thread; median over %s parts of the stream, 95%% interval",
			format.Compact(n), strings.Join(distinct(shown, func(c crawlCell) string { return c.keys }), ", "),
			span(float64(slices.Min(parts)), float64(slices.Max(parts)))),
		Caption: "Further right is better; the axis is logarithmic. To drop repeats is to look up a batch, leave out what is in it twice, and add the rest; every fourth address is a repeat. " +
			"Gray is how many random lines of the same memory can be read. On the right, the time as a multiple of such a read.",
		X: chart.Axis{Label: "million keys per second", Log: true, Ticks: chart.Decimal},
	}
	reads := chart.Series{Name: "line reads", Style: chart.Style{Color: chart.Gray, Glyph: chart.Diamond}}
	made := chart.Series{Name: "with the making of keys", Style: chart.Ordered(0, 5)}
	filter := chart.Series{Name: "the filter", Style: chart.Ordered(3, 5)}
	for i, one := range shown {
		c.Rows = append(c.Rows, names.name(one.filter)+map[string]string{"dedupe": ", drop repeats", "build": ", add"}[one.op])
		note := ""
		if one.xLimit.mid > 0 && !math.IsInf(one.xLimit.mid, 0) {
			note = format.Fixed(one.xLimit.mid, 2) + "×"
		}
		c.Notes = append(c.Notes, note)
		for _, p := range []struct {
			to *chart.Series
			ns median
		}{{&reads, one.limit}, {&made, one.total}, {&filter, one.ns}} {
			s := p.ns.perSecond()
			p.to.Points = append(p.to.Points, chart.Point{X: s.mid, Lo: s.lo, Hi: s.hi, Y: float64(i)})
		}
	}
	c.Series = []chart.Series{reads, made, filter}
	return []chart.Chart{c}
}

// crawlTitle says how fast a blocked filter and a Bloom filter drop repeats, and
// what share of new addresses that loses.
func crawlTitle(shown []crawlCell, names namer) string {
	first := func(fam string) (crawlCell, bool) {
		i := slices.IndexFunc(shown, func(c crawlCell) bool { return family(c.filter) == fam && c.op == "dedupe" })
		if i < 0 {
			return crawlCell{}, false
		}
		return shown[i], true
	}
	rate := func(c crawlCell) string { return format.Fixed(c.ns.perSecond().mid, 2) }
	loss := func(c crawlCell) string { return format.Percent(c.lost(), 2) }
	both := func(a, b crawlCell, of string) string {
		if !(a.lost() >= 0) || !(b.lost() >= 0) {
			return ""
		}
		return fmt.Sprintf("; %s and %s of %s are lost", loss(a), loss(b), of)
	}
	blocked, ok1 := first("blocked")
	bloom, ok2 := first("bloom")
	switch {
	case ok1 && ok2 && (blocked.ns.hi < bloom.ns.lo || bloom.ns.hi < blocked.ns.lo):
		return fmt.Sprintf("%s filters a stream of %s new addresses at %s million a second, %s at %s",
			sentence(names.name(blocked.filter)), format.Compact(blocked.n), rate(blocked), names.name(bloom.filter), rate(bloom)) + both(blocked, bloom, "them")
	case ok1 && ok2:
		return fmt.Sprintf("%s and %s cannot be told apart on a stream of %s",
			sentence(names.name(blocked.filter)), names.name(bloom.filter), format.Compact(blocked.n)) + both(blocked, bloom, "the new addresses")
	case ok1 || ok2:
		one := blocked
		if ok2 {
			one = bloom
		}
		title := fmt.Sprintf("%s filters a stream of %s new addresses at %s million a second", sentence(names.name(one.filter)), format.Compact(one.n), rate(one))
		if one.lost() >= 0 {
			title += ", and loses " + loss(one) + " of them"
		}
		return title
	}
	return "Keys a second, in a stream of " + format.Compact(shown[0].n)
}

// crawlTable lists every stream and filter.
func crawlTable(cells []crawlCell) table.Table {
	t := table.Table{
		Name: "crawl", Title: "Streams of keys",
		Note: "Million keys a second: of the filter by itself, and with the making of the keys on all CPUs. Lost are new addresses that were taken for repeats, missed are repeats that were taken for new ones. " +
			"Expected is what theory says of a filter that fills up; FPR is of the full one.",
		Columns: []table.Column{text("filter"), text("task"), text("keys"), number("n"), number("bits/key"), number("million/s"), number("with keys"), number("× limit"),
			number("lost"), number("expected"), number("missed"), number("FPR"), number("model")},
	}
	for _, c := range cells {
		count := func(unit string) string {
			v := c.counts.first(unit)
			return orDash(format.Count(v), !math.IsNaN(v))
		}
		percent := func(unit string) string {
			v := c.counts.first(unit)
			return orDash(format.Percent(v, 3), !math.IsNaN(v))
		}
		t.Rows = append(t.Rows, []string{c.filter, c.op, c.keys, format.Count(c.n), format.Fixed(c.counts.first("bits/key"), 4),
			format.Fixed(c.ns.perSecond().mid, 3), format.Fixed(c.total.perSecond().mid, 3), format.Fixed(c.xLimit.mid, 3),
			count("dropped"), count("model-dropped"), count("missed"), percent("fpr"), percent("model-fpr")})
	}
	return t
}
