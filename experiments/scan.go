package experiments

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"filterbench/experiments/timing"
	"filterbench/filters"
	"filterbench/filters/hashing"
	"filterbench/results"
	"filterbench/workloads"
)

// Scan compares a filter with what one would do without: look at every key, search
// a sorted array, ask a map. The quick profile takes the leading filters only.
var Scan = Experiment{
	Name:     "scan",
	Question: "What does finding out that a key is absent cost without a filter, and what can a filter not do?",
	Plan:     planScan,
}

// linear is a list of keys in no order: the texts' bird cages.
type linear struct{ keys filters.Keys }

// find looks at one key after the other and stops at the one it looks for. It
// returns how many it looked at.
func (l *linear) find(key []byte) (looked int, found bool) {
	n := l.keys.Len()
	for i := range n {
		if bytes.Equal(l.keys.At(i), key) {
			return i + 1, true
		}
	}
	return n, false
}

func (l *linear) CountKeys(keys *filters.Keys) (hits int) {
	for i := range keys.Len() {
		if _, found := l.find(keys.At(i)); found {
			hits++
		}
	}
	return hits
}

// counter is what all of the structures can do.
type counter interface {
	CountKeys(keys *filters.Keys) (hits int)
}

// scanName is the scan's, where others have that of a filter.
const scanName = "linear"

// scanGroup is the structures with so many keys.
type scanGroup struct {
	n       uint64
	hits    []int // percent
	linear  bool  // whether the scan takes part
	designs []filters.Design
}

var scanFamilies = []string{"array", "set", "bloom"}

func planScan(c Config) ([]Unit, error) {
	units := planScanCounts(c)
	ns, most, longest := []uint64{10, 1_000, 1_000_000}, len(scanFamilies), uint64(1_000)
	if c.Full() {
		ns, most, longest = []uint64{10, 100, 1_000, 10_000, 100_000, 1_000_000}, 6, 1_000_000
	}
	for _, n := range ns {
		g := &scanGroup{n: n, hits: []int{0}, linear: n <= longest}
		if c.Full() {
			g.hits = []int{0, 100}
		}
		for _, spec := range leading(c.Specs, most, append(scanFamilies, "blocked", "cuckoo")...) {
			if d, err := spec.ForBits(n, lookupBits*perBit(spec)); err == nil {
				g.designs = append(g.designs, d)
			}
		}
		units = append(units, g.unit(c.Seed))
	}
	return units, nil
}

// lookNanos is what looking at one key of a list takes, for the plan alone.
const lookNanos = 4

// queries of a pass: fewer of the scan, whose queries touch everything anyway.
func (g *scanGroup) queries(structure string) int {
	if structure == scanName {
		return int(min(1<<12, max(16, 1<<21/g.n)))
	}
	return int(min(1<<14, max(1<<12, g.n)))
}

func (g *scanGroup) unit(seed uint64) Unit {
	u := Unit{ID: fmt.Sprintf("scan/n=%d", g.n), Steps: lookupRounds, Bytes: g.n*16 + 32<<20}
	cell := func(name string, ns float64) {
		u.Cost += time.Duration(len(g.hits)) * timingCost(float64(g.queries(name))*ns)
	}
	if g.linear {
		cell(scanName, lookNanos*float64(g.n))
	}
	for _, d := range g.designs {
		ns := d.Spec.Family.NanosPerKey + hashNanos
		u.Cost += time.Duration(float64(g.n) * (makeKeyNanos + 2*ns))
		u.Bytes += max(d.SizeBits/8, g.n*100)
		cell(d.Spec.Family.Name, ns)
	}
	return timed(u, seed, g.n^0x7363616e, g.prepare)
}

func (g *scanGroup) prepare(ctx context.Context, b *bench) error {
	if g.linear {
		l := &linear{}
		b.src.Present(&l.keys, 0, g.n)
		if err := g.add(b, scanName, axes("n", g.n), l); err != nil {
			return err
		}
	}
	for _, d := range g.designs {
		f, err := b.filled(ctx, d)
		if err != nil {
			return err
		}
		if err := g.add(b, d.Spec.String(), timedAxes(d, f), f); err != nil {
			return err
		}
	}
	return nil
}

// add adds a structure's cells. What it must count is known: a filter's by asking
// one key after the other, the others' are exact.
func (g *scanGroup) add(b *bench, name string, more []results.Axis, s counter) error {
	for _, hits := range g.hits {
		keys, present, err := workloads.Queries(b.src, workloads.Stream{
			Present: g.n, Count: g.queries(name), Hits: float64(hits) / 100, Seed: hashing.Mix(b.seed + uint64(hits)),
		})
		if err != nil {
			return err
		}
		want := uint64(present)
		if f, ok := s.(filters.Keyed); ok {
			want = dispatchKeys(f, keys)
		}
		a := append(axes("filter", name, "hits", hits, "keys", timedKeys), more...)
		b.add(results.Record{Name: "Scan", Axes: a, Values: []results.Value{{Unit: "positives", V: float64(want)}}},
			timing.Cell{Ops: keys.Len(), Want: want, Pass: func() uint64 { return uint64(s.CountKeys(keys)) }}, noLimit)
	}
	return nil
}
