package experiments

import (
	"math"
	"strconv"
	"testing"

	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/filters/theory"
	"filterbench/results"
	"filterbench/workloads"
)

// The texts' ten tables: what claims.md has of them, bit for bit, by the model
// that all families go through.
func TestLSMOfTheTexts(t *testing.T) {
	d, err := registry.Must("naive").ForFPR(1000, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	src, err := workloads.Open("textbook", 20_000, 0)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := newTree(t.Context(), d, src, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.free()
	keys := new(filters.Keys)
	src.Present(keys, 10_000, 20_000)
	absent := newGets(keys, func(int) int { return nowhere })
	present := presentGets(src, 1000, 10, 10_000)
	for _, g := range []*gets{absent, present} {
		if err := g.ask(t.Context(), tree, 10, nil); err != nil {
			t.Fatal(err)
		}
	}
	want := readTally{gets: 10_000, probes: 100_000, reads: 1004, withReads: 967, wrong: 1004}
	for _, early := range []bool{false, true} {
		if got := absent.tally(10_000, early); got != want {
			t.Errorf("absent: %+v, want %+v", got, want)
		}
	}
	want = readTally{gets: 10_000, probes: 100_000, reads: 10_904, withReads: 10_000, wrong: 904}
	if got := present.tally(10_000, false); got != want {
		t.Errorf("present: %+v, want %+v", got, want)
	}
	early := present.tally(10_000, true)
	if early.probes != 55_000 { // 1 to 10 tables, 5.5 on average
		t.Errorf("early: %d probes, want 55,000", early.probes)
	}
}

// value is a value that must be there.
func value(t *testing.T, r results.Record, unit string) float64 {
	t.Helper()
	v, ok := r.Value(unit)
	if !ok {
		t.Fatalf("%s has no %s", r.FullName(), unit)
	}
	return v
}

// lsmRecords runs the experiment twice.
func lsmRecords(t *testing.T, specs ...string) []results.Record {
	t.Helper()
	var chosen []filters.Spec
	for _, s := range specs {
		chosen = append(chosen, registry.Must(s))
	}
	return countedTwice(t, "lsm", func() []Unit {
		units, err := planLSM(Config{Profile: "quick", Seed: 1, Specs: chosen})
		if err != nil {
			t.Fatal(err)
		}
		return units
	})
}

// Reads are what theory says within five standard deviations: of the binomial,
// and of the filters, which differ. (All gets of one kind are of the same keys,
// whose answers by different filters are independent.)
func TestLSMReads(t *testing.T) {
	compared := 0
	for _, r := range lsmRecords(t, "bloom", "blocked:block=64", "cuckoo", "naive") {
		queries, probes, reads := value(t, r, "queries"), value(t, r, "probes"), value(t, r, "reads")
		if value(t, r, "saved") != probes-reads || value(t, r, "refused") != 0 || value(t, r, "queries-with-reads") > min(queries, reads) {
			t.Errorf("%s: %+v", r.FullName(), r.Values)
		}
		if r.Axis("says") != "no" && value(t, r, "lost-gets") != 0 {
			t.Errorf("%s: a filter has lost gets", r.FullName())
		}
		model, ok := r.Value("model-reads")
		if !ok {
			continue
		}
		compared++
		tables, _ := strconv.ParseFloat(r.Axis("tables"), 64)
		wrong := value(t, r, "false")
		expected := model - (reads - wrong)
		p := wrong / (probes - (reads - wrong))
		sd := math.Sqrt(expected*(1-p) + tables*math.Pow(value(t, r, "model-sd")*probes/tables, 2))
		if math.Abs(wrong-expected) > 5*sd+1e-9 {
			t.Errorf("%s: %v wrong reads, expected %.1f +- %.1f", r.FullName(), wrong, expected, sd)
		}
	}
	if compared < 80 {
		t.Errorf("only %d records are compared with a model", compared)
	}
}

// The question of the texts' third exercise. A lie of one per cent of the
// answers, to a key's own table, loses one per cent of the gets.
func TestLiars(t *testing.T) {
	found := map[string]float64{}
	for _, r := range lsmRecords(t, "bloom") {
		if r.Name == "Liar" {
			for _, unit := range []string{"lost-gets", "reads", "probes"} {
				found[r.Axis("says")+r.Axis("hits")+" "+unit] = value(t, r, unit)
			}
		}
	}
	for _, says := range []string{"truth", "maybe"} {
		if found[says+"100 lost-gets"] != 0 {
			t.Errorf("filters that say %s lose %v gets", says, found[says+"100 lost-gets"])
		}
	}
	if lost := found["no100 lost-gets"]; math.Abs(lost-100) > 5*math.Sqrt(99) {
		t.Errorf("filters that say no lose %v of 10,000 gets, want about 100", lost)
	}
	// 100,000 answers, 992 in a thousand of which were "no".
	more := found["maybe0 reads"] - found["truth0 reads"]
	if want := 1000 * (1 - theory.BloomExact(1000, 10_000, 7)); math.Abs(more-want) > 5*math.Sqrt(want) {
		t.Errorf("filters that say maybe cost %v reads more, want about %.0f", more, want)
	}
}

// Tables are asked in the same order by every get, so that the least recently
// used filter is always the next one: room for all but one is room for none.
func TestHeldFilters(t *testing.T) {
	for held, want := range map[int]uint64{0: 1000, 5: 1000, 9: 1000, 10: 10} {
		if loads, err := heldFilters(100, 10, held); err != nil || loads != want {
			t.Errorf("%d of 10 in memory: %d loads, %v; want %d", held, loads, err, want)
		}
	}
	if _, err := heldFilters(1, 10, 11); err == nil {
		t.Error("11 of 10 filters are in memory")
	}
}

// Every family that can be sized is measured, and each record has its cell.
func TestLSMPlan(t *testing.T) {
	for _, profile := range []string{"quick", "full"} {
		units, err := planLSM(Config{Profile: profile, Seed: 1, Specs: registry.Defaults()})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, u := range units {
			if seen[u.ID] || u.Alone || u.Steps != 1 || u.Cost <= 0 || u.Bytes > 1<<30 {
				t.Errorf("%s: %+v", u.ID, u)
			}
			seen[u.ID] = true
		}
		if len(units) < 15 {
			t.Errorf("%s: only %d units", profile, len(units))
		}
	}
	units, err := planLSM(Config{Profile: "quick", Specs: []filters.Spec{registry.Must("set")}})
	if err != nil || len(units) != 0 {
		t.Errorf("an exact set makes %d units, %v", len(units), err)
	}
}
