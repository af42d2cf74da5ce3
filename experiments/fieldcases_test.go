package experiments

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"

	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/filters/theory"
	"filterbench/workloads"
)

// A lookup whose answer is dropped may be optimised away (field case 23). Here
// every pass returns its positives, which are theory's: the present keys of the
// stream, and of the absent ones as many as the filter's rate says. (That a pass
// which returns another number fails is TestLookupRunFailsOnWrongAnswers.)
func TestPositivesAreTheoretical(t *testing.T) {
	p := Config{Profile: "full"}.lookup()
	p.sizes = everywhere(fullTier, 256<<10)
	g := p.plan([]filters.Spec{registry.Must("bloom"), registry.Must("blocked:block=64"), registry.Must("cuckoo")})[0]
	b := &bench{seed: deriveSeed(3, 1, 0), streams: map[stream]*queries{}, wants: map[question]uint64{}}
	defer b.free()
	var err error
	if b.src, err = workloads.Open(timedKeys, 1, b.seed); err != nil {
		t.Fatal(err)
	}
	if err := g.prepare(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for i, r := range b.records {
		if r.Name != "Lookup" {
			continue
		}
		d := g.entries[slices.IndexFunc(g.entries, func(e lookupEntry) bool { return e.design.Spec.String() == r.Axis("filter") })].design
		share, err := strconv.ParseFloat(r.Axis("hits"), 64)
		if err != nil {
			t.Fatal(err)
		}
		ops := float64(b.cells[i].Ops)
		hits := math.Round(ops * share / 100)
		absent := ops - hits
		rate, between := d.Model.FPR(d.N), d.Model.SD(d.N)
		want := hits + absent*rate
		slack := 4*math.Hypot(math.Sqrt(absent*rate*(1-rate)), absent*between) + 1 // the one is for rounding the share
		if got := valueOf(t, r, "positives"); math.Abs(got-want) > slack || b.cells[i].Pass() != uint64(got) {
			t.Errorf("%s: %v positives, want %.0f +- %.0f", r.FullName(), got, want, slack)
		}
		checked++
	}
	if checked < 20 {
		t.Errorf("only %d cells", checked)
	}
}

// A benchmark whose operations grow until it lasts long enough fills a filter far
// beyond its size (field case 24): at ten times the keys nearly all bits are set,
// nearly every answer is wrong, and a cuckoo filter has refused most keys.
func TestCalibrationOverfills(t *testing.T) {
	const n, over = 20_000, 10
	bloom := registry.Must("bloom:step=independent,k=7")
	d, err := bloom.ForBits(n, 9.585)
	if err != nil {
		t.Fatal(err)
	}
	f, err := d.NewHashed()
	if err != nil {
		t.Fatal(err)
	}
	defer filters.Free(f)
	if _, err := f.AddHashes(randomHashes(over*n, 1)); err != nil {
		t.Fatal(err)
	}
	m, _ := d.Param("m")
	fill := float64(f.(filters.Bitmapper).BitsSet()) / float64(m)
	if want, sd := theory.BloomFill(over*n, m, 7), theory.BloomFillSD(over*n, m, 7); math.Abs(fill-want) > 5*sd || math.Abs(want-0.9993) > 5e-5 {
		t.Errorf("%.5f of the bits are set, want %.5f +- %.5f, which is 99.93 %%", fill, want, 5*sd)
	}
	const asked = 100_000
	rate := float64(f.CountHashes(randomHashes(asked, 2))) / asked
	if want := math.Pow(fill, 7); math.Abs(rate-want) > 5*math.Sqrt(want*(1-want)/asked) || want < 0.9945 {
		t.Errorf("a rate of %.4f, want %.4f, which is 99.5 %%", rate, want)
	}

	const few = 1_000 // each refusal takes 500 moves, and as many back
	d, err = registry.Must("cuckoo:f=12,load=95").ForBits(few, 13)
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.NewHashed()
	if err != nil {
		t.Fatal(err)
	}
	defer filters.Free(c)
	for _, h := range randomHashes(over*few, 3) {
		if err := c.AddHash(h); err != nil && !errors.Is(err, filters.ErrFull) {
			t.Fatal(err)
		}
	}
	if load := c.(filters.Loader).Load(); load < 0.95 || c.Len() > few*100/94 {
		t.Errorf("a cuckoo filter for %d keys took %d, a load of %.3f", few, c.Len(), load)
	}
}

// What this program times adds as many keys as the filter is for, once, to a
// filter of its own: one that holds others already is an error.
func TestCrawlCountsKeys(t *testing.T) {
	for _, op := range []string{"build", "dedupe"} {
		r := crawlRun{op: op, keys: timedKeys, n: 5_000}
		d, err := registry.Must("bloom").ForBits(r.n, 10)
		if err != nil {
			t.Fatal(err)
		}
		make := d.NewHashed
		d.NewHashed = func() (filters.Hashed, error) {
			f, err := make()
			if err == nil {
				err = f.AddHash(1) // left from before
			}
			return f, err
		}
		r.designs = []filters.Design{d}
		if _, err := r.run(context.Background(), 1); err == nil {
			t.Errorf("%s: a filter that was not empty was timed", op)
		}
	}
}
