package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"filterbench/experiments/timing"
	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/filters/simd"
	"filterbench/results"

	"github.com/google/go-cmp/cmp"
)

// quickUnits are what an experiment plans for some specs.
func quickUnits(t *testing.T, e Experiment, specs ...string) []Unit {
	t.Helper()
	var list []filters.Spec
	for _, s := range specs {
		list = append(list, registry.Must(s))
	}
	units, err := e.Plan(Config{Profile: "quick", Seed: 1, Specs: list})
	if err != nil {
		t.Fatal(err)
	}
	return units
}

// stepsOf runs a unit and returns what it emits, step by step, until it has
// done so many steps.
func stepsOf(t *testing.T, u Unit, from, steps int) (all [][]results.Record) {
	t.Helper()
	enough := errors.New("enough")
	err := u.Run(t.Context(), from, func(step int, records []results.Record) error {
		if step != from+len(all) {
			t.Errorf("%s: step %d after %d from %d on", u.ID, step, len(all), from)
		}
		for _, r := range records {
			if err := r.Check(); err != nil {
				t.Error(err)
			}
		}
		if all = append(all, records); len(all) == steps {
			return enough
		}
		return nil
	})
	if err != nil && !errors.Is(err, enough) {
		t.Fatalf("%s: %v", u.ID, err)
	}
	return all
}

// What hitmix and scan count is the same on any number of CPUs, with kernels and
// without.
func TestQueryCountsRepeat(t *testing.T) {
	counted := func(procs int) (all []results.Record) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		for _, e := range []Experiment{HitMix, Scan} {
			for _, u := range quickUnits(t, e, "blocked") { // which has kernels
				if !u.Alone {
					all = append(all, stepsOf(t, u, 0, 1)[0]...)
				}
			}
		}
		return all
	}
	want := counted(1)
	if len(want) < 20 {
		t.Fatalf("%d records", len(want))
	}
	if diff := cmp.Diff(want, counted(4)); diff != "" {
		t.Errorf("4 CPUs: %s", diff)
	}
	restore := simd.Disable()
	defer restore()
	if diff := cmp.Diff(want, counted(2)); diff != "" {
		t.Errorf("without kernels: %s", diff)
	}
}

// A unit that is cancelled ends at once, and one that is resumed has the names of
// the first.
func TestQueryUnits(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, e := range []Experiment{HitMix, Latency, Threads, Scan} {
		units := quickUnits(t, e, "blocked", "set")
		seen := map[string]bool{}
		for _, u := range units {
			if seen[u.ID] || !strings.HasPrefix(u.ID, e.Name+"/") || u.Cost <= 0 || u.Bytes == 0 {
				t.Errorf("unit %+v", u)
			}
			seen[u.ID] = true
			err := u.Run(cancelled, 0, func(int, []results.Record) error { return nil })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: cancelled, it returns %v", u.ID, err)
			}
		}
		if names := fmt.Sprint(quickUnits(t, e, "blocked", "set")[0].ID); names != units[0].ID {
			t.Errorf("%s: a second plan has %s", e.Name, names)
		}
	}
}

// axisOfAll lists the values of an axis over records, each once.
func axisOfAll(records []results.Record, key string) (values []string) {
	for _, r := range records {
		if v := r.Axis(key); v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// sameNames reports whether two steps have the same records in the same order.
// Which reader the limits use, and whether a call is chained, a pilot decides.
func sameNames(a, b []results.Record) bool {
	plain := func(r results.Record) string {
		r.Axes = slices.DeleteFunc(slices.Clone(r.Axes), func(x results.Axis) bool {
			return slices.Contains([]string{"path", "distance", "chain"}, x.Key)
		})
		return r.FullName()
	}
	return slices.EqualFunc(a, b, func(x, y results.Record) bool { return plain(x) == plain(y) })
}

func TestHitMixTimes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	g := &mixTimes{size: 16 << 10, shares: map[float64][]float64{0: {0, 100}, 1: {0.1}}}
	d, err := designOfSize(registry.Must("blocked:block=64"), g.size)
	if err != nil {
		t.Fatal(err)
	}
	g.entries = []lookupEntry{{design: d, size: g.size}}
	first, second := stepsOf(t, g.unit(1), 0, 1)[0], stepsOf(t, g.unit(1), 9, 1)[0]
	if !sameNames(first, second) {
		t.Errorf("resumed: %v, at first %v", second, first)
	}
	for _, r := range first {
		positives, _ := r.Value("positives")
		lines, _ := r.Value("model-lines")
		share := r.Axis("hits") == "100"
		if lines != 1 || share != (positives == otherQueries) {
			t.Errorf("%s: %v lines, %v positives", r.FullName(), lines, positives)
		}
	}
	if got := axisOfAll(first, "hits"); !slices.Equal(got, []string{"0", "100", "0.1"}) {
		t.Errorf("shares %v", got)
	}
}

// A toy that confuses one key in 8 is right about s/(s+(1-s)/8) of what it says
// is there.
func TestPrecisionIsCounted(t *testing.T) {
	d := toyDesign(mixKeys, false, toy{confuses: func(key uint64) bool { return key*0x9e3779b97f4a7c15>>61 == 0 }})
	for _, zipf := range []float64{0, 1} {
		records, err := mixCell{d, zipf}.run(t.Context(), 3)
		if err != nil || len(records) != len(mixShares) {
			t.Fatalf("%d records, %v", len(records), err)
		}
		for i, r := range records {
			s := mixShares[i] / 100
			present, _ := r.Value("present")
			tp, _ := r.Value("tp")
			absent, _ := r.Value("queries")
			fp, _ := r.Value("fp")
			precision, ok := r.Value("precision")
			if want := math.Round(mixQueries*s) * mixFilters; present != want || tp != want || present+absent != mixQueries*mixFilters {
				t.Errorf("share %v: %v present, %v found, %v absent; want %v present", s, present, tp, absent, want)
			}
			if zipf > 0 { // few keys are most of the queries: no narrow interval
				continue
			}
			if sd := math.Sqrt(absent * 7 / 64); math.Abs(fp-absent/8) > 6*sd {
				t.Errorf("share %v: %v of %v confused, want an eighth", s, fp, absent)
			}
			if ok != (tp+fp > 0) || ok && precision != tp/(tp+fp) {
				t.Errorf("share %v: precision %v", s, precision)
			}
		}
	}
}

func TestGateHitMix(t *testing.T) {
	cell := func(tp, refused int) []results.Record {
		return []results.Record{record("Precision", axes("filter", "a"), "present", 100, "tp", tp, "refused", refused), record("HitMix", axes("filter", "a"), "ns/op", 1)}
	}
	for _, x := range []struct {
		tp, refused int
		want        bool
	}{{100, 0, true}, {99, 0, false}, {99, 1, true}} {
		if err := gateHitMix(cell(x.tp, x.refused)); (err == nil) != x.want {
			t.Errorf("%+v: %v", x, err)
		}
	}
}

// A slow structure is timed by itself, a fast one in chains, and both say so.
func TestLatencyRun(t *testing.T) {
	g := &latencyGroup{size: 16 << 10}
	sloth := family("sloth", func(f *filters.Family) {
		f.ForBits = func(_ filters.Spec, n uint64, _ float64) (filters.Design, error) {
			return filters.Design{N: n, SizeBits: 128 << 10, NewHashed: func() (filters.Hashed, error) { return &sloth{}, nil }}, nil
		}
	})
	for _, spec := range []filters.Spec{registry.Must("blocked:block=64"), sloth, registry.Must("set")} {
		d, err := designOfSize(spec, g.size)
		if err != nil {
			t.Fatal(err)
		}
		g.entries = append(g.entries, lookupEntry{design: d, size: g.size})
	}
	first, second := stepsOf(t, g.unit(1), 0, 1)[0], stepsOf(t, g.unit(1), 9, 1)[0]
	if !sameNames(first, second) || first[0].Name != "Clock" || len(first) != 6 {
		t.Errorf("resumed: %v, at first %v", second, first)
	}
	for _, r := range first {
		last := 0.
		for _, q := range quantiles {
			v, ok := r.Value(q.unit)
			if !ok || v < last {
				t.Errorf("%s: %s is %v after %v", r.FullName(), q.unit, v, last)
			}
			last = v
		}
		if p50, _ := r.Value("p50-ns"); r.Axis("filter") == "sloth" && (r.Axis("chain") != "1" || p50 < slothNanos*.99) {
			t.Errorf("%s: median %v", r.FullName(), p50)
		}
		if r.Axis("filter") == "set" && r.Axis("chain") == "1" && r.Axis("batch") != "1" {
			t.Errorf("%s", r.FullName())
		}
	}
}

// sloth takes its time.
type sloth struct{ parity }

const slothNanos = 2_000

func (s *sloth) ContainsHash(h uint64) bool {
	s.rest()
	return s.parity.ContainsHash(h)
}

func (s *sloth) ContainsHashes(h []uint64, out []uint64) int {
	s.rest()
	return s.parity.ContainsHashes(h, out)
}

func (s *sloth) rest() {
	for began := time.Now(); time.Since(began) < slothNanos; {
	}
}

func TestThreadsRun(t *testing.T) {
	if timing.Threads() < 2 {
		t.Skip("one CPU")
	}
	g := &threadsGroup{size: 16 << 10, threads: []int{1, 2}}
	for _, s := range []string{"blocked:block=64", "cuckoo"} {
		d, err := designOfSize(registry.Must(s), g.size)
		if err != nil {
			t.Fatal(err)
		}
		g.entries = append(g.entries, lookupEntry{design: d, size: g.size})
	}
	records := stepsOf(t, g.unit(1), 0, 1)[0]
	if len(records) != 6 { // no adds to a filter that counts its keys
		t.Fatalf("%d records", len(records))
	}
	for _, r := range records {
		e, ok := r.Value("efficiency")
		_, cpu := r.Value("cpu-ns/op")
		if !ok || r.Axis("threads") == "1" && e != 1 || !(e > 0) || cpu {
			t.Errorf("%s: efficiency %v, CPU time %v", r.FullName(), e, cpu)
		}
	}
	if n := records[3].Axis("n"); n != "6553" { // half of 13107 keys for each of two shards
		t.Errorf("a shard of %s keys", n)
	}
}

func TestThreadCounts(t *testing.T) {
	for most, want := range map[int][]int{1: {1}, 2: {1, 2}, 3: {1, 2, 3}, 8: {1, 2, 4, 8}, 12: {1, 2, 4, 8, 12}} {
		if got := threadCounts(most); !slices.Equal(got, want) {
			t.Errorf("%d CPUs: %v, want %v", most, got, want)
		}
	}
}

func TestSplit(t *testing.T) {
	list := []uint64{1, 2, 3, 4, 5, 6, 7}
	for parts := 1; parts <= 9; parts++ {
		got := split(list, parts)
		if joined := slices.Concat(got...); len(got) != parts || !slices.Equal(joined, list) {
			t.Errorf("%d parts: %v", parts, got)
		}
	}
}

// A scan looks at every key for one that is not there, and at half of them, on
// average, for one that is; a filter in front of it spares the former only.
func TestCages(t *testing.T) {
	d := toyDesign(cages, false, toy{confuses: func(key uint64) bool { return key*0x9e3779b97f4a7c15>>61 == 0 }})
	value := func(values []any, unit string) float64 {
		return number(values[slices.Index(values, any(unit))+1])
	}
	const asked = cageFilters * cageQueries
	absent, err := countCages(t.Context(), d, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	maybe := value(absent, "positives")
	if value(absent, "asked") != asked || value(absent, "opened") != asked*cages || value(absent, "opened-filtered") != maybe*cages {
		t.Errorf("absent: %v", absent)
	}
	if sd := math.Sqrt(asked * 7. / 64); math.Abs(maybe-asked/8) > 6*sd {
		t.Errorf("%v of %d confused, want an eighth", maybe, asked)
	}
	present, err := countCages(t.Context(), d, 1, true)
	if err != nil {
		t.Fatal(err)
	}
	if want := asked * (cages + 1) / 2.; value(present, "opened") != want || value(present, "opened-filtered") != want || value(present, "positives") != asked {
		t.Errorf("present: %v, want %v opened", present, want)
	}
}

// An exact set lists what it holds and rules out every empty range; a filter that
// says maybe to all leaves everything.
func TestCandidatesAndRanges(t *testing.T) {
	const members = 1_000
	for name, x := range map[string]struct {
		confuses           func(i uint64) bool // of the universe's key number i
		candidates, ranges float64
	}{
		"exact":          {nil, members, 0},
		"always maybe":   {func(uint64) bool { return true }, universe, rangesAsked},
		"one in 200":     {func(i uint64) bool { return i%200 == 0 }, members + (universe-members)/200, rangesAsked / 2},
		"two in a range": {func(i uint64) bool { return i%rangeLength < 2 }, members + (universe-members)/50, rangesAsked},
		"the first":      {func(i uint64) bool { return i == members }, members + 1, 1},
	} {
		// The seed moves where the sequence begins by a multiple of 2^41.
		d := toyDesign(members, false, toy{confuses: func(key uint64) bool { return does(x.confuses, key%(1<<41)) }})
		value := func(values []any, unit string) float64 { return number(values[slices.Index(values, any(unit))+1]) }
		listed, err1 := countCandidates(t.Context(), d, 1)
		asked, err2 := countRanges(t.Context(), d, 1)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if got := value(listed, "candidates"); got != x.candidates {
			t.Errorf("%s: %v candidates, want %v", name, got, x.candidates)
		}
		if got := value(asked, "ranges-maybe"); got != x.ranges {
			t.Errorf("%s: %v ranges are not ruled out, want %v", name, got, x.ranges)
		}
	}
}
