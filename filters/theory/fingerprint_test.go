package theory

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestInformationBits(t *testing.T) {
	for _, c := range []struct{ p, bound, bloom float64 }{
		{0.03, 5.059, 7.298}, {0.01, 6.644, 9.585}, {0.001, 9.966, 14.378}, {0.0001, 13.288, 19.170},
	} {
		near(t, InformationBits(c.p), c.bound, 1e-4, "InformationBits(%v)", c.p)
		near(t, BloomBitsPerKey(c.p), c.bloom, 1e-4, "BloomBitsPerKey(%v)", c.p)
	}
}

// "99 % of the maybes are right" holds only where half of the lookups hit.
func TestPrecision(t *testing.T) {
	for _, c := range []struct{ present, want float64 }{
		{0, 0}, {0.001, 0.0910}, {0.01, 0.5025}, {0.1, 0.9174}, {0.5, 0.9901}, {0.9, 0.9989}, {1, 1},
	} {
		near(t, Precision(c.present, 0.01), c.want, 5e-4, "Precision(%v, 1 %%)", c.present)
	}
	if got := Precision(0, 0); got != 0 {
		t.Errorf("Precision(0, 0) = %v", got)
	}
}

// A 32-bit hash has a floor that no size of the filter lowers (RocksDB 4120).
func TestFingerprintFPR(t *testing.T) {
	near(t, FingerprintFPR(1e7, 32), 2.3256e-3, 1e-4, "FingerprintFPR(10^7, 32)")
	near(t, FingerprintFPR(1e8, 32), 0.02301, 1e-3, "FingerprintFPR(10^8, 32)")
	_, sd := powerOfFill(100, 256, 1)
	near(t, FingerprintSD(100, 8), sd, 1e-11, "FingerprintSD(100, 8)")
}

// Golden values: golomb_bits in Python, which sums over the remainders.
func TestGolombBits(t *testing.T) {
	for _, c := range []struct{ p, want float64 }{
		{0.5, 2}, {0.3, 2.9607843137254903}, {0.1, 4.7251191338521865}, {0.05, 5.761577052086848},
		{0.03, 6.509312566808667}, {0.01, 8.10500678818945}, {0.001, 11.435885969925042},
		{0.0001, 14.763064342090018}, {1e-06, 21.401744926208206},
	} {
		near(t, GolombBits(c.p), c.want, 1e-10, "GolombBits(%v)", c.p)
	}
}

// Golden values: cuckoo_fpr(nonzero=True) in Python.
func TestCuckooFPR(t *testing.T) {
	for _, c := range []struct {
		f, slots   int
		load, want float64
	}{
		{4, 1, 0.5, 0.06666666666666667},
		{8, 1, 0.5, 0.00392156862745098},
		{16, 1, 0.5, 1.5259021896696422e-05},
		{4, 2, 0.84, 0.2069079994068},
		{12, 2, 0.84, 0.0008202764107579308},
		{4, 4, 0.95, 0.4080575272927247},
		{8, 4, 0.95, 0.029421034471757743},
		{12, 4, 0.95, 0.001854426922809681},
		{16, 4, 0.95, 0.0001159627270104703},
		{8, 8, 0.98, 0.05975150402436798},
		{16, 8, 0.98, 0.0002392346676287498},
		{8, 4, 0, 0},
		{1, 4, 0.5, 1}, // a single fingerprint tells nothing
	} {
		near(t, CuckooFPR(c.f, c.slots, c.load), c.want, 1e-13, "CuckooFPR(%d, %d, %v)", c.f, c.slots, c.load)
	}
}

// Golden values: cuckoo_bits in Python; the crossing with Bloom as claimed.
func TestCuckooIdealBits(t *testing.T) {
	for _, c := range []struct{ p, plain, semiSorted float64 }{
		{0.03, 8.483045988477441, 7.430414409530073},
		{0.01, 10.15142756818392, 9.098795989236551},
		{0.001, 13.64819398385483, 12.59556240490746},
		{0.0001, 17.144960399525733, 16.092328820578366},
	} {
		near(t, CuckooIdealBits(c.p, 4, 0.95, false), c.plain, 1e-13, "plain bits at %v", c.p)
		near(t, CuckooIdealBits(c.p, 4, 0.95, true), c.semiSorted, 1e-13, "semi-sorted bits at %v", c.p)
	}
	for semiSorted, p := range map[bool]float64{false: 0.0036551628204529044, true: 0.02372854734683998} {
		near(t, CuckooIdealBits(p, 4, 0.95, semiSorted), BloomBitsPerKey(p), 1e-9, "bits where cuckoo meets Bloom")
	}
	near(t, CuckooBitsPerKey(8, 0.95, false), 8.42, 1e-3, "CuckooBitsPerKey(8, .95)")
	near(t, CuckooBitsPerKey(13, 0.95, true), 12.632, 1e-4, "CuckooBitsPerKey(13, .95, semi-sorted)")
}

func TestFingerprintSizing(t *testing.T) {
	for _, c := range []struct {
		p                   float64
		cuckoo, quotient    int
		quotientAt3Quarters int
	}{{0.03, 8, 5, 5}, {0.01, 10, 7, 7}, {0.001, 13, 10, 10}, {0.0001, 17, 14, 13}, {0, 0, 0, 0}, {math.NaN(), 0, 0, 0}, {1, 1, 1, 1}} {
		if f := CuckooFingerprintBits(c.p, 4, 0.95); f != c.cuckoo {
			t.Errorf("CuckooFingerprintBits(%v) = %d, want %d", c.p, f, c.cuckoo)
		}
		if r := QuotientRemainderBits(c.p, 0.95); r != c.quotient {
			t.Errorf("QuotientRemainderBits(%v, .95) = %d, want %d", c.p, r, c.quotient)
		}
		if r := QuotientRemainderBits(c.p, 0.75); r != c.quotientAt3Quarters {
			t.Errorf("QuotientRemainderBits(%v, .75) = %d, want %d", c.p, r, c.quotientAt3Quarters)
		}
	}
}

func TestFingerprintSizingIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := math.Exp(-rapid.Float64Range(0.1, 30).Draw(t, "-ln p"))
		load := rapid.Float64Range(0.05, 0.99).Draw(t, "load")
		slots := rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "slots")
		least := func(name string, bits int, fpr func(bits int) float64) {
			if bits < 1 || fpr(bits) > p*(1+1e-12) || bits > 1 && fpr(bits-1) < p*(1-1e-12) {
				t.Fatalf("%s: %d bits for %v", name, bits, p)
			}
		}
		least("cuckoo", CuckooFingerprintBits(p, slots, load), func(f int) float64 { return CuckooFPR(f, slots, load) })
		least("quotient", QuotientRemainderBits(p, load), func(r int) float64 { return QuotientFPR(r, load) })
	})
}

// cuckooRate fills a table of 4-slot buckets and returns its true FPR, over
// all buckets and fingerprints.
func cuckooRate(t *testing.T, rng *rand.Rand, buckets, n, f int) float64 {
	values := 1<<f - 1
	offset := make([]int, values+1) // partial-key hashing: i xor offset[fp]
	for fp := range offset {
		offset[fp] = 1 + rng.IntN(buckets-1)
	}
	table := make([][]int, buckets)
	for range n {
		fp, i := 1+rng.IntN(values), rng.IntN(buckets)
		for kicks := 0; len(table[i]) == 4; kicks++ {
			if i ^= offset[fp]; len(table[i]) < 4 {
				break
			}
			if kicks == 1000 {
				t.Fatal("the table is full")
			}
			slot := rng.IntN(4)
			fp, table[i][slot] = table[i][slot], fp
		}
		table[i] = append(table[i], fp)
	}
	hits := 0
	for i := range table {
		for fp := 1; fp <= values; fp++ {
			if contains(table[i], fp) || contains(table[i^offset[fp]], fp) {
				hits++
			}
		}
	}
	return float64(hits) / float64(buckets*values)
}

func contains(bucket []int, fp int) bool {
	for _, v := range bucket {
		if v == fp {
			return true
		}
	}
	return false
}

// The mean of simulated tables tells CuckooExact from the paper's formula, of
// which it must be 5 standard errors away; the variance within 5 of its own.
func TestCuckooExactAgainstSimulation(t *testing.T) {
	const tables, buckets, n, f = 120, 512, 1843, 5
	rng := rand.New(rand.NewPCG(3, 4))
	var sum, squares float64
	for range tables {
		rate := cuckooRate(t, rng, buckets, n, f)
		sum += rate
		squares += rate * rate
	}
	mean := sum / tables
	variance := squares/tables - mean*mean
	se := math.Sqrt(variance / tables)
	near(t, CuckooExact(n, buckets, f), mean, 5*se/mean, "CuckooExact")
	sd := CuckooSD(n, buckets, f)
	near(t, sd*sd, variance, 5*math.Sqrt(2.0/tables), "variance between tables")
	if paper := CuckooFPR(f, 4, float64(n)/(4*buckets)); paper < mean+5*se {
		t.Errorf("the paper's formula, %v, agrees with the simulation, %v +- %v: the doc comment is wrong", paper, mean, se)
	}
}

// Golden values: quotient_fpr in Python; bits per key as claimed.
func TestQuotient(t *testing.T) {
	for _, c := range []struct {
		r          int
		load, want float64
	}{
		{5, 0.95, 0.02925115483228577}, {7, 0.75, 0.005842242340862157}, {7, 0.95, 0.007394400897544698},
		{8, 0.75, 0.0029254001534600106}, {10, 0.9, 0.0008785201250326893},
	} {
		near(t, QuotientFPR(c.r, c.load), c.want, 1e-13, "QuotientFPR(%d, %v)", c.r, c.load)
		const q = 20
		n := uint64(math.Round(c.load * (1 << q)))
		near(t, FingerprintFPR(n, q+c.r), c.want, 1e-6, "FingerprintFPR of the same filter")
	}
	near(t, QuotientBitsPerKey(7, QuotientMetadata, 0.75), 13.33, 1e-3, "quotient bits")
	near(t, QuotientBitsPerKey(7, CQFMetadata, 0.95), 9.605, 1e-3, "CQF bits")
}

// Measured by others: 5.7 slots at a load of .75, 15 at .9, 31 at .95.
func TestQuotientStretch(t *testing.T) {
	for load, want := range map[float64]float64{0.75: 5.7, 0.9: 15.2, 0.95: 31} {
		near(t, QuotientStretch(load), want, 0.005, "QuotientStretch(%v)", load)
		var sum, mean float64
		for length := 1; length < 50000; length++ {
			share := QuotientStretchShare(load, length)
			sum += share
			mean += share * float64(length)
		}
		near(t, sum, 1, 1e-9, "all shares at %v", load)
		near(t, mean, QuotientStretch(load), 1e-9, "mean of the shares at %v", load)
	}
}

// Linear probing fills the same slots: mean length and the shares of lengths 1
// and 2, each within 5 standard errors.
func TestQuotientStretchAgainstSimulation(t *testing.T) {
	const tables, slots, load = 30, 1 << 14, 0.75
	rng := rand.New(rand.NewPCG(5, 6))
	var lengths, squares, ones, twos, n float64
	for range tables {
		filled := make([]bool, slots)
		for range int(load * slots) {
			i := rng.IntN(slots)
			for filled[i] {
				i = (i + 1) % slots
			}
			filled[i] = true
		}
		length := 0
		for _, f := range filled { // a stretch across the end counts as two, 1 in 2,000
			if f {
				length++
				continue
			}
			if length > 0 {
				n++
				lengths += float64(length)
				squares += float64(length * length)
			}
			switch length {
			case 1:
				ones++
			case 2:
				twos++
			}
			length = 0
		}
	}
	mean := lengths / n
	se := math.Sqrt((squares/n - mean*mean) / n)
	near(t, QuotientStretch(load), mean, 5*se/mean, "QuotientStretch(.75)")
	for length, count := range map[int]float64{1: ones, 2: twos} {
		near(t, QuotientStretchShare(load, length), count/n, 5/math.Sqrt(count), "share of length %d", length)
	}
}

// The queue that a slot inherits, and the slots since one that inherits none,
// in independent tables of many slots; 5 standard errors of the tables' means.
func TestQuotientQueueAgainstSimulation(t *testing.T) {
	const tables, slots = 200, 20000
	for _, load := range []float64{0.3, 0.75, 0.9} {
		rng := rand.New(rand.NewPCG(7, 8))
		none := math.Exp(-load)
		arrivals := func() (n int) { // Poisson, by multiplying uniforms (Knuth)
			for left := rng.Float64(); left > none; left *= rng.Float64() {
				n++
			}
			return n
		}
		var shift, walk [2]float64 // sum and sum of squares over the tables
		for range tables {
			queue, since, queues, sinces := 0, 0, 0, 0
			for range slots {
				if queue == 0 {
					since = 0
				}
				queues += queue
				sinces += since
				queue = max(queue+arrivals()-1, 0)
				since++
			}
			q, w := float64(queues)/slots, float64(sinces)/slots
			shift = [2]float64{shift[0] + q, shift[1] + q*q}
			walk = [2]float64{walk[0] + w, walk[1] + w*w}
		}
		check := func(name string, got float64, sums [2]float64) {
			mean := sums[0] / tables
			se := math.Sqrt((sums[1]/tables - mean*mean) / tables)
			near(t, got, mean, 5*se/mean, "%s(%v)", name, load)
		}
		check("QuotientShift", QuotientShift(load), shift)
		check("QuotientWalk", QuotientWalk(load), walk)
	}
}

// Bits per key of 8-bit fingerprints as the reference libraries allocate them.
func TestStaticFilters(t *testing.T) {
	for _, c := range []struct {
		n     uint64
		arity int
		bits  float64
	}{{100, 3, 15.36}, {1e5, 3, 9.50}, {1e6, 3, 9.044}, {1e6, 4, 8.61}} {
		near(t, 8*float64(FuseSlots(c.n, c.arity))/float64(c.n), c.bits, 1e-3, "fuse bits at n=%d, arity %d", c.n, c.arity)
	}
	near(t, 8*float64(XorSlots(1e6))/1e6, 9.840, 1e-4, "xor bits")
	near(t, XorFPR(8), 0.00390625, 0, "XorFPR(8)")
	for _, arity := range []int{3, 4} {
		near(t, float64(FuseSlots(1e9, arity))/1e9, FuseFactor(arity), 1e-3, "slots per key, arity %d", arity)
		for n := uint64(0); n < 3000; n++ {
			if slots := FuseSlots(n, arity); slots < n || slots == 0 || slots > 8*n+64 {
				t.Fatalf("FuseSlots(%d, %d) = %d", n, arity, slots)
			}
		}
	}
}

// The definition, summed over all outcomes, for few keys; for many the field case
// of a million lookups: 27.9, 278 and about 2,720 of 1,000, 10,000 and 100,000
// deletes.
func TestCuckooAbsentDeletes(t *testing.T) {
	choose := func(n, k int) float64 {
		c := 1.0
		for i := range k {
			c *= float64(n-i) / float64(i+1)
		}
		return c
	}
	for _, c := range []struct{ n, deletes, buckets, f int }{{5, 3, 4, 2}, {3, 8, 2, 2}, {1, 1, 8, 3}, {6, 0, 4, 2}, {0, 4, 4, 2}} {
		values := float64(c.buckets) / 2 * (math.Exp2(float64(c.f)) - 1)
		removed, lost := 0.0, 0.0
		for x := range c.n + 1 {
			for y := range c.deletes + 1 {
				chance := choose(c.n, x) * math.Pow(1/values, float64(x)) * math.Pow(1-1/values, float64(c.n-x)) *
					choose(c.deletes, y) * math.Pow(1/values, float64(y)) * math.Pow(1-1/values, float64(c.deletes-y))
				removed += values * chance * float64(min(x, y))
				if y >= x {
					lost += values * chance * float64(x)
				}
			}
		}
		r, l := CuckooAbsentDeletes(uint64(c.n), uint64(c.deletes), uint64(c.buckets), c.f)
		near(t, r, removed, 1e-12, "%+v: removals", c)
		near(t, l, lost, 1e-12, "%+v: losses", c)
	}
	for _, c := range []struct {
		deletes uint64
		removed float64
	}{{1_000, 27.84}, {10_000, 277.7}, {100_000, 2719}} {
		r, l := CuckooAbsentDeletes(58_982, c.deletes, 16_384, 8)
		near(t, r, c.removed, .002, "%d deletes: removals", c.deletes)
		if !(l < r && l > .97*r) {
			t.Errorf("%d deletes: %v removals lose %v keys", c.deletes, r, l)
		}
	}
	if r, l := CuckooAbsentDeletes(3, 2, 2, 1); r != 2 || l != 0 {
		t.Errorf("one value: %v removals lose %v keys, want 2 and 0", r, l)
	}
}
