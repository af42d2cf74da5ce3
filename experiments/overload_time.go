package experiments

import (
	"context"
	"fmt"
	"time"

	"filterbench/experiments/timing"
	"filterbench/filters"
	"filterbench/results"
)

const (
	overloadSalt    = 5       // of the orders in the rounds
	overloadKeys    = 200_000 // planned: 240 KB at 1 %, which an L2 cache holds
	overloadQueries = 1 << 17
)

// overloadGroup is the filters that take every key, timed at several loads.
type overloadGroup struct {
	designs []filters.Design
	times   []uint64
}

func (c Config) overloadGroup() (g overloadGroup) {
	g.times = []uint64{1, 5}
	if c.Full() {
		g.times = []uint64{1, 2, 3, 4, 5}
	}
	for _, spec := range c.Specs {
		f := spec.Family
		if f.Exact || f.Static || f.KeyedOnly || slow(spec) || f.Name == "cuckoo" || f.Name == "quotient" || !c.Full() && len(g.designs) == 2 {
			continue
		}
		if d, err := spec.ForFPR(overloadKeys, overloadRate); err == nil {
			g.designs = append(g.designs, d)
		}
	}
	return g
}

func (g overloadGroup) unit(seed uint64) Unit {
	u := Unit{ID: "overload/lookups", Steps: lookupRounds, Bytes: 64 << 20}
	for _, d := range g.designs {
		for _, times := range g.times {
			u.Bytes += d.SizeBits/8 + 8*overloadKeys*times
			u.Cost += time.Duration(float64(overloadKeys*times)*40) + 2*timingCost(3e6)
		}
	}
	return timed(u, seed, overloadSalt, g.prepare)
}

// prepare builds a filter for each load and asks it one key after the other, as a
// batch does not stop at the first bit that is 0.
func (g overloadGroup) prepare(ctx context.Context, b *bench) error {
	for _, d := range g.designs {
		h := d.Spec.Family.Hash
		for _, times := range g.times {
			hashes, err := hashesOf(ctx, b.src.Present, h, 0, d.N*times, b.seed)
			if err != nil {
				return err
			}
			f, err := d.NewHashed()
			if err != nil {
				return err
			}
			b.hold(func() { filters.Free(f) })
			if _, err := f.AddHashes(hashes); err != nil {
				return fmt.Errorf("%s: %w", d, err)
			}
			for _, hits := range []int{0, 100} {
				s := stream{api: "hash", hash: h, hits: float64(hits), queries: overloadQueries}
				if hits > 0 {
					s.present = d.N
				}
				q, err := b.queries(s)
				if err != nil {
					return err
				}
				want := dispatchHashes(f, q.hashes)
				a := axes("filter", d.Spec, "p", formatFloat(overloadRate), "n", d.N, "times", times, "mode", "single", "hits", hits, "keys", timedKeys, "pages", pagesOf(f))
				b.add(results.Record{Name: "Crowded", Axes: a, Values: []results.Value{{Unit: "positives", V: float64(want)}}},
					timing.Cell{Ops: overloadQueries, Want: want, Pass: b.hashPass("single", f, q.hashes)}, noLimit)
			}
		}
	}
	return nil
}
