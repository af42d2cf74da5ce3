package experiments

import (
	"context"
	"fmt"
	"iter"
	"time"

	"filterbench/filters"
	"filterbench/filters/hashing"
	"filterbench/filters/registry"
	"filterbench/results"
)

// Steps counts what it costs that a key's positions follow from each other, for
// Bloom filters of index=mod, as the textbooks write it. The rates are compared
// with those of independent positions, which theory knows exactly.
var Steps = Experiment{
	Name:     "steps",
	Question: "How much more often does a filter err that takes a key's positions from two hashes, and not from k independent ones?",
	Plan:     planSteps,
}

// stepKinds are the ways to go from one position to the next.
var stepKinds = []string{"any", "odd", "enhanced", "independent"}

// stepsGrid is how many filters are built of each size, so many that rates are
// known within a few per cent: where there are few keys filters differ, and the
// excess lies in a few of them. The queries are those at 20 bits per key, where
// one in 15,000 is wrong at best; at 10 a tenth of them say as much.
var stepsGrid = []struct{ n, filters, queries uint64 }{
	{10, 10_000, 400},
	{100, 4_000, 1_000},
	{1_000, 1_000, 4_000},
	{10_000, 50, 80_000},
	{100_000, 8, 1_200_000},
}

// stepsMore is how many times as many filters the full profile builds.
const stepsMore = 16

func planSteps(c Config) ([]Unit, error) {
	var units []Unit
	for _, kind := range stepKinds {
		spec := registry.Must("bloom:index=mod,step=" + kind)
		if !c.measures(spec.Family) {
			return nil, nil
		}
		for _, bits := range []uint64{10, 20} {
			for _, g := range stepsGrid {
				d, err := spec.ForBits(g.n, float64(bits))
				if err != nil {
					return nil, err
				}
				cell := stepsCell{design: d, bits: bits, filters: g.filters, queries: g.queries}
				if bits == 10 {
					cell.queries /= 10
				}
				if c.Full() {
					cell.filters *= stepsMore
				}
				units = append(units, cell.unit(c.Seed))
			}
		}
		u, err := positionsUnit(c.Seed, spec)
		if err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	return units, nil
}

// stepsCell is one point: filters of one step, size and number of keys.
type stepsCell struct {
	design           filters.Design
	bits             uint64
	filters, queries uint64 // queries of each filter
}

func (c stepsCell) axes() []results.Axis {
	out := axes("filter", c.design.Spec, "bits", c.bits, "n", c.design.N)
	for _, p := range c.design.Params {
		out = append(out, axes(p.Name, p.Value)...)
	}
	return out
}

func (c stepsCell) unit(seed uint64) Unit {
	k, _ := c.design.Param("k")
	const build, probe, ask = 800, 6, 23 // ns: to make a filter, to set or find a bit, for an absent key
	add := time.Duration(c.design.N * k * 2 * probe)
	return Unit{
		ID: "steps/" + record("Steps", c.axes()).FullName(), Steps: 1,
		Cost:  time.Duration(c.filters) * (build + add + ask*time.Duration(c.queries)),
		Bytes: c.design.SizeBits/8 + 1<<20,
		Run: func(ctx context.Context, _ int, emit Emit) error {
			sum, err := c.count(ctx, seed)
			if err != nil {
				return fmt.Errorf("%s: %w", c.design, err)
			}
			return emit(0, []results.Record{c.record(sum)})
		},
	}
}

// count builds the cell's filters one after the other. They take hashes, of
// which no two are alike: what a hash function does is another question.
func (c stepsCell) count(ctx context.Context, seed uint64) (sum fprCount, err error) {
	piece := make([]uint64, 1024)
	for i := range c.filters {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		one, err := c.countOne(deriveSeed(seed, c.design.N, i), piece)
		if err != nil {
			return sum, err
		}
		sum.add(one)
	}
	return sum, nil
}

// countOne counts one filter's errors, a piece of the hashes at a time.
func (c stepsCell) countOne(seed uint64, piece []uint64) (one fprCount, err error) {
	f, err := c.design.NewHashed()
	if err != nil {
		return one, err
	}
	defer filters.Free(f)
	n := c.design.N
	one = fprCount{queries: c.queries, accepted: n, sizeBits: f.SizeBits()}
	for hashes := range distinctHashes(seed, 0, n, piece) {
		f.AddHashes(hashes)
	}
	for hashes := range distinctHashes(seed, 0, n, piece) {
		one.fn += uint64(len(hashes) - f.CountHashes(hashes))
	}
	for hashes := range distinctHashes(seed, n, n+c.queries, piece) {
		one.fp += uint64(f.CountHashes(hashes))
	}
	return one, nil
}

// distinctHashes is a sequence of random hashes of which no two are alike, from
// from (inclusive) to to (exclusive), in pieces.
func distinctHashes(seed, from, to uint64, piece []uint64) iter.Seq[[]uint64] {
	return func(yield func([]uint64) bool) {
		for from < to {
			part := piece[:min(uint64(len(piece)), to-from)]
			for i := range part {
				part[i] = distinctHash(seed, from)
				from++
			}
			if !yield(part) {
				return
			}
		}
	}
}

// distinctHash is element i of that sequence: SplitMix64.
func distinctHash(seed, i uint64) uint64 { return hashing.Mix(seed + i*hashing.Golden) }

func (c stepsCell) record(sum fprCount) results.Record {
	return record("Steps", c.axes(),
		"fpr", float64(sum.fp)/float64(sum.queries), "fp", sum.fp, "queries", sum.queries,
		"filters", c.filters, "fp-sq", sum.fpSquares, "fn", sum.fn,
		"bits/key", float64(sum.sizeBits)/float64(sum.accepted),
		"model-fpr", c.design.Model.FPR(c.design.N), "model-sd", c.design.Model.SD(c.design.N))
}

// positionsUnit counts how many of its k positions are distinct ones, for keys
// one by one, where m is a power of two: a step that shares a factor with it
// comes round too soon.
func positionsUnit(seed uint64, spec filters.Spec) (Unit, error) {
	const n, bits, keys = 100, 10.24, 100_000 // m = 1024, k = 7
	d, err := spec.ForBits(n, bits)
	if err != nil {
		return Unit{}, err
	}
	a := axes("filter", d.Spec)
	for _, p := range d.Params {
		a = append(a, axes(p.Name, p.Value)...)
	}
	return Unit{
		ID: "steps/" + record("Positions", a).FullName(), Steps: 1,
		Cost: keys * 400 * time.Nanosecond, Bytes: 1 << 20,
		Run: func(ctx context.Context, _ int, emit Emit) error {
			short, least, err := countPositions(ctx, d, deriveSeed(seed, 1, 0), keys)
			if err != nil {
				return err
			}
			return emit(0, []results.Record{record("Positions", a, "keys", uint64(keys), "short", short, "least", least)})
		},
	}, nil
}

// countPositions adds keys to a filter each: short is how many set fewer bits
// than k, least the fewest that one set.
func countPositions(ctx context.Context, d filters.Design, seed, keys uint64) (short, least uint64, err error) {
	k, _ := d.Param("k")
	least = k
	for i := range keys {
		if err := ctx.Err(); err != nil {
			return short, least, err
		}
		f, err := d.NewHashed()
		if err != nil {
			return short, least, err
		}
		f.AddHash(distinctHash(seed, i))
		set := f.(filters.Bitmapper).BitsSet()
		filters.Free(f)
		if set < k {
			short++
		}
		least = min(least, set)
	}
	return short, least, nil
}
