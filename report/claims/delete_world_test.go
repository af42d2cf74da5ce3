package claims

import (
	"fmt"
	"math"

	"filterbench/results"
)

// deleteRecords are what an independent simulation gives (claims.md and field
// cases 4 and 21), of several filters that are all alike.
func deleteRecords() (all []results.Record) {
	absent := func(axes string, removed, fn float64) {
		const filters = 10.0
		all = append(all, rec("Absent", axes+fmt.Sprintf(" n=%d deletes=%d", absentKeys, absentDeletes), "filters", filters,
			"removed", filters*removed, "removed-sq", filters*removed*removed, "fn", filters*fn, "fn-sq", filters*fn*fn))
	}
	absent("filter=cuckoo:b=4,f=8,semisort=no,load=90 bits=8.89 buckets=16384 f=8", 2720, 2682)
	absent("filter=cuckoo:b=4,f=auto,semisort=no,load=auto bits=10 buckets=16384 f=9", 1370, 1360)
	absent("filter=counting:counter=4,k=auto bits=40 counters=589820 k=7", 778, 3680)
	for _, filter := range []string{"counting:counter=4,k=auto", "cuckoo:b=4,f=auto,semisort=no,load=auto"} {
		all = append(all, rec("Model", "filter="+filter+" bits=10 n=25000", "added", 67500, "deletes", 67500, "refused", 0,
			"unfound", 0, "queries", 27500, "fn", 0, "left", 0))
	}
	for copies, left := range map[int]int{14: 0, 15: 1000} {
		all = append(all, rec("Overflow", fmt.Sprintf("filter=counting:counter=4,k=auto bits=40 n=100 copies=%d", copies), "keys", 1000, "left", left, "fn", 0))
	}
	return append(all,
		rec("Clear", "filter=bloom:index=range,step=enhanced,k=7 bits=9.5851 n=10000 m=95851 k=7", "filters", 5, "trials", 300, "lost", 1533, "lost-sq", 9366),
		rec("Counters", "filter=counting:counter=8,k=7 n=1000000 counters=9585000 k=7", "filters", 1, "over-2bit", 63810, "over-3bit", 10, "over-4bit", 0))
}

// stepsRecords are rates over the exact ones as claims.md has them (P05), and
// between its sizes as an excess of order 1/m makes them.
func stepsRecords() []results.Record {
	all := []results.Record{rec("Positions", "filter=bloom:index=mod,step=any,k=auto m=1024 k=7", "keys", 100_000, "short", 391, "least", 1)}
	for bits, ratios := range map[int][]float64{10: {2.5, 1.17, 1.02, 1.002, 1}, 20: {89, 11.4, 2.1, 1.1, 1.01}} {
		for i, ratio := range ratios {
			n := math.Pow10(i + 1)
			k := map[int]int{10: 7, 20: 14}[bits]
			exact, _ := bloomModel(uint64(n), uint64(n)*uint64(bits), k)
			const queries, filters = 1e7, 100
			r := fpr(fmt.Sprintf("filter=bloom:index=mod,step=any,k=auto bits=%d n=%.0f m=%.0f k=%d", bits, n, n*float64(bits), k), exact*ratio, queries, filters, float64(bits))
			r.Name = "Steps"
			all = append(all, r)
		}
	}
	return all
}

// hashRecords are times as of a machine with instructions for SHA-256.
func hashRecords() (all []results.Record) {
	for round := range 10 {
		noise := 1 + .01*float64(round%3)
		for _, c := range []struct {
			axes string
			ns   float64
		}{{"hash=sha256 calls=1", 80}, {"hash=md5 calls=7", 700}, {"hash=xxh3 calls=1", 2.5}} {
			all = append(all, rec("Hash", c.axes+" bytes=8 size=16KiB", "ns/op", c.ns*noise))
		}
		all = append(all, rec("Probe", bloomSpec+" hits=0 n=1677721 size=2MiB pages=huge", "ns/op", 14*noise))
	}
	return all
}

// set2 changes two values of a cell's records, since the one follows from the
// other.
func (w *world) set2(c Cell, unit string, v float64, other string, u float64) {
	w.set(c, unit, v)
	w.set(c, other, u)
}

// spareAbsent lets deletes of absent keys lose none.
func (w *world) spareAbsent(c Cell) { w.set2(c, "fn", 0, "fn-sq", 0) }

// evenSteps gives double hashing so many times the exact rate at every size.
func (w *world) evenSteps(times float64) {
	for _, c := range stepsCells() {
		w.each(c, func(r *results.Record) {
			e, err := excessOf(&results.Set{Files: []results.File{{Records: []results.Record{*r}}}}, c)
			if err != nil {
				panic(err)
			}
			w.rate(c, times*e.exact)
		})
	}
}

// doctoredDeletes are doctored results of the claims on deleting, on double
// hashing and on the cost of hashes.
var doctoredDeletes = []doctored{
	{"A12", func(w *world) { w.set(modelCounting, "fn", 1) }, Wrong},
	{"A12", func(w *world) { w.set(modelCounting, "left", 1) }, Wrong},
	{"A12", func(w *world) { w.spareAbsent(absentCounting); w.set(stuck, "left", 0) }, Holds},
	{"A24", func(w *world) { w.set2(clearedBits, "lost", 0, "lost-sq", 0) }, Wrong},
	{"B14", func(w *world) { w.set(modelCuckoo, "unfound", 3) }, Wrong},
	{"B14", func(w *world) { w.spareAbsent(absentCuckoo) }, Holds},
	{"B25", func(w *world) { w.set2(clearedBits, "lost", 0, "lost-sq", 0) }, Wrong},
	{"C21", func(w *world) { w.set2(clearedBits, "lost", 0, "lost-sq", 0) }, Wrong},
	{"C23", func(w *world) { w.set(modelCounting, "fn", 1) }, Wrong},
	{"C23", func(w *world) { w.spareAbsent(absentCounting) }, Holds},
	{"C27", func(w *world) { w.spareAbsent(absentCuckoo) }, Holds},
	{"C34", func(w *world) { w.set2(clearedBits, "lost", 0, "lost-sq", 0) }, Wrong},
	{"C34", func(w *world) { w.set(counters, "bits/key", 38.5) }, Wrong},
	{"P04", func(w *world) { w.set(counted, "over-4bit", 1) }, Wrong},
	{"B05", func(w *world) { w.evenSteps(1) }, Wrong},
	{"B05", func(w *world) { w.evenSteps(1.5) }, Holds},
	{"B11", func(w *world) { w.evenSteps(1) }, Holds},
	{"B11", func(w *world) { w.evenSteps(1.5) }, Wrong},
	{"B12", func(w *world) { w.set(shortSteps, "short", 0) }, Holds},
	{"B12", func(w *world) { w.evenSteps(1.5) }, Wrong},
	{"P05", func(w *world) { w.evenSteps(1.5) }, Wrong},
	{"P05", func(w *world) { w.evenSteps(.5) }, Wrong},
	{"B09", func(w *world) { w.set(hashOf("sha256", "1"), "ns/op", 160) }, Holds},
	{"B09", func(w *world) { w.set(hashOf("sha256", "1"), "ns/op", 15) }, Wrong},
}
