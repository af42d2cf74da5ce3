package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
	"filterbench/results/stat"
)

func readOverload(set *results.Set) content {
	records := set.Records("overload")
	rates, bad := crowdedRates(records)
	times, bad2 := crowdedTimes(records)
	return content{
		unusable: bad + bad2,
		charts:   append(overloadCharts(rates), crowdedCharts(times)...),
		tables:   []table.Table{overloadTable(rates), crowdedTable(times)},
		warnings: lostIn("overload", rates),
	}
}

// crowded is a filter that was offered several times the keys it was sized for.
type crowded struct {
	cell
	filter, p    string
	times, n     float64
	rate, lo, hi float64
	zero         bool
}

func crowdedRates(records []results.Record) (all []crowded, unusable int) {
	for _, c := range cellsOf(records, "Overload") {
		o := crowded{cell: c, filter: c.Axis("filter"), p: c.Axis("p")}
		var ok1, ok2 bool
		o.times, ok1 = c.number("times")
		o.n, ok2 = c.number("n")
		hits, queries := c.first("fp"), c.first("queries")
		if !ok1 || !ok2 || o.filter == "" || !(o.times > 0 && o.times < 1e6) || !(queries >= 1 && queries < maxCount) || !(hits >= 0 && hits <= queries) {
			unusable++
			continue
		}
		s := stat.Sample{Hits: uint64(hits), HitsSq: hits * hits, Queries: uint64(queries), Filters: 1}
		if sd := c.first("model-sd"); sd > 0 && sd < 1 {
			s.SD = sd
		}
		o.rate = s.Rate()
		o.lo, o.hi = s.Interval(level)
		if o.zero = s.Hits == 0; o.zero {
			o.hi = stat.ZeroUpper(s.Queries, level)
		}
		all = append(all, o)
	}
	slices.SortStableFunc(all, func(a, b crowded) int { return compareFloat(a.times, b.times) })
	return all, unusable
}

func lostIn(experiment string, all []crowded) (warnings []string) {
	for _, o := range all {
		if fn := o.first("fn"); fn > 0 {
			warnings = append(warnings, fmt.Sprintf("%s.txt: %s lost %v keys (false negatives)", experiment, o.FullName(), fn))
		}
	}
	return warnings
}

// commonest are those of the rate that most were sized for.
func commonest(all []crowded) (p string, shown []crowded) {
	n := map[string]int{}
	for _, o := range all {
		if n[o.p]++; n[o.p] > n[p] {
			p = o.p
		}
	}
	return p, slices.DeleteFunc(slices.Clone(all), func(o crowded) bool { return o.p != p })
}

// overloadCharts draw the rate against the keys offered.
func overloadCharts(all []crowded) (charts []chart.Chart) {
	p, all := commonest(all)
	if len(all) == 0 {
		return nil
	}
	filters := distinct(all, func(o crowded) string { return o.filter })
	names := newNamer(filters)
	planned := format.Compact(all[0].n)
	for _, t := range themesOf(filters) {
		shown := slices.DeleteFunc(slices.Clone(all), func(o crowded) bool { return !slices.Contains(t.specs(), o.filter) })
		c := chart.Chart{
			Title:    overloadTitle(shown, names),
			Subtitle: fmt.Sprintf("sized for %s keys and a rate of %s; points: measured, 95%% interval; lines: theory", planned, percentOf(p)),
			Caption:  "Lower is better. A filter of slots is as good as before when it is full, since it takes no more keys: the share that it refuses is in the table.",
			X:        chart.Axis{Label: "keys offered, over those planned", Ticks: chart.Number},
			Y:        chart.Axis{Label: "false-positive rate", Log: true, Ticks: chart.Percent},
		}
		styles := chart.Styles(t.specs())
		for i, f := range t.specs() {
			s := chart.Series{Name: names.name(f), Style: styles[i]}
			for _, o := range shown {
				if o.filter != f {
					continue
				}
				point := chart.Point{X: o.times, Y: o.rate, Lo: o.lo, Hi: o.hi}
				if o.zero {
					point = chart.Point{X: o.times, Y: o.hi, Bound: true}
				}
				s.Points = append(s.Points, point)
				if m := o.first("model-fpr"); m > 0 {
					s.Curve = append(s.Curve, chart.XY{X: o.times, Y: m})
				}
			}
			s.Join = len(s.Curve) == 0
			c.Series = append(c.Series, s)
		}
		charts = append(charts, t.named("overload", c))
	}
	return charts
}

func percentOf(p string) string {
	v, _ := strconv.ParseFloat(p, 64)
	return orDash(format.Percent(v, 1), v > 0 && v < 1)
}

// overloadTitle says what twice the keys do, to a filter that takes them and to one
// that refuses them.
func overloadTitle(shown []crowded, names namer) string {
	const twice = 2
	at := func(f string, times float64) int {
		return slices.IndexFunc(shown, func(o crowded) bool { return o.filter == f && o.times == times })
	}
	taken, refused := "", ""
	for _, f := range distinct(shown, func(o crowded) string { return o.filter }) {
		i, j := at(f, 1), at(f, twice)
		if i < 0 || j < 0 {
			continue
		}
		once, two := shown[i], shown[j]
		switch n := two.first("refused"); {
		case n > 0 && refused == "":
			refused = fmt.Sprintf("%s refuses %s of them", names.name(f), format.Percent(n/(twice*two.n), 2))
		case n == 0 && once.hi < two.lo && (taken == "" || family(f) == "bloom"):
			taken = fmt.Sprintf("%s errs on %s instead of %s", names.name(f), format.Percent(two.rate, 2), format.Percent(once.rate, 2))
		}
	}
	switch {
	case taken != "" && refused != "":
		return "With twice the keys " + taken + "; " + refused
	case taken != "":
		return "With twice the keys " + taken
	case refused != "":
		return "Of twice the keys " + refused
	}
	return "False-positive rate with more keys than planned"
}

func overloadTable(all []crowded) table.Table {
	t := table.Table{Name: "overload", Title: "More keys than planned",
		Note: "The interval is Wilson's at 95%, widened by what theory says of how filters differ. Probes are the bits that the texts' own filter reads for a key.",
		Columns: []table.Column{text("filter"), text("sized for"), number("keys planned"), number("offered"), number("taken"), number("refused"), number("bits per key"),
			number("FPR"), number("95% interval"), number("model"), number("bits set"), number("probes, absent"), number("probes, present")}}
	for _, o := range all {
		count := func(unit string) string {
			v := o.first(unit)
			return orDash(format.Count(v), !math.IsNaN(v))
		}
		rate, interval := format.Percent(o.rate, format.Significant(o.lo, o.hi)), format.PercentInterval(o.lo, o.hi)
		if o.zero {
			rate, interval = "below "+format.Percent(o.hi, 2), dash
		}
		probes := func(unit string) string {
			v := o.first(unit) / o.first("probed")
			return orDash(format.Fixed(v, 3), !math.IsNaN(v) && !math.IsInf(v, 0))
		}
		model := o.first("model-fpr")
		t.Rows = append(t.Rows, []string{o.filter, percentOf(o.p), format.Count(o.n), format.Short(o.times) + "×", count("accepted"), count("refused"),
			format.Fixed(o.first("bits/key"), 3), rate, interval, orDash(format.Percent(model, 3), model > 0), count("bits-set"), probes("absent-probes"), probes("present-probes")})
	}
	slices.SortStableFunc(t.Rows, func(a, b []string) int { return slices.Compare(a[:2], b[:2]) })
	return t
}

// crowdedTime is the time of a lookup in such a filter.
type crowdedTime struct {
	cell
	filter, hits string
	times        float64
	ns           median
}

func crowdedTimes(records []results.Record) (all []crowdedTime, unusable int) {
	for _, c := range cellsOf(records, "Crowded") {
		o := crowdedTime{cell: c, filter: c.Axis("filter"), hits: c.Axis("hits"), ns: c.median("ns/op")}
		var ok bool
		if o.times, ok = c.number("times"); !ok || o.filter == "" || !(o.ns.mid > 0) || math.IsInf(o.ns.mid, 0) {
			unusable += c.rounds
			continue
		}
		all = append(all, o)
	}
	slices.SortStableFunc(all, func(a, b crowdedTime) int { return compareFloat(a.times, b.times) })
	return all, unusable
}

// crowdedCharts draw how lookups slow down, of absent keys and of present ones.
func crowdedCharts(all []crowdedTime) []chart.Chart {
	if len(all) == 0 {
		return nil
	}
	filters := distinct(all, func(o crowdedTime) string { return o.filter })
	filters = filters[:min(4, len(filters))] // two lines each
	names := newNamer(filters)
	c := chart.Chart{
		Name: "overload-speed", Minor: true,
		Title:    crowdedTitle(all, filters, names),
		Subtitle: "one lookup after the other, hashes given; median over the rounds, 95% interval",
		Caption:  "Filled: absent keys, for which a lookup may stop at the first bit that is 0. Open: present keys.",
		X:        chart.Axis{Label: "keys held, over those planned"},
		Y:        chart.Axis{Label: "ns per lookup", Zero: true},
		Dodge:    true,
	}
	for _, f := range filters {
		for _, hits := range []string{"0", "100"} {
			s := chart.Series{Name: names.name(f) + map[string]string{"0": ", absent", "100": ", present"}[hits], Style: chart.StyleOf(family(f)), Join: true}
			if hits == "100" {
				s.Style.Dash = chart.Dashed
			}
			for _, o := range all {
				if o.filter == f && o.hits == hits {
					s.Points = append(s.Points, chart.Point{X: o.times, Y: o.ns.mid, Lo: o.ns.lo, Hi: o.ns.hi})
				}
			}
			if len(s.Points) > 0 {
				c.Series = append(c.Series, s)
			}
		}
	}
	return []chart.Chart{c}
}

// crowdedTitle says by how much an absent key's lookup slows down in the first
// filter, as far as the intervals tell.
func crowdedTitle(all []crowdedTime, filters []string, names namer) string {
	for _, f := range filters {
		var of []crowdedTime
		for _, o := range all {
			if o.filter == f && o.hits == "0" {
				of = append(of, o)
			}
		}
		if len(of) < 2 {
			continue
		}
		first, last := of[0], of[len(of)-1]
		switch {
		case first.ns.hi < last.ns.lo:
			return fmt.Sprintf("With %s times the keys %s takes %s times as long for an absent key", format.Short(last.times/first.times), names.name(f), times(last.ns.mid/first.ns.mid))
		case last.ns.hi < first.ns.lo:
			return fmt.Sprintf("With %s times the keys %s takes no longer for an absent key", format.Short(last.times/first.times), names.name(f))
		}
	}
	return "Time of a lookup with more keys than planned"
}

func crowdedTable(all []crowdedTime) table.Table {
	t := table.Table{Name: "overload-speed", Title: "Lookups with more keys than planned", Note: "Medians over the rounds with their 95% interval.",
		Columns: []table.Column{text("filter"), number("keys planned"), number("held"), number("hits"), number("ns/op"), number("95% interval"), number("rounds")}}
	for _, o := range all {
		t.Rows = append(t.Rows, []string{o.filter, countOf(o.cell, "n"), format.Short(o.times) + "×", o.hits + "%", format.Fixed(o.ns.mid, 3), o.ns.interval(), format.Count(float64(o.rounds))})
	}
	slices.SortStableFunc(t.Rows, func(a, b []string) int { return slices.Compare(a[:1], b[:1]) })
	return t
}
