package cuckoo

import (
	"math"
	"runtime"
	"strings"
	"testing"

	"filterbench/filters"
	"filterbench/filters/filtertest"
	"filterbench/filters/memory"
	"filterbench/filters/theory"

	"pgregory.net/rapid"
)

func parse(t rapid.TB, text string) filters.Spec {
	t.Helper()
	s, err := filters.ParseSpec([]*filters.Family{Family}, text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustForBits(t rapid.TB, text string, n uint64, bits float64) filters.Design {
	t.Helper()
	d, err := parse(t, text).ForBits(n, bits)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// shapeOf is a design's table, by its parameters.
func shapeOf(d filters.Design) shape {
	buckets, _ := d.Param("buckets")
	f, _ := d.Param("f")
	return shape{buckets: buckets, slots: uint64(d.Spec.Int("b")), fpBits: f, sorted: d.Spec.Option("semisort") == "yes"}
}

// The keys that a filter is sized for fit into it, at sizes from one key on; in
// small tables most depends on chance, and many are built. (One filter in 10,000
// at the most may refuse a key: of all these, less than one.)
func TestKeysFit(t *testing.T) {
	for _, text := range []string{"cuckoo", "cuckoo:b=2", "cuckoo:b=8", "cuckoo:f=5", "cuckoo:b=2,f=7", "cuckoo:semisort=yes"} {
		for _, n := range []int{1, 2, 10, 30, 100, 300, 1000, 10_000, 300_000} {
			if testing.Short() && n > 1000 {
				continue
			}
			d, err := parse(t, text).ForFPR(uint64(n), 0.3)
			if err != nil {
				t.Fatal(err)
			}
			f := build(t, shapeOf(d))
			for i := range uint64(max(1, min(300, 100_000/n))) {
				clear(f.data)
				f.n = 0
				if taken := fill(t, f, hashes(n, i)); taken != n {
					t.Errorf("%s for %d keys refuses the %dth", d, n, taken+1)
				}
			}
			f.Free()
		}
	}
}

// A filter for as many keys as it has slots is full before (field case 16); one
// that is sized for them is not. Over a doubling of the keys the bits per key
// stay what was asked for: no power of two is behind them.
func TestNoDoubling(t *testing.T) {
	const n = 65_536
	slots := build(t, shape{buckets: n / 4, slots: 4, fpBits: 12})
	if first := fill(t, slots, hashes(n, 1)); first < 62_000 || first > 63_600 {
		t.Errorf("%d slots take %d keys, expected about 62,900", n, first)
	}
	for keys := uint64(n); keys <= 2*n; keys += n / 16 {
		d := mustForBits(t, "cuckoo", keys, 13)
		if f, _ := d.Param("f"); f != 12 || d.BitsPerKey() > 13.1 || d.BitsPerKey() < 12.9 {
			t.Errorf("%d keys at 13 bits each: f=%d and %.3f bits", keys, f, d.BitsPerKey())
		}
		if load := float64(keys) / float64(build(t, shapeOf(d)).Slots()); load > 0.95 || load < 0.92 {
			t.Errorf("%d keys at 13 bits each: a load of %.3f", keys, load)
		}
	}
}

// A cuckoo filter that is half empty errs more than a Bloom filter of its size
// (field case 17); one that is sized for its keys errs less.
func TestFairComparison(t *testing.T) {
	if testing.Short() {
		t.Skip("a million lookups")
	}
	const n, bits = 538_584, 1 << 23
	f := build(t, shape{buckets: 1 << 18, slots: 4, fpBits: 8})
	if fill(t, f, hashes(n, 1)) != n || f.SizeBits() > bits+1024 {
		t.Fatalf("%d keys in %d bits", f.Len(), f.SizeBits())
	}
	within(t, f.Load(), 0.5136, 5e-5, "load")
	checkRate(t, f, 1_000_000, 0.0160, "half empty")
	bloom := theory.BloomExact(n, bits, 11)
	within(t, bloom, 0.000563, 5e-7, "Bloom at the same size")
	d := mustForBits(t, "cuckoo", n, float64(bits)/n)
	if f, _ := d.Param("f"); f != 14 {
		t.Errorf("f=%d, want 14", f)
	}
	if got := d.Model.FPR(n); got > bloom || d.SizeBits > bits+1024 {
		t.Errorf("%s: rate %.3g in %d bits, Bloom %.3g in %d", d, got, d.SizeBits, bloom, bits)
	}
}

// The designs of claim A13, at 95 % of the slots. Their rates are by the formula
// that takes two buckets for independent; at 4 bits the exact one is 3 % below.
func TestClaimedSizes(t *testing.T) {
	const n = 10_000_000
	for _, c := range []struct {
		f         string
		bits, fpr float64
	}{{"4", 4.21, 0.41}, {"5", 5.27, 0.22}, {"6", 6.32, 0.11}, {"8", 8.43, 0.0294}} {
		d := mustForBits(t, "cuckoo:load=95,f="+c.f, n, c.bits)
		within(t, d.BitsPerKey(), c.bits, 0.015, "f=%s: bits per key", c.f)
		within(t, d.Model.FPR(n), c.fpr, 0.035*c.fpr, "f=%s: rate", c.f)
	}
	// Semi-sorting saves a bit a slot (claim P12): f=13 in the size of f=12.
	plain, sorted := mustForBits(t, "cuckoo:load=95", n, 12.7), mustForBits(t, "cuckoo:load=95,semisort=yes", n, 12.7)
	if plain.SizeBits != sorted.SizeBits || shapeOf(plain).fpBits != 12 || shapeOf(sorted).fpBits != 13 {
		t.Errorf("%s of %d bits, %s of %d", plain, plain.SizeBits, sorted, sorted.SizeBits)
	}
}

// Flat memory without pointers (field case 32): 2^20 slots of a byte are 2^20
// bytes, in at most three allocations, and what is reported is what the heap has
// lost.
func TestMemory(t *testing.T) {
	s := shape{buckets: 1 << 18, slots: 4, fpBits: 8}
	if allocs := testing.AllocsPerRun(3, func() { newFilter(s, false) }); allocs > 3 {
		t.Errorf("%v allocations", allocs)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f, err := newFilter(s, false)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Free()
	const want = 1 << 20
	got, reported := float64(after.HeapAlloc-before.HeapAlloc), float64(f.SizeBits())/8
	if math.Abs(got-want) > 0.01*want || math.Abs(reported-got) > 0.01*got {
		t.Errorf("the heap grew by %.0f bytes and %.0f are reported, want %d", got, reported, want)
	}
	if allocs := testing.AllocsPerRun(100, func() { f.AddHash(1 << 63); f.ContainsHash(12345); f.DeleteHash(1 << 63) }); allocs != 0 {
		t.Errorf("%v allocations per add, lookup and delete", allocs)
	}
	if filters.Loader(f).Load() != 0 || filters.Kicker(f).Kicks() != 0 {
		t.Error("what was added and deleted left a trace")
	}
}

// drawSpec is any spec without a given load.
func drawSpec(t *rapid.T) filters.Spec {
	text := "cuckoo:b=" + rapid.SampledFrom([]string{"2", "4", "8"}).Draw(t, "b")
	if strings.HasSuffix(text, "4") && rapid.Bool().Draw(t, "semisort") {
		text += ",semisort=yes"
	}
	return parse(t, text)
}

// A design for bits per key is no larger than asked for, but for the padding of
// memory, and no longer fingerprint would have fitted.
func TestForBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t)
		n := uint64(math.Exp(rapid.Float64Range(0, 25).Draw(t, "ln n")))
		bits := rapid.Float64Range(0.5, 64).Draw(t, "bits")
		asked := 8 * memory.Size(uint64(math.Ceil(math.Round(float64(n)*bits)/8)))
		d, err := spec.ForBits(n, bits)
		longest := uint64(0) // of the tables that take n keys in what was asked for
		for f := uint64(2); f <= 32; f++ {
			s := shape{slots: uint64(spec.Int("b")), fpBits: f, sorted: spec.Option("semisort") == "yes"}
			s.buckets = theory.CuckooBuckets(n, int(f), int(s.slots))
			if (!s.sorted || f >= 4) && s.bytes()*8 <= asked {
				longest = f
			}
		}
		if err != nil {
			if longest != 0 || !strings.Contains(err.Error(), "bits per key") {
				t.Fatalf("f=%d is possible: %v", longest, err)
			}
			return
		}
		s := shapeOf(d)
		if s.fpBits != longest || d.SizeBits > asked || d.SizeBits != 8*memory.Size(s.bytes()) {
			t.Fatalf("%s of %d bits of %d; f=%d is possible", d, d.SizeBits, asked, longest)
		}
		if s.buckets < theory.CuckooBuckets(n, int(longest), int(s.slots)) {
			t.Fatalf("%s is too small for %d keys", d, n)
		}
		if s.buckets += 2; 8*s.bytes() <= asked {
			t.Fatalf("%s leaves room for two more buckets", d)
		}
	})
}

// A design for a rate is the smallest of all tables that have it: compared with
// a search through all numbers of buckets.
func TestForFPR(t *testing.T) {
	for _, text := range []string{"cuckoo", "cuckoo:b=2", "cuckoo:b=8", "cuckoo:semisort=yes"} {
		for _, n := range []uint64{1, 9, 100, 1000} {
			for _, p := range []float64{0.9, 0.4, 0.03, 0.01, 1e-4} {
				d, err := parse(t, text).ForFPR(n, p)
				if err != nil {
					t.Fatal(err)
				}
				best, got := uint64(math.MaxUint64), shapeOf(d)
				for f := 32; f >= 2; f-- {
					s := got
					s.fpBits = uint64(f)
					if s.sorted && f < 4 {
						continue
					}
					for s.buckets = theory.CuckooBuckets(n, f, int(s.slots)); s.bits() < best; s.buckets += 2 {
						if theory.CuckooExact(n, s.buckets, f) <= p {
							best = s.bits()
						}
					}
				}
				if got.bits() != best || d.Model.FPR(n) > p {
					t.Errorf("%s for %d keys and %v: %d bits, rate %v; %d bits would do", d, n, p, got.bits(), d.Model.FPR(n), best)
				}
			}
		}
	}
}

// What the load option says is the load.
func TestLoadOption(t *testing.T) {
	for _, c := range []struct {
		text string
		load float64
	}{{"cuckoo:load=50", 0.50}, {"cuckoo:load=75,b=2", 0.75}, {"cuckoo:load=95,b=8", 0.95}, {"cuckoo:load=100", 1}} {
		const n = 1_000_000
		for _, size := range []func(filters.Spec) (filters.Design, error){
			func(s filters.Spec) (filters.Design, error) { return s.ForBits(n, 30) },
			func(s filters.Spec) (filters.Design, error) { return s.ForFPR(n, 0.01) },
		} {
			d, err := size(parse(t, c.text))
			if err != nil {
				t.Fatal(err)
			}
			s := shapeOf(d)
			within(t, n/float64(s.buckets*s.slots), c.load, 2e-5, "%s", d)
		}
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"cuckoo:f=1":       "allowed: auto or a whole number from 2 to 32",
		"cuckoo:f=33":      "allowed: auto or a whole number from 2 to 32",
		"cuckoo:f=08":      "allowed: auto or a whole number from 2 to 32",
		"cuckoo:b=3":       "allowed: 2, 4, 8",
		"cuckoo:load=0.95": "allowed: auto or a whole number from 1 to 100",
	} {
		if _, err := filters.ParseSpec([]*filters.Family{Family}, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, c := range []struct {
		text string
		n    uint64
		bits float64
		want string
	}{
		{"cuckoo:semisort=yes,b=2", 1000, 12, "needs b=4"},
		{"cuckoo:semisort=yes,f=3", 1000, 12, "f from 4 on"},
		{"cuckoo:f=8", 1_000_000, 8.4, "at least 8.44 bits per key"},
		{"cuckoo:f=8,load=95", 1_000_000, 8.4, "at least 8.43 bits per key"},
		{"cuckoo", 1_000_000, 3, "at least 5.31 bits per key"}, // f=5; fewer bits overlap
	} {
		if _, err := parse(t, c.text).ForBits(c.n, c.bits); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %d keys at %v bits: %v", c.text, c.n, c.bits, err)
		}
	}
	for text, p := range map[string]float64{"cuckoo:f=8": 1e-7, "cuckoo:load=95,f=8": 0.01, "cuckoo": 1e-15} {
		if _, err := parse(t, text).ForFPR(1_000_000, p); err == nil || !strings.Contains(err.Error(), "bits per key gives") {
			t.Errorf("%s for %v: %v", text, p, err)
		}
	}
}

// Lookups read the lines that designs say, of buckets that lie across lines too.
func TestLines(t *testing.T) {
	for _, text := range []string{
		"cuckoo:f=8", "cuckoo:f=12", "cuckoo:f=13", "cuckoo:f=11", "cuckoo:f=24", "cuckoo:b=2,f=31", "cuckoo:b=8,f=12", "cuckoo:b=8,f=31",
		"cuckoo:semisort=yes,f=13", "cuckoo:semisort=yes,f=20",
	} {
		if testing.Short() && text != "cuckoo:f=13" {
			continue
		}
		d := mustForBits(t, text, 50_000, 40)
		f := build(t, shapeOf(d))
		filtertest.Lines(t, d, f, f.block.Words(), func(hash uint64) (read []uint64) {
			bucket, fp := f.locate(hash)
			for range 2 {
				for _, bit := range f.loadsOf(bucket) {
					from := bit &^ f.within / 8
					read = append(read, from/8, (from+7)/8)
				}
				bucket = f.other(bucket, fp)
			}
			return read
		})
	}
}

// loadsOf is the first bits that the loads of a bucket are for.
func (t *table) loadsOf(bucket uint64) (bits []uint64) {
	bit := bucket * t.perBucket
	if t.sorted && t.loads > 1 {
		bits = append(bits, bit)
		for i := range t.slots {
			bits = append(bits, bit+codeBits+i*t.rest())
		}
		return bits
	}
	for i := range t.loads {
		bits = append(bits, bit+i*t.size)
	}
	return bits
}
