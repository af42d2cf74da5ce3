package experiments

import (
	"context"
	"fmt"
	"math/bits"

	"filterbench/filters"
	"filterbench/workloads"
)

// lsmTree is the tables of an LSM tree, newest first, with a filter each. Every
// key is in one table: number t holds keys t*n to (t+1)*n-1 of the workload.
type lsmTree struct {
	design  filters.Design // of the filter of a table, of n keys
	seed    uint64         // of the hash, the same for all tables: a get hashes its key once
	filters []filters.Keyed
	refused uint64 // keys that filters refused
}

func newTree(ctx context.Context, d filters.Design, src workloads.Source, seed uint64, tables int) (*lsmTree, error) {
	tree := &lsmTree{design: d, seed: seed}
	for t := range uint64(tables) {
		f, err := d.Keyed(seed)
		if err != nil {
			tree.free()
			return nil, err
		}
		tree.filters = append(tree.filters, f)
		accepted, _, err := fill(ctx, f, d, offset{src, t * d.N}, d.N)
		if err != nil {
			tree.free()
			return nil, err
		}
		tree.refused += d.N - accepted
	}
	return tree, nil
}

func (t *lsmTree) free() {
	for _, f := range t.filters {
		filters.Free(f)
	}
}

// bitsPerKey is over all tables.
func (t *lsmTree) bitsPerKey() float64 {
	var bits, keys uint64
	for _, f := range t.filters {
		bits += f.SizeBits()
		keys += f.Len()
	}
	return float64(bits) / float64(keys)
}

// offset is a workload whose present keys are counted from another one on.
type offset struct {
	workloads.Source
	from uint64
}

func (o offset) Present(dst *filters.Keys, from, to uint64) {
	o.Source.Present(dst, o.from+from, o.from+to)
}

// gets are point lookups, and what the filters of so many tables answered.
type gets struct {
	keys  *filters.Keys
	owner []int // the table that holds each key, or nowhere
	asked int   // tables, the newest first
	maybe []int // of these, the tables whose filter says "maybe"
	upTo  []int // of these, those that are not older than the owner
	found []bool
}

// nowhere is the owner of an absent key. No table is as new.
const nowhere = -1

// absentGets asks for the workload's first absent keys.
func absentGets(src workloads.Source, n int) *gets {
	keys := new(filters.Keys)
	src.Absent(keys, 0, uint64(n))
	return newGets(keys, func(int) int { return nowhere })
}

// presentGets asks for keys of so many tables in turn, and for each of a table's
// keys in turn, so that the first few gets are spread over all tables, too.
func presentGets(src workloads.Source, perTable uint64, tables, n int) *gets {
	keys := new(filters.Keys)
	for q := range uint64(n) {
		key := q%uint64(tables)*perTable + q/uint64(tables)%perTable
		src.Present(keys, key, key+1)
	}
	return newGets(keys, func(q int) int { return q % tables })
}

func newGets(keys *filters.Keys, owner func(q int) int) *gets {
	n := keys.Len()
	g := &gets{keys: keys, owner: make([]int, n), maybe: make([]int, n), upTo: make([]int, n), found: make([]bool, n)}
	for q := range g.owner {
		g.owner[q] = owner(q)
	}
	return g
}

// ask asks further tables, until so many have been. What edit, if it is not nil,
// makes of a filter's answers counts in their place.
func (g *gets) ask(ctx context.Context, tree *lsmTree, tables int, edit func(table int, answers []uint64)) error {
	answers := make([]uint64, filters.BitsetLen(g.keys.Len()))
	lookup := tree.lookup(g.keys)
	for ; g.asked < tables; g.asked++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		lookup(tree.filters[g.asked], answers)
		if edit != nil {
			edit(g.asked, answers)
		}
		for i, word := range answers {
			for ; word != 0; word &= word - 1 {
				g.count(64*i + bits.TrailingZeros64(word))
			}
		}
	}
	return nil
}

// count takes in that the filter of table number asked says "maybe" to get q.
func (g *gets) count(q int) {
	g.maybe[q]++
	if g.asked <= g.owner[q] {
		g.upTo[q]++
	}
	if g.asked == g.owner[q] {
		g.found[q] = true
	}
}

// lookup asks one filter for all keys, which are hashed once for all filters
// where the family takes hashes.
func (t *lsmTree) lookup(keys *filters.Keys) func(f filters.Keyed, answers []uint64) {
	family := t.design.Spec.Family
	if family.KeyedOnly {
		return func(f filters.Keyed, answers []uint64) { f.ContainsKeys(keys, answers) }
	}
	hashes := family.Hash.SumKeys(nil, keys, 0, keys.Len(), t.seed)
	return func(f filters.Keyed, answers []uint64) { hashedOf(f).ContainsHashes(hashes, answers) }
}

// readTally is what gets cost, summed over them.
type readTally struct {
	gets, probes, reads uint64 // probes are filters asked, reads tables read
	withReads           uint64 // gets that read at least one table
	wrong               uint64 // reads of tables that do not hold the key
	lost                uint64 // gets of present keys that find nothing
}

func (s *readTally) add(o readTally) {
	s.gets += o.gets
	s.probes += o.probes
	s.reads += o.reads
	s.withReads += o.withReads
	s.wrong += o.wrong
	s.lost += o.lost
}

// tally sums up the first n gets. Early, a get that has found its key asks no
// older table; else it asks all of them, as it must where they may hold another
// part of the value.
func (g *gets) tally(n int, early bool) (s readTally) {
	for q := range n {
		probes, reads := g.asked, g.maybe[q]
		if early && g.found[q] {
			probes, reads = g.owner[q]+1, g.upTo[q]
		}
		s.gets++
		s.probes += uint64(probes)
		s.reads += uint64(reads)
		s.wrong += uint64(reads)
		if reads > 0 {
			s.withReads++
		}
		switch {
		case g.found[q]:
			s.wrong--
		case g.owner[q] != nowhere:
			s.lost++
		}
	}
	return s
}

// mixed is the tally of n gets of which hits in a hundred are for present keys.
func mixed(absent, present *gets, n, hits int, early bool) readTally {
	s := absent.tally(n*(100-hits)/100, early)
	s.add(present.tally(n*hits/100, early))
	return s
}

// heldFilters simulates gets of absent keys where only so many tables' filters
// have room in memory, and that which has not been asked for longest makes room:
// it returns how many filters are loaded.
func heldFilters(gets, tables, held int) (loads uint64, err error) {
	if held < 0 || held > tables {
		return 0, fmt.Errorf("%d filters in memory of %d", held, tables)
	}
	lastAsked := map[int]int{} // of the filters in memory
	clock := 0
	for range gets {
		for t := range tables {
			clock++
			if _, ok := lastAsked[t]; !ok {
				loads++
				if held == 0 {
					continue
				}
				if len(lastAsked) == held {
					delete(lastAsked, oldest(lastAsked))
				}
			}
			lastAsked[t] = clock
		}
	}
	return loads, nil
}

// oldest is the table asked the longest ago.
func oldest(lastAsked map[int]int) (table int) {
	least := int(^uint(0) >> 1)
	for t, at := range lastAsked {
		if at < least {
			table, least = t, at
		}
	}
	return table
}
