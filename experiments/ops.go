package experiments

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"filterbench/filters"
	"filterbench/filters/machine"
	"filterbench/filters/memory"
)

// How a filter is asked: batches of absent keys and of present ones, absent keys
// one by one, and batches of keys to add.
const (
	opAbsent  = "absent"
	opPresent = "present"
	opSingle  = "single"
	opAdd     = "add"
)

// opsGroup is filters of one size on one or two kinds of pages, with the limits
// of each kind: they are timed in the same rounds.
type opsGroup struct {
	experiment, record string // of whom the group is, and what its records are called
	name               string
	size               uint64 // of the limits' memory
	kinds              []memory.Pages
	entries            []opsEntry
}

type opsEntry struct {
	design filters.Design
	size   uint64 // the group's
	pages  memory.Pages
	cells  []opsCell
}

type opsCell struct {
	api, op string
	queries int // in a pass
}

const opsRounds = 10

func (g *opsGroup) unit(seed, salt uint64) Unit {
	u := Unit{ID: g.experiment + "/" + g.name, Steps: opsRounds, Cost: g.time(), Bytes: g.bytes()}
	return timed(u, seed, salt, g.prepare)
}

func (e *opsEntry) add(api, op string) {
	e.cells = append(e.cells, opsCell{api, op, e.queries(op)})
}

// queries is the length of a pass: a headline's, or as many as read about as many
// lines as the filter has (up to mostQueries), so that a pass goes through most
// of its memory and not through a part that a cache holds.
func (e *opsEntry) queries(op string) int {
	lines := 1.0
	if e.design.Lines != nil {
		lines = max(1, e.design.Lines(op == opPresent || op == opAdd))
	}
	q := uint64(float64(linesOf(e.size)) / lines)
	return max(headlineQueries, 1<<bits.Len64((q+q/2)/2)) // the nearest power of two, so that filters share it
}

// pageKinds are the kinds of pages that large memory of a size is compared on:
// what the user asked for, or else huge and small ones, where the system has
// both.
func (c Config) pageKinds(size uint64) []memory.Pages {
	m := machine.This()
	both := m.OS == "linux" && (m.THP == "always" || m.THP == "madvise")
	if size < memory.MapFrom || c.Pages != memory.PagesAuto || !both {
		return []memory.Pages{c.Pages}
	}
	return []memory.Pages{memory.PagesAuto, memory.PagesSmall}
}

func (c opsCell) stream(d filters.Design) stream {
	s := stream{api: c.api, queries: c.queries}
	if c.op == opPresent || c.op == opAdd {
		s.hits, s.present = 100, d.N
	}
	if c.api == "hash" {
		s.hash = d.Spec.Family.Hash
	}
	return s
}

func (g *opsGroup) limitStream() stream {
	return stream{api: "hash", queries: max(headlineQueries, linesOf(g.size))}
}

// streams lists the distinct streams of a group.
func (g *opsGroup) streams() []stream {
	list := []stream{g.limitStream()}
	for _, e := range g.entries {
		for _, c := range e.cells {
			if s := c.stream(e.design); !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
	}
	return list
}

// bytes is the memory that the group needs at once: filters, limits, streams.
func (g *opsGroup) bytes() uint64 {
	sum := uint64(len(g.kinds))*memory.Size(g.size) + 16<<20
	for _, e := range g.entries {
		sum += e.design.SizeBits / 8
	}
	var largest uint64
	for _, s := range g.streams() {
		sum += s.bytes()
		largest = max(largest, uint64(s.queries)*32) // while it is made
	}
	return sum + largest
}

// time is what the group is expected to take on the reference machine.
func (g *opsGroup) time() (t time.Duration) {
	limits := float64(g.limitStream().queries)
	for range g.kinds {
		t += timingCost(limits*(1+lineNanos(g.size)/5)) + timingCost(limits) + timingCost(0)
	}
	for _, e := range g.entries {
		t += e.buildTime()
		for _, c := range e.cells {
			t += timingCost(float64(c.queries) * e.nanos(c))
		}
	}
	for _, s := range g.streams() {
		t += time.Duration(s.queries) * queryNanos
	}
	return t
}

func (e *opsEntry) buildTime() time.Duration {
	family := e.design.Spec.Family
	add := makeKeyNanos + hashNanos + 2*family.NanosPerKey + lineNanos(e.size)/2
	return time.Duration(float64(e.design.N) * add / buildWorkers)
}

// nanos is the expected time of one operation.
func (e *opsEntry) nanos(c opsCell) float64 {
	f := e.design.Spec.Family
	ns, lines := f.NanosPerKey, 1.0
	if e.design.Lines != nil {
		lines = e.design.Lines(c.op == opPresent || c.op == opAdd)
	}
	each := lineNanos(e.size) / 5 // fetched ahead
	switch {
	case !fetches(e.design.Spec):
		each = lineNanos(e.size)
	case c.op == opSingle:
		each = lineNanos(e.size) * .6 // a few overlap
	}
	return ns/2 + lines*each
}

// prepare builds the filters, kind of pages by kind, and makes the cells.
func (g *opsGroup) prepare(ctx context.Context, b *bench) error {
	built := make([]filters.Keyed, len(g.entries))
	for _, kind := range g.kinds {
		var of []int
		for i, e := range g.entries {
			if e.pages == kind {
				of = append(of, i)
			}
		}
		err := memory.With(kind, func() error {
			return inParallel(ctx, len(of), func(ctx context.Context, i int) (err error) {
				built[of[i]], err = b.filled(ctx, g.entries[of[i]].design)
				return err
			})
		})
		if err != nil {
			return err
		}
	}
	q, err := b.queries(g.limitStream())
	if err != nil {
		return err
	}
	limits, err := b.addLimitsOn(g.kinds, g.size, q.hashes)
	if err != nil {
		return err
	}
	for i, e := range g.entries {
		if err := b.addOps(ctx, g.record, e, built[i], limits); err != nil {
			return fmt.Errorf("%s: %w", e.design, err)
		}
	}
	return nil
}
