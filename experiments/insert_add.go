package experiments

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"filterbench/experiments/timing"
	"filterbench/filters"
	"filterbench/results"
)

const (
	addRounds = 10     // samples of each cell
	buildN    = 30_000 // keys of a build in the quick profile
	buildBits = 10
	addsSalt  = 3 // of the orders in the rounds
	buildSalt = 4
)

// What a pass adds, up to the load: of tables of runs a fixed number of keys, which
// are taken out again one by one; of others, whose state is copied back, a share.
// Where an add costs little both are more.
const (
	runAdds     = 1024
	cuckooShare = 5 // percent of the slots
	flatShare   = 25
)

// addGroup is filters that are added to, timed in the same rounds.
type addGroup struct {
	id    string
	salt  uint64
	cells []addCell
}

// addCell is one filter: it holds keys up to from, and a pass adds those up to
// to. A build begins with making the filter, and adds all keys.
type addCell struct {
	design   filters.Design
	slots    uint64 // or keys that a filter without slots is sized for
	from, to uint64
	build    bool
	load     uint64 // percent
}

// addGroup times adds to tables, and to filters without slots, whose load is
// keys over those that they are sized for, here as many as the tables have slots.
func (c Config) addGroup() addGroup {
	g := addGroup{id: "insert/adds", salt: addsSalt}
	slots, loads, flat := uint64(tableSlots/8), []uint64{50, 90, 95}, []uint64{50, 95}
	if c.Full() {
		slots, loads = tableSlots, []uint64{40, 50, 60, 70, 75, 80, 85, 90, 92, 95}
		flat = loads
	}
	for _, spec := range c.flat() {
		if d, err := spec.ForBits(slots, bitsPerSlot); err == nil {
			g.add(d, slots, flat, func(uint64) uint64 { return slots * flatShare / 100 })
		}
	}
	specs := c.tables(cuckooTable, flagsTable)
	if c.Full() {
		specs = append(specs, c.tables(sortedTable, rankTable)...)
	}
	for _, spec := range specs {
		if d, err := tableOf(spec, slots); err == nil {
			g.add(d, slots, loads, func(load uint64) uint64 {
				switch {
				case spec.Family.Name == "quotient" && load > 80:
					return runAdds
				case spec.Family.Name == "quotient":
					return 4 * runAdds
				case load <= 80:
					return slots * 2 * cuckooShare / 100
				}
				return slots * cuckooShare / 100
			})
		}
	}
	return g
}

func (g *addGroup) add(d filters.Design, slots uint64, loads []uint64, adds func(load uint64) uint64) {
	for _, load := range loads {
		to := slots * load / 100
		g.cells = append(g.cells, addCell{design: d, slots: slots, load: load, from: to - adds(load), to: to})
	}
}

// flat are the filters without slots to which adds are timed.
func (c Config) flat() []filters.Spec {
	seen := map[string]bool{}
	return c.where(func(s filters.Spec) bool {
		f := s.Family
		first := !seen[f.Name]
		seen[f.Name] = true
		switch {
		case f.Exact || f.Static || f.KeyedOnly || slow(s) || f.Name == "cuckoo" || f.Name == "quotient" || strings.HasPrefix(f.Name, "peer"): // which have no state to copy back
			return false
		}
		return c.Full() || first && f.Name == "bloom"
	})
}

// where are the specs of the run for which keep says so.
func (c Config) where(keep func(s filters.Spec) bool) (specs []filters.Spec) {
	for _, s := range c.Specs {
		if keep(s) {
			specs = append(specs, s)
		}
	}
	return specs
}

// buildGroup times whole builds.
func (c Config) buildGroup() addGroup {
	g := addGroup{id: "insert/builds", salt: buildSalt}
	n, own := uint64(buildN), []string{"bloom"}
	if c.Full() {
		n *= 10
	}
	seen := map[string]bool{}
	for _, s := range c.Specs {
		f := s.Family
		first := !seen[f.Name]
		seen[f.Name] = true
		if f.Exact || f.KeyedOnly || !c.Full() && !(f.Static || first && slices.Contains(own, f.Name)) {
			continue
		}
		if d, err := s.ForBits(n, buildBits); err == nil {
			g.cells = append(g.cells, addCell{design: d, to: n, build: true})
		}
	}
	return g
}

func (g addGroup) unit(seed uint64) Unit {
	u := Unit{ID: g.id, Steps: addRounds, Bytes: 64 << 20}
	for _, c := range g.cells {
		u.Cost += c.cost()
		u.Bytes += 3*c.design.SizeBits/8 + 8*c.to
		if c.design.Spec.Family.Static {
			u.Bytes += 100 * c.to // what it is built in
		}
	}
	return timed(u, seed, g.salt, g.prepare)
}

// cost is the expected time of building the filter and of its samples: each takes
// as long as a sample must, or one pass if that is longer, and undoing passes takes
// as long again or somewhat longer.
func (c addCell) cost() time.Duration {
	per := 40.0 // ns for a key
	switch name := c.design.Spec.Family.Name; {
	case c.design.Spec.Family.Static:
		per = 200
	case name == "quotient" && c.load >= 90:
		per = 1500
	case name == "quotient" || name == "cuckoo":
		per = 150
	}
	sample := max(per*float64(c.to-c.from), float64(timing.MinSample)*1.25)
	return time.Duration(float64(c.from)*per/4 + 3.6*(addRounds+3)*sample)
}

func (c addCell) record(pages string) results.Record {
	d := c.design
	if c.build {
		a := axes("filter", d.Spec, "n", d.N, "bits", buildBits, "keys", timedKeys)
		return results.Record{Name: "Build", Axes: append(a, axes("pages", pages)...)}
	}
	a := axes("filter", d.Spec, "n", c.slots, "load", c.load, "adds", c.to-c.from, "keys", timedKeys)
	for _, p := range d.Params {
		a = append(a, axes(p.Name, p.Value)...)
	}
	return results.Record{Name: "Add", Axes: append(a, axes("pages", pages)...)}
}

// prepare builds the filters and makes the cells.
func (g addGroup) prepare(ctx context.Context, b *bench) error {
	cells := make([]timing.Cell, len(g.cells))
	records := make([]results.Record, len(g.cells))
	err := inParallel(ctx, len(g.cells), func(ctx context.Context, i int) (err error) {
		c := g.cells[i]
		cells[i], records[i], err = c.prepare(ctx, b)
		if err != nil {
			err = fmt.Errorf("%s: %w", c.design, err)
		}
		return err
	})
	if err != nil {
		return err
	}
	for i := range cells {
		b.add(records[i], cells[i], noLimit) // no limit is known for writes
	}
	return nil
}

func (c addCell) prepare(ctx context.Context, b *bench) (timing.Cell, results.Record, error) {
	hashes, err := hashesOf(ctx, b.src.Present, c.design.Spec.Family.Hash, 0, c.to, b.seed)
	if err != nil {
		return timing.Cell{}, results.Record{}, err
	}
	f, err := c.design.NewHashed()
	if err != nil {
		return timing.Cell{}, results.Record{}, err
	}
	a := &adds{design: c.design, f: f, hashes: hashes[c.from:]}
	b.hold(a.free)
	// What undoes a pass goes through the memory that the next one needs.
	cell := timing.Cell{Ops: int(c.to - c.from), Want: c.to - c.from, Pass: a.pass, Reset: a.restore, Warm: func() {}}
	if c.build {
		cell.Pass, cell.Reset = a.build, a.free // and no filter lies in the cache
		return cell, c.record(pagesOf(f)), nil
	}
	if _, err := f.AddHashes(hashes[:c.from]); err != nil {
		return timing.Cell{}, results.Record{}, err
	}
	if _, ok := f.(filters.Clusterer); ok {
		cell.Reset = a.takeOut
	} else if s, ok := f.(filters.Snapshotter); ok {
		a.state = s.AppendState(nil)
	} else {
		return timing.Cell{}, results.Record{}, fmt.Errorf("no pass can be undone")
	}
	return cell, c.record(pagesOf(f)), nil
}

// adds is a filter that is added to again and again.
type adds struct {
	design filters.Design
	f      filters.Hashed // nil where there is none at the moment
	hashes []uint64       // that a pass adds
	state  []byte         // before it does
	done   bool           // a pass has added them
}

// pass adds the keys and returns how many were taken.
func (a *adds) pass() uint64 {
	if a.f == nil {
		return 0 // restore failed
	}
	a.done = true
	taken, _ := a.f.AddHashes(a.hashes)
	return uint64(taken)
}

// build makes the filter and adds all keys.
func (a *adds) build() uint64 {
	var err error
	if a.f, err = a.design.NewHashed(); err != nil {
		return 0
	}
	return a.pass()
}

// free gives the filter back, and has what it and its building left collected:
// the collector is off while times are taken.
func (a *adds) free() {
	if a.f != nil {
		filters.Free(a.f)
		a.f = nil
		runtime.GC()
	}
}

// restore replaces the filter by one in the state before the pass.
func (a *adds) restore() {
	if !a.done {
		return
	}
	a.free()
	a.done = false
	f, err := a.design.NewHashed()
	if err == nil && f.(filters.Snapshotter).LoadState(a.state) == nil {
		a.f = f
	}
}

// takeOut deletes what a pass has added. What a table of runs holds, and where, is
// a matter of its keys alone, so that it is then as it was.
func (a *adds) takeOut() {
	if !a.done {
		return
	}
	a.done = false
	for _, h := range a.hashes {
		a.f.(filters.Deleter).DeleteHash(h)
	}
}
