package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/results"
)

// throughputCharts draw lookups of absent keys a second against the filter's
// size: one chart where the hash is given, and one where it is computed inside
// the timer, in which every family takes part.
func throughputCharts(cells []timing, levels []chart.Mark) (charts []chart.Chart) {
	for _, api := range []string{"hash", "key"} {
		picked := lookups(cells, api, "batch", "0")
		filters := distinct(picked, func(t timing) string { return t.filter })
		names := newNamer(filters)
		base := "throughput"
		if api == "key" && len(charts) > 0 {
			base = "throughput-key"
		}
		for _, t := range themesOf(filters) {
			shown := ofFilters(picked, t.specs())
			c := throughputChart(shown, t, names, api)
			c.Marks = levels
			c.Caption += beyond(levels, shown)
			if api == "hash" {
				c.Series = append(limitSeries(cells), c.Series...)
			}
			charts = append(charts, t.named(base, c))
		}
	}
	return charts
}

// ofFilters keeps the timings of the given specs.
func ofFilters(cells []timing, specs []string) []timing {
	return slices.DeleteFunc(slices.Clone(cells), func(t timing) bool { return !slices.Contains(specs, t.filter) })
}

func throughputChart(shown []timing, t theme, names namer, api string) chart.Chart {
	how := "hashes given"
	if api == "key" {
		how = "hashing included"
	}
	c := chart.Chart{
		Title: throughputTitle(shown, names),
		Subtitle: fmt.Sprintf("absent keys in batches, one thread, %s, %s bits per key; %smedian of %s rounds, 95%% interval",
			how, joined(shown, func(t timing) string { return t.bits }), clock(shown), spanOf(shown, func(t timing) float64 { return float64(t.samples) })),
		Caption: "Higher is better; both axes are logarithmic. Dashed vertical lines are cache sizes as the CPU states them, solid ones what they are in " +
			"effect, where the latency ladder was measured.",
		X:     chart.Axis{Label: "filter size", Log: true, Ticks: chart.Bytes},
		Y:     chart.Axis{Label: "million lookups per second", Log: true, Ticks: chart.Decimal},
		Dodge: true,
	}
	if t.minor {
		c.Title = minorSpeed(shown, t, names)
	}
	if api == "key" {
		c.Title += ", hashing included"
	} else {
		c.Caption += " Gray: what the memory allows in the same rounds, as prefetched reads of one random line for each lookup, " +
			"and, dotted, reads of which each waits for the one before."
	}
	styles := chart.Styles(t.specs())
	for i, f := range t.specs() {
		s := chart.Series{Name: names.name(f), Style: styles[i], Join: true}
		for _, t := range shown {
			if t.filter == f {
				s.Points = append(s.Points, speedPoint(t))
			}
		}
		c.Series = append(c.Series, s)
	}
	return c
}

func speedPoint(t timing) chart.Point {
	s := t.ns.perSecond()
	return chart.Point{X: t.size, Y: s.mid, Lo: s.lo, Hi: s.hi}
}

// limitSeries are the physical limits, as references without markers.
func limitSeries(cells []timing) (all []chart.Series) {
	for _, l := range []struct {
		kind, name string
		style      chart.Style
	}{
		{"line-read", "memory limit", chart.Style{Color: chart.Gray}},
		{"dependent-read", "dependent reads", chart.Style{Color: chart.Gray, Dash: chart.Dotted, Thin: true}},
	} {
		s := chart.Series{Name: l.name, Style: l.style, Join: true}
		for _, t := range limits(cells, l.kind) {
			s.Points = append(s.Points, speedPoint(t))
		}
		if len(s.Points) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// throughputTitle compares blocked and bloom where the filter is largest, or
// else names the fastest.
func throughputTitle(shown []timing, names namer) string {
	first := func(f string) string {
		i := slices.IndexFunc(shown, func(t timing) bool { return family(t.filter) == f })
		if i < 0 {
			return ""
		}
		return shown[i].filter
	}
	both := slices.DeleteFunc(slices.Clone(shown), func(t timing) bool {
		return t.filter != first("blocked") && t.filter != first("bloom")
	})
	if size, at := largestShared(both); len(at) == 2 {
		if family(at[0].filter) == "bloom" {
			at[0], at[1] = at[1], at[0]
		}
		return comparison(at[0], at[1], names, size)
	}
	size, at := largestShared(shown)
	slices.SortStableFunc(at, func(a, b timing) int { return compareFloat(a.ns.mid, b.ns.mid) })
	best := at[0]
	title := fmt.Sprintf("%s answers %s million lookups per second at %s",
		sentence(names.name(best.filter)), format.Digits(best.ns.perSecond().mid, 3), format.Bytes(size))
	if len(at) > 1 && faster(best, at[1]) {
		title += ", the most of these"
	}
	return title
}

// minorSpeed compares the filters that a further chart is about with Bloom's,
// the fastest and the slowest of them, where most were measured at the largest
// size.
func minorSpeed(shown []timing, t theme, names namer) string {
	size, at := largestShared(shown)
	bloom := slices.IndexFunc(at, func(c timing) bool { return family(c.filter) == "bloom" })
	subject := ofFilters(at, t.subject)
	if bloom < 0 || len(subject) == 0 {
		return throughputTitle(shown, names)
	}
	slices.SortStableFunc(subject, func(a, b timing) int { return compareFloat(a.ns.mid, b.ns.mid) })
	answers := func(c timing) string {
		if b := at[bloom]; apart(c, b) {
			return times(b.ns.mid/c.ns.mid) + " times as many"
		}
		return "as many"
	}
	first, last := subject[0], subject[len(subject)-1]
	title := fmt.Sprintf("At %s %s answers %s lookups as bloom", format.Bytes(size), names.name(first.filter), answers(first))
	if faster(first, last) && answers(first) != answers(last) {
		title += ", " + names.name(last.filter) + " " + answers(last)
	}
	if answers(first) == "as many" || answers(last) == "as many" {
		title += ", as far as the rounds tell"
	}
	return title
}

// comparison says how many times as fast a is as b, if their intervals are
// apart.
func comparison(a, b timing, names namer, size float64) string {
	where := "At " + format.Bytes(size) + " "
	an, bn := names.name(a.filter), names.name(b.filter)
	switch {
	case faster(a, b):
		return where + fmt.Sprintf("%s answers %s times as many lookups as %s", an, times(b.ns.mid/a.ns.mid), bn)
	case faster(b, a):
		return where + fmt.Sprintf("%s answers %s times as many lookups as %s", bn, times(a.ns.mid/b.ns.mid), an)
	}
	return where + fmt.Sprintf("%s and %s cannot be told apart in these rounds", an, bn)
}

// times writes a factor: two digits below 10, else whole.
func times(f float64) string { return format.Fixed(f, 2) }

// largestShared is the largest size that the most filters were measured at.
func largestShared(cells []timing) (size float64, at []timing) {
	most := 0
	for _, s := range distinct(cells, func(t timing) float64 { return t.size }) {
		var here []timing
		for _, t := range cells {
			if t.size == s {
				here = append(here, t)
			}
		}
		if len(here) > most || len(here) == most && s > size {
			most, size, at = len(here), s, here
		}
	}
	return size, at
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// beyond names the caches that are larger than any filter here.
func beyond(levels []chart.Mark, shown []timing) string {
	for _, l := range levels {
		if !l.Measured && !slices.ContainsFunc(shown, func(t timing) bool { return t.size >= l.At }) {
			return " " + l.Name + " is larger than any filter here."
		}
	}
	return ""
}

// joined lists the distinct values of an axis: "10", "8 or 10".
func joined(cells []timing, f func(timing) string) string {
	values := slices.DeleteFunc(distinct(cells, f), func(s string) bool { return s == "" })
	return strings.Join(values, " or ")
}

// spanOf writes the least and the greatest of a number over the cells.
func spanOf(cells []timing, f func(timing) float64) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, c := range cells {
		lo, hi = min(lo, f(c)), max(hi, f(c))
	}
	return span(lo, hi)
}

// levels are the caches as the provenance states them and, where the ladder was
// measured, as they are in effect.
func levels(set *results.Set) []chart.Mark {
	reads, _ := timings(set.Records("ladder"))
	return append(stated(set), kneeMarks(kneesOf(reads))...)
}

// stated are the cache sizes that the provenance states, as marks. One that is
// not known, or on which the files do not agree, gives none.
func stated(set *results.Set) (marks []chart.Mark) {
	for _, l := range []string{"L1d", "L2", "L3"} {
		text, _ := set.Config("cache-" + strings.ToLower(l))
		if size, ok := format.ParseBytes(text); ok {
			marks = append(marks, chart.Mark{At: size, Name: l + " " + format.Bytes(size), Short: l})
		}
	}
	return marks
}
