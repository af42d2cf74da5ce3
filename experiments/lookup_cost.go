package experiments

import (
	"slices"
	"time"

	"filterbench/experiments/timing"
	"filterbench/filters"
)

// What follows only plans: it estimates how long things take on the reference
// machine, so that a profile keeps to its time. No result depends on it.

// Rough times on the reference machine, in nanoseconds.
const (
	hashNanos     = 6   // hashing a key of 8 bytes
	dispatchNanos = 2   // an interface call
	makeKeyNanos  = 15  // making a key to add
	queryNanos    = 100 // making a query of a shuffled stream, and hashing it
	buildWorkers  = 2   // its CPUs; on all machines the same cells are planned
)

// lineNanos is what reading one more random line costs a filter of the given
// size that neither prefetches nor batches: a few lookups overlap, no more.
func lineNanos(size uint64) float64 {
	switch {
	case size <= 256<<10:
		return 0
	case size <= 2<<20:
		return 3
	case size <= 16<<20:
		return 12
	case size <= 64<<20:
		return 40
	}
	return 50
}

// What is left of a lookup's time in the cache, and of a line's beyond it, where a
// kernel takes whole batches and fetches their lines ahead.
const (
	kernelShare = 0.4
	batched     = 0.25
)

// fetches reports whether the family's batches fetch lines ahead, as those with
// kernels do.
func fetches(s filters.Spec) bool {
	return slices.ContainsFunc(s.Family.Options, func(o filters.Option) bool { return o.Name == "kernel" })
}

// nanos is the expected time of one lookup.
func (e *lookupEntry) nanos(s lookupShape) float64 {
	f := e.design.Spec.Family
	ns, absent, lines := f.NanosPerKey, 4.0, 4.0
	if e.design.Lines != nil {
		hit := float64(s.hits) / 100
		absent = e.design.Lines(false)
		lines = e.design.Lines(true)*hit + absent*(1-hit)
	}
	if slow(e.design.Spec) {
		ns *= lines / absent // it spends its time on the probes
	}
	if s.api == "key" && !f.KeyedOnly {
		ns += hashNanos
	}
	if s.mode == "dispatch" {
		ns += dispatchNanos
	}
	wait := lines * lineNanos(e.size)
	if s.mode == "batch" && fetches(e.design.Spec) {
		ns, wait = ns-(1-kernelShare)*f.NanosPerKey, wait*batched
	}
	return ns + wait
}

// timingCost is how long a cell takes whose pass takes so many nanoseconds: the
// untimed count, the pilot, and in each round a warm pass and a sample.
func timingCost(pass float64) time.Duration {
	sample := max(pass, float64(timing.MinSample)*1.3)
	return time.Duration(2*(pass+sample) + lookupRounds*(pass+sample))
}

// time is the expected time of the group.
func (g *lookupGroup) time() time.Duration { return g.buildTime() + g.sampleTime() }

// sampleTime is the expected time of the group's cells and limits.
func (g *lookupGroup) sampleTime() (t time.Duration) {
	queries := float64(g.limitStream().queries)
	read := 1 + lineNanos(g.size)/5
	t = 2*timingCost(queries*read) + timingCost(queries)
	cost := func(e *lookupEntry, c lookupCell) time.Duration {
		return timingCost(float64(c.queries) * e.nanos(c.lookupShape))
	}
	for i := range g.entries {
		for _, c := range g.entries[i].cells {
			t += cost(&g.entries[i], c)
		}
	}
	for _, w := range g.twins() {
		t += cost(&g.entries[w.entry], w.cell)
	}
	return t
}

// buildTime is the expected time of everything before the first sample.
func (g *lookupGroup) buildTime() time.Duration {
	var ns float64
	for _, e := range g.entries {
		lines := 4.0
		if e.design.Lines != nil {
			lines = e.design.Lines(true)
		}
		wait := lines * lineNanos(e.size) / 2
		if fetches(e.design.Spec) {
			wait *= 2 * batched
		}
		add := makeKeyNanos + hashNanos + 2*e.design.Spec.Family.NanosPerKey + wait
		ns += float64(e.design.N) * add / buildWorkers
	}
	for s := range g.streams() {
		ns += float64(s.queries) * queryNanos
	}
	return time.Duration(ns)
}
