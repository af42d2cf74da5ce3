package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
)

func readLadder(set *results.Set) content {
	reads, bad := timings(set.Records("ladder"))
	found := kneesOf(reads)
	return content{
		unusable: bad,
		charts:   ladderCharts(ranked(reads), found, stated(set)),
		tables:   []table.Table{kneeTable(found, stated(set)), ladderTable(reads)},
	}
}

// rung is one line of the ladder's chart.
type rung struct {
	kind, pages string
	cells       []timing // by size
}

// rungsOf takes the cells of a kind of reads and pages together, by size, in
// order of first appearance.
func rungsOf(cells []timing) (all []rung) {
	for _, c := range cells {
		i := slices.IndexFunc(all, func(r rung) bool { return r.kind == c.kind && r.pages == c.pages })
		if i < 0 {
			i = len(all)
			all = append(all, rung{kind: c.kind, pages: c.pages})
		}
		all[i].cells = append(all[i].cells, c)
	}
	for _, r := range all {
		slices.SortStableFunc(r.cells, func(a, b timing) int { return cmp.Compare(a.size, b.size) })
	}
	return all
}

// kneesOf are the steps in the time of dependent reads: on huge pages, where
// address translation hides none, or else on those that there are.
func kneesOf(cells []timing) []knee {
	var best rung
	for _, r := range rungsOf(cells) {
		if r.kind == "dependent-read" && (best.cells == nil || r.pages == "huge") {
			best = r
		}
	}
	var sizes, ns []float64
	for _, c := range best.cells {
		t := c.ns.mid
		if c.cpu.mid > 0 {
			t = c.cpu.mid // which other work on the machine moves less
		}
		if len(sizes) == 0 || c.size > sizes[len(sizes)-1] { // the first of a hostile pair
			sizes, ns = append(sizes, c.size), append(ns, t)
		}
	}
	return knees(sizes, ns)
}

func ladderCharts(cells []timing, found []knee, stated []chart.Mark) []chart.Chart {
	if len(cells) == 0 {
		return nil
	}
	c := chart.Chart{
		Name:  "ladder",
		Title: ladderTitle(found, stated, cells),
		Subtitle: fmt.Sprintf("reads of random lines of 64 bytes, one thread; %smedian of %s rounds, 95%% interval",
			clock(cells), spanOf(cells, func(t timing) float64 { return float64(t.samples) })),
		Caption: "Lower is better; both axes are logarithmic. Dashed: caches as the CPU states them. Solid: where the time of a read that waits for the " +
			"one before steps up, fitted; what a cache holds in effect ends there.",
		X:     chart.Axis{Label: "memory that is read", Log: true, Ticks: chart.Bytes},
		Y:     chart.Axis{Label: "ns per line", Log: true, Ticks: chart.Decimal},
		Marks: append(slices.Clone(stated), kneeMarks(found)...),
	}
	all := rungsOf(cells)
	pages := distinct(all, func(r rung) string { return r.pages })
	for _, r := range all {
		s := chart.Series{Name: readNames[r.kind], Join: true, Style: chart.Ordered(4, 5)}
		if r.kind == "line-read" {
			s.Style = chart.Ordered(1, 5)
		}
		if r.pages != pages[0] {
			s.Style.Dash = chart.Dashed
		}
		if s.Name == "" {
			continue
		}
		if len(pages) > 1 {
			s.Name += ", " + r.pages + " pages"
		}
		for _, t := range r.cells {
			s.Points = append(s.Points, chart.Point{X: t.size, Y: t.ns.mid, Lo: t.ns.lo, Hi: t.ns.hi})
		}
		c.Series = append(c.Series, s)
	}
	return []chart.Chart{c}
}

var readNames = map[string]string{"dependent-read": "dependent", "line-read": "independent"}

// kneeMarks are the knees as marks beside what the CPU states.
func kneeMarks(found []knee) (marks []chart.Mark) {
	for _, k := range found {
		size := roughly(k.at)
		marks = append(marks, chart.Mark{At: k.at, Name: "in effect " + size, Short: size, Measured: true})
	}
	return marks
}

// ladderTitle says from which sizes on reads are slower, and what the CPU states.
func ladderTitle(found []knee, stated []chart.Mark, cells []timing) string {
	if len(found) == 0 {
		top := slices.MaxFunc(cells, func(a, b timing) int { return cmp.Compare(a.size, b.size) }).size
		return "No cache shows an end up to " + format.Bytes(top)
	}
	var at, of []string
	for _, k := range found {
		at = append(at, roughly(k.at))
	}
	for _, m := range stated {
		of = append(of, format.Bytes(m.At))
	}
	title := "In effect the caches end at " + list(at)
	if len(at) == 1 {
		title = "In effect the cache ends at " + at[0]
	}
	if len(of) > 0 {
		title += "; the CPU states " + list(of)
	}
	return title
}

// roughly writes a fitted size with the digits that it deserves.
func roughly(bytes float64) string { return format.BytesDigits(bytes, 2) }

// list writes "a, b and c".
func list(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

// kneeTable lists the effective sizes of the caches.
func kneeTable(found []knee, stated []chart.Mark) table.Table {
	t := table.Table{
		Name: "knees", Title: "Cache sizes in effect",
		Note: "Where the time of a dependent read steps up. Fitted: t(S) = a + sum of d·(share of reads that miss a cache of C bytes) over the knees C, by least squares of the " +
			"relative error; as many knees as Schwarz's criterion finds strong evidence for. The interval is the profile likelihood's, at least the grid of sizes wide.",
		Columns: []table.Column{number("knee"), number("in effect"), number("95% interval"), number("ns before"), number("ns after"), text("nearest that the CPU states")},
	}
	for i, k := range found {
		nearest := dash
		if len(stated) > 0 {
			nearest = slices.MinFunc(stated, func(a, b chart.Mark) int { return cmp.Compare(octaves(a.At, k.at), octaves(b.At, k.at)) }).Name
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(i + 1), roughly(k.at),
			roughly(k.lo) + "–" + roughly(k.hi), format.Fixed(k.before, 3), format.Fixed(k.after, 3), nearest})
	}
	return t
}

// octaves is how many times one size doubles to the other.
func octaves(a, b float64) float64 { return math.Abs(math.Log2(a / b)) }

// ladderTable lists every read.
func ladderTable(cells []timing) table.Table {
	t := table.Table{
		Name: "ladder", Title: "The latency ladder",
		Note:    "Random lines of memory of each size: dependent-read waits for the line before, line-read does not.",
		Columns: []table.Column{text("kind"), text("pages"), number("size"), number("ns/op"), number("95% interval"), number("CPU ns/op"), number("rounds")},
	}
	for _, r := range rungsOf(cells) {
		for _, c := range r.cells {
			t.Rows = append(t.Rows, []string{c.kind, c.pages, format.Bytes(c.size), format.Fixed(c.ns.mid, 3), c.ns.interval(),
				format.Fixed(c.cpu.mid, 3), format.Count(float64(c.samples))})
		}
	}
	return t
}
