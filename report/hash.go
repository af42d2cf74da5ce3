package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
)

func readHash(set *results.Set) content {
	records := set.Records("hash")
	costs, bad := hashCosts(records)
	probe := probeCost(records)
	rates, worse := hashRates(records)
	return content{
		unusable: bad + worse,
		charts:   append(hashCharts(costs, probe), hashRateCharts(rates)...),
		tables:   []table.Table{hashTable(costs, probe), hashRateTable(rates)},
	}
}

// hashCost is the time of one function for keys of one length.
type hashCost struct {
	name  string // with the digests that a key takes
	bytes float64
	ns    median
}

// hashCosts are the times of functions. Cells without a length or a positive
// time are left out and counted.
func hashCosts(records []results.Record) (costs []hashCost, unusable int) {
	for _, c := range cellsOf(records, "Hash") {
		bytes, ok := c.number("bytes")
		ns := opsCell{cell: c}.times()
		name := c.Axis("hash")
		if calls := c.Axis("calls"); calls != "1" && calls != "" {
			name = calls + " × " + name
		}
		if !ok || !(bytes > 0) || !positive(ns) || c.Axis("hash") == "" {
			unusable += c.rounds
			continue
		}
		costs = append(costs, hashCost{name, bytes, medianOf(ns)})
	}
	return costs, unusable
}

// probeCost is the time of a lookup that is given the hash; NaN where there is
// none.
func probeCost(records []results.Record) median {
	for _, c := range cellsOf(records, "Probe") {
		if ns := (opsCell{cell: c}).times(); positive(ns) {
			return medianOf(ns)
		}
	}
	return medianOf(nil)
}

// hashCharts draw the time to hash a key against its length.
func hashCharts(costs []hashCost, probe median) []chart.Chart {
	if len(costs) == 0 {
		return nil
	}
	c := chart.Chart{
		Name:     "hash",
		Title:    hashTitle(costs),
		Subtitle: "one key after the other, keys in the L1 cache; CPU time where the system tells it, median of the rounds, 95% interval",
		Caption: "Lower is better; both axes are logarithmic. What is hashed once serves every filter that is asked. The dashed line is what remains of a lookup " +
			"that is given its hash.",
		X: chart.Axis{Label: "bytes of a key", Log: true, Ticks: chart.Bytes},
		Y: chart.Axis{Label: "ns per key", Log: true, Ticks: chart.Decimal},
	}
	if !math.IsNaN(probe.mid) {
		c.Marks = append(c.Marks, chart.Mark{At: probe.mid, Horizontal: true, Name: "a lookup's probes", Short: "probes"})
	}
	for i, name := range distinct(costs, func(h hashCost) string { return h.name }) {
		s := chart.Series{Name: name, Style: chart.Numbered(i), Join: true}
		for _, h := range costs {
			if h.name == name {
				s.Points = append(s.Points, chart.Point{X: h.bytes, Y: h.ns.mid, Lo: h.ns.lo, Hi: h.ns.hi})
			}
		}
		slices.SortFunc(s.Points, func(a, b chart.Point) int { return compareFloat(a.X, b.X) })
		c.Series = append(c.Series, s)
	}
	return []chart.Chart{c}
}

// hashTitle names the functions that hash the shortest keys fastest, as far as
// the rounds tell, and by how much the dearest is slower.
func hashTitle(costs []hashCost) string {
	least := slices.MinFunc(costs, func(a, b hashCost) int { return cmp.Compare(a.bytes, b.bytes) }).bytes
	at := slices.DeleteFunc(slices.Clone(costs), func(h hashCost) bool { return h.bytes != least })
	slices.SortStableFunc(at, func(a, b hashCost) int { return compareFloat(a.ns.mid, b.ns.mid) })
	first, last := at[0], at[len(at)-1]
	var fastest []string
	most := first.ns.mid
	for _, h := range at {
		if h.ns.lo <= first.ns.hi {
			fastest, most = append(fastest, h.name), h.ns.mid
		}
	}
	verb := "hashes"
	if len(fastest) > 1 {
		verb = "hash"
	}
	title := fmt.Sprintf("%s %s a key of %s bytes in %s ns", list(fastest), verb, format.Count(least), fromTo(first.ns.mid, most))
	if last.ns.lo > first.ns.hi {
		title += fmt.Sprintf("; %s takes %s times as long", last.name, times(last.ns.mid/first.ns.mid))
	}
	return title
}

func hashTable(costs []hashCost, probe median) table.Table {
	t := table.Table{
		Name: "hash", Title: "What hashing costs",
		Note:    "Medians over the rounds with their 95% interval; CPU time where the system tells it. The share is of a lookup: the hash, and the probes of a filter that is given it.",
		Columns: []table.Column{text("hash"), number("bytes"), number("ns/key"), number("95% interval"), number("GB/s"), number("share of a lookup")},
	}
	for _, h := range costs {
		share := h.ns.mid / (h.ns.mid + probe.mid)
		t.Rows = append(t.Rows, []string{h.name, format.Count(h.bytes), format.Fixed(h.ns.mid, 3), h.ns.interval(),
			format.Fixed(h.bytes/h.ns.mid, 3), orDash(format.Percent(share, 2), !math.IsNaN(share))})
	}
	return t
}

// hashRate is the rate of a filter whose positions come from a function.
type hashRate struct {
	hash string
	rate
}

func hashRates(records []results.Record) (all []hashRate, unusable int) {
	for _, r := range ofName(records, "HashFPR") {
		cells, bad := comparedRates([]results.Record{r}, "HashFPR")
		unusable += bad
		for _, c := range cells {
			c.tol = 0 // enhanced double hashing is as good as independent positions at such sizes
			c.filter = r.Axis("hash")
			all = append(all, hashRate{r.Axis("hash"), c})
		}
	}
	return all, unusable
}

// hashRateCharts draw rates over theory's, a row for each function.
func hashRateCharts(all []hashRate) []chart.Chart {
	if len(all) == 0 {
		return nil
	}
	c := chart.Chart{
		Name: "hash-fpr", Minor: true,
		Title:    hashRateTitle(all),
		Subtitle: fmt.Sprintf("measured over expected rate of a Bloom filter at %s bits per key, 95%% interval; dashed: theory", all[0].bits),
		X:        chart.Axis{Label: "measured rate over theory", Log: true, Ticks: chart.Times, Min: .9, Max: 1.1},
		Marks:    []chart.Mark{{At: 1}},
		Rows:     distinct(all, func(h hashRate) string { return h.hash }),
	}
	kinds := distinct(all, func(h hashRate) string { return h.keys })
	for i, keys := range kinds {
		s := chart.Series{Name: keys, Style: chart.Numbered(i)}
		step := .6 / float64(len(kinds))
		for _, h := range all {
			if h.keys == keys && !h.zero() {
				p := h.over()
				y := float64(slices.Index(c.Rows, h.hash)) + (float64(i)-float64(len(kinds)-1)/2)*step
				s.Points = append(s.Points, chart.Point{X: p.Y, Y: y, Lo: p.Lo, Hi: p.Hi})
			}
		}
		c.Series = append(c.Series, s)
	}
	return []chart.Chart{c}
}

// hashRateTitle says which functions keep to theory, and how far off the worst
// is, where chance does not explain it.
func hashRateTitle(all []hashRate) string {
	var cells []rate
	for _, h := range all {
		cells = append(cells, h.rate)
	}
	functions, kinds := distinct(all, func(h hashRate) string { return h.hash }), distinct(all, func(h hashRate) string { return h.keys })
	j := judge(cells)
	off := distinct(j.off, func(r rate) string { return r.filter })
	if len(off) == 0 {
		return fmt.Sprintf("With each of %d functions the rates are theory's for all %d kinds of keys, as far as the counts tell", len(functions), len(kinds))
	}
	w := slices.MaxFunc(j.off, func(a, b rate) int { return compareFloat(math.Abs(math.Log(a.ratio())), math.Abs(math.Log(b.ratio()))) })
	return fmt.Sprintf("%d of %d functions keep to theory for all %d kinds of keys; %s errs %s times as often on %s keys",
		len(functions)-len(off), len(functions), len(kinds), w.filter, times(w.ratio()), w.keys)
}

func hashRateTable(all []hashRate) table.Table {
	t := table.Table{
		Name: "hash-fpr", Title: "What a hash does to the rate",
		Note:    "A Bloom filter that takes its positions from the first 64 bits of each hash. The ratio is over theory's rate; identity is the key's first 8 bytes, which is no hash.",
		Columns: []table.Column{text("hash"), text("keys"), number("n"), number("false positives"), number("queries"), number("FPR"), number("95% interval"), number("ratio")},
	}
	for _, h := range all {
		t.Rows = append(t.Rows, []string{h.hash, h.keys, format.Count(h.n), format.Count(float64(h.Hits)), format.Count(float64(h.Queries)),
			format.Percent(h.p, format.Significant(h.lo, h.hi)), format.PercentInterval(h.lo, h.hi), format.Fixed(h.ratio(), 3)})
	}
	return t
}
