package experiments

import (
	"math"
	"strconv"
	"testing"

	"filterbench/filters/registry"
	"filterbench/results"
)

func axisFloat(t *testing.T, r results.Record, key string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(r.Axis(key), 64)
	if err != nil {
		t.Fatalf("%s: %v", r.FullName(), err)
	}
	return v
}

func overloadUnits(t *testing.T, specs ...string) []Unit {
	t.Helper()
	c := Config{Profile: "quick", Seed: 1}
	for _, s := range specs {
		c.Specs = append(c.Specs, registry.Must(s))
	}
	units, err := planOverload(c)
	if err != nil {
		t.Fatal(err)
	}
	var counted []Unit
	for _, u := range units {
		if !u.Alone {
			counted = append(counted, u)
		}
	}
	return counted
}

// Rates follow theory at every load, and a filter of slots stays at its rate and
// refuses keys instead. (The gate is the test that every run has, at 10^-6.)
func TestOverload(t *testing.T) {
	for _, u := range overloadUnits(t, "bloom", "blocked", "cuckoo") {
		records := recordsOf(t, u)
		if err := gateFPR(records); err != nil {
			t.Error(err)
		}
		if len(records) != len(overloadTimes) {
			t.Fatalf("%s: %d records", u.ID, len(records))
		}
		cuckoo := registry.Must("cuckoo").String() == records[0].Axis("filter")
		for _, r := range records {
			accepted, _ := r.Value("accepted")
			refused, _ := r.Value("refused")
			offered := axisFloat(t, r, "n") * axisFloat(t, r, "times")
			if accepted+refused != math.Round(offered) || !cuckoo && refused > 0 {
				t.Errorf("%s: %v taken and %v refused", r.FullName(), accepted, refused)
			}
			if fn, ok := r.Value("fn"); ok && fn != 0 {
				t.Errorf("%s: %v keys lost", r.FullName(), fn)
			}
		}
		first, _ := records[0].Value("fpr")
		last, _ := records[len(records)-1].Value("fpr")
		if cuckoo != (last < 1.5*first) {
			t.Errorf("%s: %v becomes %v", u.ID, first, last)
		}
	}
}

// At ten times the keys nearly all bits are 1: fill 99.93 %, 99.5 % wrong (field
// case 24), by which a benchmark is known that goes on adding to one filter.
func TestTenfoldOverload(t *testing.T) {
	d, err := registry.Must("bloom").ForBits(10_000, 10)
	if err != nil {
		t.Fatal(err)
	}
	before := overloadTimes
	overloadTimes = []float64{10}
	defer func() { overloadTimes = before }()
	c := overloadCell{design: d, p: 0.01, hits: overloadHits}
	records, err := c.run(t.Context(), Config{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	r := records[0]
	set, _ := r.Value("bits-set")
	m, _ := d.Param("m")
	// Ones are 1-e^-7; their standard deviation is below that of independent bits.
	if fill, want := set/float64(m), -math.Expm1(-7); math.Abs(fill-want) > 5*math.Sqrt(want*(1-want)/float64(m)) {
		t.Errorf("%v of the bits are set, want %v", fill, want)
	}
	fpr, _ := r.Value("fpr")
	queries, _ := r.Value("queries")
	if want := 0.9936; math.Abs(fpr-want) > 5*math.Sqrt(want*(1-want)/queries) {
		t.Errorf("%v of the answers are wrong, want %v", fpr, want)
	}
}

// The texts' own filter reads more bits for absent keys as it fills up, and k for
// present ones at any load.
func TestOverloadProbes(t *testing.T) {
	records := recordsOf(t, overloadUnits(t, "naive")[0])
	last := 0.0
	for _, r := range records {
		probed, _ := r.Value("probed")
		absent, _ := r.Value("absent-probes")
		present, _ := r.Value("present-probes")
		if absent <= last || absent >= present || present != 7*probed {
			t.Errorf("%s: %v and %v bits for %v keys, before %v", r.FullName(), absent, present, probed, last)
		}
		last = absent
	}
}

// Filters take what they are offered, and hold no key twice.
func TestOverloadTimesOnlyWhatTakesAll(t *testing.T) {
	c := Config{Profile: "full", Seed: 1, Specs: registry.Defaults()}
	for _, d := range c.overloadGroup().designs {
		if n := d.Spec.Family.Name; n == "cuckoo" || n == "quotient" || d.Spec.Family.Static {
			t.Errorf("%s is timed", d)
		}
	}
}

// Another library's filter may lose keys once it refuses some; none of ours, and none
// before.
func TestGateOverload(t *testing.T) {
	lost := func(filter string, refused int) []results.Record {
		return []results.Record{record("Overload", axes("filter", filter), "fn", 3, "refused", refused)}
	}
	if err := gateOverload(lost("peer-seiflotfy", 10)); err != nil {
		t.Error(err)
	}
	for _, records := range [][]results.Record{lost("peer-seiflotfy", 0), lost("cuckoo:b=4", 10), lost("bloom", 0)} {
		if gateOverload(records) == nil {
			t.Errorf("%s may lose keys", records[0].FullName())
		}
	}
}
