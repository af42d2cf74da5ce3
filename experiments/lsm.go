package experiments

import (
	"context"
	"fmt"
	"slices"
	"time"

	"filterbench/filters"
	"filterbench/filters/hashing"
	"filterbench/filters/registry"
	"filterbench/filters/theory"
	"filterbench/results"
	"filterbench/workloads"
)

// LSM counts the table reads of an LSM tree each of whose tables has a filter.
// The tree is a model: tables are sets of keys that overlap in their range, and
// reading one is a count. Probes, reads and what is saved are told apart: a get
// probes several filters, and what a filter saves is a probe that becomes no read.
var LSM = Experiment{
	Name:     "lsm",
	Question: "How many table reads do filters save an LSM tree, and what does a filter cost it that errs?",
	Plan:     planLSM,
}

const (
	lsmKeys     = timedKeys
	lsmBits     = 10
	lsmTables   = 10 // where the number of tables is not what is asked about
	lsmManyGets = 1_000_000
	lsmMostHits = 100
	lsmLieShare = 1 // per cent of the answers that a liar turns round
)

var (
	lsmTableCounts = []int{1, 3, 10, 30, 100}
	lsmHitShares   = []int{0, 10, 50, 90, lsmMostHits}
)

// lsmCell is a tree of one filter.
type lsmCell struct {
	design filters.Design // of a table's filter
	gets   int            // of each kind
}

// lsmSize is how many keys a table has and how many gets are counted; of slow
// families a tenth of them.
func (c Config) lsmSize(s filters.Spec) (keys uint64, gets int) {
	keys, gets = 1_000, 10_000
	if c.Full() {
		keys, gets = 10_000, 100_000
	}
	if slow(s) {
		gets /= 10
	}
	return keys, gets
}

func planLSM(c Config) ([]Unit, error) {
	var units []Unit
	for _, spec := range c.Specs {
		keys, gets := c.lsmSize(spec)
		d, err := spec.ForBits(keys, lsmBits)
		if err != nil || spec.Family.Exact {
			continue // it is no filter, or has other sizes only
		}
		cell := lsmCell{d, gets}
		units = append(units, cell.unit(c, "LSM", cell.cost(), cell.grid))
	}
	spec := registry.Must("bloom")
	if !c.measures(spec.Family) {
		return units, nil
	}
	keys, gets := c.lsmSize(spec)
	d, err := spec.ForBits(keys, lsmBits)
	if err != nil {
		return nil, err
	}
	some, many := lsmCell{d, gets}, lsmCell{d, lsmManyGets}
	few := time.Duration(keys*lsmTables) * 100 * time.Nanosecond
	return append(units,
		many.unit(c, "LSM", few+lsmManyGets*100*time.Nanosecond, many.millions),
		some.unit(c, "Liar", few+time.Duration(6*gets*150), some.liars),
		some.unit(c, "Resident", few+time.Duration(6*gets*300), some.resident),
	), nil
}

// unit is named after the kind of record that it makes.
func (c lsmCell) unit(config Config, kind string, cost time.Duration, run func(ctx context.Context, seed uint64) ([]results.Record, error)) Unit {
	most := uint64(lsmTableCounts[len(lsmTableCounts)-1])
	return Unit{
		ID: "lsm/" + c.record(kind, c.gets).FullName(), Steps: 1, Cost: cost,
		Bytes: most*(c.design.SizeBits/8+4096) + 128*uint64(c.gets) + 16<<20,
		Run: func(ctx context.Context, _ int, emit Emit) error {
			records, err := run(ctx, deriveSeed(config.Seed, 1, 0))
			if err != nil {
				return fmt.Errorf("%s: %w", c.design, err)
			}
			return emit(0, records)
		},
	}
}

// cost is that of grid: tables filled, and each asked by absent keys and, once
// for each number of tables, by present ones.
func (c lsmCell) cost() time.Duration {
	tables := 0
	for _, t := range lsmTableCounts {
		tables += t
	}
	most := float64(lsmTableCounts[len(lsmTableCounts)-1])
	f := c.design.Spec.Family
	adds := most * (2000 + float64(c.design.N)*(makeKeyNanos+hashNanos+2*f.NanosPerKey))
	asks := float64(c.gets) * (most + float64(tables)) * (2 + f.NanosPerKey/2)
	return time.Duration(adds + asks + 300*float64(c.gets*len(lsmTableCounts)))
}

// record is a record of so many gets; with no values it names a unit.
func (c lsmCell) record(kind string, gets int, pairs ...any) results.Record {
	a := axes("filter", c.design.Spec, "bits", lsmBits, "n", c.design.N, "keys", lsmKeys, "gets", gets)
	for _, p := range c.design.Params {
		a = append(a, axes(p.Name, p.Value)...)
	}
	if c.design.Spec.Family.Sampled {
		a = append(a, axes("sampled", "yes")...)
	}
	return record(kind, a, pairs...)
}

// counted is a record of a tally, with further axes behind the filter's.
func (c lsmCell) counted(kind string, tree *lsmTree, s readTally, more ...any) results.Record {
	r := c.record(kind, int(s.gets),
		"queries", s.gets, "probes", s.probes, "reads", s.reads, "saved", s.probes-s.reads, "queries-with-reads", s.withReads,
		"false", s.wrong, "lost-gets", s.lost, "refused", tree.refused, "bits/key", tree.bitsPerKey())
	r.Axes = slices.Insert(r.Axes, 1, axes(more...)...)
	return r
}

// source is the workload, of the keys of so many tables.
func (c lsmCell) source(tables int, seed uint64) (workloads.Source, error) {
	return workloads.Open(lsmKeys, c.design.N*uint64(tables), seed)
}

// grid is gets of absent and present keys in trees of all sizes, of which each
// has the tables of those before it.
func (c lsmCell) grid(ctx context.Context, seed uint64) (records []results.Record, err error) {
	most := slices.Max(lsmTableCounts)
	src, err := c.source(most, seed)
	if err != nil {
		return nil, err
	}
	tree, err := newTree(ctx, c.design, src, seed, most)
	if err != nil {
		return nil, err
	}
	defer tree.free()
	absent := absentGets(src, c.gets)
	for _, tables := range lsmTableCounts {
		if err := absent.ask(ctx, tree, tables, nil); err != nil {
			return nil, err
		}
		present := presentGets(src, c.design.N, tables, c.gets)
		if err := present.ask(ctx, tree, tables, nil); err != nil {
			return nil, err
		}
		for _, hits := range lsmHitShares {
			for _, stop := range []string{"early", "never"} {
				if between := hits != 0 && hits != lsmMostHits; between && tables != 1 && tables != lsmTables || hits == 0 && stop == "early" {
					continue // an absent key stops nothing
				}
				s := mixed(absent, present, c.gets, hits, stop == "early")
				records = append(records, c.expected(c.counted("LSM", tree, s, "tables", tables, "stop", stop, "hits", hits), tables, hits, stop == "early"))
			}
		}
	}
	return records, nil
}

// expected adds what theory says of the reads, where the model holds.
func (c lsmCell) expected(r results.Record, tables, hits int, early bool) results.Record {
	m := c.design.Model
	if !m.Holds(c.design.N) {
		return r
	}
	p := m.FPR(c.design.N)
	gets, _ := r.Value("queries")
	r.Values = append(r.Values, results.Value{Unit: "model-reads", V: gets * theory.LSMReads(tables, p, float64(hits)/100, early)})
	if m.SD != nil {
		r.Values = append(r.Values, results.Value{Unit: "model-sd", V: m.SD(c.design.N)})
	}
	return r
}

// millions is a million gets of absent keys, of the text that speaks of millions
// of reads saved.
func (c lsmCell) millions(ctx context.Context, seed uint64) ([]results.Record, error) {
	tree, src, err := c.tree(ctx, seed)
	if err != nil {
		return nil, err
	}
	defer tree.free()
	const piece = 1 << 16
	var sum readTally
	for from := uint64(0); from < uint64(c.gets); from += piece {
		keys := new(filters.Keys)
		src.Absent(keys, from, min(from+piece, uint64(c.gets)))
		g := newGets(keys, func(int) int { return nowhere })
		if err := g.ask(ctx, tree, lsmTables, nil); err != nil {
			return nil, err
		}
		sum.add(g.tally(keys.Len(), true))
	}
	return []results.Record{c.expected(c.counted("LSM", tree, sum, "tables", lsmTables, "stop", "never", "hits", 0), lsmTables, 0, false)}, nil
}

// tree is a tree of ten tables, and its workload.
func (c lsmCell) tree(ctx context.Context, seed uint64) (*lsmTree, workloads.Source, error) {
	src, err := c.source(lsmTables, seed)
	if err != nil {
		return nil, nil, err
	}
	tree, err := newTree(ctx, c.design, src, seed, lsmTables)
	return tree, src, err
}

// liars are filters that give a wrong answer to one key in a hundred beside their
// own errors: "maybe" where it should be "no", or the other way round.
func (c lsmCell) liars(ctx context.Context, seed uint64) (records []results.Record, err error) {
	tree, src, err := c.tree(ctx, seed)
	if err != nil {
		return nil, err
	}
	defer tree.free()
	for _, says := range []string{"truth", "maybe", "no"} {
		for _, hits := range []int{0, lsmMostHits} {
			g := absentGets(src, c.gets)
			if hits > 0 {
				g = presentGets(src, c.design.N, lsmTables, c.gets)
			}
			if err := g.ask(ctx, tree, lsmTables, liar(says, tree, g.keys)); err != nil {
				return nil, err
			}
			s := g.tally(c.gets, true)
			records = append(records, c.counted("Liar", tree, s, "tables", lsmTables, "says", says, "share", lsmLieShare, "stop", "early", "hits", hits))
		}
	}
	return records, nil
}

// liar turns the answers of a filter to one (table, key) in a hundred, whatever
// they are, into what it says: "maybe" or "no". It is nil for the truth.
func liar(says string, tree *lsmTree, keys *filters.Keys) func(table int, answers []uint64) {
	if says == "truth" {
		return nil
	}
	return func(table int, answers []uint64) {
		for q := range keys.Len() {
			h := filters.XXH3.Sum(keys.At(q), hashing.Mix(tree.seed)+uint64(table))
			switch {
			case hashing.Reduce(h, 100) >= lsmLieShare:
			case says == "no":
				answers[q/64] &^= 1 << (q % 64)
			default:
				answers[q/64] |= 1 << (q % 64)
			}
		}
	}
}

// resident are gets of absent keys where only some of the filters are in memory:
// the others must be read before they can be asked.
func (c lsmCell) resident(ctx context.Context, seed uint64) (records []results.Record, err error) {
	tree, src, err := c.tree(ctx, seed)
	if err != nil {
		return nil, err
	}
	defer tree.free()
	g := absentGets(src, c.gets)
	if err := g.ask(ctx, tree, lsmTables, nil); err != nil {
		return nil, err
	}
	s := g.tally(c.gets, true)
	for _, held := range []int{0, lsmTables / 2, lsmTables - 1, lsmTables} {
		loads, err := heldFilters(c.gets, lsmTables, held)
		if err != nil {
			return nil, err
		}
		r := c.counted("Resident", tree, s, "tables", lsmTables, "held", held, "hits", 0)
		r.Values = append(r.Values, results.Value{Unit: "filter-loads", V: float64(loads)})
		records = append(records, r)
	}
	return records, nil
}
