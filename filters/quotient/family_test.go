package quotient

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"testing"

	"filterbench/filters"
	"filterbench/filters/filtertest"
	"filterbench/filters/memory"

	"pgregory.net/rapid"
)

// A design for bits per key has the lowest rate that whole slots at no more
// than the load allow, and one for a rate the smallest table: both compared
// with a search over all r, in floating point and by the papers' bits a slot.
func TestSizing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		metadata, load, block := 3.0, 0.75, 1.0
		if layout == "rank" {
			metadata, load, block = 2.125, 0.95, 64
		}
		n := rapid.OneOf(rapid.Uint64Range(1, 1000), rapid.Uint64Range(1000, 100_000_000)).Draw(t, "n")
		s := spec(t, map[string]string{"layout": layout})
		slots := func(d filters.Design) float64 { m, _ := d.Param("slots"); return float64(m) }
		r := func(d filters.Design) float64 { r, _ := d.Param("r"); return float64(r) }

		perKey := rapid.Float64Range(0.5, 40).Draw(t, "bits")
		least := math.Ceil(float64(n)/load-1e-9) * (1 + metadata) / float64(n)
		d, err := s.ForBits(n, perKey)
		if err != nil {
			if perKey > least {
				t.Fatalf("%v bits per key for %d keys: %v, least is %v", perKey, n, err, least)
			}
			return
		}
		table := slots(d) * (r(d) + metadata)
		if limit := perKey*float64(n) + block*(r(d)+metadata) + 1; table > limit {
			t.Fatalf("%s: %v bits, %v allowed", d, table, limit)
		}
		if want := memory.Size(uint64(math.Ceil(table/8)) + 7); d.SizeBits != 8*want {
			t.Fatalf("%s: %d bits, want %d", d, d.SizeBits, 8*want)
		}
		if float64(n) > load*slots(d)+1e-9 {
			t.Fatalf("%s: load above %v", d, load)
		}
		for other := 1.0; other <= 54; other++ {
			most := math.Floor(perKey * float64(n) / (other + metadata))
			if most*load >= float64(n) && most*math.Exp2(other) > slots(d)*math.Exp2(r(d)) && most*math.Exp2(other) <= 1<<56 {
				t.Fatalf("%s: %v slots of %v bits fit as well", d, most, other)
			}
		}

		p := math.Exp(-rapid.Float64Range(0.5, 16).Draw(t, "-ln p"))
		if d, err = s.ForFPR(n, p); err != nil {
			if float64(n)/p < 1<<55 {
				t.Fatalf("rate %v to %d keys: %v", p, n, err)
			}
			return
		}
		if got := d.Model.FPR(n); got > p*(1+1e-12) {
			t.Fatalf("%s: rate %v, asked for %v", d, got, p)
		}
		table = slots(d) * (r(d) + metadata)
		for other := 1.0; other <= 54; other++ {
			// 1-(1-1/U)^n <= p; tables are whole bytes.
			need := max(float64(n)/load, -1/math.Expm1(math.Log1p(-p)/float64(n))/math.Exp2(other))
			if (need+block)*(other+metadata) < table-8 && need*math.Exp2(other) < 1<<55 {
				t.Fatalf("%s: %v bits, with r=%v %v are enough", d, table, other, need*(other+metadata))
			}
		}
	})
}

// What a load option says is the load, and a power of two is at most that.
func TestLoadOption(t *testing.T) {
	for load, want := range map[string]float64{"10": 0.1, "50": 0.5, "95": 0.95} {
		for _, layout := range layouts {
			d := design(t, map[string]string{"layout": layout, "load": load}, 1_000_000, 60)
			slots, _ := d.Param("slots")
			if got := 1e6 / float64(slots); math.Abs(got-want) > 1e-4 {
				t.Errorf("%s: load %v", d, got)
			}
		}
	}
	for _, bad := range []string{"0", "9", "96", "-1", "0.5", "+95", "095", "", "x"} {
		if _, err := filters.ParseSpec([]*filters.Family{Family}, "quotient:load="+bad); err == nil || !strings.Contains(err.Error(), "10 to 95") {
			t.Errorf("load=%q: %v", bad, err)
		}
	}
	if _, err := spec(t, map[string]string{"layout": "flags"}).ForBits(1000, 5.3); err == nil || !strings.Contains(err.Error(), "at least 5.34") {
		t.Errorf("5.3 bits per key: %v", err) // (1+3)/.75, rounded up to a slot
	}
	if _, err := spec(t, nil).ForFPR(1<<40, 1e-7); err == nil || !strings.Contains(err.Error(), "above 1.5e-05") {
		t.Errorf("rate of 1e-7 to 2^40 keys: %v", err)
	}
}

// Growing leaves everything as it is but the slots.
func TestGrow(t *testing.T) {
	for _, layout := range layouts {
		const slots, r = 64 * 50, 6 // no power of two
		f := build(t, layout, slots, r, 0.95, 3)
		want, queries := slices.Collect(f.Fingerprints()), randomHashes(20_000, 4)
		hits, size := f.CountHashes(queries), f.SizeBits()
		for grown := 1; grown < r; grown++ {
			if err := f.Grow(); err != nil {
				t.Fatal(err)
			}
			if f.Slots() != slots<<grown || f.RemainderBits() != r-grown {
				t.Errorf("%s: %d slots of %d bits", layout, f.Slots(), f.RemainderBits())
			}
			if got := f.CountHashes(queries); got != hits {
				t.Errorf("%s grown by %d: %d hits, before %d", layout, grown, got, hits)
			}
			if got := slices.Collect(f.Fingerprints()); !slices.Equal(got, want) {
				t.Errorf("%s grown by %d: other fingerprints", layout, grown)
			}
		}
		if err := f.Grow(); err == nil {
			t.Errorf("%s: grown beyond the last bit", layout)
		}
		if f.SizeBits() <= 8*size || f.Len() != uint64(len(want)) {
			t.Errorf("%s: %d bits, %d keys", layout, f.SizeBits(), f.Len())
		}
	}
}

// A filter merged with itself has every fingerprint twice.
func TestMergeWithItself(t *testing.T) {
	for _, layout := range layouts {
		f := build(t, layout, 640, 9, 0.4, 8)
		set := slices.Collect(f.Fingerprints())
		if err := f.Merge(f); err != nil {
			t.Fatal(err)
		}
		same(t, layout, f, append(set, set...))
	}
}

// The words that a lookup reads, from the table as the papers define it.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		options map[string]string
		bits    float64
	}{
		{map[string]string{"layout": "rank"}, 10},
		{map[string]string{"layout": "rank"}, 24},
		{map[string]string{"layout": "rank", "load": "95"}, 9.7},
		{map[string]string{"layout": "rank", "load": "30"}, 20},
		{map[string]string{"layout": "flags"}, 12},
		{map[string]string{"layout": "flags", "load": "50"}, 32.5},
		{map[string]string{"layout": "flags", "load": "60"}, 14},
	} {
		d := design(t, c.options, 100_000, c.bits)
		f, err := d.NewHashed()
		if err != nil {
			t.Fatal(err)
		}
		switch f := f.(type) {
		case *Rank:
			filtertest.Lines(t, d, f, f.block.Words(), readsOfRank(f))
		case *Flags:
			filtertest.Lines(t, d, f, f.block.Words(), readsOfFlags(f))
		}
		filters.Free(f)
	}
}

// ringOf makes the ring of what is in the filter when it is first called.
func ringOf(f Filter) func() *ring {
	return sync.OnceValue(func() *ring {
		return newRing(f.Slots(), uint(f.RemainderBits()), slices.Collect(f.Fingerprints()))
	})
}

// wordsOf appends the 64-bit words that size bytes from byte at on lie in.
func wordsOf(words []uint64, at, size uint64) []uint64 {
	for w := at / 8; w <= (at+size-1)/8; w++ {
		words = append(words, w)
	}
	return words
}

func readsOfFlags(f *Flags) func(hash uint64) []uint64 {
	ringNow := ringOf(f)
	return func(hash uint64) (words []uint64) {
		g := ringNow()
		fp, _ := bits.Mul64(hash, g.slots<<g.r)
		quotient, remainder := fp>>g.r, fp&(1<<g.r-1)
		run, from, to := g.runs[quotient], quotient, quotient
		if len(run) > 0 {
			for g.table[from%g.slots].quotient != from%g.slots {
				from += g.slots - 1
			}
			from %= g.slots
			below, _ := slices.BinarySearch(run, remainder)
			to += g.offsets[quotient] + uint64(below)
			if from > quotient {
				to += g.slots
			}
		}
		for i := from; i <= to; i++ {
			words = wordsOf(words, i%g.slots*uint64(g.r+3)/8, 8)
		}
		return words
	}
}

func readsOfRank(f *Rank) func(hash uint64) []uint64 {
	ringNow := ringOf(f)
	return func(hash uint64) (words []uint64) {
		g := ringNow()
		line := func(slot uint64) uint64 { return slot % g.slots / 64 * (17 + 8*uint64(g.r)) }
		fp, _ := bits.Mul64(hash, g.slots<<g.r)
		quotient, remainder := fp>>g.r, fp&(1<<g.r-1)
		words = wordsOf(nil, line(quotient)+1, 8)
		run := g.runs[quotient]
		if len(run) == 0 {
			return words
		}
		words = wordsOf(words, line(quotient), 1)
		start := quotient + g.offsets[quotient]
		end := start + uint64(len(run)) - 1
		first := quotient &^ 63
		for at := first + g.offsets[first]; at&^63 <= end; at += 64 {
			words = wordsOf(words, line(at)+9, 8)
		}
		for at := end; ; at-- {
			words = wordsOf(words, line(at)+17+at%64*uint64(g.r)/8, 8)
			if run[at-start] <= remainder || at == quotient {
				return words
			}
			words = wordsOf(words, line(at-1)+9, 8)
			if at == start {
				return words
			}
		}
	}
}
