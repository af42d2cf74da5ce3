package experiments

import (
	"context"
	"time"

	"filterbench/experiments/timing"
	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/results"
	"filterbench/workloads"
)

// HashOnce times a key that is looked up in a hundred filters, as in a tree of so
// many tables: hashed once, or for each filter again.
var HashOnce = Experiment{
	Name:     "hashonce",
	Question: "What does it save to hash a key once for a hundred filters?",
	Plan:     planHashOnce,
}

const (
	onceFilters = 100
	onceSize    = 16 << 10 // of a filter
	onceBits    = 10
	onceGets    = 256
	onceRounds  = 10
)

// onceGroup is filters of some families and keys of some lengths.
type onceGroup struct {
	specs []string
	keys  []string
}

func planHashOnce(c Config) ([]Unit, error) {
	g := onceGroup{keys: []string{"random", "url"}}
	specs := []string{"blocked", "bloom"}
	if c.Full() {
		specs = append(specs, "splitblock", "cuckoo", "quotient")
		g.keys = []string{"random", "uuidv4", "url"}
	}
	for _, s := range specs {
		if c.measures(registry.Must(s).Family) {
			g.specs = append(g.specs, s)
		}
	}
	if len(g.specs) == 0 {
		return nil, nil
	}
	cells := 2 * len(g.specs) * len(g.keys)
	u := Unit{ID: "hashonce/time", Steps: onceRounds, Bytes: uint64(cells)*onceFilters*onceSize + 64<<20}
	u.Cost = time.Duration(cells)*(110*time.Millisecond) + time.Duration(cells)*onceFilters*onceSize*8/onceBits*25
	return []Unit{timed(u, c.Seed, onceSize, g.prepare)}, nil
}

func (g onceGroup) prepare(ctx context.Context, b *bench) error {
	for _, kind := range g.keys {
		for _, spec := range g.specs {
			d, err := registry.Must(spec).ForBits(8*onceSize/onceBits, onceBits)
			if err != nil {
				return err
			}
			src, err := workloads.Open(kind, d.N*onceFilters, b.seed)
			if err != nil {
				return err
			}
			if err := b.addOnce(ctx, d, src); err != nil {
				return err
			}
		}
	}
	return nil
}

// addOnce fills the filters, and adds the two cells of absent keys.
func (b *bench) addOnce(ctx context.Context, d filters.Design, src workloads.Source) error {
	tree, err := newTree(ctx, d, src, b.seed, onceFilters)
	if err != nil {
		return err
	}
	b.hold(tree.free)
	var keys filters.Keys
	src.Absent(&keys, 0, onceGets)
	var want uint64
	answers := make([]uint64, filters.BitsetLen(onceGets))
	hashed := make([]filters.Hashed, onceFilters)
	for i, f := range tree.filters {
		hashed[i] = hashedOf(f)
		want += uint64(f.ContainsKeys(&keys, answers))
	}
	hash := d.Spec.Family.Hash
	for _, way := range []struct {
		hashed string
		pass   func() uint64
	}{
		{"once", func() (maybe uint64) {
			for q := range keys.Len() {
				h := hash.Sum(keys.At(q), b.seed)
				for _, f := range hashed {
					if f.ContainsHash(h) {
						maybe++
					}
				}
			}
			return maybe
		}},
		{"each", func() (maybe uint64) {
			for q := range keys.Len() {
				key := keys.At(q)
				for _, f := range tree.filters {
					if f.Contains(key) {
						maybe++
					}
				}
			}
			return maybe
		}},
	} {
		a := axes("filter", d.Spec, "keys", src.Name(), "hashed", way.hashed, "filters", onceFilters, "bits", onceBits, "n", d.N, "size", sizeName(onceSize))
		b.add(results.Record{Name: "HashOnce", Axes: a}, timing.Cell{Ops: onceGets * onceFilters, Want: want, Pass: way.pass}, noLimit)
	}
	return nil
}
