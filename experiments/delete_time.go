package experiments

import (
	"context"
	"fmt"
	"time"

	"filterbench/experiments/timing"
	"filterbench/filters"
	"filterbench/results"
)

// What a delete costs, beside a lookup of a key that is there: both one by one,
// by a call through an interface, of hashes that were made beforehand.

const deleteRounds = 10

// timings plans a group for each size: equal bytes, and 10 bits or counters a
// key. In the quick profile that is one size, and the first of each family.
func (p *deletePlanner) timings() {
	sizes := []uint64{2 << 20}
	if p.config.Full() {
		sizes = []uint64{64 << 10, 2 << 20, 16 << 20, 64 << 20}
	}
	for _, size := range sizes {
		g := deleteGroup{size: size}
		seen := map[string]bool{}
		for _, spec := range p.config.Specs {
			if !deletes(spec) || seen[spec.Family.Name] && !p.config.Full() {
				continue
			}
			bits := deleteBits(spec)
			if d, ok := p.design(spec, uint64(8*float64(size)/bits), bits); ok {
				seen[spec.Family.Name] = true
				g.designs = append(g.designs, d)
			}
		}
		if len(g.designs) > 0 {
			p.units = append(p.units, g.unit(p.config.Seed))
		}
	}
}

// deleteGroup is all filters of one size.
type deleteGroup struct {
	size    uint64
	designs []filters.Design
}

func (g deleteGroup) unit(seed uint64) Unit {
	u := Unit{ID: "delete/size=" + sizeName(g.size), Steps: deleteRounds}
	for _, d := range g.designs {
		one := d.Spec.Family.NanosPerKey + 2*lineNanos(g.size)
		pass := one * float64(passKeys(d.N))
		u.Cost += time.Duration(one*float64(d.N)) + 4*timingCost(pass) // half of it to put back what was deleted
		u.Bytes += d.SizeBits/8 + 1<<20
	}
	return timed(u, seed, g.size, g.prepare)
}

// prepare fills the filters and makes their cells.
func (g deleteGroup) prepare(ctx context.Context, b *bench) error {
	built := make([]deleter, len(g.designs))
	err := inParallel(ctx, len(g.designs), func(ctx context.Context, i int) (err error) {
		built[i], err = b.filledDeleter(ctx, g.designs[i])
		return err
	})
	if err != nil {
		return err
	}
	for i, d := range g.designs {
		b.addDelete(g.size, d, built[i])
	}
	return nil
}

// filledDeleter makes a filter that holds as many hashes as it was sized for.
func (b *bench) filledDeleter(ctx context.Context, d filters.Design) (deleter, error) {
	f, err := newDeleter(d)
	if err != nil {
		return nil, err
	}
	b.hold(func() { filters.Free(f) })
	for hashes := range distinctHashes(b.seed, 0, d.N, make([]uint64, chunk)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if _, err := f.AddHashes(hashes); err != nil {
			return nil, fmt.Errorf("%s refused keys that it was sized for: nothing to time", d)
		}
	}
	return f, nil
}

// addDelete adds two cells of a filter: a pass deletes keys, or looks them up.
func (b *bench) addDelete(size uint64, d filters.Design, f deleter) {
	k := deletedKeys{f: f, seed: b.seed, n: d.N, keys: make([]uint64, passKeys(d.N))}
	add := func(op string, pass func() uint64) {
		a := append(axes("filter", d.Spec, "size", sizeName(size), "op", op, "n", d.N), axes("pages", pagesOf(f))...)
		b.add(results.Record{Name: "Delete", Axes: a},
			timing.Cell{Ops: len(k.keys), Want: uint64(len(k.keys)), Reset: k.next, Pass: pass}, noLimit)
	}
	add("delete", func() uint64 { k.gone = true; return deleteHashes(f, k.keys) })
	add("lookup", func() uint64 { return dispatchHashes(f, k.keys) })
}

// passKeys is how many keys a pass deletes: few enough that the filter stays
// about as full, and so many that reading the clocks is nothing.
func passKeys(n uint64) uint64 { return min(4096, n/8) }

// deletedKeys are those of the next pass. They come from the whole filter in
// turn, so that a pass does not find the lines in the cache where the one
// before left them.
type deletedKeys struct {
	f       filters.Hashed
	seed, n uint64
	at      uint64 // the next one
	keys    []uint64
	gone    bool // the keys have been deleted
}

// next puts back what was deleted and makes the keys that follow.
func (k *deletedKeys) next() {
	if k.gone {
		k.f.AddHashes(k.keys)
		k.gone = false
	}
	for i := range k.keys {
		k.keys[i] = distinctHash(k.seed, k.at)
		k.at = (k.at + 1) % k.n
	}
}

// deleteHashes deletes one hash after the other through the interface.
func deleteHashes(f filters.Deleter, hashes []uint64) (removed uint64) {
	for _, h := range hashes {
		if f.DeleteHash(h) {
			removed++
		}
	}
	return removed
}
