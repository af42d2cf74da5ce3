package experiments

import (
	"context"
	"math"
	"time"

	"filterbench/filters"
	"filterbench/filters/theory"
	"filterbench/results"
	"filterbench/workloads"
)

// What is counted: the texts' cages, listing what a filter holds, and ranges of
// keys.
const (
	cages        = 1_000
	cageFilters  = 8
	cageQueries  = 1_000 // of each filter, of present keys and of absent ones
	universe     = 1_000_000
	rangeKeys    = 100_000
	rangeLength  = 100
	rangesAsked  = 3_000
	orderedKeys  = "sequential" // present keys 0 to n-1, absent ones from there on
	scanCountNum = 2            // filters that the quick profile takes
)

var (
	scanCounted = []string{"bloom", "quotient", "blocked", "cuckoo"}
	members     = []uint64{1_000, 10_000, 100_000} // of the universe
)

func planScanCounts(c Config) (units []Unit) {
	specs := without(c.Specs, func(s filters.Spec) bool { return s.Family.Exact })
	if !c.Full() {
		specs = leading(specs, scanCountNum, scanCounted...)
	}
	for _, spec := range specs {
		bits := mixBits * perBit(spec)
		ns := spec.Family.NanosPerKey
		add := func(name string, n uint64, keys, axis string, value int, cost float64, run func(context.Context, filters.Design) ([]any, error)) {
			d, err := spec.ForBits(n, bits)
			if err != nil {
				return // no such filter
			}
			a := append(axes("filter", spec, "bits", formatFloat(bits), "n", n, "keys", keys), axes(axis, value)...)
			units = append(units, scanUnit(name, a, d, cost, run))
		}
		for _, hits := range []int{0, 100} {
			cost := cageFilters * (cages*(makeKeyNanos+4*ns) + cageQueries*(lookNanos*cages+ns))
			add("Cages", cages, timedKeys, "hits", hits, cost, func(ctx context.Context, d filters.Design) ([]any, error) {
				return countCages(ctx, d, c.Seed, hits > 0)
			})
		}
		for _, n := range members {
			cost := float64(n)*(makeKeyNanos+4*ns) + universe*(makeKeyNanos+hashNanos+ns)
			add("Dictionary", n, orderedKeys, "universe", universe, cost, func(ctx context.Context, d filters.Design) ([]any, error) {
				return countCandidates(ctx, d, c.Seed)
			})
		}
		cost := rangeKeys*(makeKeyNanos+4*ns) + rangesAsked*rangeLength*(makeKeyNanos+hashNanos+ns)
		add("Range", rangeKeys, orderedKeys, "length", rangeLength, cost, func(ctx context.Context, d filters.Design) ([]any, error) {
			return countRanges(ctx, d, c.Seed)
		})
	}
	return units
}

// scanUnit is a unit that makes one record about filters of a design. To the axes
// come the design's parameters.
func scanUnit(name string, a []results.Axis, d filters.Design, cost float64, run func(context.Context, filters.Design) ([]any, error)) Unit {
	for _, p := range d.Params {
		a = append(a, axes(p.Name, p.Value)...)
	}
	if d.Spec.Family.Sampled {
		a = append(a, axes("sampled", "yes")...)
	}
	id := "scan/" + record(name, a).FullName()
	return countingUnit(id, time.Duration(cost), d.SizeBits/8+48<<20, func(ctx context.Context) ([]results.Record, error) {
		values, err := run(ctx, d)
		if err != nil {
			return nil, err
		}
		return []results.Record{record(name, a, values...)}, nil
	})
}

// filterOf builds and fills one filter.
func filterOf(ctx context.Context, d filters.Design, keys string, seed uint64) (filters.Keyed, workloads.Source, error) {
	src, err := workloads.Open(keys, d.N, seed)
	if err != nil {
		return nil, nil, err
	}
	f, err := d.Keyed(seed)
	if err != nil {
		return nil, nil, err
	}
	if _, _, err := fill(ctx, f, d, src, d.N); err != nil {
		filters.Free(f)
		return nil, nil, err
	}
	return f, src, nil
}

// countCages counts how many cages are opened to find birds that are there, or to
// find out that they are not, without a filter and behind one.
func countCages(ctx context.Context, d filters.Design, seed uint64, present bool) ([]any, error) {
	var opened, filtered, maybe uint64
	for i := range uint64(cageFilters) {
		f, src, err := filterOf(ctx, d, timedKeys, deriveSeed(seed, 1, i))
		if err != nil {
			return nil, err
		}
		l := &linear{}
		src.Present(&l.keys, 0, d.N)
		var keys filters.Keys
		if present { // each bird of the cages as often
			for asked := uint64(0); asked < cageQueries; asked += d.N {
				src.Present(&keys, 0, min(d.N, cageQueries-asked))
			}
		} else {
			src.Absent(&keys, 0, cageQueries)
		}
		for j := range keys.Len() {
			looked, _ := l.find(keys.At(j))
			opened += uint64(looked)
			if f.Contains(keys.At(j)) {
				maybe++
				filtered += uint64(looked)
			}
		}
		filters.Free(f)
	}
	return []any{"opened", opened, "opened-filtered", filtered, "positives", maybe, "asked", cageFilters * cageQueries, "filters", cageFilters}, nil
}

// countCandidates asks for every key of the universe, of which the filter holds
// the first ones: as near as one comes to listing them.
func countCandidates(ctx context.Context, d filters.Design, seed uint64) ([]any, error) {
	f, src, err := filterOf(ctx, d, orderedKeys, deriveSeed(seed, 1, 0))
	if err != nil {
		return nil, err
	}
	defer filters.Free(f)
	var tp, fp uint64
	count := func(sum *uint64) func(uint64, bool) {
		return func(_ uint64, maybe bool) {
			if maybe {
				*sum++
			}
		}
	}
	if err := answers(ctx, f, src.Present, d.N, count(&tp)); err != nil {
		return nil, err
	}
	absent := universe - d.N
	if err := answers(ctx, f, src.Absent, absent, count(&fp)); err != nil {
		return nil, err
	}
	values := []any{"candidates", tp + fp, "fp", fp, "queries", absent, "fpr", float64(fp) / float64(absent)}
	if d.Model.FPR != nil {
		values = append(values, "model-candidates", theory.Candidates(d.N, universe, d.Model.FPR(d.N)))
	}
	return values, nil
}

// countRanges asks for ranges of consecutive absent keys, key by key, since there
// is no other way, and counts those that the filter does not rule out.
func countRanges(ctx context.Context, d filters.Design, seed uint64) ([]any, error) {
	f, src, err := filterOf(ctx, d, orderedKeys, deriveSeed(seed, 1, 0))
	if err != nil {
		return nil, err
	}
	defer filters.Free(f)
	var fp, ranges uint64
	last := uint64(math.MaxUint64) // the range of the last positive
	err = answers(ctx, f, src.Absent, rangesAsked*rangeLength, func(i uint64, maybe bool) {
		if !maybe {
			return
		}
		fp++
		if r := i / rangeLength; r != last {
			ranges++
			last = r
		}
	})
	const queries = rangesAsked * rangeLength
	values := []any{"ranges", rangesAsked, "ranges-maybe", ranges, "fp", fp, "queries", queries, "fpr", float64(fp) / queries}
	if d.Model.FPR != nil {
		values = append(values, "model-any", theory.AnyPositive(rangeLength, d.Model.FPR(d.N)))
	}
	return values, err
}
