package claims

import (
	"fmt"
	"math"

	"filterbench/results"
)

// queryRecords are what claims need of hitmix: counts of an independent program,
// and times as on a machine with a slow memory.
func queryRecords() (all []results.Record) {
	const asked, rate = 32 * 8192, 0.0100404 // the exact rate at 10,000 keys
	for _, hits := range []float64{0, .1, 1, 10, 25, 50, 75, 90, 100} {
		present := math.Round(hits / 100 * asked)
		fp := math.Round(rate * (asked - present))
		all = append(all, rec("Precision", fmt.Sprintf("%s bits=9.585 n=10000 keys=random zipf=0 hits=%v m=95850 k=7", bloomSpec, hits),
			"present", present, "tp", present, "queries", asked-present, "fp", fp, "fp-sq", math.Ceil(fp*fp/32), "filters", 32))
	}
	for _, x := range []struct {
		filter    string
		hits      int
		ns, lines float64
	}{
		{bloomSpec, 0, 19, 2.05}, {bloomSpec, 100, 25, 7},
		{"filter=cuckoo:b=4,f=auto,semisort=no,load=auto", 0, 20, 2.02}, {"filter=cuckoo:b=4,f=auto,semisort=no,load=auto", 100, 20, 2.02},
	} {
		for round := range 10 {
			all = append(all, rec("HitMix", fmt.Sprintf("%s size=2MiB api=hash mode=single hits=%d zipf=0 bits=10", x.filter, x.hits),
				"ns/op", x.ns*(1+.01*float64(round%3)), "model-lines", x.lines))
		}
	}
	return all
}

// scanRecords are what claims need of scan.
func scanRecords() []results.Record {
	all := []results.Record{
		rec("Cages", bloomSpec+" bits=9.585 n=1000 keys=random hits=0 m=9585 k=7", "opened", 8e6, "opened-filtered", 80000, "asked", 8000, "positives", 80, "filters", 8),
		rec("Range", "filter=quotient:layout=rank,load=auto,slots=any bits=9.585 n=100000 keys=sequential length=100 slots=105280 r=7",
			"ranges", 3000, "ranges-maybe", 1571, "fp", 2217, "queries", 300000, "fpr", 0.00739),
	}
	for n, left := range map[int]int{1_000: 11_030, 10_000: 19_940, 100_000: 109_036} {
		all = append(all, rec("Dictionary", fmt.Sprintf("%s bits=9.585 n=%d keys=sequential universe=1000000 k=7", bloomSpec, n),
			"candidates", left, "fp", left-n, "queries", 1_000_000-n))
	}
	return all
}

// confuses gives the counted mixes another rate.
func (w *world) confuses(rate float64) {
	w.each(cell("Precision"), func(r *results.Record) {
		queries, _ := r.Value("queries")
		fp := math.Round(rate * queries)
		setValue(r, "fp", fp)
		setValue(r, "fp-sq", math.Ceil(fp*fp/32))
	})
}

func (w *world) cuckooTakes(absent, present float64) {
	w.set(mixedLookup(cuckooFilter, "0"), "ns/op", absent)
	w.set(mixedLookup(cuckooFilter, "100"), "ns/op", present)
}

// doctoredQueries are doctored results of the claims on what answers are worth.
var doctoredQueries = []doctored{
	{"A23", func(w *world) { w.set(precisionAt("100"), "tp", 262000) }, Wrong},
	{"A23", func(w *world) {
		w.set(precisionAt("10"), "fp", 200_000)
		w.set(precisionAt("10"), "fp-sq", 200_000*200_000)
	}, Wrong},
	{"B03", func(w *world) { w.confuses(0.0001) }, Holds},
	{"B03", func(w *world) { w.confuses(0.001) }, Conditions},
	{"B16", func(w *world) { w.cuckooTakes(30, 30) }, Wrong},
	{"B16", func(w *world) { w.cuckooTakes(10, 10); w.set(mixedLookup(plainFilter, "0"), "model-lines", 7) }, Holds},
	{"B18", func(w *world) { w.set(rangeOf, "ranges-maybe", 40); w.set(rangeOf, "fp", 4000) }, Holds},
	{"B18", func(w *world) { w.set(rangeOf, "ranges-maybe", 150) }, Conditions},
	{"B27", func(w *world) { w.cuckooTakes(30, 30) }, Wrong},
	{"B27", func(w *world) { w.set(cuckooAt(16, false), "bits/key", 30) }, Wrong},
	{"C01", func(w *world) { w.set(cagesOf, "opened", 4e6) }, Wrong},
	{"C01", func(w *world) { w.set(cagesOf, "opened-filtered", 4e6) }, Conditions},
	{"C02", func(w *world) { w.set(dictionaryCells()[0], "candidates", 1_000) }, Conditions},
	{"C02", func(w *world) {
		for i, n := range []float64{1_000, 10_000, 100_000} {
			w.set(dictionaryCells()[i], "candidates", n)
		}
	}, Wrong},
	{"C29", func(w *world) { w.cuckooTakes(30, 30) }, Wrong},
	{"C29", func(w *world) { w.cuckooTakes(10, 10); w.set(mixedLookup(plainFilter, "0"), "model-lines", 7) }, Holds},
	{"C35", func(w *world) { w.set(mixedLookup(plainFilter, "0"), "ns/op", 1200) }, Wrong},
	{"C35", func(w *world) { w.set(mixedLookup(plainFilter, "100"), "ns/op", 2000) }, Wrong},
}
