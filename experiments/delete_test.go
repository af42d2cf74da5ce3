package experiments

import (
	"context"
	"math"
	"strings"
	"testing"

	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/filters/theory"
	"filterbench/results"
)

func deletePlan(t *testing.T, profile string, specs ...filters.Spec) []Unit {
	t.Helper()
	units, err := planDelete(Config{Profile: profile, Seed: 1, Specs: specs})
	if err != nil {
		t.Fatal(err)
	}
	return units
}

// counting are the units that count.
func counting(units []Unit) (out []Unit) {
	for _, u := range units {
		if !u.Alone {
			out = append(out, u)
		}
	}
	return out
}

// Filters that can delete are found out, not listed.
func TestDeletes(t *testing.T) {
	for spec, want := range map[string]bool{
		"counting": true, "counting:counter=8": true, "cuckoo": true, "cuckoo:semisort=yes": true, "quotient": true,
		"quotient:layout=flags": true, "bloom": false, "blocked": false, "naive": false, "set": false, "peer-xor8": false,
	} {
		if got := deletes(registry.Must(spec)); got != want {
			t.Errorf("%s deletes: %v", spec, got)
		}
	}
}

// What is deleted though it was never added (field case 4): removals and losses
// are those that theory gives for a cuckoo filter of 8-bit fingerprints, within
// five standard deviations of so many filters.
func TestDeleteAbsent(t *testing.T) {
	d, err := registry.Must("cuckoo:f=8,load=90").ForBits(absentKeys, roundUp(8/.9))
	if err != nil {
		t.Fatal(err)
	}
	buckets, _ := d.Param("buckets")
	for deletes, rough := range map[uint64]float64{1_000: 28, 10_000: 278, 100_000: 2_730} {
		const built = 5
		removed, lost, err := tally(t.Context(), 9, built, func(seed uint64) (uint64, uint64, error) { return deleteAbsent(d, seed, deletes) })
		if err != nil {
			t.Fatal(err)
		}
		wantRemoved, wantLost := theory.CuckooAbsentDeletes(d.N, deletes, buckets, 8)
		if math.Abs(wantRemoved/rough-1) > .01 {
			t.Errorf("theory expects %.1f removals of %d deletes, the field case %v", wantRemoved, deletes, rough)
		}
		for _, c := range []struct {
			what      string
			got, want float64
		}{{"removals", float64(removed.sum) / built, wantRemoved}, {"losses", float64(lost.sum) / built, wantLost}} {
			if slack := 5 * math.Sqrt(c.want/built); math.Abs(c.got-c.want) > slack {
				t.Errorf("%d deletes: %.1f %s, want %.1f +- %.1f", deletes, c.got, c.what, c.want, slack)
			}
		}
	}
}

// Only keys that were added are deleted, some as often as they were added: no
// filter loses one, and none is left.
func TestDeleteModel(t *testing.T) {
	for _, spec := range []string{"counting", "cuckoo", "cuckoo:semisort=yes", "quotient", "quotient:layout=flags"} {
		p := deletePlanner{config: Config{Seed: 1}}
		p.model(registry.Must(spec))
		records := countedTwice(t, "delete", func() []Unit { return p.units })
		for unit, want := range map[string]float64{"added": 67_500, "deletes": 67_500, "queries": 27_500, "refused": 0, "unfound": 0, "fn": 0, "left": 0} {
			if got := valueOf(t, records[0], unit); got != want {
				t.Errorf("%s: %s is %v, want %v", spec, unit, got, want)
			}
		}
	}
}

// A filter that loses a key of those it holds, or keeps one that was deleted, is
// found out.
func TestDeleteModelSeesFaults(t *testing.T) {
	for name, c := range map[string]struct {
		fault func(h uint64) (deaf, keeps bool)
		units []string
	}{
		"forgets": {func(h uint64) (bool, bool) { return h%100 == 0, false }, []string{"unfound", "fn"}},
		"keeps":   {func(h uint64) (bool, bool) { return false, h%100 == 0 }, []string{"left"}},
	} {
		m := &model{f: &multiset{fault: c.fault, keys: map[uint64]int{}}, seed: 1, lost: map[uint64]bool{}}
		if err := m.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		counts := map[string]uint64{"unfound": m.unfound, "fn": m.fn, "left": m.left}
		for _, unit := range c.units {
			if counts[unit] == 0 {
				t.Errorf("%s: %v", name, counts)
			}
		}
	}
}

// multiset is an exact set with faults.
type multiset struct {
	filters.Hashed
	fault func(h uint64) (deaf, keeps bool)
	keys  map[uint64]int
}

func (m *multiset) Len() uint64 { return 0 }
func (m *multiset) AddHash(h uint64) error {
	if deaf, _ := m.fault(h); !deaf {
		m.keys[h]++
	}
	return nil
}
func (m *multiset) ContainsHash(h uint64) bool { return m.keys[h] > 0 }
func (m *multiset) DeleteHash(h uint64) bool {
	found := m.keys[h] > 0
	if _, keeps := m.fault(h); found && !keeps {
		m.keys[h]--
	}
	return found
}

// At its largest value a counter is stuck, so that a key that was added so often
// stays for ever; one time fewer, and it goes. None is lost either way.
func TestDeleteOverflow(t *testing.T) {
	p := deletePlanner{config: Config{Seed: 1}}
	p.overflow(registry.Must("counting"))
	for _, r := range countedTwice(t, "delete", func() []Unit { return p.units }) {
		want := map[string]float64{"14": 0, "15": 1000}[r.Axis("copies")]
		if left := valueOf(t, r, "left"); left != want || valueOf(t, r, "fn") != 0 {
			t.Errorf("%s: %v are left, want %v", r.FullName(), left, want)
		}
	}
}

// Clearing a key's bits in a plain filter loses others: as many as theory says,
// 5.11 in the texts' filter (claim A24, field case 21).
func TestClearBits(t *testing.T) {
	d, err := registry.Must("bloom:k=7").ForBits(10_000, 9.5851)
	if err != nil {
		t.Fatal(err)
	}
	var lost sums
	const trials = 300
	if err := clearBits(t.Context(), d, 4, trials, lost.add); err != nil {
		t.Fatal(err)
	}
	mean, want := float64(lost.sum)/trials, theory.BrokenByClearing(10_000, 95_851, 7)
	slack := 5 * math.Sqrt((float64(lost.squares)/trials-mean*mean)/trials)
	if math.Abs(mean-want) > slack || math.Abs(want-5.11) > .005 {
		t.Errorf("%.2f others are lost, want %.2f +- %.2f", mean, want, slack)
	}
}

// Counters are as full as theory says: those that overflow at each width lie
// within five standard deviations of a Poisson count (claim P04).
func TestCountersOverflow(t *testing.T) {
	p := deletePlanner{config: Config{Profile: "quick", Seed: 1}}
	p.counters()
	var records []results.Record
	err := p.units[0].Run(t.Context(), 0, func(_ int, r []results.Record) error { records = r; return nil })
	if err != nil {
		t.Fatal(err)
	}
	const m = 9_585_000
	for width, unit := range map[int]string{2: "over-2bit", 3: "over-3bit", 4: "over-4bit"} {
		want := m * theory.CounterOverflow(counterKeys, m, 7, width)
		if got := valueOf(t, records[0], unit); math.Abs(got-want) > 5*math.Sqrt(want) {
			t.Errorf("%s: %v counters, want %.4g", unit, got, want)
		}
	}
	sum, keys := 0.0, 0.0
	for _, r := range records[1:] {
		n := valueOf(t, r, "counters")
		sum += n
		v := 0.0
		for _, digit := range r.Axis("value") {
			v = 10*v + float64(digit-'0')
		}
		keys += n * v
	}
	if sum != m || keys != 7*counterKeys {
		t.Errorf("%v counters stand for %v increments", sum, keys)
	}
}

// Both profiles plan what the claims need; a run of one family has no more.
func TestDeletePlan(t *testing.T) {
	for _, profile := range []string{"quick", "full"} {
		var ids []string
		for _, u := range deletePlan(t, profile, everyFamily()...) {
			ids = append(ids, u.ID)
		}
		all := strings.Join(ids, "\n")
		for _, want := range []string{
			"delete/Absent/filter=cuckoo:b=4,f=8,semisort=no,load=90,kernel=auto/bits=8.89/n=58982/buckets=16384/f=8/deletes=100000",
			"delete/Model/filter=counting:counter=4,k=auto", "delete/Model/filter=quotient:layout=rank,",
			"delete/Clear/filter=bloom:index=range,step=enhanced,k=7,kernel=auto/bits=9.5851/n=10000/m=95851/k=7",
			"delete/Counters/filter=counting:counter=8,k=7", "delete/size=2MiB",
		} {
			if !strings.Contains(all, want) {
				t.Errorf("%s: no %s", profile, want)
			}
		}
		if len(ids) != len(strings.Fields(all)) || strings.Count(all, "load=90,kernel=auto/bits=8.89/n=58982/buckets=16384/f=8/deletes=1000\n") != 1 {
			t.Errorf("%s: %d units\n%s", profile, len(ids), all)
		}
	}
	// Counters of 8 bits, of which 10 a key are more than can be asked for.
	if units := deletePlan(t, "quick", registry.Must("counting:counter=8")); len(units) < 7 {
		t.Errorf("%d units of wide counters", len(units))
	}
	if units := deletePlan(t, "quick", registry.Must("blocked")); len(units) != 0 {
		t.Errorf("%d units of a filter that cannot delete", len(units))
	}
}

// What repeats: a filter of each kind.
func TestDeleteRepeats(t *testing.T) {
	countedTwice(t, "delete", func() (units []Unit) {
		for _, u := range counting(deletePlan(t, "quick", registry.Must("cuckoo"), registry.Must("bloom"))) {
			if !strings.Contains(u.ID, "deletes=10000") && !strings.Contains(u.ID, "k=10") { // nor 100000
				units = append(units, u)
			}
		}
		return units
	})
}

// A pass deletes as many keys as it was given, and finds them again in the next:
// the filter ends as it began.
func TestDeleteTiming(t *testing.T) {
	d, err := registry.Must("cuckoo").ForBits(10_000, 10)
	if err != nil {
		t.Fatal(err)
	}
	u := deleteGroup{64 << 10, []filters.Design{d}}.unit(1)
	if !u.Alone || u.Bytes < d.SizeBits/8 {
		t.Errorf("alone %v, %d bytes", u.Alone, u.Bytes)
	}
	var names []string
	err = u.Run(t.Context(), deleteRounds-1, func(_ int, records []results.Record) error {
		for _, r := range records {
			if err := r.Check(); err != nil {
				t.Error(err)
			}
			names = append(names, r.Axis("op"))
		}
		return nil
	})
	if err != nil || strings.Join(names, " ") != "delete lookup" {
		t.Errorf("%v, %v", names, err)
	}
	f, err := (&bench{seed: 1}).filledDeleter(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	k := deletedKeys{f: f, seed: 1, n: d.N, keys: make([]uint64, passKeys(d.N))}
	for range 20 { // more than once around
		k.next()
		k.gone = true
		if got := deleteHashes(f, k.keys); got != uint64(len(k.keys)) || f.Len() != d.N-got {
			t.Fatalf("%d of %d keys deleted, %d left", got, len(k.keys), f.Len())
		}
	}
	if k.next(); f.Len() != d.N {
		t.Errorf("%d keys in the filter, want %d", f.Len(), d.N)
	}
}

func TestDeleteStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, u := range deletePlan(t, "quick", everyFamily()...) {
		if err := u.Run(ctx, 0, func(int, []results.Record) error { return nil }); err == nil {
			t.Errorf("%s goes on", u.ID)
		}
	}
}
