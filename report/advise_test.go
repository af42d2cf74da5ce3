package report

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"filterbench/results"
)

// At 5 us for a wasted access blocked costs 2 + 0.02 x 5000 = 102 ns, cuckoo
// 10 + 0.005 x 5000 = 35 ns.
func TestAdvise(t *testing.T) {
	a, err := Advise(tradeoff(), Wish{Keys: 1e6, MissCost: 5000})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Choices) != 2 || a.Choices[0].Filter != "cuckoo:b=4" || math.Abs(a.Choices[0].TotalNS-35) > 1e-9 ||
		math.Abs(a.Choices[1].TotalNS-102) > 1e-9 || a.Choices[0].Bytes != 1.25e6 || !a.Sure || !a.Pays || a.WithoutNS != 5000 {
		t.Errorf("%+v", a)
	}
	if !strings.Contains(a.Certainty, "67 ns more than cuckoo") {
		t.Error(a.Certainty)
	}
	// Half of the keys present, of which lookups take twice as long: 3 + 50 and
	// 15 + 12.5 ns.
	a, _ = Advise(tradeoff(), Wish{Keys: 1e6, MissCost: 5000, HitShare: .5})
	if math.Abs(a.Choices[0].TotalNS-27.5) > 1e-9 || math.Abs(a.Choices[1].TotalNS-53) > 1e-9 || a.WithoutNS != 2500 {
		t.Errorf("%+v", a)
	}
}

func TestAdviceIsNotSurerThanTheMeasurements(t *testing.T) {
	noPresent := doctor(tradeoff(), func(r *results.Record) bool { return r.Axis("hits") != "100" })
	for name, c := range map[string]struct {
		set  *results.Set
		wish Wish
		want string
	}{
		"close":        {tradeoff(), Wish{Keys: 1e6, MissCost: 533}, "not told apart"},
		"extrapolated": {tradeoff(), Wish{Keys: 1e9, MissCost: 5000}, "extrapolated"},
		"not timed":    {noPresent, Wish{Keys: 1e6, MissCost: 5000, HitShare: .1}, "present keys were not timed"},
		"all present":  {tradeoff(), Wish{Keys: 1e6, MissCost: 5000, HitShare: 1}, "sure: cuckoo costs 16 ns more"},
	} {
		a, err := Advise(c.set, c.wish)
		if err != nil || a.Sure != strings.HasPrefix(c.want, "sure") || !strings.Contains(a.Certainty, c.want) {
			t.Errorf("%s: sure %v, %s, %v", name, a.Sure, a.Certainty, err)
		}
		if name == "all present" && a.Pays {
			t.Error("a filter pays though no key is absent")
		}
	}
}

func TestAdviceKeepsToTheWish(t *testing.T) {
	a, err := Advise(tradeoff(), Wish{Keys: 1e6, MissCost: 5000, Know: func(f string) (bool, string) {
		return strings.HasPrefix(f, "blocked"), "a note"
	}})
	if err != nil || len(a.Choices) != 1 || a.Choices[0].Note != "a note" || a.Sure {
		t.Errorf("%+v, %v", a, err)
	}
	for name, c := range map[string]struct {
		set  *results.Set
		wish Wish
		want string
	}{
		"too few bits": {tradeoff(), Wish{Keys: 1e6, MissCost: 1, MaxBits: 9}, "no filter measured"},
		"nothing":      {&results.Set{}, Wish{Keys: 1e6, MissCost: 1}, "runbench run fpr lookup"},
		"no keys":      {tradeoff(), Wish{MissCost: 1}, "keys"},
		"no cost":      {tradeoff(), Wish{Keys: 1}, "wasted access"},
		"NaN":          {tradeoff(), Wish{Keys: math.NaN(), MissCost: 1}, "keys"},
		"share":        {tradeoff(), Wish{Keys: 1, MissCost: 1, HitShare: 1.1}, "hit share"},
	} {
		if _, err := Advise(c.set, c.wish); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever the values are, the advice is there or an error, and can be written.
func TestAdviceOfHostileRecords(t *testing.T) {
	for _, v := range []float64{0, -1, 1e300, math.NaN(), math.Inf(1)} {
		set := doctor(tradeoff(), func(r *results.Record) bool {
			for i := range r.Values {
				if r.Axis("filter") == "cuckoo:b=4" {
					r.Values[i].V = v
				}
			}
			return true
		})
		a, err := Advise(set, Wish{Keys: 1e6, MissCost: 5000, HitShare: .1})
		if err != nil {
			t.Errorf("%v: %v", v, err)
		}
		if _, err := json.Marshal(a); err != nil {
			t.Errorf("%v: %v", v, err)
		}
	}
}
