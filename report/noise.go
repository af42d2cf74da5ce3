package report

import (
	"cmp"
	"slices"

	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
	"filterbench/results/stat"
)

// floor is the noise of timings at one size: by which factor two of one thing
// may differ. Without enough pairs the factor is 1, and intervals alone tell.
type floor struct {
	factor float64
	pairs  int
}

// twinOf is the full name of the record that a Twin repeats, or "".
func twinOf(r results.Record) string {
	of, ok := r.TwinOf()
	if !ok {
		return ""
	}
	return of.FullName()
}

// withFloors takes the twins out of the cells and gives the others the noise of
// their size. index finds a cell by its full name.
func withFloors(cells []timing, index map[string]int) []timing {
	pairs := map[float64][][2]float64{}
	for _, c := range cells {
		if i, ok := index[c.twinOf]; ok && c.twinOf != "" {
			pairs[c.size] = append(pairs[c.size], [2]float64{c.ns.mid, cells[i].ns.mid})
		}
	}
	for i := range cells {
		f := floor{1, len(pairs[cells[i].size])}
		if factor, ok := stat.NoiseFloor(pairs[cells[i].size]); ok {
			f.factor = factor
		}
		cells[i].floor = f
	}
	return slices.DeleteFunc(cells, func(c timing) bool { return c.name == "Twin" })
}

// faster reports whether a takes less time than b: their intervals are apart, and
// the medians by more than the noise of what was timed twice.
func faster(a, b timing) bool {
	return a.ns.hi < b.ns.lo && b.ns.mid/a.ns.mid > max(a.floor.factor, b.floor.factor, 1)
}

// apart reports whether either is faster.
func apart(a, b timing) bool { return faster(a, b) || faster(b, a) }

// noiseTable lists the noise of each size.
func noiseTable(cells []timing) table.Table {
	t := table.Table{
		Name: "noise", Title: "Noise floor of the lookups",
		Note: "The same cell timed twice, under two names, in the same rounds: 95 of 100 such pairs of medians differ by no more than this. " +
			"No smaller difference between filters is called one.",
		Columns: []table.Column{number("size"), number("pairs"), number("differ by up to")},
	}
	sized := distinct(cells, func(c timing) float64 { return c.size })
	slices.SortFunc(sized, func(a, b float64) int { return cmp.Compare(a, b) })
	for _, size := range sized {
		i := slices.IndexFunc(cells, func(c timing) bool { return c.size == size })
		if f := cells[i].floor; f.factor > 1 {
			t.Rows = append(t.Rows, []string{format.Bytes(size), format.Count(float64(f.pairs)),
				format.Percent(f.factor-1, 2)})
		}
	}
	return t
}
