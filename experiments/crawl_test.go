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

	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/filters/simd"
	"filterbench/filters/theory"
	"filterbench/results"
)

// The stream, place by place, against a plain account of what came before: six
// of eight are new, in the order of their numbers, one repeats any of those, and
// one what came within the last 64 places.
func TestCrawlStream(t *testing.T) {
	s := crawlStream{seed: 5}
	newAt := map[uint64]uint64{} // by number: the place where it was new
	var count uint64
	var back [crawlBack + 1]int
	far := 0.0
	const places = 80_000
	for place := range uint64(places) {
		if s.newBefore(place) != count {
			t.Fatalf("place %d: %d new before, and %d counted", place, s.newBefore(place), count)
		}
		number, again := s.at(place)
		first, known := newAt[number]
		if again != known || again != (place%8 == crawlFar || place%8 == crawlNear) {
			t.Fatalf("place %d: again is %v, and it was met before: %v", place, again, known)
		}
		switch {
		case !again:
			if number != count {
				t.Fatalf("place %d: new number %d after %d", place, number, count)
			}
			count++
			if got := s.places(count); got != place+1 {
				t.Fatalf("%d new ones take %d places, and %d were enough", count, got, place+1)
			}
		case place%8 == crawlNear:
			if place-first > crawlBack {
				t.Fatalf("place %d repeats place %d", place, first)
			}
			back[place-first]++
		case place > 1000:
			far += float64(number) / float64(count)
		}
		if !again {
			newAt[number] = place
		}
	}
	// At a fourth of the distances the address is a repeat, too. Of 10,000 repeats
	// each other distance has 156, or twice as many.
	for d := 1; d <= crawlBack; d++ {
		if impossible := (7-d%8+8)%8 == crawlFar || d%8 == 0; impossible != (back[d] == 0) {
			t.Errorf("distance %d came %d times", d, back[d])
		}
	}
	n := float64(places/8 - 1000/8)
	if mean := far / n; math.Abs(mean-.5) > 5*math.Sqrt(1/12./n) {
		t.Errorf("the far ones are from %.3f of the way, on average", mean)
	}
}

// Rows of new addresses made at once are those made one by one.
func TestCrawlStreamKeys(t *testing.T) {
	s, src := crawlStream{seed: 9}, numbers{1 << 30, 1 << 30}
	for _, r := range [][2]uint64{{0, 0}, {0, 1}, {0, 4}, {0, 8}, {64, 64 + 7}, {128, 4096}, {640, 704}} {
		var got, want filters.Keys
		again := make([]uint64, filters.BitsetLen(int(r[1]-r[0])))
		s.keys(&got, again, src, r[0], r[1])
		for place := r[0]; place < r[1]; place++ {
			number, repeat := s.at(place)
			want.AppendUint64(number)
			if i := place - r[0]; repeat != (again[i/64]>>(i%64)&1 != 0) {
				t.Errorf("places %v: the bit of %d is wrong", r, place)
			}
		}
		if got.Len() != want.Len() {
			t.Fatalf("places %v: %d keys", r, got.Len())
		}
		for i := range want.Len() {
			if !bytes.Equal(got.At(i), want.At(i)) {
				t.Errorf("places %v: key %d is %x, want %x", r, i, got.At(i), want.At(i))
			}
		}
	}
}

// exactHashes is a filter that never errs, but for hashes that it loses.
type exactHashes struct {
	filters.Hashed
	set   map[uint64]bool
	loses func(uint64) bool
}

func (f *exactHashes) AddHashes(hashes []uint64) (int, error) {
	for _, h := range hashes {
		if f.loses == nil || !f.loses(h) {
			f.set[h] = true
		}
	}
	return len(hashes), nil
}

func (f *exactHashes) ContainsHashes(hashes, out []uint64) (hits int) {
	clear(out[:filters.BitsetLen(len(hashes))])
	for i, h := range hashes {
		if f.set[h] {
			out[i/64] |= 1 << (i % 64)
			hits++
		}
	}
	return hits
}

// With a filter that never errs, every repeat is dropped and nothing else, at
// any distance and length of a batch, and for hashes that fall on one slot.
func TestDeduper(t *testing.T) {
	s := crawlStream{seed: 3}
	for _, length := range []int{0, 1, 3, 63, 64, 65, 200, chunk - 1, chunk, chunk + 1, 2*chunk + 100} {
		d := deduper{filter: &exactHashes{set: map[uint64]bool{}}}
		hashes := make([]uint64, length)
		for i := range hashes {
			number, _ := s.at(uint64(i))
			if hashes[i] = number << 50; length <= 200 { // 0 is a hash, too
				hashes[i] = number
			}
			if length > 200 {
				hashes[i] = deriveSeed(number, 0, 0)
			}
		}
		seen := make([]uint64, filters.BitsetLen(length))
		if err := d.run(hashes, seen); err != nil {
			t.Fatal(err)
		}
		for i := range hashes {
			if _, again := s.at(uint64(i)); again != (seen[i/64]>>(i%64)&1 != 0) {
				t.Errorf("length %d: place %d is wrong", length, i)
			}
		}
		for i := length; i < 64*len(seen); i++ {
			if seen[i/64]>>(i%64)&1 != 0 {
				t.Errorf("length %d: bit %d is set", length, i)
			}
		}
	}
}

// A key that a filter loses is missed when it comes again from far, and one that
// it makes up is dropped.
func TestCrawlerCountsErrors(t *testing.T) {
	hashes := make([]uint64, 2*chunk)
	b := crawlBatch{hashes: hashes, again: make([]uint64, filters.BitsetLen(len(hashes)))}
	for i := range hashes {
		hashes[i] = uint64(i + 1)
	}
	hashes[chunk+10], b.again[(chunk+10)/64] = 1, 1<<((chunk+10)%64) // the first, lost
	hashes[chunk+99], b.again[(chunk+99)/64] = 2, 1<<((chunk+99)%64) // the second, kept
	c := crawler{seen: make([]uint64, len(b.again))}
	c.dedupe.filter = &exactHashes{set: map[uint64]bool{77: true}, loses: func(h uint64) bool { return h == 1 }}
	if err := c.dedupe.run(b.hashes, c.seen); err != nil {
		t.Fatal(err)
	}
	c.count(&b)
	if c.missed != 1 || c.dropped != 1 {
		t.Errorf("%d missed and %d dropped, want 1 and 1", c.missed, c.dropped)
	}
}

func crawlOf(t *testing.T, op string, n uint64) []results.Record {
	t.Helper()
	r := crawlRun{op: op, keys: timedKeys, n: n}
	r.designs = Config{Specs: registry.Defaults()}.crawlDesigns(r)
	if len(r.designs) < 2 {
		t.Fatalf("%d filters", len(r.designs))
	}
	records, err := r.run(t.Context(), 11)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range records {
		if err := one.Check(); err != nil {
			t.Error(err)
		}
	}
	return records
}

// Nothing that came before is taken for new; what is new is lost as often as
// theory says, and in the end the filter errs at its rate.
func TestCrawlAgainstTheory(t *testing.T) {
	const n = 600_000
	found := map[string]int{}
	for _, r := range crawlOf(t, "dedupe", n) {
		found[r.Name]++
		if r.Name == "CrawlRate" && valueOf(t, r, "total-ns/op") <= valueOf(t, r, "ns/op") {
			t.Errorf("%s: keys are made in no time", r.FullName())
		}
		if r.Name != "Crawl" {
			continue
		}
		if missed := valueOf(t, r, "missed"); missed != 0 {
			t.Errorf("%s: %v repeats were taken for new", r.FullName(), missed)
		}
		// Binomial, and less by what comes within a chunk of 4096, of which on
		// average the half was not there yet: the rates rise as a power of the keys
		// up to 8.
		model, got := valueOf(t, r, "model-dropped"), valueOf(t, r, "dropped")
		lag := model * 8 * chunk / 2 / n
		if slack := 5 * math.Sqrt(model); got > model+slack || got < model-slack-lag {
			t.Errorf("%s: %v dropped, want %.0f +- %.0f", r.FullName(), got, model, slack)
		}
		p, rate := valueOf(t, r, "model-fpr"), valueOf(t, r, "fpr")
		sd := math.Hypot(math.Sqrt(p*(1-p)/crawlAsked), 0.002*p) // filters differ by less than 0.2 % of p
		if math.Abs(rate-p) > 5*sd {
			t.Errorf("%s: a rate of %v, want %v +- %v", r.FullName(), rate, p, 5*sd)
		}
		if entries, repeats := valueOf(t, r, "entries"), valueOf(t, r, "repeats"); entries-repeats != n {
			t.Errorf("%s: %v of %v places are repeats", r.FullName(), repeats, entries)
		}
	}
	if want := map[string]int{"Crawl": 2, "CrawlRate": 2 * crawlParts, "Limit": 2 * crawlParts, "CrawlMemory": 1}; !mapsEqual(found, want) {
		t.Errorf("records %v, want %v", found, want)
	}
}

func mapsEqual(a, b map[string]int) bool {
	for k, v := range b {
		if a[k] != v {
			return false
		}
	}
	return len(a) == len(b)
}

// The counts are the seed's, whatever runs beside them and whichever kernels
// answer; a build ends as every other filter of its keys.
func TestCrawlRepeats(t *testing.T) {
	counted := func() []byte {
		records := slices.Concat(crawlOf(t, "dedupe", 20_000), crawlOf(t, "build", 20_000))
		records = slices.DeleteFunc(records, func(r results.Record) bool { return r.Name != "Crawl" })
		return results.CountedBytes(results.File{Experiment: "crawl", Records: records})
	}
	first := counted()
	if !bytes.Contains(first, []byte("op=build")) || !bytes.Contains(first, []byte("dropped")) {
		t.Errorf("counted:\n%s", first)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer simd.Disable()()
	if second := counted(); !bytes.Equal(first, second) {
		t.Errorf("with one CPU and no kernels:\n%s\nbefore:\n%s", second, first)
	}
}

func TestExpectedDrops(t *testing.T) {
	d, err := registry.Must("bloom:step=independent").ForFPR(3_000, crawlRate)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := d.Param("m")
	k, _ := d.Param("k")
	want := 0.0
	for i := range d.N {
		want += theory.BloomExact(i, m, int(k))
	}
	// The sum begins a step lower than the integral: by half of the last term.
	if got := expectedDrops(d); math.Abs(got-want) > 1.01*crawlRate/2 {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestCrawlPlan(t *testing.T) {
	for profile, most := range map[string]float64{"quick": 4, "full": 420} {
		units, err := planCrawl(Config{Profile: profile, Seed: 1, Specs: registry.Defaults()})
		if err != nil {
			t.Fatal(err)
		}
		if s := (Part{Crawl, units}).Time(2).Seconds(); s > most {
			t.Errorf("%s: %.1f s are planned", profile, s)
		}
		ids := Part{Crawl, units}.IDs()
		for i, id := range ids {
			if slices.Contains(ids[:i], id) || !units[i].Alone {
				t.Errorf("%s: %s", profile, id)
			}
		}
		if billion := strings.Contains(strings.Join(ids, " "), "n=1000000000/filter=blocked"); billion != (profile == "full") && units != nil {
			t.Errorf("%s: %v", profile, ids)
		}
	}
	units, err := planCrawl(Config{Profile: "full", Specs: []filters.Spec{registry.Must("set"), registry.Must("peer-fuse8")}})
	if err != nil || len(units) != 0 {
		t.Errorf("%d units of filters that take no stream of hashes, %v", len(units), err)
	}
}

func TestCrawlIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := crawlRun{op: "dedupe", keys: "url", n: 1000}
	r.designs = Config{Specs: registry.Defaults()}.crawlDesigns(r)
	if _, err := r.run(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
