package leveldb

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"filterbench/filters"
)

// Rates at 10 bits per key, in percent, from an independent simulation of the
// scheme over random 32-bit hashes (0 where there is none). One text has 0.82 %
// with 7 probes (claim C13); LevelDB takes 6, and 0.844 % would be the ideal.
var rates = []struct {
	n              uint64
	want           float64
	built, queries int
}{
	{10, 0, 20_000, 200},
	{20, 1.20, 20_000, 200},
	{100, 0.94, 5_000, 500},
	{1_000, 0.89, 500, 5_000},
	{10_000, 0, 50, 50_000},
	{100_000, 0, 5, 200_000},
	{300_000, 2.07, 2, 500_000},
	{1_000_000, 1.29, 1, 1_000_000},
}

// The scheme's excess over theory: claims C13 to C15. Real filters of LevelDB
// hold 20 to 100 keys, one for every 2 KiB of a table, and read 0.93 to 1.2 % of
// absent keys in vain.
func TestRates(t *testing.T) {
	for _, c := range rates {
		if testing.Short() && c.n > 10_000 {
			continue
		}
		if testing.Short() {
			c.built /= 5
		}
		d, err := spec(t).ForBits(c.n, 10)
		if err != nil {
			t.Fatal(err)
		}
		if k, _ := d.Param("k"); k != 6 {
			t.Errorf("%s: want 6 probes", d)
		}
		rate, se := measure(t, d, c.n, c.built, c.queries)
		// The simulation's numbers are rounded, and of a few percent themselves.
		if c.want != 0 && math.Abs(100*rate-c.want) > 0.03*c.want+500*se {
			t.Errorf("n=%d: %.4f %%, want %.2f", c.n, 100*rate, c.want)
		}
		if rate < 0.0086-5*se || rate > 0.0215+5*se {
			t.Errorf("n=%d: %.4f %% is not between the ideal and 2.1 %%", c.n, 100*rate)
		}
		if d.Model.Holds(c.n) || rate < d.Model.FPR(c.n) {
			t.Errorf("n=%d: %.4f %%; the model, not meant to hold, says %.4f", c.n, 100*rate, 100*d.Model.FPR(c.n))
		}
	}
}

// measure is the rate over filters of a design that hold n keys each, and its
// standard error, between filters.
func measure(t *testing.T, d filters.Design, n uint64, built, queries int) (rate, se float64) {
	t.Helper()
	var sum, squares float64
	for set := range uint64(built) {
		f := build(t, d, numbered(2*set, n))
		hits := float64(f.CountKeys(numbered(2*set+1, uint64(queries))))
		sum += hits
		squares += hits * hits
		filters.Free(f)
	}
	return summarise(sum, squares, built, queries)
}

func summarise(sum, squares float64, built, queries int) (rate, se float64) {
	mean := sum / float64(built)
	variance := max(squares/float64(built)-mean*mean, mean) / float64(built)
	return mean / float64(queries), math.Sqrt(variance) / float64(queries)
}

// The package against the scheme written down once more, over random hashes: the
// rate at every size, a power of two and its neighbours included, is the
// scheme's, and not made by the hash function.
func TestRateIsTheSchemes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		n, m           uint64
		built, queries int
	}{{20, 200, 5_000, 200}, {1_000, 10_000, 300, 3_000}, {10_000, 100_000, 30, 30_000}, {10_000, 1 << 17, 30, 30_000}, {10_000, 1<<17 + 8, 30, 30_000}} {
		var sum, squares float64
		for range c.built {
			set := make([]bool, c.m)
			walk := func(visit func(at uint32) bool) bool {
				h := rng.Uint32()
				d := bits.RotateLeft32(h, 15)
				for range 6 {
					if !visit(h % uint32(c.m)) {
						return false
					}
					h += d
				}
				return true
			}
			for range c.n {
				walk(func(at uint32) bool { set[at] = true; return true })
			}
			hits := 0.0
			for range c.queries {
				if walk(func(at uint32) bool { return set[at] }) {
					hits++
				}
			}
			sum += hits
			squares += hits * hits
		}
		want, wantSE := summarise(sum, squares, c.built, c.queries)
		d, err := design(c.n, c.m, 6)
		if err != nil {
			t.Fatal(err)
		}
		rate, se := measure(t, d, c.n, c.built, c.queries)
		if math.Abs(rate-want) > 5*math.Hypot(se, wantSE) {
			t.Errorf("n=%d m=%d: %.5f, the scheme has %.5f +- %.5f", c.n, c.m, rate, want, 5*math.Hypot(se, wantSE))
		}
	}
}
