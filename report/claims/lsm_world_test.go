package claims

import (
	"fmt"

	"filterbench/results"
)

// lsmRecords are what a program of its own gives that draws each answer by its
// chance: 0.82 % of the probes of absent keys are reads.
func lsmRecords() (all []results.Record) {
	add := func(name, axes string, tables, gets, probes, reads, wrong, lost float64) *results.Record {
		all = append(all, rec(name, fmt.Sprintf("%s tables=%v %s bits=10 n=1000 keys=random gets=%.0f m=10000 k=7", bloomSpec, tables, axes, gets),
			"queries", gets, "probes", probes, "reads", reads, "saved", probes-reads, "queries-with-reads", min(gets, reads),
			"false", wrong, "lost-gets", lost, "refused", 0, "bits/key", 10.24))
		return &all[len(all)-1]
	}
	for _, r := range []*results.Record{
		add("LSM", "stop=never hits=0", 10, 1e6, 1e7, 82_100, 82_100, 0),
		add("LSM", "stop=never hits=0", 1, 1e4, 1e4, 84, 84, 0),
	} {
		r.Values = append(r.Values, results.Value{Unit: "model-sd", V: .00032})
	}
	add("Liar", "says=truth share=1 stop=early hits=0", 10, 1e4, 1e5, 820, 820, 0)
	add("Liar", "says=maybe share=1 stop=early hits=0", 10, 1e4, 1e5, 1812, 1812, 0)
	add("Liar", "says=maybe share=1 stop=early hits=100", 10, 1e4, 55_000, 10_820, 820, 0)
	add("Liar", "says=no share=1 stop=early hits=100", 10, 1e4, 55_450, 10_270, 370, 100)
	for held, loads := range map[string]float64{"10": 10, "9": 1e5} {
		r := add("Resident", "held="+held+" hits=0", 10, 1e4, 1e5, 820, 820, 0)
		r.Values = append(r.Values, results.Value{Unit: "filter-loads", V: loads})
	}
	return all
}

// reads gives a tree's cell other reads, all of them wrong, and what follows.
func (w *world) reads(c Cell, reads float64) {
	w.each(c, func(r *results.Record) {
		probes, _ := r.Value("probes")
		setValue(r, "reads", reads)
		setValue(r, "false", reads)
		setValue(r, "saved", probes-reads)
	})
}

// doctoredTrees are doctored results of the claims on LSM trees.
var doctoredTrees = []doctored{
	{"A04", func(w *world) { w.set(residentOf("9"), "filter-loads", 9e4) }, Holds},
	{"A04", func(w *world) { w.reads(residentOf("10"), 1e5) }, Wrong},
	{"A07", func(w *world) { w.reads(millionGets, 8_100_000) }, Wrong},
	{"A07", func(w *world) {
		w.each(fewGets, func(r *results.Record) { setValue(r, "queries", 2.1e6); setValue(r, "probes", 2.1e6) })
		w.reads(fewGets, 17_000)
	}, Holds},
	{"A27", func(w *world) { w.set(liarOf("maybe", "100"), "lost-gets", 1) }, Wrong},
	{"A27", func(w *world) { w.set(liarOf("no", "100"), "lost-gets", 0) }, Wrong},
	{"B04", func(w *world) { w.reads(millionGets, 9e6) }, Wrong},
	{"B04", func(w *world) { w.reads(millionGets, 70_000) }, Wrong},
	{"C03", func(w *world) { w.set(liarOf("maybe", "100"), "lost-gets", 1) }, Wrong},
	{"C03", func(w *world) { w.set(liarOf("no", "100"), "lost-gets", 0) }, Wrong},
	{"C24", func(w *world) { w.reads(millionGets, 120_000) }, Wrong},
	{"C24", func(w *world) {
		w.set(millionGets, "probes", 9_900_000)
		w.reads(millionGets, 82_100)
	}, Wrong},
}
