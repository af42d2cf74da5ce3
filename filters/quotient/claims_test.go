package quotient

import (
	"math"
	"runtime"
	"testing"

	"filterbench/filters"
	"filterbench/filters/memory"
	"filterbench/filters/theory"

	"pgregory.net/rapid"
)

// build makes a filter that holds the given share of its slots, of random
// hashes.
func build(t *testing.T, layout string, slots uint64, r uint, load float64, seed uint64) Filter {
	t.Helper()
	f := newTest(t, layout, slots, r)
	t.Cleanup(func() { filters.Free(f) })
	if _, err := f.AddHashes(randomHashes(uint64(load*float64(slots)), seed)); err != nil {
		t.Fatal(err)
	}
	return f
}

func randomHashes(n, seed uint64) []uint64 {
	rng := newRand(seed)
	out := make([]uint64, n)
	for i := range out {
		out[i] = rng.Uint64()
	}
	return out
}

// The rates and sizes of Bender et al. 2012 and of the CQF paper (claims P13
// and P15). The interval is five standard deviations, of the queries and of
// the filter.
func TestClaimedRates(t *testing.T) {
	const slots, queries = 1 << 17, 2_000_000
	hashes := randomHashes(queries, 2)
	for _, c := range []struct {
		layout  string
		r       uint
		load    float64
		percent float64 // as stated, to the digits given
		digit   float64
	}{
		{"flags", 8, 0.75, 0.2925, 0.00005},
		{"flags", 7, 0.75, 0.584, 0.0005},
		{"flags", 8, 0.90, 0.351, 0.0005},
		{"rank", 7, 0.95, 0.739, 0.0005},
		{"rank", 10, 0.50, 0.0488, 0.00005},
	} {
		if got := 100 * theory.QuotientFPR(int(c.r), c.load); math.Abs(got-c.percent) > c.digit {
			t.Errorf("r=%d load %v: theory says %.5f %%, stated is %v %%", c.r, c.load, got, c.percent)
		}
		f := build(t, c.layout, slots, c.r, c.load, uint64(c.r))
		p := c.percent / 100
		sd := theory.BloomFillSD(f.Len(), slots<<c.r, 1)
		got, slack := float64(f.CountHashes(hashes))/queries, 5*math.Sqrt(p/queries+sd*sd)+c.digit/100
		if math.Abs(got-p) > slack {
			t.Errorf("%s, r=%d load %v: %.4f %%, want %.4f %% +- %.4f", c.layout, c.r, c.load, 100*got, c.percent, 100*slack)
		}
	}
}

// design sizes a spec by bits per key.
func design(t *testing.T, options map[string]string, n uint64, bits float64) filters.Design {
	t.Helper()
	d, err := spec(t, options).ForBits(n, bits)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func spec(t rapid.TB, options map[string]string) filters.Spec {
	t.Helper()
	text, sep := "quotient", ":"
	for _, name := range []string{"layout", "load", "slots"} {
		if value, ok := options[name]; ok {
			text += sep + name + "=" + value
			sep = ","
		}
	}
	s, err := filters.ParseSpec([]*filters.Family{Family}, text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestClaimedSizes(t *testing.T) {
	for _, c := range []struct {
		options map[string]string
		bits    float64
		r       uint64
		percent float64
	}{
		{map[string]string{"layout": "rank", "load": "95"}, 9.61, 7, 0.739},
		{map[string]string{"layout": "flags", "load": "75"}, 13.34, 7, 0.584},
		{map[string]string{"layout": "flags", "load": "90"}, 11.12, 7, 0.701},
	} {
		d := design(t, c.options, 1_000_000, c.bits)
		r, _ := d.Param("r")
		// As many bits as stated, and what the table has in front and behind.
		if got := d.BitsPerKey(); r != c.r || math.Abs(got-c.bits) > 0.01+8*4096/1e6 {
			t.Errorf("%s: r=%d and %.3f bits per key, want r=%d and %.2f", d, r, got, c.r, c.bits)
		}
		if got := 100 * d.Model.FPR(d.N); math.Abs(got-c.percent) > 0.0005 {
			t.Errorf("%s: %.4f %%, want %.3f %%", d, got, c.percent)
		}
	}
}

// With a power of two of slots one key more can double the filter (field case
// 16): 13.37 and then 26.21 bits per key. With any number of slots it cannot:
// over a doubling of the keys the bits stay what was asked for.
func TestNoDoubling(t *testing.T) {
	pow2 := map[string]string{"layout": "flags", "load": "75", "slots": "pow2"}
	for _, c := range []struct {
		n    uint64
		bits float64
	}{{98_000, 13.37}, {98_304, 13.33}, {98_305, 26.67}, {100_000, 26.21}} {
		d := design(t, pow2, c.n, c.bits+0.01)
		if r, _ := d.Param("r"); r != 7 || math.Abs(d.BitsPerKey()-c.bits) > 0.006+8*128/98e3 {
			t.Errorf("%s: %.3f bits per key with r=%d, want %.2f with 7", d, d.BitsPerKey(), r, c.bits)
		}
	}
	for _, layout := range layouts {
		least, most := math.Inf(1), 0.0
		for n := uint64(98_000); n <= 200_000; n += 499 {
			d, err := spec(t, map[string]string{"layout": layout}).ForFPR(n, 0.00584)
			if err != nil {
				t.Fatal(err)
			}
			least, most = min(least, d.BitsPerKey()), max(most, d.BitsPerKey())
		}
		// A block of 64 slots and the padding to 128 bytes, or to a page from
		// 2 MiB on, which none of these has.
		padding := float64(8*(stride(10)+slack+128)) / 98_000
		if most-least > padding {
			t.Errorf("%s: from %.3f to %.3f bits per key, more than %.3f apart", layout, least, most, padding)
		}
	}
}

// The longest stretch among 2^20 slots (claim P14) and the mean of all (claim
// B17). The stated values are from a simulation. About M = slots (1-load)
// (1-e^-load) stretches begin, independently of each other's lengths, so that
// the longest is at most L with a chance of exp(-M share(above L)): both the
// stated value and ours must be within its quantiles of 10^-5 and 1-10^-5.
func TestStretches(t *testing.T) {
	const slots = 1 << 20
	for _, c := range []struct {
		load    float64
		longest int
		mean    float64
		digit   float64
	}{{0.5, 51, 0, 0}, {0.75, 251, 5.7, 0.05}, {0.9, 968, 15, 0.5}, {0.95, 5117, 31, 0.5}} {
		count := slots * (1 - c.load) * -math.Expm1(-c.load)
		low, high, variance := stretchLaw(c.load, count)
		if c.longest < low || c.longest > high {
			t.Errorf("load %v: stated longest stretch %d, theory %d..%d", c.load, c.longest, low, high)
		}
		want := theory.QuotientStretch(c.load)
		if c.mean > 0 && math.Abs(want-c.mean) > c.digit {
			t.Errorf("load %v: stated mean stretch %v, theory %v", c.load, c.mean, want)
		}
		for _, layout := range layouts {
			if testing.Short() && layout == "flags" {
				continue
			}
			f := build(t, layout, slots, 8, c.load, 14)
			h := f.Stretches()
			if got := len(h) - 1; got < low || got > high {
				t.Errorf("%s, load %v: longest stretch %d, want %d..%d", layout, c.load, got, low, high)
			}
			if slack := 5 * math.Sqrt(variance/count); math.Abs(meanLength(h)-want) > slack {
				t.Errorf("%s, load %v: mean stretch %.3f, want %.3f +- %.3f", layout, c.load, meanLength(h), want, slack)
			}
			if math.Abs(f.Load()-c.load) > 1e-6 {
				t.Errorf("Load is %v, want %v", f.Load(), c.load)
			}
			filters.Free(f)
		}
	}
}

func meanLength(h []uint64) float64 {
	slots, count := 0.0, 0.0
	for length, n := range h {
		slots += float64(length) * float64(n)
		count += float64(n)
	}
	return slots / count
}

// stretchLaw is the quantiles of the longest of count stretches, and the
// variance of their lengths.
func stretchLaw(load, count float64) (low, high int, variance float64) {
	above, mean, square := 1.0, 0.0, 0.0
	for length := 1; ; length++ {
		share := theory.QuotientStretchShare(load, length)
		above -= share
		mean += share * float64(length)
		square += share * float64(length) * float64(length)
		chance := math.Exp(-count * max(0, above))
		if low == 0 && chance > 1e-5 {
			low = length
		}
		if chance > 1-1e-5 && above < 1e-9 {
			return low, length, square - mean*mean
		}
	}
}

// Flat memory without pointers (field case 32): at most three allocations, and
// what is reported is what the heap has lost.
func TestMemory(t *testing.T) {
	for _, layout := range layouts {
		d := design(t, map[string]string{"layout": layout}, 1_000_000, 12)
		var f filters.Hashed
		make := func() { f, _ = d.NewHashed() }
		if allocs := testing.AllocsPerRun(10, make); allocs > 3 {
			t.Errorf("%s: %v allocations", layout, allocs)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		make()
		runtime.ReadMemStats(&after)
		if heap := float64(after.TotalAlloc - before.TotalAlloc); math.Abs(heap*8/float64(f.SizeBits())-1) > 0.01 {
			t.Errorf("%s: %v bytes from the heap, %d bits reported", layout, heap, f.SizeBits())
		}
		if f.SizeBits() != 8*memory.Size(f.SizeBits()/8) || float64(f.SizeBits()) > 12*1_000_000+8*(128+float64(stride(10))) {
			t.Errorf("%s: %d bits for 1,000,000 keys at 12", layout, f.SizeBits())
		}
	}
}
