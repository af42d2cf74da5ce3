package report

import (
	"fmt"
	"math"
	"slices"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/results"
)

// The texts' last question: when a filter pays. What it saves was counted by
// lsm, and what asking it costs was timed by lookup; the cost of a read is the
// reader's to know.

// paysCharts draw the cost of a read from which on filters pay.
func paysCharts(cells []treeCell, set *results.Set) []chart.Chart {
	one := hitTree(cells, func(tables float64) bool { return tables == 1 })
	several := hitTree(cells, func(tables float64) bool { return tables > 1 })
	if len(one) == 0 || len(several) == 0 || one[0].filter != several[0].filter {
		return nil
	}
	times, _ := timings(set.Records("lookup"))
	ask, ok := slowestLookup(ranked(times), one[0].filter)
	if !ok {
		return nil
	}
	lines := []paysLine{
		{"one table", ofStop(one, "never")},
		{fmt.Sprintf("%s tables, %s", format.Count(several[0].tables), stops[0].name), ofStop(several, stops[0].stop)},
		{fmt.Sprintf("%s tables, %s", format.Count(several[0].tables), stops[1].name), ofStop(several, stops[1].stop)},
	}
	name := newNamer([]string{ask.filter}).name(ask.filter)
	c := chart.Chart{
		Name: "lsm-pays", Minor: true,
		Title: paysTitle(lines[0], ask, name),
		Subtitle: fmt.Sprintf("lookups of %s, %s, one by one in filters of %s: %s ns, %smedian of %s rounds, 95%% interval; reads saved as counted",
			name, map[string]string{"key": "hashing included", "hash": "hashes given"}[ask.api], format.Bytes(ask.size), format.Fixed(ask.ns.mid, 3), clock([]timing{ask}), format.Count(float64(ask.samples))),
		Caption: "Above its line a filter pays: the reads that it saves cost more than all the lookups do. With one table that is so where (1 - share present) x (1 - FPR) x read is more than the lookup; " +
			"with several, filters keep a get of a present key from the tables that do not hold it, too. A read that takes microseconds pays nearly always; one from a cache may not.",
		X: chart.Axis{Label: "share of gets whose key is present (%)"},
		Y: chart.Axis{Label: "least cost of a read for filters to pay (ns)", Log: true, Ticks: chart.Decimal},
	}
	for i, l := range lines {
		s := chart.Series{Name: l.name, Style: chart.Ordered(2*i, 5), Join: true}
		for _, t := range l.cells {
			if at := t.breakEven(ask.ns); !math.IsInf(at.mid, 0) {
				s.Points = append(s.Points, chart.Point{X: t.hits, Y: at.mid, Lo: at.lo, Hi: at.hi})
			}
		}
		c.Series = append(c.Series, s)
	}
	return []chart.Chart{c}
}

// paysLine is a tree, by the share of present keys.
type paysLine struct {
	name  string
	cells []treeCell
}

// breakEven is the cost of a read at which filters cost as much as they save, if
// asking one takes so long; infinite where they save nothing.
func (t treeCell) breakEven(ask median) median {
	at := func(ns, reads float64) float64 {
		if saved := t.probes - reads; saved > 0 {
			return ns * t.probes / saved
		}
		return math.Inf(1)
	}
	return median{at(ask.mid, t.reads.mid), at(ask.lo, t.reads.lo), at(ask.hi, t.reads.hi)}
}

// slowestLookup is the time of a lookup of an absent key, one after the other,
// in the largest filter measured: with the hashing of the key, if that is there.
func slowestLookup(times []timing, filter string) (timing, bool) {
	for _, api := range []string{"key", "hash"} {
		at := lookups(times, api, "single", "0")
		at = slices.DeleteFunc(at, func(t timing) bool { return t.filter != filter || !(t.ns.mid > 0) })
		if len(at) > 0 {
			return at[len(at)-1], true
		}
	}
	return timing{}, false
}

// paysTitle says from which cost of a read a filter of one table pays.
func paysTitle(l paysLine, ask timing, name string) string {
	subject := fmt.Sprintf("%s of one table, at %s ns a lookup, pays", sentence(name), format.Fixed(ask.ns.mid, 2))
	var found []treeCell
	for _, t := range l.cells {
		if !math.IsInf(t.breakEven(ask.ns).mid, 0) {
			found = append(found, t)
		}
	}
	if len(found) == 0 {
		return subject + " at no cost of a read"
	}
	where := func(t treeCell) string {
		at := format.Fixed(t.breakEven(ask.ns).mid, 2) + " ns"
		if t.hits == 0 {
			return at + " if no key is present"
		}
		return at + " if " + format.Short(t.hits) + "% are"
	}
	title := subject + " from a read of " + where(found[0])
	if last := found[len(found)-1]; len(found) > 1 {
		title += ", of " + where(last)
	}
	if len(found) < len(l.cells) && l.cells[len(l.cells)-1].hits == 100 {
		title += ", and never if all are"
	}
	return title
}
