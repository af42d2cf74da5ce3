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

func readTouch(set *results.Set) content {
	records := set.Records("touch")
	cells, bad := touchCells(records)
	return content{
		unusable: bad,
		charts:   touchCharts(cells),
		tables:   []table.Table{touchTable(cells), touchHereTable(records)},
	}
}

// touchCell is what one kind of operation touches in a filter.
type touchCell struct {
	cell
	filter, op  string
	size        float64 // bytes
	lines       median  // of an operation: the mean, with its interval
	pages, load float64
	misses      [3]float64 // by level of the modelled caches; NaN where there is none
}

// touchOps are the operations, with their looks.
var touchOps = []struct {
	op, name string
	style    chart.Style
}{
	{"absent", "absent key", chart.Ordered(0, 5)},
	{"present", "present key", chart.Ordered(2, 5)},
	{"add", "add", chart.Ordered(4, 5)},
}

func touchCells(records []results.Record) (cells []touchCell, unusable int) {
	for _, c := range cellsOf(records, "Touch") {
		t := touchCell{cell: c, filter: c.Axis("filter"), op: c.Axis("op")}
		var ok bool
		t.size, ok = format.ParseBytes(c.Axis("size"))
		t.lines = c.meanLines()
		if !ok || t.filter == "" || !(t.lines.mid > 0) || math.IsInf(t.lines.mid, 0) {
			unusable += c.rounds
			continue
		}
		t.pages, t.load = c.first("pages/op"), c.first("loads/op")
		for i := range t.misses {
			t.misses[i] = c.first(fmt.Sprintf("l%d-misses/op", i+1))
		}
		cells = append(cells, t)
	}
	return cells, unusable
}

// first is a counted value; NaN if there is none.
func (c cell) first(unit string) float64 {
	if len(c.samples[unit]) == 0 {
		return math.NaN()
	}
	return c.samples[unit][0]
}

// meanLines is the mean with the interval that the operations' spread gives it,
// or with none where the sums do not tell.
func (c cell) meanLines() median {
	mean, ops := c.first("lines/op"), c.first("ops")
	const z = 1.959964 // 95 %
	half := z * math.Sqrt(max(0, c.first("lines-sq")/ops-mean*mean)/ops)
	if !(ops > 0) || math.IsInf(half, 0) {
		half = math.NaN()
	}
	return median{mean, mean - half, mean + half}
}

// touchCharts draw the lines that operations touch, at the size at which most
// filters were measured, and what the modelled caches miss, at the largest of
// several filters.
func touchCharts(cells []touchCell) (charts []chart.Chart) {
	if len(cells) == 0 {
		return nil
	}
	inAll := func(size float64) int {
		return len(distinct(touchAt(cells, size), func(t touchCell) string { return t.filter }))
	}
	sizes := distinct(cells, func(t touchCell) float64 { return t.size })
	slices.Sort(sizes)
	most, largest := sizes[0], sizes[0]
	for _, s := range sizes {
		if inAll(s) >= inAll(most) {
			most = s
		}
		if inAll(s) > 1 || inAll(largest) <= 1 {
			largest = s
		}
	}
	return []chart.Chart{linesChart(touchAt(cells, most)), missesChart(touchAt(cells, largest))}
}

func touchAt(cells []touchCell, size float64) []touchCell {
	return slices.DeleteFunc(slices.Clone(cells), func(t touchCell) bool { return t.size != size })
}

// touchRows are the filters of a chart, and their names.
func touchRows(shown []touchCell) (filters []string, names namer) {
	filters = distinct(shown, func(t touchCell) string { return t.filter })
	return filters, newNamer(filters)
}

func linesChart(shown []touchCell) chart.Chart {
	filters, names := touchRows(shown)
	c := chart.Chart{
		Name:  "touch",
		Title: linesTitle(shown, names),
		Subtitle: fmt.Sprintf("distinct lines of 64 bytes, filters of %s, %s bits per key; mean with 95%% interval, as the filters themselves count them",
			format.Bytes(shown[0].size), joinedTouch(shown, "bits")),
		Caption: "Further left is better: each line is a cache miss where the filter is larger than the caches. A filter of bits stops at the first 0, so that an absent key " +
			"touches about two lines however many probes it has. An add is one of the last that the filter is sized for.",
		X: chart.Axis{Label: "cache lines that an operation touches", Zero: true},
	}
	if slices.ContainsFunc(filters, func(f string) bool { return family(f) == counters }) {
		c.Caption += " A counting filter has four bits for each counter, and so fewer probes."
	}
	for _, f := range filters {
		c.Rows = append(c.Rows, names.name(f))
	}
	const apart = .2 // of a row: the points of two operations may be one
	for i, op := range touchOps {
		c.Series = append(c.Series, chart.Series{Name: op.name, Style: op.style})
		for _, t := range shown {
			if t.op == op.op {
				row := float64(slices.Index(filters, t.filter)) + (float64(i)-1)*apart
				c.Series[i].Points = append(c.Series[i].Points, chart.Point{X: t.lines.mid, Lo: t.lines.lo, Hi: t.lines.hi, Y: row})
			}
		}
	}
	return c
}

// joinedTouch lists the values of an axis.
func joinedTouch(cells []touchCell, axis string) string {
	text := ""
	for _, v := range distinct(cells, func(t touchCell) string { return t.Axis(axis) }) {
		if text != "" && v != "" {
			text += " or "
		}
		text += v
	}
	return text
}

// touchOf is a family's cell for an operation: of its first filter.
func touchOf(shown []touchCell, fam, op string) (touchCell, bool) {
	i := slices.IndexFunc(shown, func(t touchCell) bool { return family(t.filter) == fam && t.op == op })
	if i < 0 {
		return touchCell{}, false
	}
	return shown[i], true
}

// few writes a mean number of lines.
func few(v float64) string { return format.Digits(v, 2) }

// linesTitle compares a Bloom filter with a blocked one, or else names what
// touches least.
func linesTitle(shown []touchCell, names namer) string {
	bloom, ok1 := touchOf(shown, "bloom", "present")
	blocked, ok2 := touchOf(shown, "blocked", "present")
	switch {
	case !ok1 || !ok2:
		return "Cache lines that lookups and adds touch"
	case bloom.lines.lo <= blocked.lines.hi && blocked.lines.lo <= bloom.lines.hi:
		return fmt.Sprintf("A present key touches as many cache lines in %s as in %s: %s", names.name(bloom.filter), names.name(blocked.filter), few(bloom.lines.mid))
	}
	title := fmt.Sprintf("A present key touches %s cache lines in %s, %s in %s", few(bloom.lines.mid), names.name(bloom.filter), few(blocked.lines.mid), names.name(blocked.filter))
	if a, ok := touchOf(shown, "bloom", "absent"); ok && (a.lines.hi < bloom.lines.lo || a.lines.lo > bloom.lines.hi) {
		if b, ok := touchOf(shown, "blocked", "absent"); ok {
			title += fmt.Sprintf("; an absent one %s and %s", few(a.lines.mid), few(b.lines.mid))
		}
	}
	return title
}

func missesChart(shown []touchCell) chart.Chart {
	shown = slices.DeleteFunc(slices.Clone(shown), func(t touchCell) bool { return t.op != "absent" })
	filters, names := touchRows(shown)
	c := chart.Chart{
		Name:  "touch-caches",
		Minor: true,
		Title: missesTitle(shown, names),
		Caption: "The model has three levels of a fixed geometry, sets of 8, 8 and 16 lines, of which each forgets what has not been used for longest, and nothing but the filter in them. " +
			"It is the same on every machine, and none.",
		X: chart.Axis{Label: "loads of a lookup that miss", Zero: true},
	}
	if len(shown) > 0 {
		c.Subtitle = "absent keys, filters of " + format.Bytes(shown[0].size) + "; modelled caches of 32 KiB, 512 KiB and 32 MiB, least recently used lines replaced"
	}
	for _, f := range filters {
		c.Rows = append(c.Rows, names.name(f))
	}
	for level, name := range []string{"miss 32 KiB", "miss 512 KiB", "miss 32 MiB"} {
		c.Series = append(c.Series, chart.Series{Name: name, Style: touchOps[level].style})
		for _, t := range shown {
			if !math.IsNaN(t.misses[level]) {
				c.Series[level].Points = append(c.Series[level].Points, chart.Point{X: t.misses[level], Y: float64(slices.Index(filters, t.filter))})
			}
		}
	}
	return c
}

// missesTitle compares what reaches beyond the second level. Counts of a model
// have no interval: what reads the same is not called different.
func missesTitle(shown []touchCell, names namer) string {
	bloom, ok1 := touchOf(shown, "bloom", "absent")
	blocked, ok2 := touchOf(shown, "blocked", "absent")
	if !ok1 || !ok2 || math.IsNaN(bloom.misses[1]) || math.IsNaN(blocked.misses[1]) {
		return "What modelled caches miss"
	}
	a, b := few(bloom.misses[1]), few(blocked.misses[1])
	if a == b {
		return fmt.Sprintf("Modelled caches miss %s times beyond 512 KiB for an absent key, in %s and in %s", a, names.name(bloom.filter), names.name(blocked.filter))
	}
	return fmt.Sprintf("Beyond 512 KiB modelled caches miss %s times for an absent key in %s, %s times in %s", a, names.name(bloom.filter), b, names.name(blocked.filter))
}
