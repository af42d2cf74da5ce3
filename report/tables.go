package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
)

// text and number are columns aligned to the left and to the right.
func text(name string) table.Column   { return table.Column{Name: name} }
func number(name string) table.Column { return table.Column{Name: name, Number: true} }

// dash stands for a number that there is not.
const dash = "–"

// spaceTable is bits per key at equal FPR, read off the measured points.
func spaceTable(cells []rate) table.Table {
	keys, n, all := spaceRows(cells)
	t := table.Table{
		Name: "space", Title: "Bits per key at equal FPR",
		Note: "Read off a line through the measured points around each rate (log scale); " + dash + " where none were measured on both sides. " +
			"Of a filter that comes in no other sizes, those and their rates.",
		Columns: []table.Column{text("filter"), number("n")},
	}
	for _, p := range targets {
		t.Columns = append(t.Columns, number(format.Percent(p, 1)))
	}
	t.Columns = append(t.Columns, text("only sizes"), number("× bound"))
	names := newNamer(distinct(all, func(s spaceRow) string { return s.filter }))
	for _, s := range all {
		row := []string{names.name(s.filter), format.Count(s.n)}
		for _, b := range s.bits {
			row = append(row, orDash(format.Fixed(b.mid, 3), b.ok))
		}
		var own []string
		for _, d := range s.designs {
			own = append(own, format.Fixed(d.alloc, 3)+" at "+format.Percent(d.p, 2))
		}
		t.Rows = append(t.Rows, append(row, cmp.Or(strings.Join(own, ", "), dash), orDash(format.Fixed(s.overhead, 3), !math.IsInf(s.overhead, 1))))
	}
	if len(t.Rows) == 0 {
		return t
	}
	bound := []string{leastName, dash}
	for _, p := range targets {
		bound = append(bound, format.Fixed(math.Log2(1/p), 3))
	}
	t.Rows = append(t.Rows, append(bound, dash, "1.00"))
	t.Note += " × bound is over log2(1/FPR), at 1% or that rate. Keys: " + keys + ", most filters with n = " + format.Count(n) + "."
	return t
}

func orDash(s string, ok bool) string {
	if !ok {
		return dash
	}
	return s
}

// fprTable lists every cell of the fpr experiment.
func fprTable(cells []rate) table.Table {
	t := table.Table{
		Name: "fpr", Title: "False-positive rates",
		Note: "Pooled over seeds. The interval is at 95%: Wilson's, widened by what theory says of how filters differ; Student's over filters where " +
			"there are 30 or more, no theory, or more difference than it allows; where no false positive was seen, the bound of a one-sided one. Model is what theory expects, ratio is measured over model, " +
			"overhead is bits per key over log2(1/FPR), the least that any filter needs.",
		Columns: []table.Column{text("filter"), number("bits asked"), number("allocated"), number("n"), text("keys"),
			number("false positives"), number("queries"), number("FPR"), number("95% interval"),
			number("model"), number("ratio"), number("overhead")},
	}
	for _, r := range cells {
		digits := format.Significant(r.lo, r.hi)
		row := []string{r.filter, r.bits, format.Digits(r.alloc, 5), format.Count(r.n), r.keys,
			format.Count(float64(r.Hits)), format.Count(float64(r.Queries))}
		if r.zero() {
			row = append(row, "below "+format.Percent(r.hi, 2), dash)
		} else {
			row = append(row, format.Percent(r.p, digits), format.PercentInterval(r.lo, r.hi))
		}
		row = append(row, orDash(format.Percent(r.model, max(digits, 3)), !math.IsNaN(r.model)))
		if r.zero() {
			row = append(row, dash, dash)
		} else {
			row = append(row, format.Fixed(r.ratio(), 3), format.Fixed(r.overhead(), 3))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// lookupTable lists every timing of a filter.
func lookupTable(cells []timing) table.Table {
	t := table.Table{
		Name: "lookup", Title: "Lookups",
		Note: "Medians over the rounds with their 95% interval. × limit is over the random line read of the same round and size. " +
			"api=hash is given hashes, api=key hashes inside the timer; hits is the share of present keys.",
		Columns: []table.Column{text("filter"), number("size"), text("api"), text("mode"), number("hits"), text("keys"),
			number("ns/op"), number("95% interval"), number("CPU ns/op"), number("million/s"), number("× limit"), number("rounds")},
	}
	for _, c := range sorted(cells, "Lookup") {
		t.Rows = append(t.Rows, []string{c.filter, format.Bytes(c.size), c.api, c.mode, c.hits + "%", c.keys,
			format.Fixed(c.ns.mid, 3), c.ns.interval(), format.Fixed(c.cpu.mid, 3),
			format.Fixed(c.ns.perSecond().mid, 3), format.Fixed(c.xLimit.mid, 3), format.Count(float64(c.samples))})
	}
	return t
}

// limitTable lists what the memory allows.
func limitTable(cells []timing) table.Table {
	t := table.Table{
		Name: "limit", Title: "Physical limits",
		Note: "Measured in the same rounds on memory of the same size: line-read is prefetched reads of random cache lines, " +
			"dependent-read reads of which each needs the one before, loop the queries alone.",
		Columns: []table.Column{text("kind"), number("size"), text("path"), number("distance"),
			number("ns/op"), number("95% interval"), number("million/s"), number("rounds")},
	}
	for _, c := range sorted(cells, "Limit") {
		t.Rows = append(t.Rows, []string{c.kind, format.Bytes(c.size), cmp.Or(c.path, dash), cmp.Or(c.distance, dash),
			format.Fixed(c.ns.mid, 3), c.ns.interval(), format.Fixed(c.ns.perSecond().mid, 3), format.Count(float64(c.samples))})
	}
	return t
}

// sorted are the cells of one name by size, else in their order.
func sorted(cells []timing, name string) []timing {
	picked := slices.DeleteFunc(slices.Clone(cells), func(c timing) bool { return c.name != name })
	slices.SortStableFunc(picked, func(a, b timing) int { return cmp.Compare(a.size, b.size) })
	return picked
}

// interval writes the ends of a median's interval.
func (m median) interval() string {
	if math.IsNaN(m.mid) || math.IsInf(m.lo, 0) || math.IsInf(m.hi, 0) {
		return dash
	}
	return format.Interval(m.lo, m.hi, 3)
}

// memoryTable lists what each structure takes.
func memoryTable(all []weight) table.Table {
	t := table.Table{
		Name: "memory", Title: "Memory",
		Note: "Allocated is what the structure says, heap by how much heap and mapped memory grew while it was built. " +
			"× keys is the keys' own bytes over that.",
		Columns: []table.Column{text("structure"), number("n"), text("keys"), number("allocated"), number("heap"),
			number("bytes per key"), number("bits per key"), number("× keys")},
	}
	for _, w := range all {
		t.Rows = append(t.Rows, []string{w.filter, format.Count(w.n), w.keys,
			orDash(format.Bytes(w.alloc), w.alloc > 0), format.Bytes(w.heap),
			format.Fixed(w.perKey(), 3), format.Fixed(8*w.perKey(), 4), orDash(format.Fixed(w.key/w.heap, 3), w.key > 0)})
	}
	return t
}

// textbookTables list the golden numbers, a table for each part.
func textbookTables(records []results.Record) (tables []table.Table) {
	titles := map[string]string{
		"filter":      "The texts' program: one filter",
		"positions":   "The texts' program: positions of a key's bits",
		"lsm":         "The texts' program: ten tables, absent keys",
		"lsm-present": "The texts' program: ten tables, present keys",
	}
	for _, part := range distinct(records, func(r results.Record) string { return r.Axis("part") }) {
		var of []results.Record
		for _, r := range records {
			if r.Axis("part") == part {
				of = append(of, r)
			}
		}
		title := titles[part]
		if title == "" {
			title = "The texts' program: " + part
		}
		tables = append(tables, recordTable("textbook-"+part, title, of))
	}
	return tables
}

// recordTable shows records as they are: a column for each axis and unit.
func recordTable(name, title string, records []results.Record) table.Table {
	t := table.Table{Name: name, Title: title}
	var axes, units []string
	for _, r := range records {
		for _, a := range r.Axes {
			if a.Key != "part" && !slices.Contains(axes, a.Key) {
				axes = append(axes, a.Key)
			}
		}
		for _, v := range r.Values {
			if !slices.Contains(units, v.Unit) {
				units = append(units, v.Unit)
			}
		}
	}
	for _, a := range axes {
		t.Columns = append(t.Columns, text(a))
	}
	for _, u := range units {
		t.Columns = append(t.Columns, number(u))
	}
	for _, r := range records {
		var row []string
		for _, a := range axes {
			row = append(row, cmp.Or(shortDigest(a, r.Axis(a)), dash))
		}
		for _, u := range units {
			v, ok := r.Value(u)
			row = append(row, orDash(whole(v), ok))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// shortDigest keeps the start of a digest, and says that there is more.
func shortDigest(axis, value string) string {
	if axis == "sha256" && len(value) > 12 {
		return value[:12] + "…"
	}
	return strings.ReplaceAll(value, "+", " ")
}

// whole writes whole numbers with separators and others with four digits.
func whole(v float64) string {
	if v == math.Trunc(v) {
		return format.Count(v)
	}
	return format.Fixed(v, 4)
}
