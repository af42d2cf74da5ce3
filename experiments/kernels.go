package experiments

import (
	"fmt"

	"filterbench/filters"
	"filterbench/filters/machine"
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

// kernelSpec is a filter of the list.
type kernelSpec struct {
	spec string
	bits float64
	ops  []string // over hashes
	far  []string // at the largest size, where a sample takes long; nil for the same
	keys bool     // absent keys that are hashed inside the timer, too: what peers that take only bytes are compared with
	// small says that it is measured on small pages as well, since peers have
	// no others.
	small bool
	quick bool
	most  uint64 // bytes, beyond which it is not measured; 0 for no bound
}

var (
	batchOps  = []string{opAbsent, opPresent}
	lookupOps = []string{opAbsent, opPresent, opSingle}
	allOps    = []string{opAbsent, opPresent, opSingle, opAdd}
	peerOps   = []string{opAbsent}
)

// kernelSpecs are measured at equal bytes and 10 bits per key; counting with 10
// counters of 4 bits, quotient at what remainders of 6 bits take at 90 % load.
//
// Adds are timed on filters that hold the keys already, so that every pass is
// the same. No kernel that is timed so looks at a bit before it sets it; those
// that would do other work (counters, fingerprints) are left to the experiment
// on inserts.
var kernelSpecs = []kernelSpec{
	{spec: "blocked:block=64", bits: 10, ops: allOps, small: true, quick: true},
	{spec: "splitblock", bits: 10, ops: allOps, small: true, quick: true},
	{spec: "bloom", bits: 10, ops: allOps, quick: true},
	{spec: "counting", bits: 40, ops: lookupOps, far: batchOps},
	{spec: "cuckoo", bits: 10, ops: lookupOps, keys: true, small: true, quick: true},
	{spec: "quotient:load=90", bits: 9.03, ops: lookupOps, far: batchOps},
	{spec: "rocksdb", bits: 10, ops: allOps, far: peerOps},
	{spec: "peer-parquet", bits: 10, ops: peerOps},
	{spec: "peer-blobloom", bits: 10, ops: peerOps},
	{spec: "peer-seiflotfy", bits: 10, keys: true},
	{spec: "peer-linvon", bits: 10, keys: true, most: 16 << 20}, // slower than seiflotfy, and slow to build
}

// The published record that one group is to be held against is of 10^6 keys at
// 12 bits (Lang et al., Performance-optimal filtering, PVLDB 12(5), 2019).
const (
	recordSpec = "blocked:block=64"
	recordKeys = 1_000_000
	recordBits = 12
)

func planKernels(c Config) ([]Unit, error) {
	groups, err := kernelGroups(c)
	if err != nil {
		return nil, err
	}
	var units []Unit
	for i, g := range groups {
		if i > 0 && g.bytes() > machine.This().MemTotal/2 {
			continue // half is left to the rest of the machine
		}
		units = append(units, g.unit(c.Seed, uint64(100+i)))
	}
	return units, nil
}

func kernelGroups(c Config) ([]*opsGroup, error) {
	sizes := []uint64{16 << 20}
	if c.Full() {
		sizes = []uint64{256 << 10, 16 << 20, 256 << 20}
	}
	var groups []*opsGroup
	for _, size := range sizes {
		g := newKernelGroup("size="+sizeName(size), size, c)
		if !c.Full() {
			g.kinds = g.kinds[:1]
		}
		for _, s := range kernelSpecs {
			if !c.Full() && !s.quick || s.most > 0 && size > s.most {
				continue
			}
			if s.far != nil && size > largeSize {
				s.ops = s.far
			}
			d, err := designAt(registry.Must(s.spec), size, s.bits)
			if err != nil {
				continue // not feasible at this size
			}
			g.addKernels(s, d, c.Full())
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
	g := newKernelGroup(fmt.Sprintf("n=%d", recordKeys), size, c)
	g.addKernels(kernelSpec{ops: lookupOps}, d, true)
	return append(groups, g), nil
}

func newKernelGroup(name string, size uint64, c Config) *opsGroup {
	return &opsGroup{experiment: "kernels", record: "Kernel", name: name, size: size, kinds: c.pageKinds(size)}
}

// addKernels adds a filter, on each kind of pages that it is measured on. The
// quick profile asks only for absent keys, by their hashes.
func (g *opsGroup) addKernels(s kernelSpec, d filters.Design, full bool) {
	for i, kind := range g.kinds {
		e := opsEntry{design: d, size: g.size, pages: kind}
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
