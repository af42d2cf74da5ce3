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
	"filterbench/filters/registry"
	"filterbench/results"
)

// Kernels times batches beside the line read of equal memory and, in the full
// profile, beside the fastest peers in Go. Its filters are a list of its own,
// since the targets name them: --filters does not change it.
var Kernels = Experiment{
	Name:     "kernels",
	Question: "How near does each family's batch come to what the memory allows?",
	Plan:     planKernels,
	Gate:     func(records []results.Record) error { return gateLimits("Kernel", records) },
}

// How a filter is asked: batches of absent keys and of present ones, absent keys
// one by one, and batches of keys to add.
const (
	opAbsent  = "absent"
	opPresent = "present"
	opSingle  = "single"
	opAdd     = "add"
)

// kernelSpec is a filter of the list.
type kernelSpec struct {
	spec string
	bits float64
	ops  []string // over hashes
	keys bool     // absent keys that are hashed inside the timer, too: what peers that take only bytes are compared with
	// small says that it is measured on small pages as well, since peers have
	// no others.
	small bool
	quick bool
}

var (
	lookupOps = []string{opAbsent, opPresent, opSingle}
	allOps    = []string{opAbsent, opPresent, opSingle, opAdd}
	peerOps   = []string{opAbsent}
)

// kernelSpecs are measured at equal bytes and 10 bits per key; quotient at what
// remainders of 6 bits take at 90 % load.
//
// Adds are timed on filters that hold the keys already, so that every pass is
// the same. No kernel that is timed so looks at a bit before it sets it; those
// that would do other work (counters, fingerprints) are left to the experiment
// on inserts.
var kernelSpecs = []kernelSpec{
	{spec: "blocked:block=64", bits: 10, ops: allOps, small: true, quick: true},
	{spec: "splitblock", bits: 10, ops: allOps, small: true, quick: true},
	{spec: "bloom", bits: 10, ops: allOps, quick: true},
	{spec: "counting", bits: 10, ops: lookupOps},
	{spec: "cuckoo", bits: 10, ops: lookupOps, keys: true, small: true, quick: true},
	{spec: "quotient:load=90", bits: 9.03, ops: lookupOps},
	{spec: "rocksdb", bits: 10, ops: allOps},
	{spec: "peer-parquet", bits: 10, ops: peerOps},
	{spec: "peer-blobloom", bits: 10, ops: peerOps},
	{spec: "peer-seiflotfy", bits: 10, keys: true},
	{spec: "peer-linvon", bits: 10, keys: true},
}

// The published record that one group is to be held against is of 10^6 keys at
// 12 bits (Lang et al., Performance-optimal filtering, PVLDB 12(5), 2019).
const (
	recordSpec = "blocked:block=64"
	recordKeys = 1_000_000
	recordBits = 12
)

const kernelRounds = 10

// kernelGroup is all filters of one size: they are timed in the same rounds.
type kernelGroup struct {
	name    string
	size    uint64 // of the limits' memory
	kinds   []memory.Pages
	entries []kernelEntry
}

type kernelEntry struct {
	design filters.Design
	size   uint64
	pages  memory.Pages
	cells  []kernelCell
}

type kernelCell struct {
	api, op string
	queries int
}

func planKernels(c Config) ([]Unit, error) {
	groups, err := kernelGroups(c)
	if err != nil {
		return nil, err
	}
	var units []Unit
	for i, g := range groups {
		u := Unit{ID: "kernels/" + g.name, Steps: kernelRounds, Cost: g.time(), Bytes: g.bytes()}
		if i > 0 && u.Bytes > machine.This().MemTotal/2 {
			continue // half is left to the rest of the machine
		}
		units = append(units, timed(u, c.Seed, uint64(100+i), g.prepare))
	}
	return units, nil
}

func kernelGroups(c Config) ([]*kernelGroup, error) {
	sizes := []uint64{16 << 20}
	if c.Full() {
		sizes = []uint64{256 << 10, 16 << 20, 256 << 20}
	}
	var groups []*kernelGroup
	for _, size := range sizes {
		g := &kernelGroup{name: "size=" + sizeName(size), size: size, kinds: c.pageKinds(size)}
		if !c.Full() {
			g.kinds = g.kinds[:1]
		}
		for _, s := range kernelSpecs {
			if !c.Full() && !s.quick {
				continue
			}
			d, err := designAt(registry.Must(s.spec), size, s.bits)
			if err != nil {
				continue // not feasible at this size
			}
			g.addEntries(s, d, c.Full())
		}
		groups = append(groups, g)
	}
	if !c.Full() {
		return groups, nil
	}
	d, err := registry.Must(recordSpec).ForBits(recordKeys, recordBits)
	if err != nil {
		return nil, err
	}
	size := d.SizeBits / 8
	g := &kernelGroup{name: fmt.Sprintf("n=%d", recordKeys), size: size, kinds: c.pageKinds(size)}
	g.addEntries(kernelSpec{ops: lookupOps}, d, true)
	return append(groups, g), nil
}

// addEntries adds a filter, on each kind of pages that it is measured on. The
// quick profile asks only for absent keys, by their hashes.
func (g *kernelGroup) addEntries(s kernelSpec, d filters.Design, full bool) {
	for i, kind := range g.kinds {
		e := kernelEntry{design: d, size: g.size, pages: kind}
		for _, op := range s.ops {
			if full && i == 0 || op == opAbsent {
				e.add("hash", op)
			}
		}
		if s.keys && full {
			e.add("key", opAbsent)
		}
		if i == 0 || s.small {
			g.entries = append(g.entries, e)
		}
	}
}

func (e *kernelEntry) add(api, op string) {
	e.cells = append(e.cells, kernelCell{api, op, e.queries(op)})
}

// queries is the length of a pass: a headline's, or as many as read about as many
// lines as the filter has (up to mostQueries), so that a pass goes through most
// of its memory and not through a part that a cache holds.
func (e *kernelEntry) queries(op string) int {
	lines := 1.0
	if e.design.Lines != nil {
		lines = max(1, e.design.Lines(op == opPresent || op == opAdd))
	}
	q := uint64(float64(linesOf(e.size)) / lines)
	return max(headlineQueries, 1<<bits.Len64(q-1)) // a power of two, which filters share
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

func (c kernelCell) stream(d filters.Design) stream {
	s := stream{api: c.api, queries: c.queries}
	if c.op == opPresent || c.op == opAdd {
		s.hits, s.present = 100, d.N
	}
	if c.api == "hash" {
		s.hash = d.Spec.Family.Hash
	}
	return s
}

func (g *kernelGroup) limitStream() stream {
	return stream{api: "hash", queries: max(headlineQueries, linesOf(g.size))}
}

// streams lists the distinct streams of a group.
func (g *kernelGroup) streams() []stream {
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
func (g *kernelGroup) bytes() uint64 {
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
func (g *kernelGroup) time() (t time.Duration) {
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

func (e *kernelEntry) buildTime() time.Duration {
	family := e.design.Spec.Family
	add := makeKeyNanos + hashNanos + 2*family.NanosPerKey + lineNanos(e.size)/2
	return time.Duration(float64(e.design.N) * add / buildWorkers)
}

// nanos is the expected time of one operation.
func (e *kernelEntry) nanos(c kernelCell) float64 {
	f := e.design.Spec.Family
	ns, lines := f.NanosPerKey, 1.0
	if e.design.Lines != nil {
		lines = e.design.Lines(c.op == opPresent || c.op == opAdd)
	}
	each := lineNanos(e.size) / 5 // prefetched
	if c.op == opSingle || f.KeyedOnly {
		each = lineNanos(e.size)
	}
	return ns/2 + lines*each
}

// prepare builds the filters, kind of pages by kind, and makes the cells.
func (g *kernelGroup) prepare(ctx context.Context, b *bench) error {
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
		if err := b.addKernel(ctx, e, built[i], limits); err != nil {
			return fmt.Errorf("%s: %w", e.design, err)
		}
	}
	return nil
}
