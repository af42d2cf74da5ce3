package report

import (
	"fmt"
	"math"
	"slices"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/results/stat"
)

// judgement is which of some rates agree with what theory says of them.
type judgement struct {
	held []rate // those that theory is meant to hold for
	off  []rate // those of held that lie off it, the least likely first
}

// judge tells rates that lie off theory by more than the model admits and chance
// explains. The chance of calling any one wrongly is 5 % (Holm).
func judge(cells []rate) (j judgement) {
	var p []float64
	for _, r := range cells {
		if r.held() {
			j.held, p = append(j.held, r), append(p, r.pValue())
		}
	}
	adjusted := map[string]float64{}
	for i, a := range stat.Holm(p) {
		if a < 1-level {
			j.off = append(j.off, j.held[i])
			adjusted[j.held[i].id()] = a
		}
	}
	slices.SortStableFunc(j.off, func(a, b rate) int {
		if c := compareFloat(adjusted[a.id()], adjusted[b.id()]); c != 0 {
			return c
		}
		// Where both chances vanish, the one further off comes first.
		return -compareFloat(math.Abs(math.Log(a.ratio())), math.Abs(math.Log(b.ratio())))
	})
	return j
}

// misses says how many rates miss theory, and which one most clearly.
func (j judgement) misses(names namer) string {
	w := j.off[0]
	return fmt.Sprintf("%s of %s measured rates miss theory, worst %s at %s bits, %s %s keys: %s× theory",
		format.Count(float64(len(j.off))), format.Count(float64(len(j.held))), names.name(w.filter), w.bits,
		format.Compact(w.n), w.keys, format.Digits(w.ratio(), 3))
}

// modelTitle judges all rates that have a model.
func modelTitle(j judgement, names namer) string {
	switch {
	case len(j.held) == 0:
		return "Measured rates against theory"
	case len(j.off) > 0:
		return j.misses(names)
	case len(j.held) == 1:
		return "The measured rate agrees with theory"
	}
	return fmt.Sprintf("All %s measured rates agree with theory", format.Count(float64(len(j.held))))
}

// modelRows are the filters that have a row: those measured at several places,
// and of each family the first. Single points of other specs are in the row of
// their family.
func modelRows(cells []rate) (filters []string, row func(r rate) int) {
	const several = 5
	count := map[string]int{}
	for _, r := range cells {
		count[r.filter]++
	}
	all := distinct(cells, func(r rate) string { return r.filter })
	first := firstOf(all)
	filters = slices.DeleteFunc(all, func(f string) bool { return first[family(f)] != f && count[f] < several })
	return filters, func(r rate) int {
		if i := slices.Index(filters, r.filter); i >= 0 {
			return i
		}
		return slices.Index(filters, first[family(r.filter)])
	}
}

// modelChart draws every rate over what theory says, a row for each filter. What
// was counted too seldom to say much is left out of the picture, but judged with
// the rest.
func modelChart(cells []rate) chart.Chart {
	const precise = .15 // half-width of the interval, over the rate
	shown := slices.DeleteFunc(slices.Clone(cells), func(r rate) bool { return !(r.model > 0) })
	filters, row := modelRows(shown)
	names := newNamer(filters)
	j := judge(cells)
	c := chart.Chart{
		Name:  "fpr-model",
		Title: modelTitle(j, newNamer(distinct(cells, func(r rate) string { return r.filter }))),
		Subtitle: fmt.Sprintf("each tick a rate over theory's, at all sizes and for all keys, where its interval is within ±%v%%; right: how many were measured",
			100*precise),
		Caption: "Ticks scatter around the dashed line by chance. Gray ones lie where a model is not meant to hold: they show how far off it is. " +
			"A rate that misses its model by more than chance explains (family-wise error 5%, Holm) has a marker, and the first of them its name.",
		X:     chart.Axis{Label: "measured rate over theory", Log: true, Ticks: chart.Times, Min: .9, Max: 1.1},
		Marks: []chart.Mark{{At: 1}},
	}
	count := make([]int, len(filters))
	strips, misses := make([]chart.Series, len(filters)), make([]chart.Series, len(filters))
	beyond := chart.Series{Style: chart.Style{Color: chart.Gray, Glyph: chart.Tick}}
	for i, style := range chart.Styles(filters) {
		strips[i].Style = chart.Style{Color: style.Color, Glyph: chart.Tick}
		misses[i].Style = style
	}
	for _, r := range shown {
		i := row(r)
		count[i]++
		p := chart.Point{X: r.ratio(), Y: float64(i)}
		off := slices.IndexFunc(j.off, func(o rate) bool { return o.id() == r.id() })
		switch {
		case off >= 0:
			p.Lo, p.Hi = r.lo/r.model, r.hi/r.model
			if off == 0 {
				p.Label = fmt.Sprintf("%s bits, %s %s", r.bits, format.Compact(r.n), r.keys)
			}
			misses[i].Points = append(misses[i].Points, p)
		case r.zero() || (r.hi-r.lo)/2 > precise*r.p:
		case !r.held():
			beyond.Points = append(beyond.Points, p)
		default:
			strips[i].Points = append(strips[i].Points, p)
		}
	}
	for i, f := range filters {
		c.Rows = append(c.Rows, names.name(f))
		c.Notes = append(c.Notes, format.Count(float64(count[i])))
	}
	c.Series = slices.Concat([]chart.Series{beyond}, strips, misses)
	return c
}

// id tells the cells of one run apart.
func (r rate) id() string { return fmt.Sprint(r.filter, r.bits, r.n, r.keys) }
