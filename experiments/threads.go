package experiments

import (
	"context"
	"fmt"
	"slices"
	"time"

	"filterbench/experiments/timing"
	"filterbench/filters"
	"filterbench/results"
)

// Threads lets several threads work at once: readers of one filter, and writers
// of a shard each, since adds to one filter may not run at the same time. The
// quick profile takes the leading filters only.
var Threads = Experiment{
	Name:     "threads",
	Question: "How many more lookups and adds are done by several threads than by one?",
	Plan:     planThreads,
}

// threadsGroup is filters of one size.
type threadsGroup struct {
	size    uint64
	threads []int
	entries []lookupEntry
}

var threadsFamilies = []string{"blocked", "bloom", "cuckoo"}

// The two operations.
const (
	threadLookup = "lookup" // of absent keys in batches, by all threads in one filter
	threadAdd    = "add"    // in batches, by each thread to a filter of its own
)

func planThreads(c Config) (units []Unit, err error) {
	specs := without(c.Specs, func(s filters.Spec) bool { return s.Family.KeyedOnly || slow(s) })
	sizes, most := []uint64{4 << 20}, 2
	if c.Full() {
		sizes, most = []uint64{256 << 10, 2 << 20, 64 << 20}, 6
	}
	for _, size := range sizes {
		g := &threadsGroup{size: size, threads: threadCounts(timing.Threads())}
		for _, spec := range leading(specs, most, append(threadsFamilies, "splitblock", "quotient")...) {
			if d, err := designOfSize(spec, size); err == nil && d.NewHashed != nil {
				g.entries = append(g.entries, lookupEntry{design: d, size: size})
			}
		}
		if len(g.entries) > 0 {
			units = append(units, g.unit(c.Seed))
		}
	}
	return units, nil
}

// threadCounts are the powers of two up to most, and most.
func threadCounts(most int) (counts []int) {
	for n := 1; n < most; n *= 2 {
		counts = append(counts, n)
	}
	return append(counts, most)
}

func (g *threadsGroup) unit(seed uint64) Unit {
	build := lookupGroup{size: g.size, entries: g.entries}
	u := Unit{
		ID: "threads/size=" + sizeName(g.size), Steps: lookupRounds, Cost: build.buildTime(),
		// Every number of threads has shards of its own.
		Bytes: build.bytes() * uint64(1+len(g.threads)),
	}
	streams := map[stream]bool{}
	for _, e := range g.entries {
		streams[g.lookups(e)], streams[g.adds(e)] = true, true
		ns := e.nanos(lookupShape{api: "hash", mode: "batch"})
		for _, threads := range g.threads {
			u.Cost += 2 * timingCost(float64(g.queries())*ns/float64(threads))
		}
	}
	for s := range streams {
		u.Bytes += s.bytes()
		u.Cost += time.Duration(s.queries * queryNanos)
	}
	return timed(u, seed, g.size^0x746872, g.prepare)
}

// queries is at least one for each line of the filter.
func (g *threadsGroup) queries() int { return max(otherQueries, linesOf(g.size)) }

func (g *threadsGroup) lookups(e lookupEntry) stream {
	return stream{api: "hash", hash: e.design.Spec.Family.Hash, queries: g.queries()}
}

func (g *threadsGroup) adds(e lookupEntry) stream {
	s := g.lookups(e)
	s.hits, s.present = 100, e.design.N
	return s
}

func (g *threadsGroup) prepare(ctx context.Context, b *bench) error {
	built := make([]filters.Keyed, len(g.entries))
	err := inParallel(ctx, len(g.entries), func(ctx context.Context, i int) (err error) {
		built[i], err = b.filled(ctx, g.entries[i].design)
		return err
	})
	if err != nil {
		return err
	}
	crew, err := timing.NewCrew(slices.Max(g.threads))
	if err != nil {
		return err
	}
	b.hold(crew.Close)
	for i, e := range g.entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := g.addLookups(b, e, built[i], crew)
		if _, counts := hashedOf(built[i]).(filters.Deleter); !counts && err == nil && !e.design.Spec.Family.Static {
			err = g.addAdds(b, e, crew)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.design, err)
		}
	}
	return nil
}

// axes name a cell. The parameters are those of the whole filter, or of a shard.
func (g *threadsGroup) axes(d filters.Design, op string, threads int, f filters.Filter) []results.Axis {
	return append(axes("filter", d.Spec, "size", sizeName(g.size), "op", op, "threads", threads, "keys", timedKeys), timedAxes(d, f)...)
}

// addLookups adds the readers' cells: each thread has a part of the queries, and
// together they do what one thread does alone.
func (g *threadsGroup) addLookups(b *bench, e lookupEntry, f filters.Keyed, crew *timing.Crew) error {
	q, err := b.queries(g.lookups(e))
	if err != nil {
		return err
	}
	h := hashedOf(f)
	want := dispatchHashes(h, q.hashes)
	first := len(b.cells)
	for _, threads := range g.threads {
		parts, outs := split(q.hashes, threads), make([][]uint64, threads)
		for w := range outs {
			outs[w] = make([]uint64, filters.BitsetLen(len(parts[w])))
		}
		share := func(w int) uint64 { return uint64(h.ContainsHashes(parts[w], outs[w])) }
		b.addShared(g.axes(e.design, threadLookup, threads, f), threads, first, crew, len(q.hashes), want, share)
	}
	return nil
}

// addAdds adds the writers' cells: each thread adds its part of the keys to a
// shard of its own, again and again. That is why it is for filters that cannot
// delete: they keep no count of a key, so that one that is there already is as
// much work as a new one and takes no more room. The shards together have the size
// of one filter.
func (g *threadsGroup) addAdds(b *bench, e lookupEntry, crew *timing.Crew) error {
	q, err := b.queries(g.adds(e))
	if err != nil {
		return err
	}
	first := len(b.cells)
	for _, threads := range g.threads {
		d, err := e.design.Spec.ForBits(max(1, e.design.N/uint64(threads)), lookupBits)
		if err != nil {
			return err
		}
		parts, shards := split(q.hashes, threads), make([]filters.Hashed, threads)
		for w := range shards {
			if shards[w], err = d.NewHashed(); err != nil {
				return err
			}
			b.hold(func() { filters.Free(shards[w]) })
		}
		share := func(w int) uint64 {
			taken, _ := shards[w].AddHashes(parts[w])
			return uint64(taken) // fewer than all fail the run
		}
		b.addShared(g.axes(d, threadAdd, threads, shards[0]), threads, first, crew, len(q.hashes), uint64(len(q.hashes)), share)
	}
	return nil
}

// split cuts a list into so many parts of nearly equal length.
func split(list []uint64, parts int) [][]uint64 {
	out := make([][]uint64, parts)
	for i := range out {
		out[i] = list[i*len(list)/parts : (i+1)*len(list)/parts]
	}
	return out
}

// addShared adds a cell of so many threads. Its efficiency is its speed over that
// of as many times the first cell's, whose thread is alone.
func (b *bench) addShared(a []results.Axis, threads, first int, crew *timing.Crew, ops int, want uint64, share func(worker int) uint64) {
	i := b.add(results.Record{Name: "Threads", Axes: a}, timing.Cell{
		Ops: ops, Crew: crew, Want: want, Pass: func() uint64 { return crew.Do(threads, share) },
	}, noLimit)
	b.ratio(i, "efficiency", func(samples []timing.Sample) float64 {
		return samples[first].NsPerOp() / (samples[i].NsPerOp() * float64(threads))
	})
}
