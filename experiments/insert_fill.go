package experiments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"filterbench/filters"
	"filterbench/results"
	"filterbench/workloads"
)

// fillLoads are the percentages of a table's slots that keys are offered for, one
// after the other: the last is more than most tables take.
var fillLoads = []uint64{40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 91, 92, 93, 94, 95, 96}

// askedLoad is where every table is asked for all of its keys.
const askedLoad = 75

// fillUnit follows one table as it fills up.
func (c Config) fillUnit(spec filters.Spec, slots uint64, seed int) (Unit, error) {
	d, err := tableOf(spec, slots)
	if err != nil {
		return Unit{}, err
	}
	a := axes("filter", spec, "slots", slots, "keys", timedKeys, "seed", seed)
	for _, p := range d.Params {
		if p.Name != "slots" {
			a = append(a, axes(p.Name, p.Value)...)
		}
	}
	cost := time.Duration(slots) * (300 + 8*time.Duration(spec.Family.NanosPerKey))
	return countingUnit("insert/"+record("Fill", a).FullName(), cost, d.SizeBits/8+10*slots+16<<20, func(ctx context.Context) ([]results.Record, error) {
		f, src, err := c.openTable(d, seed)
		if err != nil {
			return nil, err
		}
		defer filters.Free(f)
		return fillTable(ctx, f, src, slots, deriveSeed(c.Seed, uint64(seed), 0), d.Spec.Family.Hash, a)
	}), nil
}

// openTable makes an empty table, and the keys for it.
func (c Config) openTable(d filters.Design, seed int) (filters.Hashed, workloads.Source, error) {
	src, err := workloads.Open(timedKeys, d.N, deriveSeed(c.Seed, uint64(seed), 0))
	if err != nil {
		return nil, nil, err
	}
	f, err := d.NewHashed()
	return f, src, err
}

// fillTable offers keys one by one, looks at the table at each of the loads, and at
// some asks for all keys that it has taken.
func fillTable(ctx context.Context, f filters.Hashed, src workloads.Source, slots, seed uint64, h filters.Hash, a []results.Axis) (records []results.Record, err error) {
	hashes, err := hashesOf(ctx, src.Present, h, 0, slots*fillLoads[len(fillLoads)-1]/100, seed)
	if err != nil {
		return nil, err
	}
	refused := map[int]bool{}
	kicker, kicks := f.(filters.Kicker)
	offered, moved := 0, uint64(0)
	for _, load := range fillLoads {
		to := int(slots * load / 100)
		adds, before, most := to-offered, moved, uint64(0)
		for ; offered < to; offered++ {
			if offered%chunk == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err := f.AddHash(hashes[offered]); errors.Is(err, filters.ErrFull) {
				refused[offered] = true
			} else if err != nil {
				return nil, err
			}
			if kicks {
				now := kicker.Kicks()
				most, moved = max(most, now-moved), now
			}
		}
		values := []any{"adds", adds, "accepted", f.Len(), "refused", len(refused)}
		if load == askedLoad || kicks && load >= 90 { // kicks might have lost some
			values = append(values, "fn", lost(f, hashes[:to], refused))
		}
		if kicks {
			values = append(values, "kicks", moved-before, "kicks-max", most)
		}
		if c, ok := f.(filters.Clusterer); ok && load%5 == 0 { // it takes a walk through the table
			values = append(values, lengths("stretches", "stretch-max", c.Stretches())...)
			values = append(values, lengths("clusters", "cluster-max", c.Clusters())...)
		}
		values = append(values, "bits/key", float64(f.SizeBits())/float64(f.Len()))
		records = append(records, record("Fill", append(a[:len(a):len(a)], axes("load", load)...), values...))
	}
	return records, nil
}

// lost counts the keys that were taken and are not found.
func lost(f filters.Hashed, hashes []uint64, refused map[int]bool) (n uint64) {
	out := make([]uint64, filters.BitsetLen(len(hashes)))
	if f.ContainsHashes(hashes, out) == len(hashes) {
		return 0
	}
	for i := range hashes {
		if out[i/64]>>(i%64)&1 == 0 && !refused[i] {
			n++
		}
	}
	return n
}

// lengths are the number and the longest of what a histogram counts.
func lengths(number, longest string, histogram []uint64) []any {
	n := uint64(0)
	for _, count := range histogram {
		n += count
	}
	return []any{number, n, longest, max(0, len(histogram)-1)}
}

// refusal is a kind of table, several of which are filled until each refuses a
// key.
type refusal struct {
	spec   filters.Spec
	slots  uint64
	tables int
}

// refusals are cuckoo tables by their size, for each number of slots in a bucket,
// and of short fingerprints at one size (claims P09, P11 and C30).
func (c Config) refusals() (all []refusal) {
	add := func(text string, size, tables int) {
		for _, spec := range c.tables(text) {
			all = append(all, refusal{spec, 1 << size, tables})
		}
	}
	sizes, large := []int{10, 12, 14, 16, 20}, 3
	if c.Full() {
		sizes, large = []int{10, 12, 14, 16, 18, 20, 22}, 5
	}
	for _, b := range []int{2, 4, 8} {
		for _, size := range sizes {
			tables := max(large, 1<<max(0, min(5, 19-size))) // small ones differ more
			if b == 4 {
				tables++ // and most is said of these
			}
			add(fmt.Sprintf("cuckoo:b=%d,f=16,load=100", b), size, tables)
		}
	}
	for _, f := range []int{2, 3} {
		add(fmt.Sprintf("cuckoo:b=4,f=%d,load=100", f), 20, 6) // the shorter, the more they differ
	}
	if c.Full() {
		add("cuckoo:b=4,f=4,load=100", 20, large)
	}
	return all
}

func (c Config) refusalUnit(r refusal) (Unit, error) {
	d, err := tableOf(r.spec, r.slots)
	if err != nil {
		return Unit{}, err
	}
	a := axes("filter", r.spec, "slots", r.slots, "keys", timedKeys)
	cost := time.Duration(r.tables) * time.Duration(r.slots) * 120
	return countingUnit("insert/"+record("Refusal", a).FullName(), cost, d.SizeBits/8+16<<20, func(ctx context.Context) (records []results.Record, err error) {
		for seed := 1; seed <= r.tables; seed++ {
			f, src, err := c.openTable(d, seed)
			if err != nil {
				return nil, err
			}
			accepted, err := untilFull(ctx, f, src, d.Spec.Family.Hash, r.slots, deriveSeed(c.Seed, uint64(seed), 0))
			filters.Free(f)
			if err != nil {
				return nil, err
			}
			records = append(records, record("Refusal", append(a[:len(a):len(a)], axes("seed", seed)...),
				"first-load", float64(accepted)/float64(r.slots), "accepted", accepted))
		}
		return records, nil
	}), nil
}

// untilFull adds keys until one is refused, which happens to one more than there
// are slots at the latest, and says how many were taken.
func untilFull(ctx context.Context, f filters.Hashed, src workloads.Source, h filters.Hash, slots, seed uint64) (accepted uint64, err error) {
	for from := uint64(0); from <= slots; from += chunk {
		hashes, err := hashesOf(ctx, src.Present, h, from, min(from+chunk, slots+1), seed)
		if err != nil {
			return accepted, err
		}
		taken, err := f.AddHashes(hashes)
		accepted += uint64(taken)
		if errors.Is(err, filters.ErrFull) {
			return accepted, nil
		}
		if err != nil {
			return accepted, err
		}
	}
	return accepted, fmt.Errorf("a table of %d slots took %d keys and refused none", slots, accepted)
}
