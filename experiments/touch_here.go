package experiments

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"filterbench/experiments/cachesim"
	"filterbench/experiments/counters"
	"filterbench/filters"
	"filterbench/filters/machine"
	"filterbench/results"
	"filterbench/workloads"
)

// cachesHere is the geometry of this machine, as far as it tells its sizes; nil
// if it tells none. A level that does not tell its ways has those of the fixed
// one.
func cachesHere() cachesim.Geometry { return geometryOf(machine.This()) }

func geometryOf(m machine.Info) (g cachesim.Geometry) {
	for i, c := range []machine.Cache{m.L1d, m.L2, m.L3} {
		if !c.Known() {
			break
		}
		l := cachesim.Level{Bytes: c.Size, Ways: m.Ways[i]}
		if l.Ways < 1 {
			l.Ways = cachesim.Fixed[i].Ways
		}
		set := uint64(l.Ways) * cachesim.LineBytes
		if l.Bytes -= l.Bytes % set; l.Bytes == 0 {
			break
		}
		g = append(g, l)
	}
	return g
}

// counterUnits are the units by the CPU's own counts, none where there are none.
func (c Config) counterUnits(cells []touchCell) (units []Unit) {
	if counters.Available() != nil {
		return nil
	}
	for _, cell := range cells {
		if cell.here { // one unit for each filter that is modelled on this machine
			units = append(units, cell.counterUnit(c))
		}
	}
	return units
}

// counterRounds is how often each stream is counted.
const counterRounds = 10

func (c touchCell) counterUnit(config Config) Unit {
	name := record("TouchCounters", c.counterAxes("")).FullName()
	return Unit{
		ID: "touch/" + name, Alone: true, Steps: counterRounds, Cost: c.cost() + time.Second/4, Bytes: c.design.SizeBits/8 + 64<<20,
		Run: func(ctx context.Context, from int, emit Emit) error {
			runtime.LockOSThread() // whose misses are counted
			defer runtime.UnlockOSThread()
			counter, err := counters.Open()
			if err != nil {
				return err
			}
			defer counter.Close()
			return c.runCounters(ctx, config, counter.Count, from, emit)
		},
	}
}

func (c touchCell) counterAxes(op string) []results.Axis {
	a := axes("filter", c.design.Spec, "size", sizeName(c.size))
	if op != "" {
		a = append(a, axes("op", op)...)
	}
	return append(a, axes("keys", timedKeys, "bits", c.bits, "n", c.design.N)...)
}

// runCounters counts what lookups miss, one after the other. The keys or hashes
// that are asked for are read too, in order: a miss for every few of them, which
// the CPU mostly fetches ahead.
func (c touchCell) runCounters(ctx context.Context, config Config, count func(do func()) (counters.Counts, error), from int, emit Emit) error {
	seed := deriveSeed(config.Seed, 1, 0)
	src, err := workloads.Open(timedKeys, c.design.N, seed)
	if err != nil {
		return err
	}
	f, err := c.design.Keyed(seed)
	if err != nil {
		return err
	}
	defer filters.Free(f)
	if _, _, err := fill(ctx, f, c.design, src, c.design.N); err != nil {
		return err
	}
	ask := map[string]func(){}
	for op, keys := range map[string]func(dst *filters.Keys, from, to uint64){"present": around(src.Present, c.design.N), "absent": src.Absent} {
		var queries filters.Keys
		keys(&queries, 0, headlineQueries)
		if c.design.Spec.Family.KeyedOnly {
			ask[op] = func() { f.CountKeys(&queries) }
			continue
		}
		hashes := c.design.Spec.Family.Hash.SumKeys(nil, &queries, 0, queries.Len(), seed)
		ask[op] = func() { hashedOf(f).CountHashes(hashes) }
	}
	for round := from; round < counterRounds; round++ {
		var records []results.Record
		for _, op := range []string{"absent", "present"} {
			if err := ctx.Err(); err != nil {
				return err
			}
			ask[op]() // the caches as they are in the long run
			got, err := count(ask[op])
			if err != nil {
				return fmt.Errorf("%s: %w", c.design, err)
			}
			r := record("TouchCounters", c.counterAxes(op),
				"counted-l1-misses/op", float64(got.L1Misses)/headlineQueries, "counted-last-misses/op", float64(got.LastMisses)/headlineQueries)
			r.Iters = headlineQueries
			records = append(records, r)
		}
		if err := emit(round, records); err != nil {
			return err
		}
	}
	return nil
}
