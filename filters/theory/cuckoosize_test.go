package theory

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// overlaps counts the sets of so many keys that share both buckets, in a table
// whose fingerprints lead from bucket to bucket at random.
func overlaps(rng *rand.Rand, n, buckets, fingerprints, keys int) (sets float64) {
	sum := make([]int, fingerprints)
	for fp := range sum {
		sum[fp] = 2*rng.IntN(buckets/2) + 1
	}
	count := map[[2]int]int{}
	for range n {
		fp, bucket := rng.IntN(fingerprints), rng.IntN(buckets)
		other := (sum[fp] + buckets - bucket) % buckets
		count[[2]int{min(bucket, other), max(bucket, other)}]++
	}
	for _, c := range count {
		choose := 1.0
		for i := range keys {
			choose *= float64(c-i) / float64(i+1)
		}
		if c >= keys {
			sets += choose
		}
	}
	return sets
}

// The formula against the mean of simulated tables, where fingerprints are fewer
// than buckets, about as many, and more; within five standard errors.
func TestCuckooOverlaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct{ n, buckets, f, slots int }{
		{60, 32, 2, 2}, {40, 16, 3, 2}, {40, 10, 6, 2}, {30, 4, 5, 2}, {60, 10, 3, 4}, {50, 4, 8, 4}, {40, 2, 4, 8},
	} {
		const tables = 8_000
		var sum, squares float64
		for range tables {
			sets := overlaps(rng, c.n, c.buckets, 1<<c.f-1, 2*c.slots+1)
			sum += sets
			squares += sets * sets
		}
		mean := sum / tables
		se := math.Sqrt(max(0, squares/tables-mean*mean) / tables)
		near(t, CuckooOverlaps(uint64(c.n), uint64(c.buckets), c.f, c.slots), mean, 5*se/mean+1e-12, "overlaps of %v", c)
	}
	if got := CuckooOverlaps(8, 2, 4, 4); got != 0 {
		t.Errorf("8 keys overlap %v times in two buckets of 4", got)
	}
}

// A table takes its keys at the paper's load, less what large tables and short
// fingerprints cost, or at the load at which overlaps become rare; and two
// buckets less would be too few.
func TestCuckooBuckets(t *testing.T) {
	for _, c := range []struct {
		n        uint64
		f, slots int
		load     float64
	}{
		{1 << 18, 16, 4, 0.950}, {1 << 18, 16, 2, 0.840}, {1 << 18, 16, 8, 0.980},
		{1 << 20, 16, 4, 0.948}, {1 << 30, 16, 4, 0.938}, {1 << 20, 6, 4, 0.946}, {1 << 20, 5, 4, 0.943},
	} {
		got := float64(c.n) / float64(CuckooBuckets(c.n, c.f, c.slots)*uint64(c.slots))
		if got > c.load || got < c.load-0.0002 {
			t.Errorf("%+v: a load of %.5f", c, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := uint64(math.Exp(rapid.Float64Range(0, 28).Draw(t, "ln n")))
		f := rapid.IntRange(2, 32).Draw(t, "f")
		slots := rapid.SampledFrom([]int{2, 4, 8}).Draw(t, "slots")
		most := map[int]float64{2: 0.84, 4: 0.95, 8: 0.98}[slots]
		rare := func(buckets uint64) bool { return CuckooOverlaps(n, buckets, f, slots) <= 1e-4 }
		buckets := CuckooBuckets(n, f, slots)
		load := float64(n) / float64(buckets*uint64(slots))
		if buckets%2 != 0 || load > most || !rare(buckets) {
			t.Fatalf("%d buckets: a load of %v, overlaps %v", buckets, load, CuckooOverlaps(n, buckets, f, slots))
		}
		if n > 10_000 && f > 12 && slots > 2 && load < most-0.03 {
			t.Fatalf("%d buckets: a load of %v only", buckets, load)
		}
		if load < most-0.1 && float64(n) > 1000 && rare(buckets-2) { // overlaps decide
			t.Fatalf("%d buckets where fewer would do", buckets)
		}
	})
}

func TestCuckooBucketsAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, 1<<40).Draw(t, "n")
		percent := rapid.Uint64Range(1, 100).Draw(t, "percent")
		slots := rapid.SampledFrom([]int{2, 4, 8}).Draw(t, "slots")
		buckets := CuckooBucketsAt(n, percent, slots)
		enough := func(buckets uint64) bool { return 100*n <= percent*buckets*uint64(slots) }
		if buckets%2 != 0 || !enough(buckets) || enough(buckets-2) {
			t.Fatalf("%d buckets", buckets)
		}
	})
}

func TestCuckooBucketsForAtMost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := uint64(math.Exp(rapid.Float64Range(0, 27).Draw(t, "ln n")))
		f := rapid.IntRange(2, 32).Draw(t, "f")
		p := math.Exp(-rapid.Float64Range(0.01, 25).Draw(t, "-ln p"))
		buckets := CuckooBucketsForAtMost(n, p, f)
		if buckets == 0 {
			if guess := 2 * float64(n) / p / fingerprints(f); guess < 1<<52 {
				t.Fatalf("none, where about %g do", guess)
			}
			return
		}
		if buckets%2 != 0 || CuckooExact(n, buckets, f) > p*(1+1e-12) || buckets > 2 && CuckooExact(n, buckets-2, f) < p*(1-1e-12) {
			t.Fatalf("%d buckets: %v, and %v with two less", buckets, CuckooExact(n, buckets, f), CuckooExact(n, buckets-2, f))
		}
	})
	for _, p := range []float64{0, -1, math.NaN()} {
		if got := CuckooBucketsForAtMost(100, p, 8); got != 0 {
			t.Errorf("%d buckets for a rate of %v", got, p)
		}
	}
	if got := CuckooBucketsForAtMost(100, 1, 8); got != 2 {
		t.Errorf("%d buckets for a rate of 1", got)
	}
}

// Sizes are the same on every CPU: see TestSameOnEveryCPU.
func TestCuckooSizesSameOnEveryCPU(t *testing.T) {
	digest := fnv.New64a()
	for n := uint64(1); n < 1<<40; n += n/3 + 1 {
		for f := 2; f <= 32; f++ {
			for _, slots := range []int{2, 4, 8} {
				digest.Write(binary.LittleEndian.AppendUint64(nil, CuckooBuckets(n, f, slots)))
			}
			if f%5 == 0 {
				digest.Write(binary.LittleEndian.AppendUint64(nil, CuckooBucketsForAtMost(n, 1/float64(n%1000+2), f)))
			}
		}
	}
	if got, want := digest.Sum64(), uint64(0x9883810a31ffef93); got != want {
		t.Errorf("digest %#x, want %#x", got, want)
	}
}
