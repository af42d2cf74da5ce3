package report

import (
	"fmt"
	"slices"
	"strconv"

	"filterbench/report/chart"
	"filterbench/report/format"
)

// hitCharts draw the time of a lookup against the share of present keys, at
// the largest size that most filters were measured at.
func hitCharts(cells []timing) (charts []chart.Chart) {
	for _, api := range []string{"hash", "key"} {
		var all []timing
		shares := map[string]map[string]bool{} // of each filter
		for _, h := range distinct(cells, func(t timing) string { return t.hits }) {
			for _, t := range lookups(cells, api, "batch", h) {
				all = append(all, t)
				if shares[t.filter] == nil {
					shares[t.filter] = map[string]bool{}
				}
				shares[t.filter][h] = true
			}
		}
		all = slices.DeleteFunc(all, func(t timing) bool { return len(shares[t.filter]) < 2 })
		if len(all) == 0 {
			continue
		}
		size, at := largestShared(all)
		filters := distinct(at, func(t timing) string { return t.filter })
		names := newNamer(filters)
		for _, t := range themesOf(filters) {
			charts = append(charts, t.named("hits", hitChart(ofFilters(at, t.specs()), t, names, size, api)))
		}
		return charts // the second api would say the same with the hash on top
	}
	return nil
}

func hitChart(shown []timing, t theme, names namer, size float64, api string) chart.Chart {
	how := "hashes given"
	if api == "key" {
		how = "hashing included"
	}
	c := chart.Chart{
		Title: hitTitle(shown, t.subject, names, size),
		Subtitle: fmt.Sprintf("filters of %s, batches, %s; %smedian of %s rounds, 95%% interval",
			format.Bytes(size), how, clock(shown), spanOf(shown, func(t timing) float64 { return float64(t.samples) })),
		Caption: "Lower is better. A filter that stops at the first 0 bit reads less for absent keys than for present ones; " +
			"one that always reads a whole line does not care.",
		X:     chart.Axis{Label: "share of queries whose key is present (%)"},
		Y:     chart.Axis{Label: "ns per lookup", Zero: true},
		Dodge: true,
	}
	styles := chart.Styles(t.specs())
	for i, f := range t.specs() {
		s := chart.Series{Name: names.name(f), Style: styles[i], Join: true}
		for _, t := range shown {
			if h, err := strconv.ParseFloat(t.hits, 64); err == nil && t.filter == f {
				s.Points = append(s.Points, chart.Point{X: h, Y: t.ns.mid, Lo: t.ns.lo, Hi: t.ns.hi})
			}
		}
		slices.SortFunc(s.Points, func(a, b chart.Point) int { return compareFloat(a.X, b.X) })
		c.Series = append(c.Series, s)
	}
	return c
}

// hitTitle says which filters care most and least whether the key is present,
// of those whose intervals tell.
func hitTitle(shown []timing, group []string, names namer, size float64) string {
	type change struct {
		name  string
		ratio float64
	}
	var changes []change
	both := false
	for _, f := range group {
		find := func(hits string) int {
			return slices.IndexFunc(shown, func(t timing) bool { return t.filter == f && t.hits == hits })
		}
		i, j := find("0"), find("100")
		if i < 0 || j < 0 {
			continue
		}
		both = true
		if absent, present := shown[i], shown[j]; apart(absent, present) {
			changes = append(changes, change{names.name(f), present.ns.mid / absent.ns.mid})
		}
	}
	switch {
	case !both:
		return "Time of a lookup against the share of present keys"
	case len(changes) == 0:
		return "At " + format.Bytes(size) + " present keys take as long as absent ones, as far as the rounds tell"
	}
	slices.SortStableFunc(changes, func(a, b change) int { return -compareFloat(a.ratio, b.ratio) })
	first, last := changes[0], changes[len(changes)-1]
	title := fmt.Sprintf("At %s a present key takes %s %s times as long as an absent one", format.Bytes(size), first.name, times(first.ratio))
	if len(changes) > 1 {
		title += fmt.Sprintf(", %s %s times", last.name, times(last.ratio))
	}
	return title
}
