package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/results"
)

// weight is what one structure takes, from a Memory record.
type weight struct {
	filter, keys, bits string
	n                  float64
	alloc, heap, key   float64 // bytes; NaN where missing
}

func (w weight) perKey() float64 { return w.heap / w.n }

func weights(records []results.Record) (all []weight, unusable int) {
	for _, r := range records {
		if r.Name != "Memory" {
			continue
		}
		value := func(unit string) float64 {
			v, ok := r.Value(unit)
			if !ok {
				return math.NaN()
			}
			return v
		}
		n, err := strconv.ParseFloat(r.Axis("n"), 64)
		w := weight{r.Axis("filter"), r.Axis("keys"), r.Axis("bits"), n, value("alloc-B"), value("heap-B"), value("key-B")}
		if err != nil || !(n >= 1) || !(w.heap > 0) || w.filter == "" {
			unusable++
			continue
		}
		all = append(all, w)
	}
	return all, unusable
}

// memoryCharts draw bytes for each key, of the keys that most structures were
// measured with.
func memoryCharts(all []weight) []chart.Chart {
	type set struct {
		keys string
		n    float64
	}
	count := map[set]int{}
	var best set
	for _, w := range all {
		count[set{w.keys, w.n}]++
	}
	for _, w := range all { // the first of those with the most
		if s := (set{w.keys, w.n}); count[s] > count[best] {
			best = s
		}
	}
	shown := slices.DeleteFunc(slices.Clone(all), func(w weight) bool { return w.keys != best.keys || w.n != best.n })
	if len(shown) == 0 {
		return nil
	}
	specs := distinct(shown, func(w weight) string { return w.filter }) // in their own order, by which they have their looks
	names := newNamer(specs)
	styles := chart.Styles(specs)
	slices.SortStableFunc(shown, func(a, b weight) int { return -compareFloat(a.heap, b.heap) })
	c := chart.Chart{
		Name:  "memory",
		Title: memoryTitle(shown, names),
		Subtitle: fmt.Sprintf("%s keys (%s), bytes by which heap and mapped memory grew, divided by the keys",
			format.Compact(best.n), best.keys),
		Caption: "Further left is better; the axis is logarithmic. The set and the array are exact and hold the keys; the filters hold only bits, " +
			"as many as 1% takes, as far as they come in such a size.",
		X: chart.Axis{Label: "bytes per key", Log: true, Ticks: chart.Decimal},
	}
	for i, w := range shown {
		j := slices.Index(specs, w.filter)
		c.Rows = append(c.Rows, names.name(w.filter))
		c.Series = append(c.Series, chart.Series{
			Name: names.name(w.filter), Style: styles[j],
			Points: []chart.Point{{X: w.perKey(), Y: float64(i), Label: format.Fixed(w.perKey(), 3) + " B"}},
		})
	}
	return []chart.Chart{c}
}

// memoryTitle compares the exact set with the Bloom filter.
func memoryTitle(shown []weight, names namer) string {
	find := func(fs ...string) int {
		for _, f := range fs {
			if i := slices.IndexFunc(shown, func(w weight) bool { return family(w.filter) == f }); i >= 0 {
				return i
			}
		}
		return -1
	}
	i, j := find("set", "array"), find("bloom", "naive", "blocked")
	if i < 0 || j < 0 {
		least := shown[len(shown)-1] // the largest come first
		return fmt.Sprintf("%s takes the least memory: %s bytes a key", names.name(least.filter), format.Fixed(least.perKey(), 3))
	}
	exact := map[string]string{"set": "A Go map", "array": "A sorted array"}[family(shown[i].filter)]
	f := shown[i].heap / shown[j].heap
	if f < 1 {
		return fmt.Sprintf("%s takes less memory than %s: %s times", exact, names.name(shown[j].filter), format.Fixed(f, 2))
	}
	return fmt.Sprintf("%s takes %s times the memory of %s", exact, format.Fixed(f, 3), names.name(shown[j].filter))
}
