package workloads

import (
	"crypto/sha256"
	"fmt"
	"math"
	"strings"
	"testing"

	"filterbench/filters"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

func TestPermutationsAreBijections(t *testing.T) {
	for width := range 13 {
		for key := range uint64(5) {
			seen := make([]bool, 1<<width)
			for x := range uint64(1) << width {
				y := permute(x, width, key*0x123456789abcdef1)
				if seen[y] {
					t.Fatalf("width %d, key %d: %d comes twice", width, key, y)
				}
				seen[y] = true
			}
		}
	}
	for n := uint64(1); n < 200; n++ {
		seen := make([]bool, n)
		for x := range n {
			y := permuteBelow(x, n, 99)
			if seen[y] {
				t.Fatalf("below %d: %d comes twice", n, y)
			}
			seen[y] = true
		}
	}
}

// TestStreams checks random streams against what they promise.
func TestStreams(t *testing.T) {
	var sources []Source
	for _, spec := range []string{"textbook", "sequential", "words"} {
		sources = append(sources, mustOpen(t, spec, 1000, 1))
	}
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SampledFrom(sources).Draw(t, "source")
		s := Stream{
			Present: rapid.Uint64Range(1, 1000).Draw(t, "present"),
			Count:   rapid.IntRange(1, 3000).Draw(t, "count"),
			Hits:    rapid.OneOf(rapid.SampledFrom([]float64{0, 0.5, 0.95, 1}), rapid.Float64Range(0, 1)).Draw(t, "hits"),
			Zipf:    rapid.SampledFrom([]float64{0, 0, 0.5, 1, 2.5}).Draw(t, "zipf"),
			Seed:    rapid.Uint64().Draw(t, "seed"),
		}
		_, absents := src.Limits()
		s.AbsentFrom = rapid.OneOf(rapid.Just(absents-1), rapid.Uint64Range(0, absents-1)).Draw(t, "absentFrom")
		keys, hits, err := Queries(src, s)
		if err != nil {
			t.Fatal(err)
		}
		if d := float64(hits) - s.Hits*float64(s.Count); math.Abs(d) > 0.5+1e-9 || keys.Len() != s.Count {
			t.Fatalf("%d hits of %d queries for %+v", hits, keys.Len(), s)
		}
		present := map[string]int{}
		for _, k := range all(src.Present, s.Present) {
			present[k] = 0
		}
		absent := map[string]int{}
		asked := 0
		for i := range keys.Len() {
			k := string(keys.At(i))
			if _, ok := present[k]; ok {
				asked++
				present[k]++
			} else {
				absent[k]++
			}
		}
		if asked != hits {
			t.Fatalf("%d queries ask for present keys, reported %d", asked, hits)
		}
		if s.Zipf == 0 { // each key equally often, up to one
			checkEven(t, "present", present, uint64(hits), s.Present)
			checkEven(t, "absent", absent, uint64(s.Count-hits), min(absents-s.AbsentFrom, uint64(s.Count-hits)))
		}
	})
}

// checkEven checks that queries are spread evenly over n keys.
func checkEven(t *rapid.T, side string, counts map[string]int, queries, n uint64) {
	if queries == 0 {
		return
	}
	asked := uint64(0)
	for k, c := range counts {
		if c > 0 {
			asked++
		}
		if uint64(c) > (queries+n-1)/n {
			t.Fatalf("%s key %q is asked for %d times in %d queries over %d keys", side, k, c, queries, n)
		}
	}
	if asked != min(queries, n) {
		t.Fatalf("%d queries over %d %s keys ask for %d different ones", queries, n, side, asked)
	}
}

func TestStreamsRepeat(t *testing.T) {
	src := mustOpen(t, "random", 1000, 1)
	sum := func(s Stream) string {
		keys, _, err := Queries(src, s)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%x", sha256.Sum256([]byte(text(keys))))
	}
	base := Stream{Present: 1000, Count: 500, Hits: 0.5, Seed: 1}
	seed, zipf, hits, from := base, base, base, base
	seed.Seed, zipf.Zipf, hits.Hits, from.AbsentFrom = 2, 1, 0.6, 1
	seen := map[string]Stream{}
	for _, s := range []Stream{base, seed, zipf, hits, from} {
		first := sum(s)
		if other, ok := seen[first]; ok {
			t.Errorf("%+v and %+v are the same stream", s, other)
		}
		seen[first] = s
		if again := sum(s); again != first {
			t.Errorf("%+v does not repeat", s)
		}
	}
}

// TestStreamsAreTheSameEverywhere pins two streams. They only must not change;
// run on another architecture it shows that they do not depend on that either.
func TestStreamsAreTheSameEverywhere(t *testing.T) {
	for zipf, want := range map[float64]string{
		0:    "1c649163ad327c0f195fd03652caf922e1248085fcc5e64a4004e4362af55e88",
		0.99: "1ff928d4ffd5a420e469ef827f6aa4ae55e59e893a1527c54d64dbcb565a9124",
	} {
		keys, _, err := Queries(mustOpen(t, "random", 1e6, 1), Stream{Present: 1e6, Count: 100000, Hits: 0.5, Zipf: zipf, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256([]byte(text(keys)))); got != want {
			t.Errorf("Zipf exponent %v: SHA-256 %s, want %s", zipf, got, want)
		}
	}
}

// TestHitsAreShuffled: the sum of the positions of the hits is that of a random
// order. Its variance is h m (h + m + 1) / 12 (Wilcoxon).
func TestHitsAreShuffled(t *testing.T) {
	src := mustOpen(t, "textbook", 10000, 0)
	for seed := range uint64(10) {
		keys, hits, err := Queries(src, Stream{Present: 10000, Count: 10000, Hits: 0.3, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		sum, changes, last := 0.0, 0, false
		for i := range keys.Len() {
			hit := keys.At(i)[0] == 'k'
			if hit {
				sum += float64(i + 1)
			}
			if i > 0 && hit != last {
				changes++
			}
			last = hit
		}
		n, h := float64(keys.Len()), float64(hits)
		m := n - h
		if z := (sum - h*(n+1)/2) / math.Sqrt(h*m*(n+1)/12); math.Abs(z) > 5 {
			t.Errorf("seed %d: the hits stand too far to one side (z = %.1f)", seed, z)
		}
		// Runs test of Wald and Wolfowitz.
		mean := 2 * h * m / n
		if z := (float64(changes) - mean) / math.Sqrt(mean*(mean-1)/(n-1)); math.Abs(z) > 5 {
			t.Errorf("seed %d: %d changes between hit and miss, want about %.0f (z = %.1f)", seed, changes, mean, z)
		}
	}
}

// TestZipfLaw compares the ranks with the law by a chi-square test at 1e-6.
func TestZipfLaw(t *testing.T) {
	const n, draws = 100, 100000
	for _, s := range []float64{0.3, 0.99, 1, 1.5} {
		z := newZipf(n, s)
		rng := newSequence(5)
		counts := make([]float64, n)
		for range draws {
			counts[z.rank(&rng)]++
		}
		total := 0.0
		for r := 1; r <= n; r++ {
			total += math.Pow(float64(r), -s)
		}
		chi2 := 0.0
		for i, c := range counts {
			want := draws * math.Pow(float64(i+1), -s) / total // 38 at least
			chi2 += (c - want) * (c - want) / want
		}
		if limit := (distuv.ChiSquared{K: n - 1}).Quantile(1 - 1e-6); chi2 > limit {
			t.Errorf("s = %v: chi-square %.1f with %d degrees of freedom, limit %.1f", s, chi2, n-1, limit)
		}
	}
}

// TestZipfIsScattered: the most frequent keys must not be the first ones.
func TestZipfIsScattered(t *testing.T) {
	src := mustOpen(t, "sequential", 100000, 0)
	keys, _, err := Queries(src, Stream{Present: 100000, Count: 50000, Hits: 1, Zipf: 1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	low := 0
	for i := range keys.Len() {
		if k := keys.At(i); int(k[0])|int(k[1])<<8|int(k[2])<<16 < 1000 {
			low++
		}
	}
	// Unscattered, the first 1000 keys would draw 62 % of the queries.
	if low > keys.Len()/5 {
		t.Errorf("%d of %d queries are for the first 1000 of 100000 keys", low, keys.Len())
	}
}

func TestZipfAtTheEdges(t *testing.T) {
	rng := newSequence(1)
	for _, n := range []uint64{1, 2, 3, 1 << 20, 1<<20 + 1, 1_000_000_000, 1 << 63} {
		for _, s := range []float64{1e-9, 1, 8} {
			z := newZipf(n, s)
			for range 100 {
				if r := z.rank(&rng); r >= n {
					t.Fatalf("rank %d of %d", r, n)
				}
			}
		}
	}
}

func TestStreamErrors(t *testing.T) {
	src := mustOpen(t, "sequential", 10, 0)
	ok := Stream{Present: 10, Count: 10, Hits: 0.5}
	for want, change := range map[string]func(*Stream){
		"number of queries is 0":                  func(s *Stream) { s.Count = 0 },
		"number of queries is -1":                 func(s *Stream) { s.Count = -1 },
		"share of hits is 1.5; it must be from":   func(s *Stream) { s.Hits = 1.5 },
		"share of hits is NaN":                    func(s *Stream) { s.Hits = math.NaN() },
		"exponent of Zipf's law is -1":            func(s *Stream) { s.Zipf = -1 },
		"exponent of Zipf's law is NaN":           func(s *Stream) { s.Zipf = math.NaN() },
		"number of present keys is 11; workload":  func(s *Stream) { s.Present = 11 },
		"number of present keys is 0; workload":   func(s *Stream) { s.Present = 0 },
		"first absent key is number 999999999999": func(s *Stream) { s.AbsentFrom = 9999999999999999 },
		"needs 160 TiB; this machine has":         func(s *Stream) { s.Count = 1 << 43 },
	} {
		s := ok
		change(&s)
		_, _, err := Queries(src, s)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: error %v, want one line with %q", s, err, want)
		}
	}
	if _, _, err := Queries(src, ok); err != nil {
		t.Error(err)
	}
}

func BenchmarkQueries(b *testing.B) {
	for _, zipf := range []float64{0, 1} {
		b.Run(fmt.Sprintf("zipf=%v", zipf), func(b *testing.B) {
			src, _ := Open("random", 1e6, 1)
			var keys *filters.Keys
			for b.Loop() {
				keys, _, _ = Queries(src, Stream{Present: 1e6, Count: 1e6, Hits: 0.5, Zipf: zipf})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(keys.Len()), "ns/key")
		})
	}
}
