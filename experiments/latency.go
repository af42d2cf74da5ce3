package experiments

import (
	"context"
	"fmt"
	"time"

	"filterbench/experiments/timing"
	"filterbench/filters"
	"filterbench/results"
)

// Latency times lookups one by one. The quick profile takes the leading filters
// only.
var Latency = Experiment{
	Name:     "latency",
	Question: "How long does the slowest of a hundred lookups take, or of a thousand?",
	Plan:     planLatency,
}

// latencyGroup is filters of one size, asked for absent keys or present ones.
type latencyGroup struct {
	size    uint64
	hits    int // percent
	entries []lookupEntry
}

const (
	directCalls  = 5_000 // of a pass: the slowest 5 decide the quantile of 99.9 %
	chainedCalls = 3_000 // chains of a pass; half as many of batches
	// The rough time of reading the clock, for the plan alone.
	clockNanos = 45
)

var (
	latencyFamilies = []string{"bloom", "blocked", "cuckoo"}
	latencyBatches  = []int{1, 64}
)

// quantiles are those that are reported, with their units.
var quantiles = []struct {
	unit string
	q    float64
}{{"p50-ns", .5}, {"p95-ns", .95}, {"p99-ns", .99}, {"p99.9-ns", .999}}

func planLatency(c Config) (units []Unit, err error) {
	sizes, hits, most := []uint64{2 << 20}, []int{0}, len(latencyFamilies)
	families := latencyFamilies
	if c.Full() {
		sizes, hits, most = []uint64{16 << 10, 2 << 20, 64 << 20}, []int{0, 100}, 8
		families = append(families, "set", "array", "splitblock", "quotient", "naive")
	}
	for _, size := range sizes {
		for _, h := range hits {
			g := &latencyGroup{size: size, hits: h}
			for _, spec := range leading(c.Specs, most, families...) {
				if size > 2<<20 && (slow(spec) || spec.Family.Exact) {
					continue // they take long to build
				}
				if d, err := designOfSize(spec, size); err == nil {
					g.entries = append(g.entries, lookupEntry{design: d, size: size})
				}
			}
			if len(g.entries) > 0 {
				units = append(units, g.unit(c.Seed))
			}
		}
	}
	return units, nil
}

func (g *latencyGroup) unit(seed uint64) Unit {
	build := lookupGroup{size: g.size, entries: g.entries}
	u := Unit{
		ID: fmt.Sprintf("latency/size=%s/hits=%d", sizeName(g.size), g.hits), Steps: lookupRounds,
		Cost: build.buildTime(), Bytes: build.bytes(),
	}
	streams := map[stream]bool{}
	for _, e := range g.entries {
		streams[g.stream(e)] = true
		for _, batch := range g.batches(e) {
			u.Cost += g.cost(e, batch)
		}
	}
	for s := range streams {
		u.Bytes += s.bytes()
		u.Cost += time.Duration(s.queries * queryNanos)
	}
	return benched(u, seed, func(ctx context.Context, b *bench, from int, emit Emit) error {
		calls, records, err := g.calls(ctx, b)
		if err != nil {
			return err
		}
		t := timing.CallGroup{Calls: calls, Rounds: u.Steps, Seed: deriveSeed(seed, g.size+uint64(g.hits), 2)}
		return timing.RunCalls(ctx, t, from, func(round int, samples []timing.Distribution) error {
			return emit(round, finishCalls(records, samples))
		})
	})
}

// batches are the sizes of batches that an entry is asked in. What hashes by
// itself has no batches worth the name.
func (g *latencyGroup) batches(e lookupEntry) []int {
	if e.design.Spec.Family.KeyedOnly {
		return latencyBatches[:1]
	}
	return latencyBatches
}

// cost is the expected time of a cell: two passes a round, and the pilots.
func (g *latencyGroup) cost(e lookupEntry, batch int) time.Duration {
	mode := "single"
	if batch > 1 {
		mode = "batch"
	}
	ns := float64(batch) * e.nanos(lookupShape{api: g.api(e), mode: mode, hits: g.hits})
	pass := directCalls * (ns + clockNanos)
	if timing.TooShort(ns+clockNanos, clockNanos) {
		pass = float64(chains(batch)) * (timing.Chain*ns + clockNanos)
	}
	return time.Duration((2*lookupRounds + 2) * pass)
}

// chains is how many are in a pass.
func chains(batch int) int {
	if batch > 1 {
		return chainedCalls / 2
	}
	return chainedCalls
}

func (g *latencyGroup) api(e lookupEntry) string {
	if e.design.Spec.Family.KeyedOnly {
		return "key"
	}
	return "hash"
}

// stream is at least one query for each line of the filter; a pass comes through
// it once or more.
func (g *latencyGroup) stream(e lookupEntry) stream {
	s := stream{api: g.api(e), hits: float64(g.hits), queries: max(1<<18, linesOf(g.size))}
	if g.hits > 0 {
		s.present = e.design.N
	}
	if s.api == "hash" {
		s.hash = e.design.Spec.Family.Hash
	}
	return s
}

// calls makes the cells of the group ready, and the records that they give, and
// lets a pilot decide which are too short for the clock. The clock comes first.
func (g *latencyGroup) calls(ctx context.Context, b *bench) (calls []timing.Call, records []results.Record, err error) {
	built := make([]filters.Keyed, len(g.entries))
	entries := append([]lookupEntry(nil), g.entries...) // an exact one finds out its design
	err = inParallel(ctx, len(entries), func(ctx context.Context, i int) (err error) {
		built[i], err = entries[i].build(ctx, b)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	clock := timing.NoCall(directCalls)
	calls = append(calls, clock)
	records = append(records, results.Record{Name: "Clock", Axes: axes("size", sizeName(g.size), "hits", g.hits)})
	for i, e := range entries {
		q, err := b.queries(g.stream(e))
		if err != nil {
			return nil, nil, err
		}
		for _, batch := range g.batches(e) {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			c, chain, err := b.call(built[i], q, batch, clock)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", e.design, err)
			}
			r := results.Record{Name: "Latency", Axes: append(
				axes("filter", e.design.Spec, "size", sizeName(g.size), "api", g.api(e), "batch", batch, "chain", chain, "hits", g.hits, "keys", timedKeys),
				timedAxes(e.design, built[i])...)}
			c.Name = r.FullName()
			calls, records = append(calls, c), append(records, r)
		}
	}
	return calls, records, nil
}

// call is one lookup or one batch, or a chain of them if a pilot finds that one
// is too short for the clock.
func (b *bench) call(f filters.Keyed, q *queries, batch int, clock timing.Call) (c timing.Call, chain int, err error) {
	for _, chain = range []int{1, timing.Chain} {
		c = timing.Call{Name: "pilot", N: directCalls, Do: b.lookups(f, q, batch, chain)}
		if chain > 1 {
			c.N = chains(batch)
		}
		for i := range c.N {
			c.Want += c.Do(i)
		}
		medians, err := timing.Pilot(clock, c)
		if err != nil || chain > 1 || !timing.TooShort(medians[1], medians[0]) {
			return c, chain, err
		}
	}
	return c, chain, nil
}

// finishCalls makes the records of a round: a chain's time is divided by its
// calls.
func finishCalls(records []results.Record, samples []timing.Distribution) []results.Record {
	out := make([]results.Record, len(records))
	for i, r := range records {
		chain := 1.
		if r.Axis("chain") == fmt.Sprint(timing.Chain) {
			chain = timing.Chain
		}
		r.Iters = int(samples[i].Count() * uint64(chain))
		r.Values = nil
		for _, p := range quantiles {
			r.Values = append(r.Values, results.Value{Unit: p.unit, V: samples[i].Quantile(p.q) / chain})
		}
		r.Values = append(r.Values, results.Value{Unit: "disturbed", V: float64(samples[i].Disturbed)})
		out[i] = r
	}
	return out
}
