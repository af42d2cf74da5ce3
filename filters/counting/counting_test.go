package counting

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"filterbench/filters"
	"filterbench/filters/bloom"
	"filterbench/filters/filtertest"
	"filterbench/filters/internal/probes"
	"filterbench/filters/simd"
	"filterbench/filters/theory"

	"pgregory.net/rapid"
)

func build(t testing.TB, m uint64, k int, width uint) *Filter {
	t.Helper()
	f, err := newFilter(m, k, width, simd.Kernel() == simd.AVX2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Free)
	return f
}

func hashes(n int, seed uint64) []uint64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := make([]uint64, n)
	for i := range out {
		out[i] = rng.Uint64()
	}
	return out
}

// One key added so often that its counters overflow must stay: counters that
// wrap around lose it at 16 adds, ones that stop but count down again after 15
// removals of 16 (field case 9).
func TestOneKeyManyTimes(t *testing.T) {
	for _, c := range []struct {
		width uint
		adds  []int
		stuck int // adds from which the key stays for ever
	}{
		{2, []int{1, 2, 14, 15, 16, 20, 31, 32}, 15},
		{3, []int{1, 2, 254, 255, 256, 257, 300, 511, 512}, 255},
	} {
		for _, adds := range c.adds {
			f := build(t, 95_851, 7, c.width)
			hash := hashes(1, 9)[0]
			for range adds {
				f.AddHash(hash)
			}
			for left := adds; left > 0; left-- {
				if !f.ContainsHash(hash) {
					t.Fatalf("%d bits, %d adds: gone with %d left", 1<<c.width, adds, left)
				}
				if !f.DeleteHash(hash) {
					t.Fatalf("%d bits, %d adds: not deleted with %d left", 1<<c.width, adds, left)
				}
			}
			if f.ContainsHash(hash) != (adds >= c.stuck) || f.Len() != 0 {
				t.Errorf("%d bits, %d adds, all deleted: found %v, Len %d", 1<<c.width, adds, f.ContainsHash(hash), f.Len())
			}
			if f.DeleteHash(hash) {
				t.Errorf("%d bits, %d adds: deleted once more than added", 1<<c.width, adds)
			}
		}
	}
}

// model is the truth about the counters: what each has been told, and whether
// that ever reached the largest value.
type model struct {
	count []uint64
	stuck []bool
	max   uint64
}

func (m *model) add(f *Filter, hash uint64, by int) {
	w := probes.Enhanced(hash)
	for range f.k {
		at := w.At(f.m)
		m.count[at] += uint64(by)
		m.stuck[at] = m.stuck[at] || m.count[at] >= m.max
		w = w.Next()
	}
}

// Any sequence of adds and deletes of keys that are there leaves the counters
// that a multiset of the keys implies, and every key of it is found. The arrays
// are tiny, so that positions repeat inside a key and counters get stuck.
func TestMultiset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.Uint64Range(1, 40).Draw(t, "m")
		k := rapid.IntRange(1, 9).Draw(t, "k")
		width := uint(rapid.IntRange(2, 3).Draw(t, "width"))
		keys := hashes(rapid.IntRange(1, 12).Draw(t, "keys"), m)
		f, err := newFilter(m, k, width, simd.Kernel() == simd.AVX2)
		if err != nil {
			t.Fatal(err)
		}
		truth := model{make([]uint64, m), make([]bool, m), f.max}
		copies := make([]int, len(keys))
		total := uint64(0)
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				i := rapid.IntRange(0, len(keys)-1).Draw(t, "key")
				times := rapid.IntRange(1, 20).Draw(t, "times")
				for range times {
					f.AddHash(keys[i])
					truth.add(f, keys[i], 1)
				}
				copies[i] += times
				total += uint64(times)
			},
			"delete": func(t *rapid.T) {
				i := rapid.IntRange(0, len(keys)-1).Draw(t, "key")
				if copies[i] == 0 {
					t.Skip("not in it")
				}
				if !f.DeleteHash(keys[i]) {
					t.Fatal("a key that is in it is not deleted")
				}
				truth.add(f, keys[i], -1)
				copies[i]--
				total--
			},
			"": func(t *rapid.T) {
				for i, c := range copies {
					if c > 0 && !f.ContainsHash(keys[i]) {
						t.Fatalf("key %d is not found", i)
					}
				}
				for at, c := range truth.count {
					word, shift := f.locate(uint64(at))
					got := f.words[word] >> shift & f.max
					if truth.stuck[at] {
						c = f.max
					}
					if got != c {
						t.Fatalf("counter %d is %d, want %d", at, got, c)
					}
				}
				if f.Len() != total {
					t.Fatalf("Len %d, want %d", f.Len(), total)
				}
				back, err := newFilter(m, k, width, simd.Kernel() == simd.AVX2)
				if err != nil {
					t.Fatal(err)
				}
				if err := back.LoadState(f.AppendState(nil)); err != nil {
					t.Fatalf("its own state is refused: %v", err)
				}
			},
		})
	})
}

// The counters are not zero exactly where a Bloom filter of as many bits has
// ones.
func TestAgainstBloom(t *testing.T) {
	const n, perKey, k = 5000, 10, 7
	g, err := sized(t, bloom.Family, "bloom:k=7", n, perKey).NewHashed()
	if err != nil {
		t.Fatal(err)
	}
	keys := hashes(n, 3)
	g.AddHashes(keys)
	bitmap := g.(filters.Bitmapper).Bitmap()
	for width := uint(2); width <= 3; width++ {
		f := build(t, n*perKey, k, width)
		f.AddHashes(keys)
		for at := range f.m {
			word, shift := f.locate(at)
			if got, want := f.words[word]>>shift&f.max != 0, bitmap[at/8]>>(at%8)&1 != 0; got != want {
				t.Fatalf("%d bits, position %d: counter %v, bit %v", 1<<width, at, got, want)
			}
		}
	}
}

func sized(t *testing.T, family *filters.Family, text string, n uint64, bits float64) filters.Design {
	t.Helper()
	spec, err := filters.ParseSpec([]*filters.Family{family}, text)
	if err != nil {
		t.Fatal(err)
	}
	d, err := spec.ForBits(n, bits)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The histogram of a million keys at 1 % (claim P04): no 4-bit counter
// overflows or comes near, 10.1 counters would overflow 3 bits, and 63,810 2
// bits. All counts are Poisson but for the fixed number of counters; bounds are
// five standard deviations, three for the rare one, which at five would allow 0.
func TestHistogram(t *testing.T) {
	const n, m, k = 1_000_000, 9_585_059, 7
	f := build(t, m, k, 2)
	keys := hashes(n, 4)
	f.AddHashes(keys)
	h := f.Histogram()
	if len(h) != 16 {
		t.Fatalf("%d values", len(h))
	}
	above := func(v int) (sum uint64) {
		for _, c := range h[v:] {
			sum += c
		}
		return sum
	}
	if above(0) != m {
		t.Errorf("%d counters of %d", above(0), m)
	}
	for _, c := range []struct {
		from         int
		want, spread float64
	}{
		{4, 63_810, 5 * math.Sqrt(63_810)}, {8, 10.1, 3 * math.Sqrt(10.1)}, {15, 0, 0},
	} {
		if got := float64(above(c.from)); math.Abs(got-c.want) > c.spread {
			t.Errorf("%v counters are %d or more; want %v +- %.1f", got, c.from, c.want, c.spread)
		}
	}
	mean := float64(k) * n / m
	share := math.Exp(-mean)
	for v := range 6 {
		want := m * share
		if got := float64(h[v]); math.Abs(got-want) > 5*math.Sqrt(want) {
			t.Errorf("%v counters are %d; want %.0f +- %.0f", got, v, want, 5*math.Sqrt(want))
		}
		share *= mean / float64(v+1)
	}
	if testing.Short() {
		return
	}
	// Deleted again, nothing is left (claim A12).
	for _, hash := range keys {
		if !f.DeleteHash(hash) {
			t.Fatal("a key that was added is not deleted")
		}
	}
	if left := f.Histogram()[0]; left != m || f.Len() != 0 {
		t.Errorf("%d of %d counters are zero after all keys were deleted; Len %d", left, m, f.Len())
	}
}

// Deleting keys that are not there goes through with the chance of a false
// positive, about 1 % here, and takes keys with it that are. That is how the
// structure is; without such deletes no key is lost.
func TestDeleteAbsent(t *testing.T) {
	const n, m, k, absent = 10_000, 95_851, 7, 20_000
	f := build(t, m, k, 2)
	in, out := hashes(n, 5), hashes(absent, 6)
	f.AddHashes(in)
	for _, hash := range out[:100] { // refused: nothing may change
		before := f.AppendState(nil)
		if !f.ContainsHash(hash) && (f.DeleteHash(hash) || !bytes.Equal(f.AppendState(nil), before)) {
			t.Fatal("a key whose counter is zero was deleted, or the refusal left a trace")
		}
	}
	removed := 0
	for _, hash := range out {
		if f.DeleteHash(hash) {
			removed++
		}
	}
	// Each removal takes about k of 7n increments away, so the rate falls a
	// little: between it at n and at n-removed keys, plus five deviations.
	high := absent * theory.BloomExact(n, m, k)
	low := absent * theory.BloomExact(n-uint64(high)*2, m, k)
	slack := 5 * math.Sqrt(high+math.Pow(absent*theory.BloomSD(n, m, k), 2))
	if got := float64(removed); got > high+slack || got < low-slack {
		t.Errorf("%d of %d absent keys deleted; want %.0f to %.0f +- %.0f", removed, absent, low, high, slack)
	}
	if found := f.CountHashes(in); found == n {
		t.Error("no key was lost: the warning in the documentation is wrong")
	}
	if f.Len() != uint64(n-removed) {
		t.Errorf("Len %d after %d adds and %d deletes", f.Len(), n, removed)
	}
}

// Counters take four times the memory of bits, in one flat array (field case
// 32, claims B26 and C22).
func TestSize(t *testing.T) {
	const n, m = 1_000_000, 9_585_059 // 1 %, by the textbook's formula
	d := sized(t, Family, "counting", n, 4*float64(m)/n)
	if got, _ := d.Param("counters"); got != m {
		t.Errorf("%d counters, want %d", got, m)
	}
	if got := d.SizeBits / 8; got < 4_792_530 || got > 4_792_530+4095 {
		t.Errorf("%d bytes, want 4,792,530 in whole pages", got)
	}
	if four, eight := arrayBytes(m, 2), arrayBytes(m, 3); four != 4_792_530 || eight != m {
		t.Errorf("%d counters take %d and %d bytes, want 4,792,530 and %d", m, four, eight, m)
	}
	allocs := testing.AllocsPerRun(10, func() {
		if f, err := newFilter(100_000, 7, 2, false); err == nil {
			f.Free()
		}
	})
	if allocs > 3 {
		t.Errorf("%v allocations for one flat array, want 3 at most", allocs)
	}
}

func TestLines(t *testing.T) {
	for _, text := range []string{"counting", "counting:counter=8"} {
		d := sized(t, Family, text, 50_000, 40)
		h, err := d.NewHashed()
		if err != nil {
			t.Fatal(err)
		}
		f := h.(*Filter)
		defer f.Free()
		filtertest.Lines(t, d, f, f.words, func(hash uint64) (read []uint64) {
			w := probes.Enhanced(hash)
			for range f.k {
				word, shift := f.locate(w.At(f.m))
				read = append(read, word)
				if f.words[word]>>shift&f.max == 0 {
					break
				}
				w = w.Next()
			}
			return read
		})
	}
}
