package experiments

import (
	"fmt"
	"math"
	"slices"

	"filterbench/filters"
	"filterbench/filters/registry"
)

// designs are single points that claims on other designs than Bloom's ask for,
// each where the run measures the family.
func (p *fprPlanner) designs() {
	for _, d := range []struct {
		family string
		plan   func()
	}{
		{"leveldb", p.levelDB}, {"splitblock", p.splitBlock}, {"quotient", p.quotient}, {"cuckoo", p.cuckoo}, {"peer-fuse8", p.fuse},
	} {
		if slices.ContainsFunc(p.config.Specs, func(s filters.Spec) bool { return s.Family.Name == d.family }) {
			d.plan()
		}
	}
}

// levelDB is its scheme at its default of 10 bits per key, for the few keys that
// its filters have, and for a number where its 32-bit hash does badly (claims
// C13, C14). The sweep and the sizes have the rest.
func (p *fprPlanner) levelDB() {
	spec := registry.Must("leveldb")
	p.addCell(spec, 20, 10, "random", 1, 5_000, 400)
	p.addCell(spec, 100, 10, "random", 1, 2_000, 500)
	p.add(spec, 300_000, 10, "random", 1)
}

// splitBlock is what Parquet's specification has a table of (claim P07). The
// last rate takes more queries than a point of the sweep has.
func (p *fprPlanner) splitBlock() {
	spec := registry.Must("splitblock")
	for _, bits := range []float64{6, 10.5, 16.9} {
		p.add(spec, sweepN, bits, "random", 1)
	}
	p.addCell(spec, sweepN, 26.4, "random", 1, 1, 6_000_000)
}

// quotient is the flags layout with remainders of 7 bits at several loads (claim
// P13), and the other at its highest (P15).
func (p *fprPlanner) quotient() {
	const r = 7
	for _, load := range []int{50, 75, 90, 95} {
		spec := registry.Must(fmt.Sprintf("quotient:layout=flags,load=%d", load))
		p.add(spec, workloadN, roundUp((r+3)/(float64(load)/100)), "random", 1)
	}
	p.add(registry.Must("quotient:layout=rank,load=95"), sweepN, roundUp((r+2.125)/.95), "random", 1)
}

// cuckoo is 95 % full, with fingerprints of several lengths, sorted and not:
// what a rate costs (claims A13, A14, B15, C28, P08, P10, P12).
func (p *fprPlanner) cuckoo() {
	for _, f := range []int{6, 8, 9, 10, 12, 13, 16} {
		p.add(registry.Must(fmt.Sprintf("cuckoo:f=%d,load=95", f)), sweepN, roundUp(float64(f)/.95), "random", 1)
		p.add(registry.Must(fmt.Sprintf("cuckoo:f=%d,load=95,semisort=yes", f)), sweepN, roundUp(float64(f-1)/.95), "random", 1)
	}
}

// fuse is the size of a binary fuse filter of few keys (claim P17).
func (p *fprPlanner) fuse() {
	for _, n := range []uint64{100, 10_000} {
		p.add(registry.Must("peer-fuse8"), n, 16, "random", 1)
	}
}

// roundUp rounds bits per key up to a hundredth, so that what is asked for is
// enough for whole buckets or blocks.
func roundUp(bits float64) float64 { return math.Ceil(100*bits) / 100 }
