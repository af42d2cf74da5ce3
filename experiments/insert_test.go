package experiments

import (
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/filters/simd"
	"filterbench/filters/theory"
	"filterbench/results"
)

func allSpecs() Config { return Config{Profile: "quick", Seed: 1, Specs: registry.Defaults()} }

// A table as it fills up: what is taken and refused adds up to what is offered, no
// key is lost, and stretches are as long as in linear probing.
func TestFill(t *testing.T) {
	const slots = 1 << 16
	for _, text := range []string{cuckooTable, sortedTable, flagsTable, rankTable} {
		u, err := allSpecs().fillUnit(registry.Must(text), slots, 1)
		if err != nil {
			t.Fatal(err)
		}
		records := recordsOf(t, u)
		if len(records) != len(fillLoads) {
			t.Fatalf("%s: %d records", text, len(records))
		}
		asked, kicks := false, 0.0
		for i, r := range records {
			get := func(unit string) float64 {
				v, _ := r.Value(unit)
				return v
			}
			if get("accepted")+get("refused") != float64(slots*fillLoads[i]/100) {
				t.Errorf("%s: %v taken and %v refused", r.FullName(), get("accepted"), get("refused"))
			}
			if fn, ok := r.Value("fn"); ok {
				asked = true
				if fn != 0 {
					t.Errorf("%s: lost %v keys", r.FullName(), fn)
				}
			}
			kicks += get("kicks")
			load := float64(fillLoads[i]) / 100
			if n, ok := r.Value("stretches"); ok && load <= 0.9 {
				// Their mean over tables, within what a table's may differ: the number
				// of stretches has a standard deviation of less than its root.
				want := theory.QuotientStretch(load)
				if mean := get("accepted") / n; math.Abs(mean-want) > 5*want/math.Sqrt(n) {
					t.Errorf("%s: stretches of %.3f slots, theory says %.3f", r.FullName(), mean, want)
				}
			}
		}
		if !asked || registry.Must(text).Family.Name == "cuckoo" != (kicks > 0) {
			t.Errorf("%s: asked %v, %v kicks", text, asked, kicks)
		}
	}
}

// 110 % of 65,536 slots are offered (field cases 2 and 16): the first is refused
// at .955 to .97 of them, about 62,900 fit, and no key that was taken is lost.
func TestOverfullCuckooLosesNothing(t *testing.T) {
	const slots = 1 << 16
	before := fillLoads
	fillLoads = []uint64{95, 110}
	defer func() { fillLoads = before }()
	for _, text := range []string{"cuckoo:b=4,f=8,load=100", "cuckoo:b=4,f=12,load=100"} {
		spec := registry.Must(text)
		u, err := allSpecs().fillUnit(spec, slots, 1)
		if err != nil {
			t.Fatal(err)
		}
		last := recordsOf(t, u)[1]
		fn, ok := last.Value("fn")
		if refused, _ := last.Value("refused"); fn != 0 || !ok || refused < slots/10 {
			t.Errorf("%s: %v refused, %v lost", text, refused, fn)
		}
		u, err = allSpecs().refusalUnit(refusal{spec, slots, 5})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range recordsOf(t, u) {
			if load, _ := r.Value("first-load"); load < .955-.005 || load > .97+.005 {
				t.Errorf("%s: the first refusal at a load of %v", text, load)
			}
		}
	}
}

// Counts are the same with one CPU and with four, with kernels and without.
func TestCountsRepeat(t *testing.T) {
	c := Config{Profile: "quick", Seed: 7, Specs: []filters.Spec{registry.Must("bloom"), registry.Must("blocked"), registry.Must("cuckoo"), registry.Must("quotient")}}
	var units []Unit
	u, err := c.fillUnit(registry.Must(flagsTable), 1<<12, 1)
	if err != nil {
		t.Fatal(err)
	}
	units = append(units, u)
	if u, err = c.refusalUnit(refusal{registry.Must("cuckoo:b=4,f=12,load=100"), 1 << 12, 2}); err != nil {
		t.Fatal(err)
	}
	units = append(units, u)
	for _, spec := range c.Specs[:2] {
		units = append(units, spaceUnit(t, spec.String()))
		units = append(units, overloadUnits(t, spec.String())[0])
	}
	for _, u := range units {
		one := func(cpus int) []results.Record {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cpus))
			return recordsOf(t, u)
		}
		first := one(1)
		restore := simd.Disable()
		second := one(4)
		restore()
		if diff := cmp.Diff(first, second); diff != "" || len(first) == 0 {
			t.Errorf("%s repeats otherwise:\n%s", u.ID, diff)
		}
	}
}

// Every pass of a timed add finds the filter with as many keys as the first did
// (field case 24), and what is timed is what the name says.
func TestAddsFindTheSameFilter(t *testing.T) {
	c := allSpecs()
	for _, g := range []addGroup{c.addGroup(), c.buildGroup()} {
		for _, cell := range g.cells {
			if !cell.build && (cell.to != cell.slots*cell.load/100 || cell.from >= cell.to) {
				t.Errorf("%s: keys %d to %d at a load of %d", cell.design, cell.from, cell.to, cell.load)
			}
		}
		u := g.unit(1)
		stop, steps := errors.New("enough"), 0
		err := u.Run(t.Context(), 0, func(_ int, records []results.Record) error {
			if steps++; len(records) != len(g.cells) {
				t.Errorf("%d records of %d cells", len(records), len(g.cells))
			}
			for _, r := range records {
				if err := r.Check(); err != nil {
					t.Error(err)
				}
			}
			return stop
		})
		if !errors.Is(err, stop) || steps != 1 {
			t.Errorf("%s: %v", u.ID, err)
		}
	}
	spec := registry.Must(cuckooTable)
	d, err := tableOf(spec, 1<<10)
	if err != nil {
		t.Fatal(err)
	}
	f, err := d.NewHashed()
	if err != nil {
		t.Fatal(err)
	}
	hashes := randomHashes(500, 1)
	if _, err := f.AddHashes(hashes[:400]); err != nil {
		t.Fatal(err)
	}
	a := &adds{design: d, f: f, hashes: hashes[400:], state: f.(filters.Snapshotter).AppendState(nil)}
	for range 3 {
		a.restore()
		if a.f.Len() != 400 || a.pass() != 100 || a.f.Len() != 500 {
			t.Fatalf("%d keys after a pass", a.f.Len())
		}
	}
}
