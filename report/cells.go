package report

import (
	"strconv"

	"filterbench/results"
)

// cell is the samples of one name: a counted record has one, a timing one for
// each round.
type cell struct {
	results.Record                      // the first of them, for its axes
	samples        map[string][]float64 // by unit
	rounds         int
}

// cellsOf takes the records of one kind together by their full names, in order
// of first appearance.
func cellsOf(records []results.Record, kind string) (cells []cell) {
	index := map[string]int{}
	for _, r := range records {
		if r.Name != kind {
			continue
		}
		name := r.FullName()
		i, seen := index[name]
		if !seen {
			i = len(cells)
			index[name] = i
			cells = append(cells, cell{Record: r, samples: map[string][]float64{}})
		}
		cells[i].rounds++
		for _, v := range r.Values {
			cells[i].samples[v.Unit] = append(cells[i].samples[v.Unit], v.V)
		}
	}
	return cells
}

// median is that of a unit's samples; NaN where there are none.
func (c cell) median(unit string) median { return medianOf(c.samples[unit]) }

// number is the value of an axis that is a number.
func (c cell) number(axis string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(c.Axis(axis), 64)
	return v, err == nil
}
