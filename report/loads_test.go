package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"filterbench/results"
)

// Records of insert, overload and space, made up for these tests.

func insertSet(bloomAt95, cuckooAt95 float64) *results.Set {
	var records []results.Record
	for round := range 10 {
		noise := 1 + .01*float64(round%3)
		for _, f := range []struct {
			spec string
			ns   [3]float64
		}{{bloomSpec, [3]float64{20, 20.1, bloomAt95}}, {"cuckoo:b=4,f=16,load=100", [3]float64{40, 150, cuckooAt95}}} {
			for i, load := range []int{50, 90, 95} {
				records = append(records, with(rec("Add", "filter", f.spec, "n", 131072, "load", load, "adds", 6553, "keys", "random"), "ns/op", f.ns[i]*noise))
			}
		}
		records = append(records, with(rec("Build", "filter", bloomSpec, "n", 30000, "bits", 10, "keys", "random"), "ns/op", 10*noise))
	}
	for _, b := range []int{2, 4} {
		for _, slots := range []int{1 << 10, 1 << 20} {
			for seed := range 4 {
				load := map[int]float64{2: .866, 4: .959}[b] + .001*float64(seed)
				records = append(records, with(rec("Refusal", "filter", fmt.Sprintf("cuckoo:b=%d,f=16,load=100", b), "slots", slots, "seed", seed+1), "first-load", load, "accepted", math.Round(load*float64(slots))))
			}
		}
	}
	for _, load := range []int{50, 75, 95} {
		records = append(records,
			with(rec("Fill", "filter", "cuckoo:b=4,f=16,load=100", "slots", 1024, "seed", 1, "load", load), "adds", 100, "accepted", 10*load, "refused", 0, "kicks", load, "kicks-max", 9),
			with(rec("Fill", "filter", "quotient:layout=flags", "slots", 1024, "seed", 1, "load", load), "adds", 100, "accepted", 10*load, "refused", 0, "stretches", 40, "stretch-max", 77, "clusters", 50, "cluster-max", 70))
	}
	return &results.Set{Files: []results.File{{Experiment: "insert", Records: records}}}
}

func overloadSet(bloomTwice, refused float64) *results.Set {
	var records []results.Record
	add := func(spec string, times, fp, refused float64) {
		records = append(records, with(rec("Overload", "filter", spec, "p", .01, "n", 10000, "times", times, "keys", "random"),
			"fpr", fp/1e5, "fp", fp, "queries", 1e5, "filters", 1, "fp-sq", fp*fp, "accepted", 10000*times-refused, "refused", refused, "bits/key", 9.6/times, "model-fpr", fp/1e5, "model-sd", 1e-5))
	}
	add(bloomSpec, 1, 1000, 0)
	add(bloomSpec, 2, bloomTwice, 0)
	add("cuckoo:b=4,f=auto", 1, 700, 0)
	add("cuckoo:b=4,f=auto", 2, 720, refused)
	for round := range 10 {
		noise := 1 + .01*float64(round%3)
		for _, times := range []int{1, 5} {
			for _, hits := range []int{0, 100} {
				records = append(records, with(rec("Crowded", "filter", bloomSpec, "p", .01, "n", 200000, "times", times, "hits", hits), "ns/op", (10+float64(2*times*(100-hits))/100)*noise))
			}
		}
	}
	return &results.Set{Files: []results.File{{Experiment: "overload", Records: records}}}
}

func spaceSet(cuckooBits float64) *results.Set {
	var records []results.Record
	add := func(spec string, p, bits, sd, fpr float64) {
		records = append(records, with(rec("Space", "filter", spec, "p", p, "n", 20000, "keys", "random"),
			"bits/key", bits, "bits-sd", sd, "filters", 10, "fpr", fpr, "fp", math.Round(fpr*1e6), "queries", 1e6, "sizes", 50))
	}
	add(bloomSpec, .05, 6.24, .1, .049)
	add(bloomSpec, .01, 9.6, .1, .0099)
	add("cuckoo:b=4,f=auto", .05, 7.3, .05, .045)
	add("cuckoo:b=4,f=auto", .01, cuckooBits, .05, .0076)
	add("peer-xor8", .05, 9.85, 0, .0039)
	add("peer-xor8", .01, 9.85, 0, .0039)
	return &results.Set{Files: []results.File{{Experiment: "space", Records: records}}}
}

// The titles say what the records do, on both sides of the line.
func TestTitlesOfLoads(t *testing.T) {
	for _, c := range []struct {
		set   *results.Set
		chart string
		want  string
	}{
		{insertSet(20, 400), "insert", "An add to cuckoo takes 10 times as long at 95% load as at 50%"},
		{insertSet(90, 400), "insert", "An add to cuckoo takes 10 times as long at 95% load as at 50%, to bloom 4.5 times"},
		{insertSet(20, 40), "insert", "Adds take as long in a full filter as in a half-full one, as far as the rounds tell"},
		{insertSet(20, 40), "insert-refusal", "Buckets of 2, 4 slots fill to 86.8%, 96.0% before a cuckoo filter refuses a key"},
		{insertSet(20, 40), "insert-moves", "At 95% load an add to a cuckoo filter moves 0.95 fingerprints; a quotient filter's filled slots are 24 in a row at 95%"},
		{overloadSet(15700, 9400), "overload", "With twice the keys bloom errs on 16% instead of 1.0%; cuckoo refuses 47% of them"},
		{overloadSet(1000, 9400), "overload", "Of twice the keys cuckoo refuses 47% of them"},
		{overloadSet(15700, 0), "overload", "With twice the keys bloom errs on 16% instead of 1.0%"},
		{overloadSet(1000, 0), "overload", "False-positive rate with more keys than planned"},
		{overloadSet(1000, 0), "overload-speed", "With 5 times the keys bloom takes 1.7 times as long for an absent key"},
		{spaceSet(9), "space", "Cuckoo keeps to 1% with 9.00 bits per key, 35% over the bound; bloom takes 9.60"},
		{spaceSet(10), "space", "No filter here needs fewer bits for 1% than bloom: 9.60 bits per key, 44% over the bound"},
	} {
		if got := titles(c.set)[c.chart]; got != c.want {
			t.Errorf("%s: %q, want %q", c.chart, got, c.want)
		}
	}
}

// What was searched for takes the place of what is read off, and rates that were
// not searched for are not drawn.
func TestSearchTakesThePlaceOfReadingOff(t *testing.T) {
	both := synthetic()
	both.Files = append(both.Files, spaceSet(9).Files...)
	for _, c := range []struct {
		set  *results.Set
		want string
	}{{synthetic(), "read off"}, {both, "the least size that keeps to the rate"}} {
		n := 0
		for _, s := range analyse(c.set).charts() {
			if s.Name == "space" {
				n++
				if !strings.Contains(s.Subtitle, c.want) {
					t.Errorf("subtitle %q, want %q", s.Subtitle, c.want)
				}
			}
		}
		if n != 1 {
			t.Errorf("%d charts of space, want one", n)
		}
	}
	for _, c := range analyse(spaceSet(9)).charts() {
		var names []string
		for _, s := range c.Series {
			names = append(names, s.Name)
		}
		if want := []string{"5%", "1%", "no other sizes"}; !slices.Equal(names, want) {
			t.Errorf("series %q, want %q", names, want)
		}
	}
}

// Records that lack something, or hold what cannot be, panic nowhere.
func TestHostileLoads(t *testing.T) {
	for _, set := range []*results.Set{insertSet(20, 400), overloadSet(15700, 9400), spaceSet(9)} {
		records := set.Files[0].Records
		read := map[string]func(*results.Set) content{"insert": readInsert, "overload": readOverload, "space": readSpace}[set.Files[0].Experiment]
		analyse := func(set *results.Set) {
			for _, c := range read(set).charts {
				c.Clean()
			}
		}
		seen := map[string]bool{}
		for i := range records {
			if seen[records[i].Name] {
				continue
			}
			seen[records[i].Name] = true
			for j := range records[i].Values {
				for _, v := range []float64{0, -1, .5, 1e300, math.NaN(), math.Inf(1), math.Inf(-1)} {
					honest := records[i].Values[j].V
					records[i].Values[j].V = v
					analyse(set)
					records[i].Values[j].V = honest
				}
			}
			axes := records[i].Axes
			for j := range axes {
				for _, v := range []string{"", "x", "-1", "1e400", "NaN"} {
					records[i].Axes = slices.Clone(axes)
					records[i].Axes[j].Value = v
					analyse(set)
				}
			}
			records[i].Axes = axes[:0]
			analyse(set)
			records[i].Axes = axes
		}
	}
}
