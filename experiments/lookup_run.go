package experiments

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"filterbench/experiments/timing"
	"filterbench/filters"
	"filterbench/filters/hashing"
	"filterbench/results"
	"filterbench/workloads"
)

// lookupRun is a group at work: its filters built, its streams made.
type lookupRun struct {
	group   *lookupGroup
	seed    uint64
	src     workloads.Source
	filters []filters.Keyed // for each entry
	streams map[lookupStream]*lookupQueries
	answers []uint64 // bitset for the longest batch
	limits  *limits
	static  sync.Mutex // held while a static family is built

	cells   []timing.Cell
	records []results.Record // of each cell, without values
}

// lookupQueries is a stream: hashes or keys.
type lookupQueries struct {
	hashes []uint64
	keys   *filters.Keys
}

// run builds the group and times its rounds from the given one on.
func (g *lookupGroup) run(ctx context.Context, seed uint64, from int, emit Emit) error {
	mine := &lookupGroup{g.size, g.part, slices.Clone(g.entries)}
	r := &lookupRun{group: mine, seed: deriveSeed(seed, 1, 0), streams: map[lookupStream]*lookupQueries{}}
	defer r.free()
	if err := r.prepare(ctx); err != nil {
		return err
	}
	t := timing.Group{Cells: r.cells, Rounds: lookupRounds, Seed: deriveSeed(seed, g.size, uint64(g.part))}
	return timing.Run(ctx, t, from, func(round int, samples []timing.Sample) error {
		return emit(round, r.finish(samples))
	})
}

// prepare does everything that needs no clock.
func (r *lookupRun) prepare(ctx context.Context) (err error) {
	if r.src, err = workloads.Open(lookupKeys, 1, r.seed); err != nil {
		return err
	}
	if err := r.build(ctx); err != nil {
		return err
	}
	longest := 0
	for s := range r.group.streams() {
		longest = max(longest, s.queries)
	}
	r.answers = make([]uint64, filters.BitsetLen(longest))
	stream, err := r.queries(r.group.limitStream())
	if err != nil {
		return err
	}
	if r.limits, err = newLimits(r.group.size, stream.hashes); err != nil {
		return err
	}
	r.cells, r.records = r.limits.cells(r.group.size)
	for i, e := range r.group.entries {
		for _, c := range e.cells {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := r.addCell(e, r.filters[i], c); err != nil {
				return fmt.Errorf("%s: %w", e.design, err)
			}
		}
	}
	return nil
}

// build builds all filters, as many at a time as there are CPUs, since nothing
// is timed yet; but static families one at a time, for the memory they need.
func (r *lookupRun) build(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	entries := r.group.entries
	r.filters = make([]filters.Keyed, len(entries))
	next := make(chan int, len(entries))
	for i := range entries {
		next <- i
	}
	close(next)
	var wg sync.WaitGroup
	for range Workers() {
		wg.Go(func() {
			for i := range next {
				if err := r.buildOne(ctx, i); err != nil {
					cancel(fmt.Errorf("%s: %w", entries[i].design, err))
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

func (r *lookupRun) buildOne(ctx context.Context, i int) (err error) {
	e := &r.group.entries[i]
	if e.design.Spec.Family.Exact {
		if e.design, err = r.fitExact(ctx, e.design.Spec); err != nil {
			return err
		}
	}
	if e.design.Spec.Family.Static {
		r.static.Lock()
		defer r.static.Unlock()
	}
	if r.filters[i], err = e.design.Keyed(r.seed); err != nil {
		return err
	}
	_, refused, err := fill(ctx, r.filters[i], e.design, r.src, e.design.N)
	if err == nil && refused != nil {
		err = fmt.Errorf("it refused keys that it was sized for: nothing to time")
	}
	return err
}

// fitExact sizes a structure whose bytes depend on the keys: a small one shows
// how many bytes a key takes, and the size class is divided by that. Tables
// that grow by doubling are met within a factor of two; alloc-B says how well.
func (r *lookupRun) fitExact(ctx context.Context, spec filters.Spec) (d filters.Design, err error) {
	if d, err = spec.ForBits(min(4096, r.group.size/32), lookupBits); err != nil {
		return d, err
	}
	f, err := d.Keyed(r.seed)
	if err != nil {
		return d, err
	}
	defer filters.Free(f)
	if _, _, err := fill(ctx, f, d, r.src, d.N); err != nil {
		return d, err
	}
	perKey := float64(f.SizeBits()) / float64(f.Len())
	return spec.ForBits(uint64(float64(8*r.group.size)/perKey), lookupBits)
}

// queries returns the stream, made when it is first asked for.
func (r *lookupRun) queries(s lookupStream) (*lookupQueries, error) {
	if q := r.streams[s]; q != nil {
		return q, nil
	}
	keys, _, err := workloads.Queries(r.src, workloads.Stream{
		Present: max(1, s.present), Count: s.queries, Hits: float64(s.hits) / 100,
		Seed: hashing.Mix(r.seed + uint64(s.hits)),
	})
	if err != nil {
		return nil, err
	}
	q := &lookupQueries{keys: keys}
	if s.api == "hash" {
		q.hashes = s.hash.SumKeys(make([]uint64, 0, keys.Len()), keys, 0, keys.Len(), r.seed)
		q.keys = nil
	}
	r.streams[s] = q
	return q, nil
}

// addCell makes a filter's cell ready: its stream, the answers that one lookup
// after the other gives, and the pass.
func (r *lookupRun) addCell(e lookupEntry, f filters.Keyed, c lookupCell) error {
	q, err := r.queries(e.stream(c))
	if err != nil {
		return err
	}
	cell := timing.Cell{Ops: c.queries}
	if c.api == "hash" {
		h := f.(interface{ Unwrap() filters.Hashed }).Unwrap()
		cell.Want = dispatchHashes(h, q.hashes)
		cell.Pass = r.hashPass(c.mode, h, q.hashes)
	} else {
		cell.Want = dispatchKeys(f, q.keys)
		cell.Pass = r.keyPass(c.mode, f, q.keys)
	}
	record := results.Record{Name: "Lookup", Axes: e.axes(c, f), Values: []results.Value{
		{Unit: "positives", V: float64(cell.Want)},
		{Unit: "alloc-B", V: float64(f.SizeBits() / 8)},
	}}
	cell.Name = record.FullName()
	r.cells = append(r.cells, cell)
	r.records = append(r.records, record)
	return nil
}

func (r *lookupRun) hashPass(mode string, f filters.Hashed, hashes []uint64) func() uint64 {
	switch mode {
	case "batch":
		return func() uint64 { return uint64(f.ContainsHashes(hashes, r.answers)) }
	case "single":
		return func() uint64 { return uint64(f.CountHashes(hashes)) }
	default:
		return func() uint64 { return dispatchHashes(f, hashes) }
	}
}

func (r *lookupRun) keyPass(mode string, f filters.Keyed, keys *filters.Keys) func() uint64 {
	switch mode {
	case "batch":
		return func() uint64 { return uint64(f.ContainsKeys(keys, r.answers)) }
	case "single":
		return func() uint64 { return uint64(f.CountKeys(keys)) }
	default:
		return func() uint64 { return dispatchKeys(f, keys) }
	}
}

// dispatchHashes asks through the interface, one hash after the other, as a
// caller does who does not know the type of the filter.
func dispatchHashes(f filters.Hashed, hashes []uint64) (hits uint64) {
	for _, h := range hashes {
		if f.ContainsHash(h) {
			hits++
		}
	}
	return hits
}

func dispatchKeys(f filters.Keyed, keys *filters.Keys) (hits uint64) {
	for i := range keys.Len() {
		if f.Contains(keys.At(i)) {
			hits++
		}
	}
	return hits
}

func (e lookupEntry) axes(c lookupCell, f filters.Filter) []results.Axis {
	d := e.design
	out := axes("filter", d.Spec, "size", sizeName(e.size), "api", c.api, "mode", c.mode, "hits", c.hits, "keys", lookupKeys)
	if !d.Spec.Family.Exact {
		out = append(out, axes("bits", lookupBits)...)
	}
	out = append(out, axes("n", d.N)...)
	for _, p := range d.Params {
		out = append(out, axes(p.Name, p.Value)...)
	}
	return append(out, axes("pages", pagesOf(f))...)
}

// pagesOf is what backs the filter's memory: Go's heap, if the filter does not
// say otherwise.
func pagesOf(f filters.Filter) string {
	if u, ok := f.(interface{ Unwrap() filters.Hashed }); ok {
		f = u.Unwrap()
	}
	if p, ok := f.(interface{ Pages() string }); ok {
		return p.Pages()
	}
	return "heap"
}

// finish makes the records of a round: those of the limits come first, and of
// those the line reads, by which the filters are measured.
func (r *lookupRun) finish(samples []timing.Sample) []results.Record {
	out := make([]results.Record, len(samples))
	for i, s := range samples {
		rec := r.records[i]
		rec.Iters = s.Ops
		values := []results.Value{{Unit: "ns/op", V: s.NsPerOp()}}
		if s.CPU > 0 {
			values = append(values, results.Value{Unit: "cpu-ns/op", V: s.CPUNsPerOp()})
		}
		if rec.Name == "Lookup" {
			values = append(values, results.Value{Unit: "x-limit", V: s.Ratio(samples[0])})
		}
		values = append(values, results.Value{Unit: "disturbed", V: float64(s.Disturbed)})
		rec.Values = append(values, rec.Values...)
		out[i] = rec
	}
	return out
}

func (r *lookupRun) free() {
	for _, f := range r.filters {
		if f != nil {
			filters.Free(f)
		}
	}
	if r.limits != nil {
		r.limits.block.Free()
	}
}
