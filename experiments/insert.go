package experiments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/results"
)

// Insert fills filters, and finds out what the fill costs.
var Insert = Experiment{
	Name:     "insert",
	Question: "What does an add cost as a filter fills up, what does it move, and when is it refused?",
	Plan:     planInsert,
}

// The tables of slots whose fill is followed: 2^20 slots of 16 bits, metadata
// included, so that all are compared at equal bytes.
const (
	tableSlots  = 1 << 20
	bitsPerSlot = 16
	cuckooTable = "cuckoo:b=4,f=16,load=100"
	sortedTable = "cuckoo:b=4,f=16,semisort=yes,load=100"
	rankTable   = "quotient:layout=rank,load=95,slots=pow2"
	flagsTable  = "quotient:layout=flags,load=95,slots=pow2"
	fillSeeds   = 5 // of the full profile
)

// tables are the specs of those families that the run measures.
func (c Config) tables(texts ...string) (specs []filters.Spec) {
	for _, text := range texts {
		if s := registry.Must(text); c.measures(s.Family) {
			specs = append(specs, s)
		}
	}
	return specs
}

// planInsert plans the counted fills and first refusals, and two groups of
// timings: adds at several loads, and whole builds. Of the families without slots
// the quick profile has Bloom's alone, beside which the others are seen, and it
// builds that and the static ones. Its tables are smaller, except
// for those whose first refusal claims are about.
func planInsert(c Config) (units []Unit, err error) {
	add := func(u Unit, e error) {
		if e == nil {
			units = append(units, u)
		}
		err = errors.Join(err, e)
	}
	// Sorted buckets move as much as others, and both layouts of the quotient
	// filter keep a fingerprint in the same slot.
	fills, slots, specs := 1, uint64(tableSlots/4), c.tables(cuckooTable, flagsTable)
	if c.Full() {
		fills, slots, specs = fillSeeds, tableSlots, c.tables(cuckooTable, sortedTable, flagsTable, rankTable)
	}
	for _, spec := range specs {
		for seed := 1; seed <= fills; seed++ {
			add(c.fillUnit(spec, slots, seed))
		}
	}
	for _, r := range c.refusals() {
		add(c.refusalUnit(r))
	}
	if err != nil {
		return nil, err
	}
	for _, g := range []addGroup{c.addGroup(), c.buildGroup()} {
		if len(g.cells) > 0 {
			units = append(units, g.unit(c.Seed))
		}
	}
	return units, nil
}

// tableOf is the design with so many slots.
func tableOf(spec filters.Spec, slots uint64) (filters.Design, error) {
	n := slots * uint64(spec.Int("load")) / 100
	bits := float64(bitsPerSlot)
	if spec.Family.Name == "quotient" { // it is sized for the keys, the other for slots
		bits *= float64(slots) / float64(n)
	}
	d, err := spec.ForBits(n, bits)
	if err == nil && slotsOf(d) != slots {
		err = fmt.Errorf("%s has %d slots where %d are asked for", d, slotsOf(d), slots)
	}
	return d, err
}

// slotsOf is the number of slots of a table.
func slotsOf(d filters.Design) uint64 {
	if slots, ok := d.Param("slots"); ok {
		return slots
	}
	buckets, _ := d.Param("buckets")
	return buckets * uint64(d.Spec.Int("b"))
}

// hashesOf are those of a source's keys, present or absent ones, from (inclusive)
// to to (exclusive).
func hashesOf(ctx context.Context, stream func(dst *filters.Keys, from, to uint64), h filters.Hash, from, to, seed uint64) ([]uint64, error) {
	var keys filters.Keys
	hashes := make([]uint64, 0, to-from)
	for ; from < to; from += chunk {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		keys.Reset()
		stream(&keys, from, min(from+chunk, to))
		hashes = h.SumKeys(hashes, &keys, 0, keys.Len(), seed)
	}
	return hashes, nil
}

// orNil is nil for a filter that is full, which some experiments find out.
func orNil(err error) error {
	if errors.Is(err, filters.ErrFull) {
		return nil
	}
	return err
}

// countingUnit makes a unit of one step that counts.
func countingUnit(id string, cost time.Duration, bytes uint64, run func(ctx context.Context) ([]results.Record, error)) Unit {
	return Unit{
		ID: id, Cost: cost, Bytes: bytes, Steps: 1,
		Run: func(ctx context.Context, _ int, emit Emit) error {
			records, err := run(ctx)
			if err != nil {
				return err
			}
			return emit(0, records)
		},
	}
}
