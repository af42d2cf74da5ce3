package claims

import (
	"fmt"
	"math"

	"filterbench/results"
)

// designRecords are the records of other designs than Bloom's that claims need.
// Rates and sizes are those of an independent program and of the papers.
func designRecords() (all []results.Record) {
	add := func(axes string, p, queries, bits float64) {
		filters := 1.0
		all = append(all, fpr(axes+" keys=random seed=1", p, queries, filters, bits))
	}
	for n, p := range map[int]float64{20: .0120, 100: .0094, 1_000: .0089, 10_000: .0095, 100_000: .0135, 300_000: .0207, 1_000_000: .0129} {
		add(fmt.Sprintf("filter=leveldb bits=10 n=%d m=%d k=6", n, 10*n), p, 2e6, 10)
	}
	for bits, p := range map[float64]float64{6: .0993, 10.5: .01013, 16.9: .000997, 26.4: .0000988} {
		add(fmt.Sprintf("filter=splitblock bits=%v n=1000000 m=%.0f k=8", bits, bits*1e6), p, 6e6, bits)
	}
	add("filter=counting:counter=4,k=auto bits=38.34 n=1000000 counters=9585000 k=7", .01004, 1e6, 38.35)
	for load, p := range map[int]float64{50: .003899, 75: .005842, 90: .007006, 95: .007394} {
		slots := math.Ceil(1e7 / float64(load))
		add(fmt.Sprintf("filter=quotient:layout=flags,load=%d,slots=any bits=%.2f n=100000 slots=%.0f r=7", load, 1000/float64(load)+.01, slots), p, 1e6, 10*slots/1e5)
	}
	add("filter=quotient:layout=rank,load=95,slots=any bits=9.61 n=1000000 slots=1052672 r=7", .007394, 1e6, 9.6057)
	for _, c := range []struct {
		f int
		p float64
	}{{6, .114500}, {8, .029421}, {9, .014777}, {10, .007405}, {12, .001854}, {13, .000927}, {16, .000116}} {
		const buckets = 263158
		for sorted, saved := range map[string]int{"no": 0, "yes": 1} {
			bits := float64((c.f-saved)*4*buckets) / 1e6
			add(fmt.Sprintf("filter=cuckoo:b=4,f=%d,semisort=%s,load=95 bits=%.2f n=1000000 buckets=%d f=%d", c.f, sorted, bits+.01, buckets, c.f), c.p, 8e6, bits)
		}
	}
	add("filter=peer-xor8 bits=10 n=1000000 m=9840240 f=8", .003906, 1e6, 9.84024)
	for n, m := range map[int]int{100: 1536, 10_000: 102_400, 100_000: 950_272, 1_000_000: 9_043_968} {
		add(fmt.Sprintf("filter=peer-fuse8 bits=16 n=%d m=%d f=8", n, m), .003906, 1e6, float64(m)/float64(n))
	}
	return all
}

// doctoredDesigns are doctored results of the claims on other designs.
var doctoredDesigns = []doctored{
	{"A13", func(w *world) { w.set(cuckooAt(8, false), "bits/key", 5.9) }, Holds},
	{"A13", func(w *world) { w.set(cuckooAt(8, true), "bits/key", 5.9) }, Conditions},
	{"A14", func(w *world) { w.set(cell("FPR", "filter", "cuckoo:semisort=no"), "bits/key", 3) }, Holds},
	{"A14", func(w *world) { w.set(cell("FPR", "filter", "cuckoo:semisort=no"), "bits/key", 30) }, Wrong},
	{"B15", func(w *world) { w.cuckooOverBloom(.7) }, Conditions},
	{"B15", func(w *world) { w.cuckooOverBloom(.3) }, Holds},
	{"B26", func(w *world) { w.set(countingMemory(), "alloc-B", 1.1e6) }, Wrong},
	{"C13", func(w *world) {
		for _, c := range levelDBCells() {
			w.each(c, func(r *results.Record) { setAxis(r, "k", "7") })
			w.rate(c, .0082)
		}
	}, Holds},
	{"C14", func(w *world) { w.rate(cell("FPR", "filter", "leveldb"), .0085) }, Holds},
	{"C14", func(w *world) { w.rate(cell("FPR", "filter", "leveldb"), .0120) }, Wrong},
	{"C22", func(w *world) { w.set(counters, "bits/key", 38.5) }, Wrong},
	{"C28", func(w *world) {
		for _, f := range cuckooBits {
			w.each(cuckooAt(f, false), func(r *results.Record) {
				p, _ := r.Value("fpr")
				setValue(r, "bits/key", -math.Log(p)/ln2sq)
			})
		}
	}, Holds},
	{"C28", func(w *world) { w.set(cuckooAt(16, false), "bits/key", 30) }, Wrong},
	{"P07", func(w *world) { w.rate(splitBlockCells()[1], .0112) }, Wrong},
	{"P07", func(w *world) { w.rate(splitBlockCells()[3], .00014) }, Wrong},
	{"P08", func(w *world) { w.rate(cuckooAt(10, false), .0085) }, Wrong},
	{"P10", func(w *world) {
		for _, f := range []int{8, 9, 10} {
			w.set(cuckooAt(f, false), "bits/key", 7)
		}
	}, Holds},
	{"P10", func(w *world) { w.set(cuckooAt(9, true), "bits/key", 10) }, Wrong},
	{"P12", func(w *world) { w.set(cuckooAt(12, true), "bits/key", 12.2) }, Wrong},
	{"P12", func(w *world) { w.rate(cuckooAt(12, true), .0025) }, Wrong},
	{"P13", func(w *world) { w.rate(flagsAt("90"), .0080) }, Wrong},
	{"P13", func(w *world) { w.set(flagsAt("50"), "bits/key", 20.5) }, Wrong},
	{"P15", func(w *world) { w.set(rankAt95(), "bits/key", 9.7) }, Wrong},
	{"P15", func(w *world) { w.set(rankAt95(), "refused", 1) }, Wrong},
	{"P16", func(w *world) { w.set(xorMillion, "bits/key", 9.95) }, Wrong},
	{"P16", func(w *world) { w.rate(xorMillion, .0045) }, Wrong},
	{"P17", func(w *world) { w.set(cell("FPR", "filter", "peer-fuse8"), "bits/key", 9.2) }, Holds},
	{"P17", func(w *world) { w.set(cell("FPR", "filter", "peer-fuse8"), "bits/key", 10) }, Wrong},
	{"P17", func(w *world) { w.rate(fuseOf("1000000"), .0045) }, Wrong},
}

// cuckooOverBloom gives the cuckoo filters so many times the rate of a Bloom
// filter of as many bits.
func (w *world) cuckooOverBloom(times float64) {
	for _, f := range cuckooBits {
		var bits float64
		w.each(cuckooAt(f, false), func(r *results.Record) { bits, _ = r.Value("bits/key") })
		w.rate(cuckooAt(f, false), times*math.Exp(-bits*ln2sq))
	}
}
