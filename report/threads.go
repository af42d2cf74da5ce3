package report

import (
	"fmt"
	"math"
	"slices"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
)

func readThreads(set *results.Set) content {
	var c content
	cells := slices.DeleteFunc(cellsOf(set.Records("threads"), "Threads"), func(x cell) bool {
		n, ok := x.number("threads")
		bad := !ok || !(n >= 1) || math.IsInf(n, 0) || !(x.median("ns/op").mid > 0)
		if bad {
			c.unusable += x.rounds
		}
		return bad
	})
	c.charts = threadCharts(cells)
	c.tables = []table.Table{threadTable(cells)}
	return c
}

// threadCharts draw the speed against the threads at the largest size: lookups of
// one filter, and adds to shards.
func threadCharts(cells []cell) (charts []chart.Chart) {
	shown, size := atLargest(cells)
	for _, op := range distinct(shown, func(c cell) string { return c.Axis("op") }) {
		of := slices.DeleteFunc(slices.Clone(shown), func(c cell) bool { return c.Axis("op") != op })
		specs := distinct(of, func(c cell) string { return c.Axis("filter") })
		specs = specs[:min(len(specs), perChart)]
		names, styles := newNamer(specs), chart.Styles(specs)
		how := "absent keys in batches, all threads in one filter of " + size
		if op != "lookup" {
			how = "each thread to a filter of its own, together " + size
		}
		c := chart.Chart{
			Name: "threads", Minor: len(charts) > 0, Title: threadTitle(of, specs, names, size, op),
			Subtitle: fmt.Sprintf("%s; median of %d rounds, 95%% interval; wall-clock time", how, of[0].rounds),
			X:        chart.Axis{Label: "threads, each pinned to a CPU", Ticks: chart.Whole},
			Y:        chart.Axis{Label: "million " + op + "s per second", Zero: true},
			Dodge:    true,
		}
		if len(charts) > 0 {
			c.Name += "-" + op
		} else {
			c.Caption = "Higher is better. Threads that share nothing but what they read could do as many times as much as there are of them. " +
				"Where two CPUs are one core's, as is usual on virtual machines, or where they wait for the same memory, they do less."
		}
		for i, f := range specs {
			s := chart.Series{Name: names.name(f), Style: styles[i], Join: true}
			for _, t := range of {
				if n, _ := t.number("threads"); t.Axis("filter") == f {
					m := t.median("ns/op").perSecond()
					s.Points = append(s.Points, chart.Point{X: n, Y: m.mid, Lo: m.lo, Hi: m.hi})
				}
			}
			slices.SortFunc(s.Points, func(a, b chart.Point) int { return compareFloat(a.X, b.X) })
			c.Series = append(c.Series, s)
		}
		charts = append(charts, c)
	}
	return charts
}

// threadTitle says how much more the most threads do than one.
func threadTitle(of []cell, specs []string, names namer, size, op string) string {
	most := 0.
	for _, c := range of {
		n, _ := c.number("threads")
		most = max(most, n)
	}
	if most < 2 {
		return "One CPU: what more threads would do was not measured"
	}
	type gain struct {
		name string
		more median
	}
	var gains []gain
	for _, f := range specs {
		for _, c := range of {
			if n, _ := c.number("threads"); c.Axis("filter") == f && n == most {
				e := c.median("efficiency")
				gains = append(gains, gain{names.name(f), median{e.mid * most, e.lo * most, e.hi * most}})
			}
		}
	}
	gains = slices.DeleteFunc(gains, func(g gain) bool { return !(g.more.mid > 0) })
	if len(gains) == 0 {
		return fmt.Sprintf("Up to %s threads", format.Count(most))
	}
	slices.SortStableFunc(gains, func(a, b gain) int { return -compareFloat(a.more.mid, b.more.mid) })
	first, last := gains[0], gains[len(gains)-1]
	verb := map[string]string{"lookup": "look up", "add": "add"}[op]
	if verb == "" {
		verb = "do"
	}
	title := fmt.Sprintf("At %s %s threads %s %s times as much in %s as one", size, format.Count(most), verb, times(first.more.mid), first.name)
	if first.more.lo <= 1 && first.more.hi >= 1 {
		title = fmt.Sprintf("At %s %s threads %s no more in %s than one, as far as the rounds tell", size, format.Count(most), verb, first.name)
	}
	if len(gains) > 1 && last.more.hi < first.more.lo {
		title += fmt.Sprintf(", %s times in %s", times(last.more.mid), last.name)
	}
	return title
}

func threadTable(cells []cell) table.Table {
	t := table.Table{
		Name: "threads", Title: "Threads",
		Note: "lookup: absent keys in batches, all threads in one filter. add: each thread to a shard of its own; together they have the size, so that smaller ones lie nearer to the CPU and more than 1 can come out. Efficiency is the speed over as many times that of one thread, of the same round. " +
			"Disturbed is in how many rounds the last attempt was.",
		Columns: []table.Column{text("filter"), number("size"), text("op"), number("threads"), number("million/s"), number("95% interval"),
			number("efficiency"), number("95% interval"), number("disturbed"), number("rounds")},
	}
	for _, c := range cells {
		m, e := c.median("ns/op").perSecond(), c.median("efficiency")
		disturbed := 0
		for _, v := range c.samples["disturbed"] {
			if v > 0 {
				disturbed++
			}
		}
		t.Rows = append(t.Rows, []string{c.Axis("filter"), c.Axis("size"), c.Axis("op"), c.Axis("threads"),
			format.Fixed(m.mid, 3), m.interval(), format.Fixed(e.mid, 3), e.interval(), format.Count(float64(disturbed)), format.Count(float64(c.rounds))})
	}
	return t
}
