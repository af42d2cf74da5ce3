package report

import (
	"cmp"
	"math"
	"slices"

	"filterbench/report/format"
	"filterbench/results"

	"golang.org/x/perf/benchmath"
)

// timing is the median of one cell's samples, ns for each operation.
type timing struct {
	name     string // Lookup, Limit or Twin
	filter   string // of a lookup
	kind     string // of a limit
	path     string // of a limit: asm or go
	distance string
	size     float64 // bytes
	api      string
	mode     string
	hits     string // percent
	keys     string
	bits     string
	pages    string

	samples   int
	disturbed int // samples of which an attempt was interrupted
	ns        median
	cpu       median // of the thread's CPU time
	xLimit    median // over the limit of the same round

	byCPU  bool   // ns is CPU time: see ranked
	twinOf string // full name of what a Twin times once more
	floor  floor  // of the size
}

func (t timing) sizeName() string { return format.Bytes(t.size) }

// median is a median with its 95 % interval; NaN where there is none. The
// ends are infinite below 6 samples.
type median struct{ mid, lo, hi float64 }

// perSecond turns ns for an operation into millions of operations a second.
func (m median) perSecond() median {
	return median{1e3 / m.mid, 1e3 / m.hi, 1e3 / m.lo}
}

// timings takes the records of one cell together, in order of first
// appearance. Records without a positive time or a size are left out and
// counted.
func timings(records []results.Record) (cells []timing, unusable int) {
	index := map[string]int{}
	var samples [][3][]float64
	for _, r := range records {
		if r.Name != "Lookup" && r.Name != "Limit" && r.Name != "Twin" {
			continue
		}
		size, ok := format.ParseBytes(r.Axis("size"))
		ns, hasTime := r.Value("ns/op")
		if !ok || !hasTime || !(ns > 0) {
			unusable++
			continue
		}
		name := r.FullName()
		i, seen := index[name]
		if !seen {
			i = len(cells)
			index[name] = i
			cells = append(cells, timing{
				name: r.Name, filter: r.Axis("filter"), kind: r.Axis("kind"), path: r.Axis("path"), distance: r.Axis("distance"),
				size: size, api: r.Axis("api"), mode: r.Axis("mode"), hits: r.Axis("hits"), keys: r.Axis("keys"), bits: r.Axis("bits"),
				pages:  r.Axis("pages"),
				twinOf: twinOf(r),
			})
			samples = append(samples, [3][]float64{})
		}
		for j, unit := range []string{"ns/op", "cpu-ns/op", "x-limit"} {
			if v, ok := r.Value(unit); ok && v > 0 {
				samples[i][j] = append(samples[i][j], v)
			}
		}
		if v, ok := r.Value("disturbed"); ok && v > 0 {
			cells[i].disturbed++
		}
	}
	for i := range cells {
		c := &cells[i]
		c.samples = len(samples[i][0])
		c.ns, c.cpu, c.xLimit = medianOf(samples[i][0]), medianOf(samples[i][1]), medianOf(samples[i][2])
	}
	return withFloors(cells, index), unusable
}

func medianOf(values []float64) median {
	if len(values) == 0 {
		return median{math.NaN(), math.NaN(), math.NaN()}
	}
	s := benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
	sum := benchmath.AssumeNothing.Summary(s, .95)
	return median{sum.Center, sum.Lo, sum.Hi}
}

// limits is the fastest of each kind of limit at each size, since the limit
// is what the memory can do, by whatever code.
func limits(cells []timing, kind string) (best []timing) {
	for _, c := range cells {
		if c.name != "Limit" || c.kind != kind {
			continue
		}
		i := slices.IndexFunc(best, func(b timing) bool { return b.size == c.size })
		if i < 0 {
			best = append(best, c)
		} else if c.ns.mid < best[i].ns.mid {
			best[i] = c
		}
	}
	slices.SortFunc(best, func(a, b timing) int { return cmp.Compare(a.size, b.size) })
	return best
}

// lookups are the cells of one way to ask, by size for each filter. Cells
// that differ in what is not asked for here, as keys or bits, count as the
// first of them.
func lookups(cells []timing, api, mode, hits string) (picked []timing) {
	for _, c := range cells {
		if c.name != "Lookup" || c.api != api || c.mode != mode || c.hits != hits || c.filter == "" {
			continue
		}
		if !slices.ContainsFunc(picked, func(p timing) bool { return p.filter == c.filter && p.size == c.size }) {
			picked = append(picked, c)
		}
	}
	slices.SortStableFunc(picked, func(a, b timing) int { return cmp.Compare(a.size, b.size) })
	return picked
}
