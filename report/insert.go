package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"filterbench/filters/theory"
	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

func readInsert(set *results.Set) content {
	records := set.Records("insert")
	adds, bad := addCells(records)
	refused, bad2 := refusals(records)
	fills, bad3 := fillCells(records)
	return content{
		unusable: bad + bad2 + bad3,
		charts:   append(append(addCharts(adds), refusalCharts(refused)...), moveCharts(fills)...),
		tables:   []table.Table{addTable(adds), buildTable(records), refusalTable(refused), fillTable(fills)},
	}
}

// loaded is a cell at a load of its filter.
type loaded struct {
	cell
	filter string
	load   float64 // percent
	ns     median
}

func loadedCells(records []results.Record, kind string, usable func(l loaded) bool) (all []loaded, unusable int) {
	for _, c := range cellsOf(records, kind) {
		l := loaded{cell: c, filter: c.Axis("filter"), ns: c.median("ns/op")}
		var ok bool
		if l.load, ok = c.number("load"); !ok || l.filter == "" || !(l.load > 0 && l.load <= 1000) || !usable(l) {
			unusable += c.rounds
			continue
		}
		all = append(all, l)
	}
	slices.SortStableFunc(all, func(a, b loaded) int { return compareFloat(a.load, b.load) })
	return all, unusable
}

func addCells(records []results.Record) (all []loaded, unusable int) {
	return loadedCells(records, "Add", func(l loaded) bool { return l.ns.mid > 0 && !math.IsInf(l.ns.mid, 0) })
}

func fillCells(records []results.Record) (all []loaded, unusable int) {
	return loadedCells(records, "Fill", func(l loaded) bool {
		return l.first("accepted") >= 1 && l.first("accepted") < maxCount
	})
}

// addCharts draw the time of an add against the load.
func addCharts(all []loaded) []chart.Chart {
	if len(all) == 0 {
		return nil
	}
	filters := distinct(all, func(l loaded) string { return l.filter })
	slices.SortStableFunc(filters, func(a, b string) int { return cmp.Compare(family(a), family(b)) })
	names := newNamer(filters)
	n, _ := all[0].number("n")
	var charts []chart.Chart
	for _, t := range themesOf(filters) {
		shown := slices.DeleteFunc(slices.Clone(all), func(l loaded) bool { return !slices.Contains(t.specs(), l.filter) })
		c := chart.Chart{
			Title: addTitle(shown, names),
			Subtitle: fmt.Sprintf("%s slots, or keys that a filter is sized for; hashes given, in batches; median of %s rounds, 95%% interval",
				format.Compact(n), roundsOf(shown)),
			Caption: "Lower is better. A cuckoo filter moves what is in the way, a quotient filter what lies behind in the same stretch of filled slots; " +
				"a Bloom filter sets bits at any load.",
			X:     chart.Axis{Label: "load (% of the slots filled, or of the keys planned)"},
			Y:     chart.Axis{Label: "ns per add", Log: true, Ticks: chart.Decimal},
			Dodge: true,
		}
		styles := chart.Styles(t.specs())
		for i, f := range t.specs() {
			s := chart.Series{Name: names.name(f), Style: styles[i], Join: true}
			for _, l := range shown {
				if l.filter == f {
					s.Points = append(s.Points, chart.Point{X: l.load, Y: l.ns.mid, Lo: l.ns.lo, Hi: l.ns.hi})
				}
			}
			c.Series = append(c.Series, s)
		}
		charts = append(charts, t.named("insert", c))
	}
	return charts
}

// roundsOf is how many rounds the cells have.
func roundsOf(cells []loaded) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, l := range cells {
		lo, hi = min(lo, float64(l.rounds)), max(hi, float64(l.rounds))
	}
	return span(lo, hi)
}

// addTitle says which adds get slowest between the lowest load and the highest,
// and which do not, as far as the intervals tell.
func addTitle(shown []loaded, names namer) string {
	type change struct {
		name     string
		ratio    float64
		from, to float64
		told     bool
	}
	var changes []change
	for _, f := range distinct(shown, func(l loaded) string { return l.filter }) {
		var of []loaded
		for _, l := range shown {
			if l.filter == f {
				of = append(of, l)
			}
		}
		first, last := of[0], of[len(of)-1]
		if first.load < last.load {
			changes = append(changes, change{names.name(f), last.ns.mid / first.ns.mid, first.load, last.load,
				first.ns.hi < last.ns.lo || last.ns.hi < first.ns.lo})
		}
	}
	if len(changes) == 0 {
		return "Time of an add against the load"
	}
	slices.SortStableFunc(changes, func(a, b change) int { return -compareFloat(a.ratio, b.ratio) })
	worst := changes[0]
	if !worst.told || worst.ratio <= 1 {
		return "Adds take as long in a full filter as in a half-full one, as far as the rounds tell"
	}
	title := fmt.Sprintf("An add to %s takes %s times as long at %s%% load as at %s%%", worst.name, times(worst.ratio), format.Short(worst.to), format.Short(worst.from))
	for _, c := range changes[1:] {
		if c.told && c.ratio > 1.1 {
			title += fmt.Sprintf(", to %s %s times", c.name, times(c.ratio))
			break
		}
	}
	return title
}

// refused is the load at the first refusal of the tables of one size.
type refused struct {
	filter       string
	slots        float64
	loads        []float64
	mean, lo, hi float64 // with Student's interval; none for one table
}

func refusals(records []results.Record) (all []refused, unusable int) {
	type key struct {
		filter string
		slots  float64
	}
	index := map[key]int{}
	for _, c := range cellsOf(records, "Refusal") {
		slots, ok := c.number("slots")
		load := c.first("first-load")
		if !ok || !(slots >= 1 && slots < maxCount) || !(load > 0 && load <= 1) || c.Axis("filter") == "" {
			unusable++
			continue
		}
		k := key{c.Axis("filter"), slots}
		i, seen := index[k]
		if !seen {
			i = len(all)
			index[k] = i
			all = append(all, refused{filter: k.filter, slots: slots})
		}
		all[i].loads = append(all[i].loads, load)
	}
	for i := range all {
		r := &all[i]
		var sd float64
		r.mean, sd = stat.MeanStdDev(r.loads, nil)
		if n := float64(len(r.loads)); n > 1 {
			half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1+level)/2) * sd / math.Sqrt(n)
			r.lo, r.hi = r.mean-half, r.mean+half
		} else {
			r.lo, r.hi = math.NaN(), math.NaN()
		}
	}
	slices.SortStableFunc(all, func(a, b refused) int { return compareFloat(a.slots, b.slots) })
	return all, unusable
}

// optionOf is the value of one of a spec's options.
func optionOf(spec, key string) string {
	for _, o := range options(spec) {
		if len(o) > len(key) && o[:len(key)+1] == key+"=" {
			return o[len(key)+1:]
		}
	}
	return ""
}

// ofSizes are those of filters that were measured at several sizes.
func ofSizes(all []refused) []refused {
	n := map[string]int{}
	for _, r := range all {
		n[r.filter]++
	}
	return slices.DeleteFunc(slices.Clone(all), func(r refused) bool { return n[r.filter] < 2 })
}

// refusalCharts draw the load at the first refusal against the size of the table.
func refusalCharts(all []refused) []chart.Chart {
	shown := ofSizes(all)
	if len(shown) == 0 {
		return nil
	}
	c := chart.Chart{
		Name: "insert-refusal", Minor: true,
		Title:    refusalTitle(shown),
		Subtitle: "cuckoo tables filled until they refuse a key, after 500 moves; mean over tables, 95% interval",
		Caption:  "Dashed: what any arrangement could fill of a large table. Small tables vary more, and have luck more often.",
		X:        chart.Axis{Label: "slots of the table", Log: true, Ticks: chart.Decimal},
		Y:        chart.Axis{Label: "load at the first refusal (%)"},
		Dodge:    true,
	}
	for i, f := range distinct(shown, func(r refused) string { return r.filter }) {
		b := optionOf(f, "b")
		s := chart.Series{Name: b + " slots a bucket", Style: chart.Ordered(min(1+i, 4), 5), Join: true}
		for _, r := range shown {
			if r.filter == f {
				s.Points = append(s.Points, chart.Point{X: r.slots, Y: 100 * r.mean, Lo: 100 * r.lo, Hi: 100 * r.hi})
			}
		}
		c.Series = append(c.Series, s)
		if slots := map[string]int{"2": 2, "4": 4, "8": 8}[b]; slots > 0 {
			c.Marks = append(c.Marks, chart.Mark{At: 100 * theory.CuckooThreshold(slots), Horizontal: true})
		}
	}
	return []chart.Chart{c}
}

// refusalTitle says how far the largest tables fill.
func refusalTitle(shown []refused) string {
	largest := shown[len(shown)-1].slots
	var slots, loads []string
	for _, r := range shown {
		if r.slots == largest {
			slots, loads = append(slots, optionOf(r.filter, "b")), append(loads, format.Percent(r.mean, 3))
		}
	}
	return fmt.Sprintf("Buckets of %s slots fill to %s before a cuckoo filter refuses a key", strings.Join(slots, ", "), strings.Join(loads, ", "))
}

// moveCharts draw what an add moves, or may have to move, against the load.
func moveCharts(all []loaded) []chart.Chart {
	c := chart.Chart{
		Name: "insert-moves", Minor: true,
		Subtitle: "one table of each kind as it fills up; line: theory of linear probing",
		Caption:  "A kick moves one fingerprint to its other bucket. A stretch is a maximal sequence of filled slots; an add may have to move all that is behind it there.",
		X:        chart.Axis{Label: "load (% of the slots)"},
		Y:        chart.Axis{Label: "fingerprints", Log: true, Ticks: chart.Decimal},
	}
	kicks := chart.Series{Name: "kicks per add (cuckoo)", Style: chart.StyleOf("cuckoo"), Join: true}
	mean := chart.Series{Name: "mean stretch (quotient)", Style: chart.StyleOf("quotient")}
	longest := chart.Series{Name: "longest stretch", Style: chart.Style{Color: chart.Ink, Glyph: chart.Triangle}, Join: true}
	seen := map[string]bool{}
	for _, l := range all {
		if seed := l.Axis("seed"); seed != "1" {
			continue
		}
		per := l.first("kicks") / l.first("adds")
		if k := fmt.Sprint("kicks", l.load); per > 0 && optionOf(l.filter, "semisort") != "yes" && !seen[k] {
			seen[k] = true
			kicks.Points = append(kicks.Points, chart.Point{X: l.load, Y: per})
		}
		n, most := l.first("stretches"), l.first("stretch-max")
		if k := fmt.Sprint("stretch", l.load); n > 0 && !seen[k] {
			seen[k] = true
			mean.Points = append(mean.Points, chart.Point{X: l.load, Y: l.first("accepted") / n})
			longest.Points = append(longest.Points, chart.Point{X: l.load, Y: most})
		}
	}
	if len(mean.Points) > 1 {
		for x, end := mean.Points[0].X, mean.Points[len(mean.Points)-1].X; x <= end && x < 100; x++ {
			mean.Curve = append(mean.Curve, chart.XY{X: x, Y: theory.QuotientStretch(x / 100)})
		}
	}
	for _, s := range []chart.Series{kicks, mean, longest} {
		if len(s.Points) > 0 {
			c.Series = append(c.Series, s)
		}
	}
	c.Title = moveTitle(kicks.Points, mean.Points)
	return []chart.Chart{c}
}

func moveTitle(kicks, stretches []chart.Point) string {
	title := "What an add moves, against the load"
	last := func(points []chart.Point) chart.Point {
		return slices.MaxFunc(points, func(a, b chart.Point) int { return compareFloat(a.X, b.X) })
	}
	switch {
	case len(kicks) > 0 && len(stretches) > 0:
		k, s := last(kicks), last(stretches)
		title = fmt.Sprintf("At %s%% load an add to a cuckoo filter moves %s fingerprints; a quotient filter's filled slots are %s in a row at %s%%",
			format.Short(k.X), format.Fixed(k.Y, 2), format.Fixed(s.Y, 2), format.Short(s.X))
	case len(kicks) > 0:
		k := last(kicks)
		title = fmt.Sprintf("At %s%% load an add to a cuckoo filter moves %s fingerprints", format.Short(k.X), format.Fixed(k.Y, 2))
	}
	return title
}

func addTable(all []loaded) table.Table {
	t := table.Table{Name: "insert", Title: "Adds by load", Note: "Medians over the rounds with their 95% interval; every pass finds the filter as the first did.",
		Columns: []table.Column{text("filter"), number("100% is"), number("load"), number("ns/op"), number("95% interval"), number("CPU ns/op"), number("rounds")}}
	for _, l := range all {
		t.Rows = append(t.Rows, []string{l.filter, countOf(l.cell, "n"), format.Short(l.load) + "%", format.Fixed(l.ns.mid, 3), l.ns.interval(),
			format.Fixed(l.median("cpu-ns/op").mid, 3), format.Count(float64(l.rounds))})
	}
	slices.SortStableFunc(t.Rows, func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	return t
}

func countOf(c cell, axis string) string {
	v, ok := c.number(axis)
	return orDash(format.Count(v), ok)
}

func buildTable(records []results.Record) table.Table {
	t := table.Table{Name: "insert-build", Title: "Whole builds", Note: "The making of an empty filter and adding all keys, hashes given; medians with their 95% interval.",
		Columns: []table.Column{text("filter"), number("n"), number("ns/key"), number("95% interval"), number("million/s")}}
	for _, c := range cellsOf(records, "Build") {
		if ns := c.median("ns/op"); ns.mid > 0 {
			t.Rows = append(t.Rows, []string{c.Axis("filter"), countOf(c, "n"), format.Fixed(ns.mid, 3), ns.interval(), format.Fixed(ns.perSecond().mid, 3)})
		}
	}
	return t
}

func refusalTable(all []refused) table.Table {
	t := table.Table{Name: "insert-refusal", Title: "First refusals", Note: "Share of the slots that is filled when a key is refused for the first time; Student's interval over the tables.",
		Columns: []table.Column{text("filter"), number("slots"), number("tables"), number("mean load"), number("95% interval"), number("least"), number("most")}}
	for _, r := range all {
		t.Rows = append(t.Rows, []string{r.filter, format.Count(r.slots), format.Count(float64(len(r.loads))), format.Percent(r.mean, 4),
			orDash(format.Interval(100*r.lo, 100*r.hi, 4)+"%", !math.IsNaN(r.lo)), format.Percent(slices.Min(r.loads), 4), format.Percent(slices.Max(r.loads), 4)})
	}
	return t
}

func fillTable(all []loaded) table.Table {
	t := table.Table{Name: "insert-fill", Title: "Tables as they fill up", Note: "Kicks are moves by the adds since the row before. Keys lost are those taken and not found, where all were asked for.",
		Columns: []table.Column{text("filter"), number("seed"), number("load"), number("keys"), number("refused"), number("kicks per add"), number("most"),
			number("mean stretch"), number("longest"), number("longest cluster"), number("keys lost")}}
	for _, l := range all {
		kicks, stretch := l.first("kicks")/l.first("adds"), l.first("accepted")/l.first("stretches")
		count := func(unit string) string {
			v := l.first(unit)
			return orDash(format.Count(v), !math.IsNaN(v))
		}
		t.Rows = append(t.Rows, []string{l.filter, l.Axis("seed"), format.Short(l.load) + "%", count("accepted"), count("refused"),
			orDash(format.Fixed(kicks, 3), !math.IsNaN(kicks)), count("kicks-max"), orDash(format.Fixed(stretch, 3), !math.IsNaN(stretch)),
			count("stretch-max"), count("cluster-max"), count("fn")})
	}
	slices.SortStableFunc(t.Rows, func(a, b []string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return t
}
