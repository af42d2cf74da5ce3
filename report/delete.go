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

func readDelete(set *results.Set) content {
	records := set.Records("delete")
	losses, bad := lossesOf(records)
	times, worse := deleteTimes(records)
	c := content{
		unusable: bad + worse,
		charts:   slices.Concat(lossCharts(losses, ofName(records, "Model")), deleteCharts(times), clearCharts(records), counterCharts(records)),
		tables:   []table.Table{lossTable(losses), deleteTable(times)},
	}
	for _, t := range []struct{ record, name, title string }{
		{"Model", "delete-model", "Deleting only keys that are there"},
		{"Overflow", "delete-overflow", "One key, added and deleted many times"},
		{"Clear", "delete-clear", "Clearing a key's bits in a plain filter"},
		{"Counters", "delete-counters", "Counters that would overflow"},
	} {
		if of := ofName(records, t.record); len(of) > 0 {
			c.tables = append(c.tables, recordTable(t.name, t.title, of))
		}
	}
	return c
}

// mean is that of a count over filters or trials, with its interval.
type mean struct{ mid, lo, hi float64 }

// meanOf reads a count of at most most each; not ok if it cannot be one.
func meanOf(r results.Record, unit, each string, most float64) (m mean, ok bool) {
	sum, ok1 := r.Value(unit)
	squares, ok2 := r.Value(unit + "-sq")
	n, ok3 := r.Value(each)
	if !ok1 || !ok2 || !ok3 || !(n >= 1 && n < maxCount) || !(most >= 1) || !(sum >= 0 && sum <= n*most && n*most < maxCount) ||
		!(squares >= sum*sum/n*(1-1e-9) && squares <= sum*sum*(1+1e-9)) {
		return mean{}, false
	}
	s := stat.Sample{Hits: uint64(sum), HitsSq: squares, Queries: uint64(n * most), Filters: uint64(n)}
	lo, hi := s.Interval(level)
	if sum == 0 {
		hi = stat.ZeroUpper(s.Queries, level)
	}
	return mean{sum / n, lo * most, hi * most}, true
}

// loss is what deletes of absent keys did to a filter.
type loss struct {
	filter        string
	n, deletes    float64
	removed, lost mean
}

func lossesOf(records []results.Record) (all []loss, unusable int) {
	for _, c := range cellsOf(records, "Absent") {
		l := loss{filter: c.Axis("filter")}
		var ok1, ok2, ok3, ok4 bool
		l.n, ok1 = c.number("n")
		l.deletes, ok2 = c.number("deletes")
		l.removed, ok3 = meanOf(c.Record, "removed", "filters", l.deletes)
		l.lost, ok4 = meanOf(c.Record, "fn", "filters", l.n)
		if l.filter == "" || !ok1 || !ok2 || !ok3 || !ok4 || !(l.deletes > 0) {
			unusable += c.rounds
			continue
		}
		all = append(all, l)
	}
	return all, unusable
}

// lossCharts draw how many keys are lost to deletes of absent ones.
func lossCharts(losses []loss, models []results.Record) []chart.Chart {
	if len(losses) == 0 {
		return nil
	}
	filters := distinct(losses, func(l loss) string { return l.filter })
	names := plainNames(filters)
	c := chart.Chart{
		Name:     "delete",
		Title:    lossTitle(losses, models, names),
		Subtitle: fmt.Sprintf("filters of %s keys, from which keys are deleted that they say \"maybe\" to and do not hold; mean, 95%% interval", span(leastMost(losses, func(l loss) float64 { return l.n }))),
		Caption: "Both axes are logarithmic. A delete of an absent key takes out another key's fingerprint as often as a lookup is wrong, or counts down counters that " +
			"several keys share. To ask the filter first does not help, as it is what delete does.",
		X: chart.Axis{Label: "absent keys deleted", Log: true, Ticks: chart.Decimal},
		Y: chart.Axis{Label: "keys of the filter that are lost", Log: true, Ticks: chart.Decimal},
	}
	styles := chart.Styles(filters)
	for i, f := range filters {
		s := chart.Series{Name: names.name(f), Style: styles[i], Join: true}
		for _, l := range losses {
			switch {
			case l.filter != f:
			case l.lost.mid > 0:
				s.Points = append(s.Points, chart.Point{X: l.deletes, Y: l.lost.mid, Lo: l.lost.lo, Hi: l.lost.hi})
			default:
				s.Points = append(s.Points, chart.Point{X: l.deletes, Y: l.lost.hi, Bound: true})
			}
		}
		slices.SortFunc(s.Points, func(a, b chart.Point) int { return compareFloat(a.X, b.X) })
		c.Series = append(c.Series, s)
	}
	return []chart.Chart{c}
}

// plainNames are those of a namer without the options that were left to it.
func plainNames(specs []string) namer {
	names := newNamer(specs)
	for spec, name := range names {
		words := slices.DeleteFunc(strings.Fields(name), func(w string) bool { return strings.HasSuffix(w, "=auto") })
		names[spec] = strings.Join(words, " ")
	}
	return names
}

// lossTitle says what the most deletes of absent keys do to the filters, and
// what deleting only their own keys does.
func lossTitle(losses []loss, models []results.Record, names namer) string {
	_, most := leastMost(losses, func(l loss) float64 { return l.deletes })
	at := slices.DeleteFunc(slices.Clone(losses), func(l loss) bool { return l.deletes != most })
	share := func(l loss) float64 { return l.lost.mid / l.n }
	slices.SortStableFunc(at, func(a, b loss) int { return compareFloat(share(a), share(b)) })
	first, last := at[0], at[len(at)-1]
	var title string
	switch {
	case last.lost.mid == 0:
		title = fmt.Sprintf("%s deletes of absent keys lose no other key", format.Count(most))
	case len(at) == 1 || first.lost.hi/first.n >= last.lost.lo/last.n:
		title = fmt.Sprintf("%s deletes of absent keys lose %s of the keys of %s", format.Count(most), format.Percent(share(last), 2), names.name(last.filter))
	default:
		title = fmt.Sprintf("%s deletes of absent keys lose from %s of the keys (%s) to %s (%s)", format.Count(most),
			format.Percent(share(first), 2), names.name(first.filter), format.Percent(share(last), 2), names.name(last.filter))
	}
	faults, known := 0.0, len(models) > 0
	for _, r := range models {
		for _, unit := range []string{"fn", "unfound", "left"} {
			v, ok := r.Value(unit)
			faults += v
			known = known && ok
		}
	}
	switch {
	case !known:
	case faults == 0:
		title += "; deletes of their own lose none"
	default:
		title += fmt.Sprintf("; deletes of their own go wrong %s times", format.Count(faults))
	}
	return title
}

func leastMost[T any](items []T, f func(T) float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, it := range items {
		lo, hi = min(lo, f(it)), max(hi, f(it))
	}
	return lo, hi
}

func lossTable(losses []loss) table.Table {
	t := table.Table{
		Name: "delete-absent", Title: "Deleting absent keys",
		Note:    "Means over filters, with 95% intervals. Each key was asked for first, and deleted only where the filter said maybe.",
		Columns: []table.Column{text("filter"), number("n"), number("deletes"), number("took something out"), number("keys lost"), number("95% interval"), number("of the keys")},
	}
	for _, l := range losses {
		t.Rows = append(t.Rows, []string{l.filter, format.Count(l.n), format.Count(l.deletes), format.Fixed(l.removed.mid, 4), format.Fixed(l.lost.mid, 4),
			format.Interval(l.lost.lo, l.lost.hi, 3), format.Percent(l.lost.mid/l.n, 3)})
	}
	return t
}

// deleteTimes are the times of deletes and of lookups of the same keys.
func deleteTimes(records []results.Record) (cells []opsCell, unusable int) {
	for _, c := range cellsOf(records, "Delete") {
		o := opsCell{cell: c, filter: c.Axis("filter"), op: c.Axis("op"), pages: c.Axis("pages")}
		var ok bool
		if o.size, ok = format.ParseBytes(c.Axis("size")); !ok || o.filter == "" || !positive(o.times()) {
			unusable += c.rounds
			continue
		}
		cells = append(cells, o)
	}
	return cells, unusable
}

// deleteCharts draw a delete beside a lookup, at the largest size that most
// filters were measured at.
func deleteCharts(cells []opsCell) []chart.Chart {
	var at []opsCell
	for _, size := range distinct(cells, func(c opsCell) float64 { return c.size }) {
		if of := atSize(cells, size); len(of) > len(at) || len(of) == len(at) && size > at[0].size {
			at = of
		}
	}
	if len(at) == 0 {
		return nil
	}
	filters := distinct(at, func(c opsCell) string { return c.filter })
	names := newNamer(filters)
	c := chart.Chart{
		Name: "delete-time", Minor: true,
		Title: deleteTitle(at, names),
		Subtitle: fmt.Sprintf("filters of %s at 10 bits or counters a key, one key after the other; CPU time where the system tells it, median of %s rounds, 95%% interval",
			format.Bytes(at[0].size), span(leastMost(at, func(c opsCell) float64 { return float64(c.rounds) }))),
		X: chart.Axis{Label: "ns per key", Log: true, Ticks: chart.Decimal},
	}
	for _, f := range filters {
		c.Rows = append(c.Rows, names.name(f))
	}
	for i, op := range []struct{ op, name string }{{"lookup", "lookup of a key that is there"}, {"delete", "delete"}} {
		s := chart.Series{Name: op.name, Style: chart.Numbered(i)}
		for _, t := range at {
			if m := medianOf(t.times()); t.op == op.op {
				s.Points = append(s.Points, chart.Point{X: m.mid, Y: float64(slices.Index(filters, t.filter)), Lo: m.lo, Hi: m.hi})
			}
		}
		c.Series = append(c.Series, s)
	}
	return []chart.Chart{c}
}

// deleteRatio is a filter's delete over its lookup, of the same rounds.
func deleteRatio(at []opsCell, filter string) (ratio median, ok bool) {
	find := func(op string) int {
		return slices.IndexFunc(at, func(c opsCell) bool { return c.filter == filter && c.op == op })
	}
	i, j := find("delete"), find("lookup")
	if i < 0 || j < 0 {
		return median{}, false
	}
	return at[i].over(at[j])
}

// deleteTitle says how many times as long as a lookup a delete takes, where the
// rounds tell the two apart: of all filters, or of the extremes where those are many.
func deleteTitle(at []opsCell, names namer) string {
	type told struct {
		filter string
		ratio  median
	}
	var all []told
	both := false
	for _, f := range distinct(at, func(c opsCell) string { return c.filter }) {
		if r, ok := deleteRatio(at, f); ok {
			if both = true; r.lo > 1 || r.hi < 1 {
				all = append(all, told{f, r})
			}
		}
	}
	const most = 3 // that fit
	switch {
	case !both:
		return "Time of a delete"
	case len(all) == 0:
		return "A delete takes as long as a lookup, as far as the rounds tell"
	case len(all) > most:
		slices.SortStableFunc(all, func(a, b told) int { return compareFloat(a.ratio.mid, b.ratio.mid) })
		all = []told{all[0], all[len(all)-1]}
	}
	var parts []string
	for _, x := range all {
		parts = append(parts, fmt.Sprintf("%s times as long in %s", times(x.ratio.mid), names.name(x.filter)))
	}
	return "A delete takes " + list(parts) + " as a lookup"
}

func deleteTable(cells []opsCell) table.Table {
	t := table.Table{
		Name: "delete", Title: "Deletes beside lookups",
		Note:    "Medians over the rounds with their 95% interval, CPU time where the system tells it. × lookup is over the lookup of the same rounds.",
		Columns: []table.Column{text("filter"), number("size"), text("op"), number("ns/op"), number("95% interval"), number("× lookup"), number("rounds")},
	}
	for _, c := range cells {
		m := medianOf(c.times())
		r, ok := deleteRatio(atSize(cells, c.size), c.filter)
		t.Rows = append(t.Rows, []string{c.filter, format.Bytes(c.size), c.op, format.Fixed(m.mid, 3), m.interval(),
			orDash(format.Fixed(r.mid, 3), ok && c.op == "delete"), format.Count(float64(c.rounds))})
	}
	return t
}
