package report

import (
	"math"
	"strings"
	"testing"

	"filterbench/results"
)

// deleteWorld is made-up records of the experiment delete.
func deleteWorld() *results.Set {
	var all []results.Record
	for _, f := range []struct {
		spec  string
		share float64 // of the keys that 100,000 deletes lose
	}{{"counting:counter=4,k=auto", .062}, {"cuckoo:f=auto,load=auto", .023}, {"quotient:layout=rank", .012}} {
		for _, deletes := range []float64{1e3, 1e5} {
			lost := math.Round(f.share * 60_000 * deletes / 1e5)
			all = append(all, with(rec("Absent", "filter", f.spec, "n", 60_000, "deletes", deletes), "filters", 10,
				"removed", 10*lost, "removed-sq", 10*lost*lost, "fn", 10*lost, "fn-sq", 10*lost*lost))
		}
		all = append(all, with(rec("Model", "filter", f.spec, "n", 25_000), "fn", 0, "unfound", 0, "left", 0))
		for round := range 10 {
			noise := 1 + .01*float64(round%3)
			for op, ns := range map[string]float64{"delete": 90, "lookup": 45} {
				all = append(all, with(rec("Delete", "filter", f.spec, "size", "2MiB", "op", op, "pages", "huge"), "ns/op", 2*ns*noise, "cpu-ns/op", ns*noise, "disturbed", 0))
			}
		}
	}
	for k, m := range map[int]int{4: 62_353, 7: 95_851} {
		all = append(all, with(rec("Clear", "filter", bloomSpec, "n", 10_000, "m", m, "k", k), "trials", 100, "lost", 511, "lost-sq", 3000))
	}
	all = append(all, with(rec("Counters", "filter", "counting:counter=8", "counters", 9_585_000), "filters", 1, "over-2bit", 63_810, "over-3bit", 10, "over-4bit", 0))
	for value, count := range map[int]float64{0: 4.6e6, 1: 3.4e6, 8: 10} {
		all = append(all, with(rec("Counter", "filter", "counting:counter=8", "n", 1_000_000, "counters", 9_585_000, "k", 7, "value", value), "filters", 1, "counters", count))
	}
	return &results.Set{Files: []results.File{{Experiment: "delete", Records: all}}}
}

// doctorTitles checks titles after changes to records of a name.
func doctorTitles(t *testing.T, set *results.Set, cases []titleCase) {
	t.Helper()
	for _, c := range cases {
		got := titles(doctor(set, func(r *results.Record) bool { return c.doctor == nil || c.doctor(r) }))[c.chart]
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q in it", c.name, got, c.want)
		}
	}
}

type titleCase struct {
	name, chart string
	doctor      func(r *results.Record) bool // keeps a record, after changing it
	want        string
}

// change gives values of records to be found by a name and a part of their axes.
func change(name, axes string, values map[string]float64) func(r *results.Record) bool {
	return func(r *results.Record) bool {
		if r.Name == name && strings.Contains(r.FullName(), axes) {
			for i, v := range r.Values {
				if new, ok := values[v.Unit]; ok {
					r.Values[i].V = new
				}
			}
		}
		return true
	}
}

func TestDeleteTitles(t *testing.T) {
	doctorTitles(t, deleteWorld(), []titleCase{
		{"as counted", "delete", nil, "100,000 deletes of absent keys lose from 1.2% of the keys (quotient) to 6.2% (counting); deletes of their own lose none"},
		{"none lost", "delete", change("Absent", "", map[string]float64{"fn": 0, "fn-sq": 0}), "100,000 deletes of absent keys lose no other key"},
		{"own keys lost", "delete", change("Model", "cuckoo", map[string]float64{"fn": 3}), "; deletes of their own go wrong 3 times"},
		{"one filter", "delete", func(r *results.Record) bool { return strings.Contains(r.FullName(), "cuckoo") }, "lose 2.3% of the keys of cuckoo"},
		{"not told apart", "delete", change("Absent", "deletes=100000", map[string]float64{"fn": 7000, "fn-sq": 7000 * 1000}), "lose 1.2% of the keys of"},
		{"no model", "delete", func(r *results.Record) bool { return r.Name != "Model" }, "to 6.2% (counting)"},
		{"twice a lookup", "delete-time", nil, "A delete takes 2.0 times as long in counting, 2.0 times as long in cuckoo and 2.0 times as long in quotient as a lookup"},
		{"as long as one", "delete-time", change("Delete", "op=delete", map[string]float64{"cpu-ns/op": 45.5}), "A delete takes as long as a lookup, as far as the rounds tell"},
		{"no lookups", "delete-time", func(r *results.Record) bool { return r.Axis("op") != "lookup" }, "Time of a delete"},
		{"cleared", "delete-clear", nil, "To clear one key's bits loses 5.1 other keys at 9.585 bits per key"},
		{"cleared for free", "delete-clear", change("Clear", "", map[string]float64{"lost": 0, "lost-sq": 0}), "loses no other key"},
		{"counters", "delete-counters", nil, "Of 9,585,000 counters 63,810 would not fit in 2 bits, 10 in 3 and none in 4"},
		{"an overflow", "delete-counters", change("Counters", "", map[string]float64{"over-4bit": 2}), "10 in 3 and 2 in 4"},
	})
}

func TestHashTitles(t *testing.T) {
	var all []results.Record
	for name, ns := range map[string]float64{"md5/7": 840, "xxh3/1": 6, "sha256/1": 80} {
		hash, calls, _ := strings.Cut(name, "/")
		for _, bytes := range []int{8, 64} {
			for round := range 10 {
				all = append(all, with(rec("Hash", "hash", hash, "calls", calls, "bytes", bytes, "size", "16KiB"), "ns/op", ns*(1+.01*float64(round%3)), "disturbed", 0))
			}
		}
		for _, keys := range []string{"random", "url"} {
			all = append(all, with(rec("HashFPR", "hash", hash, "filter", bloomSpec, "bits", 10, "n", 100_000, "keys", keys),
				"fpr", .0082, "fp", 1640, "queries", 200_000, "filters", 1, "fp-sq", 1640*1640, "bits/key", 10, "model-fpr", .0082, "model-sd", .00003))
		}
	}
	doctorTitles(t, &results.Set{Files: []results.File{{Experiment: "hash", Records: all}}}, []titleCase{
		{"as timed", "hash", nil, "xxh3 hashes a key of 8 bytes in 6.1 ns; 7 × md5 takes 140 times as long"},
		{"as fast", "hash", change("Hash", "sha256", map[string]float64{"ns/op": 6.1}), " hash a key of 8 bytes in 6.1 ns; 7 × md5"},
		{"all alike", "hash", change("Hash", "", map[string]float64{"ns/op": 5}), "hash a key of 8 bytes in 5.0 ns"},
		{"theory holds", "hash-fpr", nil, "With each of 3 functions the rates are theory's for all 2 kinds of keys"},
		{"one does not", "hash-fpr", change("HashFPR", "hash=xxh3/", map[string]float64{"fp": 16_400, "fp-sq": 16_400 * 16_400, "fpr": .082}), "2 of 3 functions keep to theory for all 2 kinds of keys; xxh3 errs 10 times as often on "},
	})
}

func TestStepsTitles(t *testing.T) {
	var all []results.Record
	for step, ratios := range map[string][]float64{"any": {11, 1.01, 1}, "independent": {1, 1, 1}} {
		for i, ratio := range ratios {
			n := []int{100, 10_000, 100_000}[i]
			for _, bits := range []int{10, 20} {
				fp := math.Round(600 * ratio)
				all = append(all, with(rec("Steps", "filter", "bloom:index=mod,step="+step+",k=auto", "bits", bits, "n", n, "m", n*bits, "k", 14),
					"fpr", fp/9e6, "fp", fp, "queries", 9e6, "filters", 100, "fp-sq", fp*fp/100, "fn", 0, "bits/key", bits, "model-fpr", 600./9e6))
			}
		}
	}
	set := &results.Set{Files: []results.File{{Experiment: "steps", Records: all}}}
	rate := func(fp float64) map[string]float64 {
		return map[string]float64{"fp": fp, "fpr": fp / 9e6, "fp-sq": fp * fp / 100}
	}
	doctorTitles(t, set, []titleCase{
		{"as counted", "steps", nil, "At 20 bits per key plain double hashing errs 11 times as often as independent positions do for 100 keys; from 10,000 on the counts show no difference"},
		{"fewer bits", "steps-10", nil, "At 10 bits per key plain double hashing errs 11 times"},
		{"always", "steps", change("Steps", "step=any", rate(1200)), "errs 2.0 times as often as independent positions do for 100 keys, and still 2.0 times for 100,000"},
		{"never", "steps", change("Steps", "step=any", rate(600)), "At 20 bits per key no step is shown to err more often"},
		{"one size", "steps", func(r *results.Record) bool { return r.Axis("n") == "100" }, "do for 100 keys"},
	})
}

// Whatever a value or an axis is, nothing panics, and titles hold numbers.
func TestHostileChanges(t *testing.T) {
	set := deleteWorld()
	spoil := func(i int, f func(r *results.Record)) {
		at := -1
		c := readDelete(doctor(set, func(r *results.Record) bool {
			if at++; at == i {
				f(r)
			}
			return true
		}))
		for _, c := range c.charts {
			c.Clean()
			if strings.Contains(c.Title, "NaN") || strings.Contains(c.Title, "Inf") {
				t.Errorf("record %d: %q", i, c.Title)
			}
		}
	}
	rounds := 0
	for i, r := range set.Files[0].Records {
		if r.Name == "Delete" {
			if rounds++; rounds > 5 {
				continue // they are alike
			}
		}
		for j := range r.Values {
			for _, v := range []float64{0, -1, .5, 1e300, math.NaN(), math.Inf(1)} {
				spoil(i, func(r *results.Record) { r.Values[j].V = v })
			}
		}
		for j := range r.Axes {
			for _, v := range []string{"x", "-1", "0", "1e300", "99999999999999999999"} {
				spoil(i, func(r *results.Record) { r.Axes[j].Value = v })
			}
		}
	}
}

// A file with nothing in it, or records of others only, has a note in its place.
func TestEmptyChanges(t *testing.T) {
	for _, name := range []string{"delete", "hash", "steps"} {
		r := analyse(&results.Set{Files: []results.File{{Experiment: name, Records: []results.Record{with(rec("Other", "a", 1), "fp", 1)}}}})
		for _, s := range r.sections {
			if s.Experiment == name && (len(s.Charts) > 0 || !strings.Contains(s.Note, "nothing that can be drawn")) {
				t.Errorf("%s: %d charts, note %q", name, len(s.Charts), s.Note)
			}
		}
	}
}
