package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"filterbench/results"
)

// tradeoff is a world of two filters at 10 bits per key: blocked takes 2 ns and
// errs in 2 % of 100,000 queries, cuckoo takes 10 ns and errs in 0.5 %. Blocked is
// the cheaper below (10-2)/(.02-.005) = 533 ns for a wasted access.
func tradeoff() *results.Set {
	fpr := func(filter string, fp float64) results.Record {
		return with(rec("FPR", "filter", filter, "bits", 10, "n", 1_000_000, "keys", "random", "seed", 1),
			"fpr", fp/1e5, "fp", fp, "queries", 1e5, "filters", 1, "fp-sq", fp*fp, "fn", 0, "bits/key", 10)
	}
	var times []results.Record
	for range 10 {
		for _, size := range []string{"16KiB", "16MiB"} {
			for filter, ns := range map[string]float64{"blocked:block=64": 2, "cuckoo:b=4": 10} {
				for _, hits := range []int{0, 100} {
					times = append(times, with(rec("Lookup", "filter", filter, "size", size, "api", "hash", "mode", "batch", "hits", hits),
						"ns/op", ns*(1+float64(hits)/100)))
				}
			}
		}
	}
	return &results.Set{Files: []results.File{
		{Experiment: "fpr", Records: []results.Record{fpr("blocked:block=64", 2000), fpr("cuckoo:b=4", 500)}},
		{Experiment: "lookup", Records: times},
	}}
}

func TestCheapestChangesWhereTheCostsCross(t *testing.T) {
	all := designs(tradeoff())
	for _, c := range []struct {
		miss float64
		name string
		sure bool
	}{
		{1, nobody, true},    // a lookup costs twice as much
		{2.03, nobody, true}, // a lookup and 2% of 2.03 ns cost 2.04
		{100, "blocked", true},
		{530, "blocked", false},
		{540, "cuckoo", false},
		{5000, "cuckoo", true},
	} {
		s, ok := spotAt(all, load{n: 1e6, miss: c.miss})
		if !ok || s.name != c.name || s.sure != c.sure || !s.measured {
			t.Errorf("%v ns: %s, sure %v, measured %v; want %s, sure %v", c.miss, s.name, s.sure, s.measured, c.name, c.sure)
		}
	}
}

func TestSizesNotTimedAreExtrapolated(t *testing.T) {
	all := designs(tradeoff())
	for _, n := range []float64{1e3, 1e8} { // 1.25 kB and 125 MB
		if s, ok := spotAt(all, load{n: n, miss: 5000}); !ok || s.measured || s.sure {
			t.Errorf("%v keys: measured %v, sure %v", n, s.measured, s.sure)
		}
	}
	s := speed{{size: 1024, ns: median{2, 1, 3}}, {size: 4096, ns: median{4, 2, 6}}}
	for bytes, want := range map[float64]float64{512: 2, 1024: 2, 2048: 2 * math.Sqrt2, 4096: 4, 16384: 8} {
		ns, _, measured := s.at(bytes)
		if math.Abs(ns.mid-want) > 1e-12 || measured != (bytes >= 1024 && bytes <= 4096) {
			t.Errorf("at %v bytes: %v ns, measured %v; want %v", bytes, ns.mid, measured, want)
		}
	}
	s[1].ns.mid = 1.5 // larger and faster: noise, which is not carried on
	if ns, _, _ := s.at(1 << 20); ns.mid != 1.5 {
		t.Errorf("the time falls on to %v ns", ns.mid)
	}
}

func TestIntervalOfACost(t *testing.T) {
	// 3 ns +- 0.3 and 4 ns +- 0.4: the whole is 7 +- 0.5.
	c := cost{lookup: median{3, 2.7, 3.3}, wasted: median{4, 3.6, 4.4}}
	if got := c.total(); got.mid != 7 || math.Abs(got.lo-6.5) > 1e-12 || math.Abs(got.hi-7.5) > 1e-12 {
		t.Errorf("%v", got)
	}
	// Too few rounds have no interval, and nothing is told apart.
	c.lookup.hi = math.Inf(1)
	dear := cost{lookup: median{300, 299, 301}, measured: true}
	if c.measured = true; cheaper(c, dear) {
		t.Error("told apart without an interval")
	}
}

func TestNoiseIsNoDifference(t *testing.T) {
	a, b := cost{lookup: median{10, 9.9, 10.1}, noise: 1.05, measured: true}, cost{lookup: median{11, 10.9, 11.1}, noise: 1.05, measured: true}
	if !cheaper(a, b) || cheaper(b, a) {
		t.Error("10 ns and 11 ns, each to 1%, are not told apart")
	}
	if b.noise = 1.2; cheaper(a, b) {
		t.Error("10% are told apart where the noise is 20%")
	}
}

// Where nothing was counted the rate may be what the bound says.
func TestNothingCountedIsNotFree(t *testing.T) {
	set := doctor(tradeoff(), func(r *results.Record) bool {
		if r.Name == "FPR" && strings.HasPrefix(r.Axis("filter"), "cuckoo") {
			scale(r, 0, "fp", "fpr", "fp-sq")
		}
		return true
	})
	for _, d := range designs(set) {
		if d.zero() {
			// 1-0.05^(1/100000) = 2.9957e-5, of 1 ms
			if c := d.cost(load{n: 1e6, miss: 1e6}); math.Abs(c.wasted.mid-29.957) > .001 || c.wasted.lo != 0 {
				t.Errorf("wasted %v", c.wasted)
			}
		}
	}
}

func TestMoreBitsThanOthersAreNoAdvantage(t *testing.T) {
	var all []design
	for f, sizes := range map[string][]string{"a": {"8", "16", "20"}, "b": {"8", "16", "26.4"}, "c": {"64"}} {
		for _, b := range sizes {
			all = append(all, design{rate: rate{filter: f, bits: b}})
		}
	}
	if got := commonBits(all); got != 20 {
		t.Errorf("limit %v, want 20", got)
	}
}

func TestSkylineTitle(t *testing.T) {
	title := func(set *results.Set) string { return skylineCharts(spots(designs(set), perDecade))[0].Title }
	honest := title(tradeoff())
	if !strings.HasPrefix(honest, "Cheapest for certain: ") || !strings.Contains(honest, "blocked in") || !strings.Contains(honest, "cuckoo in") {
		t.Error(honest)
	}
	few := title(doctor(tradeoff(), func(r *results.Record) bool {
		if r.Name == "FPR" {
			scale(r, .001, "queries", "fp")
			scale(r, 1e-6, "fp-sq")
		}
		return r.Name != "Lookup" || r.Axis("size") == "16KiB"
	}))
	if !strings.Contains(few, "extrapolated") {
		t.Error(few)
	}
	if c := skylineCharts(spots(designs(&results.Set{}), perDecade)); c != nil {
		t.Error("a chart of nothing")
	}
}

// The synthetic results have a map of which every place is held.
func TestSkylineOfAll(t *testing.T) {
	c := readSkyline(synthetic())
	if len(c.charts) != 1 || len(c.charts[0].Tiles) != 169 || len(c.tables[0].Rows) != 7 {
		t.Errorf("%d charts", len(c.charts))
	}
	if w := c.charts[0].Clean(); w != nil {
		t.Error(w)
	}
}

// A large number of keys at which few sizes were measured takes no size away.
func TestKeysOfRates(t *testing.T) {
	at := func(filter string, n float64, bits ...string) (cells []rate) {
		for _, b := range bits {
			cells = append(cells, rate{filter: filter, n: n, bits: b})
		}
		return cells
	}
	cells := slices.Concat(at("a", 1e6, "8", "10", "20"), at("a", 1e8, "8", "8", "8", "10"), at("b", 1e5, "8", "10"), at("b", 1e6, "8", "10"))
	if n := keysOfRates(cells); n["a"] != 1e6 || n["b"] != 1e6 {
		t.Errorf("%v, want a million each", n)
	}
}
