package experiments

import (
	"context"
	"fmt"
	"slices"

	"filterbench/experiments/timing"
	"filterbench/filters"
	"filterbench/results"
)

// prepare does everything that needs no clock: it builds the group's filters
// and makes the cells.
func (g *lookupGroup) prepare(ctx context.Context, b *bench) error {
	entries := slices.Clone(g.entries) // an exact one finds out its design
	built := make([]filters.Keyed, len(entries))
	err := inParallel(ctx, len(entries), func(ctx context.Context, i int) (err error) {
		built[i], err = entries[i].build(ctx, b)
		return err
	})
	if err != nil {
		return err
	}
	q, err := b.queries(g.limitStream())
	if err != nil {
		return err
	}
	limit, err := b.addLimits(g.size, q.hashes)
	if err != nil {
		return err
	}
	for i, e := range entries {
		for _, c := range e.cells {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := b.addLookup(e, built[i], c, limit); err != nil {
				return fmt.Errorf("%s: %w", e.design, err)
			}
		}
	}
	return b.addTwins(g.twins(), entries, built, limit)
}

// addTwins times cells of the group once more each, under another name. What
// their medians differ by is what noise makes: no smaller difference between
// filters is called one.
func (b *bench) addTwins(of []twin, entries []lookupEntry, built []filters.Keyed, limit int) error {
	for k, t := range of {
		if err := b.addLookup(entries[t.entry], built[t.entry], t.cell, limit); err != nil {
			return err
		}
		r := &b.records[len(b.records)-1]
		r.Name = "Twin"
		r.Axes = append(r.Axes, axes("twin", k+1)...)
	}
	return nil
}

func (e *lookupEntry) build(ctx context.Context, b *bench) (filters.Keyed, error) {
	if e.design.Spec.Family.Exact {
		if err := e.fit(ctx, b); err != nil {
			return nil, err
		}
	}
	return b.filled(ctx, e.design)
}

// fit sizes a structure whose bytes depend on the keys: a small one shows how
// many bytes a key takes, and the size class is divided by that. Tables that grow
// by doubling are met within a factor of two; alloc-B says how well.
func (e *lookupEntry) fit(ctx context.Context, b *bench) error {
	d, err := e.design.Spec.ForBits(min(4096, e.size/32), lookupBits)
	if err != nil {
		return err
	}
	f, err := d.Keyed(b.seed)
	if err != nil {
		return err
	}
	defer filters.Free(f)
	if _, _, err := fill(ctx, f, d, b.src, d.N); err != nil {
		return err
	}
	perKey := float64(f.SizeBits()) / float64(f.Len())
	e.design, err = d.Spec.ForBits(uint64(float64(8*e.size)/perKey), lookupBits)
	return err
}

// addLookup makes a filter's cell ready: its stream, the answers that one lookup
// after the other gives, and the pass.
func (b *bench) addLookup(e lookupEntry, f filters.Keyed, c lookupCell, limit int) error {
	q, err := b.queries(e.stream(c))
	if err != nil {
		return err
	}
	asked := question{e.design.String(), e.stream(c)}
	want, known := b.wants[asked]
	cell := timing.Cell{Ops: c.queries}
	if c.api == "hash" {
		h := hashedOf(f)
		if !known {
			want = dispatchHashes(h, q.hashes)
		}
		cell.Pass = b.hashPass(c.mode, h, q.hashes)
	} else {
		if !known {
			want = dispatchKeys(f, q.keys)
		}
		cell.Pass = b.keyPass(c.mode, f, q.keys)
	}
	b.wants[asked], cell.Want = want, want
	b.add(results.Record{Name: "Lookup", Axes: e.axes(c, f), Values: []results.Value{
		{Unit: "positives", V: float64(cell.Want)},
		{Unit: "alloc-B", V: float64(f.SizeBits() / 8)},
	}}, cell, limit)
	return nil
}

func (e lookupEntry) axes(c lookupCell, f filters.Filter) []results.Axis {
	out := axes("filter", e.design.Spec, "size", sizeName(e.size), "api", c.api, "mode", c.mode, "hits", c.hits, "keys", timedKeys)
	return append(out, timedAxes(e.design, f)...)
}
