package report

import (
	"fmt"
	"math"
	"slices"

	"filterbench/filters/theory"
	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
	"filterbench/results/stat"
)

// mixed is what filters answered to one mix of present and absent keys.
type mixed struct {
	filter, zipf string
	share        float64 // of present keys, 0 to 1
	tp           float64
	stat.Sample          // of the absent keys
	lo, hi       float64 // of the rate
}

func readHitMix(set *results.Set) content {
	records := set.Records("hitmix")
	mixes, bad := mixesOf(records)
	times := slices.DeleteFunc(cellsOf(records, "HitMix"), func(c cell) bool {
		_, ok := c.number("hits")
		unusable := !ok || !(c.median("ns/op").mid > 0)
		if unusable {
			bad += c.rounds
		}
		return unusable
	})
	return content{
		charts:   slices.Concat(precisionCharts(mixes), mixTimeCharts(times), zipfCharts(mixes)),
		tables:   []table.Table{mixTable(mixes), mixTimeTable(times)},
		unusable: bad,
	}
}

// mixesOf reads the counts. What no filter can have answered is left out.
func mixesOf(records []results.Record) (all []mixed, unusable int) {
	for _, c := range cellsOf(records, "Precision") {
		hits, ok := c.number("hits")
		present, tp, queries, fp := c.first("present"), c.first("tp"), c.first("queries"), c.first("fp")
		filters, squares := c.first("filters"), c.first("fp-sq")
		possible := ok && hits >= 0 && hits <= 100 && tp >= 0 && tp <= present && fp >= 0 && fp <= queries &&
			present+queries >= 1 && present+queries < maxCount && filters >= 1 && filters < maxCount && squares >= 0
		if !possible || c.Axis("filter") == "" {
			unusable += c.rounds
			continue
		}
		m := mixed{filter: c.Axis("filter"), zipf: c.Axis("zipf"), share: hits / 100, tp: tp,
			Sample: stat.Sample{Hits: uint64(fp), HitsSq: squares, Queries: uint64(queries), Filters: uint64(filters)}}
		m.lo, m.hi = m.Interval(level)
		all = append(all, m)
	}
	return all, unusable
}

// precision is the share of positives that are present, with its interval; NaN
// where nothing was positive.
func (m mixed) precision() (mid, lo, hi float64) {
	positives := m.tp + float64(m.Hits)
	if positives == 0 || m.Queries == 0 {
		return m.tp / positives, math.NaN(), math.NaN()
	}
	return m.tp / positives, theory.Precision(m.share, m.hi), theory.Precision(m.share, m.lo)
}

// byLaw keeps the mixes of one exponent.
func byLaw(mixes []mixed, zipf string) []mixed {
	return slices.DeleteFunc(slices.Clone(mixes), func(m mixed) bool { return m.zipf != zipf })
}

// precisionCharts draw what a positive is worth against the share of present keys.
func precisionCharts(mixes []mixed) (charts []chart.Chart) {
	uniform := byLaw(mixes, "0")
	specs := distinct(uniform, func(m mixed) string { return m.filter })
	names := newNamer(specs)
	for _, t := range themesOf(specs) {
		c := chart.Chart{
			Title: precisionTitle(uniform, t.subject, names),
			Subtitle: fmt.Sprintf("counted: present keys among those answered maybe; %s filters of 9.585 bits per key, 95%% interval",
				spanOfFilters(uniform)),
			Caption: "Higher is better. A filter's rate says how many absent keys pass. How many of the keys that pass are present depends on what is asked for, too: " +
				"where few are, most of the positives are wrong. Lines: Bayes' theorem, at the rate that each filter has where no key is present.",
			X: chart.Axis{Label: "share of queries whose key is present", Log: true, Ticks: chart.Percent},
			Y: chart.Axis{Label: "positives that are right (%)", Zero: true, Max: 100},
		}
		styles := chart.Styles(t.specs())
		for i, f := range t.specs() {
			s := chart.Series{Name: names.name(f), Style: styles[i]}
			for _, m := range uniform {
				if m.filter == f && m.share == 0 {
					s.Curve = bayes(m.Rate())
				}
				if mid, lo, hi := m.precision(); m.filter == f && m.share > 0 {
					s.Points = append(s.Points, chart.Point{X: m.share, Y: 100 * mid, Lo: 100 * lo, Hi: 100 * hi})
				}
			}
			slices.SortFunc(s.Points, func(a, b chart.Point) int { return compareFloat(a.X, b.X) })
			c.Series = append(c.Series, s)
		}
		if slices.ContainsFunc(c.Series, func(s chart.Series) bool { return len(s.Points) > 0 }) {
			charts = append(charts, t.named("precision", c))
		}
	}
	return charts
}

// bayes is the precision at a rate, as theory has it, from a share of 0.1 % on.
func bayes(rate float64) (curve []chart.XY) {
	const steps = 30 // a decade has ten
	for i := range steps + 1 {
		share := math.Pow(10, float64(i)/10-3)
		curve = append(curve, chart.XY{X: share, Y: 100 * theory.Precision(share, rate)})
	}
	return curve
}

func spanOfFilters(mixes []mixed) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, m := range mixes {
		lo, hi = min(lo, float64(m.Filters)), max(hi, float64(m.Filters))
	}
	return span(lo, hi)
}

// precisionTitle says what a positive is worth at the least share that is 1 % or
// more, and at a half.
func precisionTitle(mixes []mixed, group []string, names namer) string {
	f := group[0]
	if i := slices.IndexFunc(group, func(s string) bool { return family(s) == "bloom" }); i >= 0 {
		f = group[i]
	}
	at := func(share float64) (string, bool) {
		for _, m := range mixes {
			if m.filter == f && m.share == share {
				mid, _, _ := m.precision()
				return format.Percent(mid, 2), mid > 0
			}
		}
		return "", false
	}
	few, ok1 := at(.01)
	half, ok2 := at(.5)
	if !ok1 || !ok2 {
		return "What a positive is worth"
	}
	return fmt.Sprintf("Where 1%% of the keys are present %s of %s's positives are right, where half are %s", few, names.name(f), half)
}

// zipfCharts compare the rates of keys drawn by Zipf's law with those drawn
// uniformly, of the first filter that has both.
func zipfCharts(mixes []mixed) []chart.Chart {
	zipf := slices.IndexFunc(mixes, func(m mixed) bool { return m.zipf != "0" })
	if zipf < 0 {
		return nil
	}
	f, law := mixes[zipf].filter, mixes[zipf].zipf
	c := chart.Chart{
		Name: "precision-zipf", Minor: true,
		Subtitle: "false positives over absent keys asked for, " + family(f) + "; intervals at 95% over " + spanOfFilters(mixes) + " filters",
		X:        chart.Axis{Label: "share of queries whose key is present (%)"},
		Y:        chart.Axis{Label: "false-positive rate (%)", Zero: true},
		Dodge:    true,
	}
	var widths []string
	for i, x := range []struct{ zipf, name string }{{"0", "uniform"}, {law, "Zipf, exponent " + law}} {
		s := chart.Series{Name: x.name, Style: chart.Ordered(3*i, 5)}
		for _, m := range byLaw(mixes, x.zipf) {
			if m.filter != f || m.Queries == 0 {
				continue
			}
			s.Points = append(s.Points, chart.Point{X: 100 * m.share, Y: 100 * m.Rate(), Lo: 100 * m.lo, Hi: 100 * m.hi})
			if m.share == .5 && m.Hits > 0 {
				widths = append(widths, format.Percent((m.hi-m.lo)/2/m.Rate(), 2))
			}
		}
		c.Series = append(c.Series, s)
	}
	c.Title = "Rates of keys drawn uniformly and by Zipf's law"
	if len(widths) == 2 {
		c.Title = fmt.Sprintf("Where few keys are most of the queries chance decides the rate: it is known to ±%s, for keys drawn uniformly to ±%s", widths[1], widths[0])
	}
	return []chart.Chart{c}
}

// mixTimeCharts draw the time of a lookup against the share of present keys, at
// the largest size.
func mixTimeCharts(times []cell) []chart.Chart {
	shown, size := atLargest(slices.DeleteFunc(slices.Clone(times), func(c cell) bool { return c.Axis("zipf") != "0" }))
	if len(shown) == 0 {
		return nil
	}
	specs := distinct(shown, func(c cell) string { return c.Axis("filter") })
	specs = specs[:min(len(specs), perChart)]
	names, styles := newNamer(specs), chart.Styles(specs)
	c := chart.Chart{
		Name: "hitmix", Minor: true, Title: mixTimeTitle(shown, specs, names, size),
		Subtitle: fmt.Sprintf("filters of %s, one lookup after the other, hashes given; median of %d rounds, 95%% interval", size, shown[0].rounds),
		X:        chart.Axis{Label: "share of queries whose key is present (%)"},
		Y:        chart.Axis{Label: "ns per lookup", Zero: true},
		Dodge:    true,
	}
	for i, f := range specs {
		s := chart.Series{Name: names.name(f), Style: styles[i], Join: true}
		for _, t := range shown {
			if h, _ := t.number("hits"); t.Axis("filter") == f {
				m := t.median("ns/op")
				s.Points = append(s.Points, chart.Point{X: h, Y: m.mid, Lo: m.lo, Hi: m.hi})
			}
		}
		slices.SortFunc(s.Points, func(a, b chart.Point) int { return compareFloat(a.X, b.X) })
		c.Series = append(c.Series, s)
	}
	return []chart.Chart{c}
}

// mixTimeTitle names the filter that a mix costs most over both of its ends, if
// the intervals tell.
func mixTimeTitle(shown []cell, specs []string, names namer, size string) string {
	best, title := 1., "At "+size+" no filter takes longer where half of the keys are present than where all or none are, as far as the rounds tell"
	for _, f := range specs {
		at := map[string]median{}
		for _, t := range shown {
			if t.Axis("filter") == f {
				at[t.Axis("hits")] = t.median("ns/op")
			}
		}
		none, ok1 := at["0"]
		half, ok2 := at["50"]
		all, ok3 := at["100"]
		if !ok1 || !ok2 || !ok3 || !(half.lo > none.hi && half.lo > all.hi) {
			continue
		}
		if ratio := half.mid / max(none.mid, all.mid); ratio > best {
			best = ratio
			title = fmt.Sprintf("At %s %s takes %s times as long where half of the keys are present as where all or none are",
				size, names.name(f), times(ratio))
		}
	}
	return title
}

// atLargest keeps the cells of the largest size, and names it.
func atLargest(cells []cell) (at []cell, size string) {
	largest := 0.
	for _, c := range cells {
		if b, ok := format.ParseBytes(c.Axis("size")); ok {
			largest = max(largest, b)
		}
	}
	for _, c := range cells {
		if b, ok := format.ParseBytes(c.Axis("size")); ok && b == largest {
			at = append(at, c)
		}
	}
	return at, format.Bytes(largest)
}

// mixTable lists the counts.
func mixTable(mixes []mixed) table.Table {
	t := table.Table{
		Name: "precision", Title: "What a positive is worth",
		Note: "Precision is the share of present keys among those that were answered maybe, spared that of all queries that were answered no. " +
			"zipf is the exponent of the law by which keys were drawn, 0 uniformly. The intervals, at 95%, are over filters.",
		Columns: []table.Column{text("filter"), number("zipf"), number("present"), number("precision"), number("95% interval"),
			number("FPR"), number("95% interval"), number("spared")},
	}
	for _, m := range mixes {
		mid, lo, hi := m.precision()
		total := float64(m.Queries) / (1 - m.share)
		if m.share == 1 {
			total = m.tp
		}
		asked := m.Queries > 0
		t.Rows = append(t.Rows, []string{m.filter, m.zipf, format.Short(100*m.share) + "%",
			orDash(format.Percent(mid, 4), !math.IsNaN(mid)), orDash(format.PercentInterval(lo, hi), hi > lo),
			orDash(format.Percent(m.Rate(), 3), asked), orDash(format.PercentInterval(m.lo, m.hi), asked),
			format.Percent(1-(m.tp+float64(m.Hits))/total, 3)})
	}
	return t
}

// mixTimeTable lists the times.
func mixTimeTable(times []cell) table.Table {
	t := table.Table{
		Name: "hitmix", Title: "Lookups by the share of present keys",
		Note:    "One lookup after the other, hashes given. Medians over the rounds with their 95% interval; lines is how many cache lines the design says that a lookup reads.",
		Columns: []table.Column{text("filter"), number("size"), number("zipf"), number("present"), number("ns/op"), number("95% interval"), number("CPU ns/op"), number("lines"), number("rounds")},
	}
	for _, c := range times {
		m, lines := c.median("ns/op"), c.first("model-lines")
		t.Rows = append(t.Rows, []string{c.Axis("filter"), c.Axis("size"), c.Axis("zipf"), c.Axis("hits") + "%",
			format.Fixed(m.mid, 3), m.interval(), format.Fixed(c.median("cpu-ns/op").mid, 3), orDash(format.Fixed(lines, 3), lines > 0), format.Count(float64(c.rounds))})
	}
	return t
}
