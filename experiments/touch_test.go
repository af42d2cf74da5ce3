package experiments

import (
	"bytes"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"filterbench/experiments/cachesim"
	"filterbench/experiments/counters"
	"filterbench/filters"
	"filterbench/filters/machine"
	"filterbench/filters/registry"
	"filterbench/filters/simd"
	"filterbench/filters/theory"
	"filterbench/results"
)

// touchRecords runs the smallest cells of a few families.
func touchRecords(t *testing.T, size uint64, specs ...string) (all []results.Record) {
	t.Helper()
	for _, text := range specs {
		d, err := designOfSize(registry.Must(text), size)
		if err != nil {
			t.Fatal(err)
		}
		records, err := touchCell{d, size, "10", cachesim.Fixed, false}.run(t.Context(), Config{Seed: 7})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, records...)
	}
	return all
}

func valueOf(t *testing.T, r results.Record, unit string) float64 {
	t.Helper()
	v, ok := r.Value(unit)
	if !ok {
		t.Fatalf("%s: no %s", r.FullName(), unit)
	}
	return v
}

// What operations touch is what the designs say, and the misses of one random
// line a lookup are those of the caches' share of the memory.
func TestTouchAgainstTheory(t *testing.T) {
	const size = 2 << 20
	for _, r := range touchRecords(t, size, "bloom", "blocked:block=64", "splitblock", "counting", "cuckoo") {
		if err := r.Check(); err != nil {
			t.Error(err)
		}
		lines, ops := valueOf(t, r, "lines"), valueOf(t, r, "ops")
		mean := lines / ops
		sd := math.Sqrt(max(0, valueOf(t, r, "lines-sq")/ops-mean*mean) / ops)
		if valueOf(t, r, "lines/op") != mean || valueOf(t, r, "pages/op") > mean || valueOf(t, r, "loads/op") < mean {
			t.Errorf("%s: the means are not those of the sums: %v", r.FullName(), r.Values)
		}
		if model, ok := r.Value("model-lines"); ok != (r.Axis("op") != "add") || ok && math.Abs(model-mean) > 5*sd+1e-9 {
			t.Errorf("%s: %v lines, the design says %v", r.FullName(), mean, model)
		}
		if valueOf(t, r, "l3-misses/op") != 0 {
			t.Errorf("%s: misses in a level that holds the whole filter", r.FullName())
		}
		if mean != 1 {
			continue // lines of one operation are not independent of each other
		}
		for level, unit := range []string{"l1-misses/op", "l2-misses/op"} {
			want := theory.UniformMisses(cachesim.Fixed[level].Bytes, size)
			if got := valueOf(t, r, unit); math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/ops) {
				t.Errorf("%s: %s are %v, want %v", r.FullName(), unit, got, want)
			}
		}
	}
}

// A filter inside the first level misses nothing once it is there.
func TestTouchInsideTheCache(t *testing.T) {
	for _, r := range touchRecords(t, 16<<10, "bloom", "quotient", "leveldb") {
		if m := valueOf(t, r, "l1-misses/op"); m != 0 {
			t.Errorf("%s: %v misses", r.FullName(), m)
		}
	}
}

// The counts are the seed's, whatever runs beside them and whichever kernels
// answer.
func TestTouchRepeats(t *testing.T) {
	specs := []string{"bloom", "blocked:block=64", "cuckoo", "quotient", "guava"}
	counted := func() []byte {
		return results.CountedBytes(results.File{Experiment: "touch", Records: touchRecords(t, 32<<10, specs...)})
	}
	first := counted()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer simd.Disable()()
	if second := counted(); !bytes.Equal(first, second) {
		t.Errorf("with one CPU and no kernels:\n%s\nbefore:\n%s", second, first)
	}
}

// Both profiles plan what the claims read and nothing twice; families that name
// no lines are left out, and what is this machine's says so.
func TestTouchPlan(t *testing.T) {
	for _, profile := range []string{"quick", "full"} {
		units, err := planTouch(Config{Profile: profile, Seed: 1, Specs: registry.Defaults()})
		if err != nil {
			t.Fatal(err)
		}
		ids := Part{Touch, units}.IDs()
		for _, want := range []string{"bloom:index=range,step=enhanced,k=8,kernel=auto/size=2MiB/", "blocked:block=64,k=auto,kernel=auto/size=4MiB/"} {
			if !slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(id, "touch/Touch/filter="+want) }) {
				t.Errorf("%s: no %s", profile, want)
			}
		}
		for i, id := range ids {
			if strings.Contains(id, "peer-") || slices.Contains(ids[:i], id) {
				t.Errorf("%s: %s", profile, id)
			}
			if here := strings.Contains(id, "TouchHere"); here != strings.Contains(id, "sampled=yes") {
				t.Errorf("%s: %s", profile, id)
			}
		}
		if s := (Part{Touch, units}).Time(2).Seconds(); profile == "quick" && s > 3 || s > 90 {
			t.Errorf("%s: %.1f s are planned", profile, s)
		}
	}
}

func TestTouchIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	units, err := planTouch(Config{Seed: 1, Specs: []filters.Spec{registry.Must("bloom")}})
	if err != nil {
		t.Fatal(err)
	}
	if err := units[0].Run(ctx, 0, func(int, []results.Record) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Unknown caches make no geometry, and half of a set no cache (field case 29).
func TestGeometryOf(t *testing.T) {
	level := func(size uint64, from machine.Source) machine.Cache { return machine.Cache{Size: size, Source: from} }
	for _, c := range []struct {
		m    machine.Info
		want string
	}{
		{machine.Info{L1d: level(48<<10, machine.Sysfs), L2: level(2<<20, machine.CPUID), L3: level(300<<20, machine.Sysfs), Ways: [3]int{12, 16, 20}},
			"48KiB.12+2MiB.16+300MiB.20"},
		{machine.Info{L1d: level(32<<10, machine.CPUID), L2: level(1<<20, machine.CPUID), L3: level(32<<20, machine.Default)}, "32KiB.8+1MiB.8"},
		{machine.Info{L1d: level(32<<10, machine.Default)}, ""},
		{machine.Info{L1d: level(100, machine.Sysfs), Ways: [3]int{8, 8, 8}}, ""},
		{machine.Info{L1d: level(48<<10+100, machine.Sysfs), Ways: [3]int{12}}, "48KiB.12"},
	} {
		if got := geometryOf(c.m).String(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.m, got, c.want)
		}
	}
}

// Where there are counters, each round has what they counted, for each lookup.
func TestRunCounters(t *testing.T) {
	d, err := designOfSize(registry.Must("blocked:block=64"), 16<<10)
	if err != nil {
		t.Fatal(err)
	}
	cell := touchCell{d, 16 << 10, "10", cachesim.Fixed, true}
	calls, steps := uint64(0), 0
	count := func(do func()) (counters.Counts, error) {
		do()
		calls++
		return counters.Counts{L1Misses: calls * headlineQueries, LastMisses: headlineQueries / 2}, nil
	}
	err = cell.runCounters(t.Context(), Config{Seed: 1}, count, 3, func(step int, records []results.Record) error {
		for i, op := range []string{"absent", "present"} {
			r := records[i]
			if err := r.Check(); err != nil {
				t.Error(err)
			}
			if want := float64(2*steps + i + 1); r.Axis("op") != op || step != 3+steps ||
				valueOf(t, r, "counted-l1-misses/op") != want || valueOf(t, r, "counted-last-misses/op") != 0.5 {
				t.Errorf("step %d: %v", step, r)
			}
		}
		steps++
		return nil
	})
	if err != nil || steps != counterRounds-3 {
		t.Errorf("%d steps, %v", steps, err)
	}
	failed := errors.New("no")
	count = func(func()) (counters.Counts, error) { return counters.Counts{}, failed }
	if err := cell.runCounters(t.Context(), Config{Seed: 1}, count, 0, nil); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
}
