package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"filterbench/results"
)

// opsWorld is made-up records of one experiment: each cell's time as a multiple
// of the limit's, which moves from round to round by a factor of up to two, as on a
// busy machine.
type opsWorld struct {
	experiment, record string
	rounds             int
	cells              []opsSpec
	noise              float64
}

type opsSpec struct {
	filter, size, api, op, pages string
	x                            float64
	n, bits                      string
}

func (w opsWorld) set(config ...results.ConfigLine) *results.Set {
	rng := rand.New(rand.NewPCG(9, 6))
	var records []results.Record
	for range w.rounds {
		drift := 1 + rng.Float64()
		for _, c := range w.cells {
			ns := 5 * drift * c.x * math.Exp(w.noise*rng.NormFloat64())
			r := rec(w.record, "filter", c.filter, "size", c.size, "api", c.api, "op", c.op, "keys", "random", "bits", "10", "n", "1000", "pages", c.pages)
			if c.n != "" {
				r = rec(w.record, "filter", c.filter, "size", c.size, "api", c.api, "op", c.op, "keys", "random", "bits", c.bits, "n", c.n, "pages", c.pages)
			}
			records = append(records, with(r, "ns/op", 1.1*ns, "cpu-ns/op", ns, "x-limit", ns/(5*drift), "disturbed", 0))
		}
	}
	return &results.Set{Files: []results.File{{Experiment: w.experiment, Config: config, Records: records}}}
}

// kernelsWorld meets every goal but two.
func kernelsWorld() opsWorld {
	w := opsWorld{experiment: "kernels", record: "Kernel", rounds: 10, noise: .002}
	add := func(filter, size, api, op, pages string, x float64) {
		w.cells = append(w.cells, opsSpec{filter: filter, size: size, api: api, op: op, pages: pages, x: x})
	}
	for _, size := range []string{"256KiB", "16MiB", "256MiB"} {
		pages := []string{"huge", "small"}
		if size == "256KiB" {
			pages = []string{"heap"}
		}
		for _, p := range pages {
			add("blocked:block=64,k=auto,kernel=auto", size, "hash", "absent", p, 1.08)
			add("splitblock:kernel=auto", size, "hash", "absent", p, 1.3) // too slow beyond the L2
			add("cuckoo:b=4", size, "hash", "absent", p, 2)
			add("cuckoo:b=4", size, "key", "absent", p, 2.2)
		}
		add("blocked:block=64,k=auto,kernel=auto", size, "hash", "add", pages[0], 1.4)
		add("bloom:k=auto", size, "hash", "absent", pages[0], 2.4)
		add("counting", size, "hash", "absent", pages[0], 2.9) // too slow
		add("quotient:layout=rank,load=90", size, "hash", "absent", pages[0], 2.8)
		add("peer-parquet", size, "hash", "absent", "heap", 6)
		add("peer-blobloom", size, "hash", "absent", "heap", 5)
		add("peer-seiflotfy", size, "key", "absent", "heap", 9.5)
		add("peer-linvon", size, "key", "absent", "heap", 30)
	}
	w.cells = append(w.cells, opsSpec{"blocked:block=64,k=auto,kernel=auto", "1500032", "hash", "absent", "heap", 2, "1000000", "12"})
	return w
}

func verdicts(set *results.Set) map[string]string {
	found := map[string]string{}
	for _, row := range Targets(set).Rows {
		found[row[0]+" / "+row[1]] = row[5] + " " + row[3]
	}
	return found
}

func TestTargets(t *testing.T) {
	got := verdicts(kernelsWorld().set())
	for what, want := range map[string]string{
		"blocked, lookups of absent keys, 256 KiB / line read":                             "met 1.08×",
		"blocked, lookups of absent keys, 256 MiB / line read":                             "met 1.08×",
		"splitblock, lookups of absent keys, 16 MiB / line read":                           "missed 1.3",
		"splitblock, lookups of absent keys, 256 KiB / line read":                          "met 1.3",
		"blocked, lookups of absent keys, 256 KiB / parquet-go":                            "met 5.5",
		"blocked, lookups of absent keys, 256 MiB / the fastest Go peer":                   "met 4.6",
		"splitblock, lookups of absent keys, 256 MiB / the fastest Go peer":                "met 3.8",
		"cuckoo, lookups of absent keys, 16 MiB / the fastest Go cuckoo, hashing included": "met 4.3",
		"counting, lookups of absent keys, 256 MiB / line read":                            "missed 2.9",
		"quotient, lookups of absent keys, 256 MiB / line read":                            "met 2.8",
		"blocked, adds, 256 MiB / line read":                                               "met 1.4",
		"blocked, 1M keys at 12 bits, lookups of absent keys: 14.8 ns / line read":         "no target 2.0",
	} {
		if strings.Contains(what, "14.8") { // its time is random
			continue
		}
		if !strings.HasPrefix(got[what], want) {
			t.Errorf("%s: %q, want %q", what, got[what], want)
		}
	}
	if rows := Targets(kernelsWorld().set()).Rows; len(rows) != len(goals)+1 || rows[len(rows)-1][5] != "no target" {
		t.Errorf("%d rows for %d goals and one record", len(rows), len(goals))
	}
}

// On both sides of the line, in the noise, and with what is missing.
func TestTargetVerdicts(t *testing.T) {
	const what = "blocked, lookups of absent keys, 256 MiB / line read"
	const peer = "blocked, lookups of absent keys, 256 MiB / the fastest Go peer"
	change := func(f func(c *opsSpec)) opsWorld {
		w := kernelsWorld()
		for i := range w.cells {
			f(&w.cells[i])
		}
		return w
	}
	is := func(c *opsSpec, filter string) bool { return family(c.filter) == filter && c.size == "256MiB" }
	times := func(filter string, x float64) func(c *opsSpec) {
		return func(c *opsSpec) {
			if is(c, filter) && c.op == "absent" {
				c.x = x
			}
		}
	}
	drop := func(filter string) func(c *opsSpec) {
		return func(c *opsSpec) {
			if is(c, filter) {
				c.size = "255MiB"
			}
		}
	}
	noisy := change(times("blocked", 1.15))
	noisy.noise = .1
	few := kernelsWorld()
	few.rounds = 3
	always := results.ConfigLine{Key: "thp", Value: "always"}
	for _, c := range []struct {
		name, what, want string
		set              *results.Set
	}{
		{"below", what, "met", change(times("blocked", 1.12)).set()},
		{"above", what, "missed", change(times("blocked", 1.18)).set()},
		{"in the noise", what, "not told apart", noisy.set()},
		{"few rounds", what, "too few rounds", few.set()},
		{"missing", what, "not measured", change(drop("blocked")).set()},
		{"faster peer", peer, "missed", change(times("peer-blobloom", 3)).set()},
		{"what nothing could reach", peer, "missed; the limit is at 3.0", change(times("peer-blobloom", 3)).set()},
		{"a peer is missing", peer, "not measured", change(drop("peer-parquet")).set()},
		{"a heap of huge pages", peer, "met", kernelsWorld().set(always)},
	} {
		if got := verdicts(c.set)[c.what]; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	// A machine that slows down from round to round changes no ratio of pairs.
	got := verdicts(kernelsWorld().set())[peer]
	if !strings.HasPrefix(got, "met 4.6") {
		t.Errorf("5/1.08 of pairs is %q", got)
	}
	if len(Targets(&results.Set{}).Rows) > 0 {
		t.Error("targets without records")
	}
}

func TestOpsTitles(t *testing.T) {
	pages := opsWorld{experiment: "pages", record: "Pages", rounds: 10, noise: .01}
	add := func(x float64, filter string, small float64) {
		pages.cells = append(pages.cells, opsSpec{filter: filter, size: "16MiB", api: "hash", op: "absent", pages: "huge", x: x},
			opsSpec{filter: filter, size: "16MiB", api: "hash", op: "absent", pages: "small", x: x * small})
	}
	add(2.5, "bloom", 1.4)
	add(1.1, "blocked", 1.1)
	equal := pages
	equal.cells = slices.Clone(pages.cells)
	for i := range equal.cells {
		equal.cells[i].x = 1
	}
	without := func(w opsWorld, drop func(c opsSpec) bool) *results.Set {
		w.cells = slices.DeleteFunc(slices.Clone(w.cells), drop)
		return w.set()
	}
	noisy := func(w opsWorld) *results.Set { w.noise = .1; return w.set() }
	none := func(opsSpec) bool { return false }
	for _, c := range []struct {
		name, chart string
		set         *results.Set
		want        string
	}{
		{"told apart", "kernels", kernelsWorld().set(), "At 256 MiB blocked comes nearest to the memory's limit: 1.1 times its time; peer-linvon takes 30"},
		{"quick", "kernels", without(kernelsWorld(), func(c opsSpec) bool { return c.size != "16MiB" || c.filter[0] == 'p' }), "At 16 MiB blocked comes nearest to the memory's limit: 1.1 times its time; counting takes 2.9"},
		{"one filter", "kernels", without(kernelsWorld(), func(c opsSpec) bool { return family(c.filter) != "bloom" }), "At 256 MiB bloom comes nearest to the memory's limit: 2.4 times its time"},
		{"not told apart", "kernels", noisy(kernelsWorld()), "At 256 MiB blocked and splitblock come nearest to the memory's limit: "},
		{"told apart", "pages", without(pages, none), "At 16 MiB a batch takes blocked 1.1 times as long on small pages, bloom 1.4 times"},
		{"alike", "pages", without(pages, func(c opsSpec) bool { return c.filter == "bloom" }), "At 16 MiB a batch takes 1.1 times as long on small pages"},
		{"no difference", "pages", noisy(equal), "At 16 MiB small pages cost batches nothing that these rounds would show"},
	} {
		if got := titles(c.set)[c.chart]; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s, %s: %q, want %q", c.chart, c.name, got, c.want)
		}
	}
	if got := titles(without(pages, func(c opsSpec) bool { return c.pages == "small" })); len(got) > 0 {
		t.Errorf("one kind of pages gives charts: %q", got)
	}
}

// What records of a hostile file may hold makes no chart fail, and what cannot be
// a time is counted as left out.
func TestHostileOps(t *testing.T) {
	w := kernelsWorld().set()
	set := doctor(w, func(r *results.Record) bool {
		switch r.Axis("filter") {
		case "bloom:k=auto":
			r.Axes = slices.DeleteFunc(r.Axes, func(a results.Axis) bool { return a.Key == "size" })
		case "counting":
			scale(r, -1, "cpu-ns/op", "ns/op")
		case "peer-parquet":
			r.Values = r.Values[:1]
		}
		return true
	})
	c := readKernels(set)
	if c.unusable != 9*10 {
		t.Errorf("%d records are left out", c.unusable)
	}
	if verdicts(set)["counting, lookups of absent keys, 256 MiB / line read"] != "not measured –" {
		t.Error("a negative time is judged")
	}
	for _, e := range []string{"pages", "ladder"} {
		w.Files[0].Experiment = e
		analyse(w)
	}
}
