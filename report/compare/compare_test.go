package compare

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"filterbench/results"
)

// machine is the configuration of a made-up CPU.
func machine(cpu string, more ...string) []results.ConfigLine {
	config := []results.ConfigLine{{Key: "schema", Value: results.SchemaVersion}, {Key: "cpu", Value: cpu}, {Key: "seed", Value: "1"}}
	for i := 0; i < len(more); i += 2 {
		config = append(config, results.ConfigLine{Key: more[i], Value: more[i+1]})
	}
	return config
}

// lookups are n rounds of the filters' times with noise of a few per mille, beside a
// limit of 2 ns and 10 twins that differ from their cell by the factor twin.
func lookups(rng *rand.Rand, n int, twin float64, ns map[string]float64) (records []results.Record) {
	add := func(name string, axes string, ns float64) {
		for range n {
			r := results.Record{Name: name, Iters: 1000}
			for _, a := range strings.Fields(axes) {
				k, v, _ := strings.Cut(a, "=")
				r.Axes = append(r.Axes, results.Axis{Key: k, Value: v})
			}
			t := ns * (1 + 0.003*rng.NormFloat64())
			r.Values = []results.Value{{Unit: "ns/op", V: t}, {Unit: "x-limit", V: t / 2}}
			if name == "Lookup" {
				r.Values = append(r.Values, results.Value{Unit: "positives", V: 7})
			}
			records = append(records, r)
		}
	}
	const axes = "filter=%s size=1MiB api=hash mode=batch hits=0"
	for _, f := range []string{"bloom:k=7", "blocked:k=6", "cuckoo"} {
		if ns[f] > 0 {
			add("Lookup", fmt.Sprintf(axes, f), ns[f])
		}
	}
	for i := range 10 {
		add("Twin", fmt.Sprintf(axes+" twin=%d", "bloom:k=7", i+1), ns["bloom:k=7"]*twin)
	}
	return records
}

func set(dir string, config []results.ConfigLine, files map[string][]results.Record) *results.Set {
	s := &results.Set{Dir: dir}
	for _, name := range []string{"fpr", "lookup"} {
		if files[name] != nil {
			s.Files = append(s.Files, results.File{Experiment: name, Config: config, Records: files[name]})
		}
	}
	return s
}

func rates(fp float64) []results.Record {
	return []results.Record{{Name: "FPR", Iters: 1, Axes: []results.Axis{{Key: "filter", Value: "bloom:k=7"}, {Key: "n", Value: "1000"}},
		Values: []results.Value{{Unit: "fp", V: fp}, {Unit: "queries", V: 10000}, {Unit: "model-fpr", V: fp / 1e4}}}}
}

var base = map[string]float64{"bloom:k=7": 20, "blocked:k=6": 10, "cuckoo": 15}

func changed(filter string, factor float64) map[string]float64 {
	out := map[string]float64{}
	for f, ns := range base {
		out[f] = ns
	}
	out[filter] *= factor
	return out
}

func verdictOf(t *testing.T, c *Comparison, filter string) Cell {
	t.Helper()
	for _, r := range c.table("Lookup", "ns/op").Rows {
		if axisOf(r.Name, "filter") == filter {
			return r.Cells[1]
		}
	}
	t.Fatalf("no row of %s", filter)
	return Cell{}
}

func TestTimesOfOneCPU(t *testing.T) {
	tests := []struct {
		name    string
		n       int // rounds of the new run
		twin    float64
		ns      map[string]float64
		verdict Verdict // of blocked
		code    int
	}{
		{"nothing changed", 10, 1, base, Unchanged, NoChange},
		{"a regression", 10, 1, changed("blocked:k=6", 1.2), Worse, Regression},
		{"an improvement", 10, 1, changed("blocked:k=6", 0.8), Better, NoChange},
		{"significant, but below the threshold", 10, 1, changed("blocked:k=6", 1.03), Unchanged, NoChange},
		{"below the noise floor", 10, 1.3, changed("blocked:k=6", 1.2), Unchanged, NoChange},
		{"beyond the noise floor", 10, 1.1, changed("blocked:k=6", 1.2), Worse, Regression},
		{"too few samples are not the same", 3, 1, changed("blocked:k=6", 2), TooFew, NoChange},
	}
	for _, tt := range tests {
		rng := rand.New(rand.NewPCG(1, 2))
		old := set("old", machine("A"), map[string][]results.Record{"lookup": lookups(rng, 10, 1, base)})
		now := set("new", machine("A"), map[string][]results.Record{"lookup": lookups(rng, tt.n, tt.twin, tt.ns)})
		c, err := Compare([]*results.Set{old, now}, Options{Threshold: 0.05})
		if err != nil {
			t.Fatal(err)
		}
		if got := verdictOf(t, c, "blocked:k=6"); got.Verdict != tt.verdict || c.Code != tt.code || !c.OneCPU {
			t.Errorf("%s: %q (ratio %.3f, p %.2g), exit %d; want %q and %d", tt.name, got.Verdict, got.Ratio, got.Adjusted, c.Code, tt.verdict, tt.code)
		}
	}
}

// Twenty comparisons of a thing with itself find nothing, at any noise.
func TestNothingIsFoundInTheSame(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		a := set("a", machine("A"), map[string][]results.Record{"lookup": lookups(rng, 10, 1, base)})
		b := set("b", machine("A"), map[string][]results.Record{"lookup": lookups(rng, 10, 1, base)})
		c, err := Compare([]*results.Set{a, b}, Options{Threshold: 0.05})
		if err != nil || c.Code != NoChange {
			t.Errorf("seed %d: exit %d, %v: %s", seed, c.Code, err, c.Conclusion())
		}
	}
}

// Times of two CPUs are never better or worse, however far apart.
func TestCPUsCompareByShape(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	slow := map[string]float64{"bloom:k=7": 60, "blocked:k=6": 70}
	a := set("a", machine("A"), map[string][]results.Record{"lookup": lookups(rng, 10, 1, base), "fpr": rates(80)})
	b := set("b", machine("B"), map[string][]results.Record{"lookup": lookups(rng, 10, 1, slow), "fpr": rates(80)})
	c, err := Compare([]*results.Set{a, b}, Options{Threshold: 0.05})
	if err != nil || c.OneCPU || c.Code != NoChange || c.Counted.Compared == 0 {
		t.Fatalf("%+v, %v", c, err)
	}
	shapes := c.Shapes()
	if len(shapes) != 2 {
		t.Fatalf("%d shapes, want those of the two filters that both have", len(shapes))
	}
	for _, s := range shapes {
		first, second := s.Places[0], s.Places[1]
		if s.Filter == "blocked:k=6" && (first.Rank != 1 || second.Rank != 2 || first.Speedup < 1.9 || second.Speedup > 0.9) {
			t.Errorf("blocked: %+v", s)
		}
		if first.XLimit == 0 || second.Of != 2 {
			t.Errorf("%+v", s)
		}
	}
	for _, form := range Formats {
		var out bytes.Buffer
		if err := c.Write(&out, form); err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"regress", "worse than", "slower"} {
			if strings.Contains(out.String(), bad) {
				t.Errorf("%s says %q of times of two CPUs:\n%s", form, bad, &out)
			}
		}
	}
}

func TestCountsMustBeEqual(t *testing.T) {
	two := func(fp float64, more ...string) *results.Set {
		return set("b", machine("B", more...), map[string][]results.Record{"fpr": rates(fp)})
	}
	a := set("a", machine("A"), map[string][]results.Record{"fpr": rates(80)})
	c, err := Compare([]*results.Set{a, two(80)}, Options{})
	if err != nil || c.Code != NoChange || c.Counted.Compared != 1 {
		t.Errorf("equal counts: %+v, %v", c, err)
	}
	c, err = Compare([]*results.Set{a, two(81)}, Options{})
	if err != nil || c.Code != Regression || !strings.Contains(c.Counted.Differs, "FPR/filter=bloom:k=7/n=1000") {
		t.Errorf("a count that differs: %+v, %v", c, err)
	}
	full := two(81)
	full.Files[0].Config = append(full.Files[0].Config, results.ConfigLine{Key: "profile", Value: "full"})
	if c, err = Compare([]*results.Set{a, full}, Options{}); err == nil {
		t.Errorf("other profiles, and nothing else in common: %+v", c)
	}
	slow := map[string]float64{}
	for name, ns := range base {
		slow[name] = 4 * ns
	}
	timed := func(ns map[string]float64, more ...string) *results.Set {
		return set(fmt.Sprint("timed", more), machine("A", more...), map[string][]results.Record{"lookup": lookups(rand.New(rand.NewPCG(1, 2)), 10, 1, ns)})
	}
	if c, err = Compare([]*results.Set{timed(base), timed(slow)}, Options{}); err != nil || c.Code != Regression {
		t.Errorf("four times as long in one profile: %+v, %v", c, err)
	}
	c, err = Compare([]*results.Set{timed(base), timed(slow, "profile", "full")}, Options{})
	if err != nil || c.Code != NoChange || !c.OneCPU || !strings.Contains(c.Conclusion(), "the profiles differ, so neither times nor counts compare") {
		t.Errorf("four times as long in another profile: %+v, %v", c, err)
	}
	other := two(81)
	other.Files[0].Config[2].Value = "2"
	if c, err = Compare([]*results.Set{a, other}, Options{}); err == nil {
		t.Errorf("other seeds, and nothing else in common: %+v", c)
	}
}

func TestNothingInCommon(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a := set("a", machine("A"), map[string][]results.Record{"fpr": rates(80)})
	b := set("b", machine("A"), map[string][]results.Record{"lookup": lookups(rng, 10, 1, base)})
	for _, sets := range [][]*results.Set{{a, b}, {a}, nil} {
		if c, err := Compare(sets, Options{}); err == nil {
			t.Errorf("%d sets: %+v", len(sets), c)
		}
	}
}

// A mean over rows that one run lacks would compare different things: it is over
// those that all have, and what is missing is said.
func TestMeanIsOverCommonRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	less := changed("bloom:k=7", 2)
	delete(less, "cuckoo")
	a := set("a", machine("A"), map[string][]results.Record{"lookup": lookups(rng, 10, 1, base)})
	b := set("b", machine("A"), map[string][]results.Record{"lookup": lookups(rng, 10, 1, less)})
	c, err := Compare([]*results.Set{a, b}, Options{Threshold: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	lookup := c.table("Lookup", "ns/op")
	if lookup.Common != 2 || lookup.Geomean[1] < 1.40 || lookup.Geomean[1] > 1.43 { // the root of 2
		t.Errorf("mean %v over %d", lookup.Geomean, lookup.Common)
	}
	if !strings.Contains(strings.Join(c.Notes, "\n"), "lacks 1 of the 3 cells") {
		t.Errorf("notes %q", c.Notes)
	}
}

func TestFormats(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a := set("x/run", machine("A"), map[string][]results.Record{"lookup": lookups(rng, 10, 1, base)})
	b := set("y/run", machine("A"), map[string][]results.Record{"lookup": lookups(rng, 10, 1, changed("cuckoo", 3))})
	c, err := Compare([]*results.Set{a, b}, Options{Threshold: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c.Write(&out, "json")
	var d document
	if err := json.Unmarshal(out.Bytes(), &d); err != nil || d.Exit != Regression || len(d.Tables) == 0 || d.Runs[0] != "x/run" {
		t.Errorf("json: %v\n%s", err, &out)
	}
	out.Reset()
	c.Write(&out, "csv")
	lines, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(lines) != 1+2*3*2 { // two units of three cells in two runs
		t.Errorf("csv: %d lines, %v", len(lines), err)
	}
	for _, form := range []string{"text", "md"} {
		out.Reset()
		c.Write(&out, form)
		if !strings.Contains(out.String(), "1 worse") || !strings.Contains(out.String(), "+199.6%") {
			t.Errorf("%s:\n%s", form, &out)
		}
	}
}
