package experiments

import (
	"context"
	"math"
	"strings"
	"testing"

	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/filters/theory"
	"filterbench/results"
)

func hashNamed(t *testing.T, name string) hashFunction {
	t.Helper()
	for _, h := range hashFunctions {
		if h.name == name {
			return h
		}
	}
	t.Fatalf("no hash %s", name)
	return hashFunction{}
}

// The first 8 bytes of published digests: RFC 1321, FIPS 180-4, the FNV authors'
// and SMHasher's own test vectors, and xxHash's of the empty key.
func TestHashVectors(t *testing.T) {
	for _, c := range []struct {
		hash, key string
		want      uint64
	}{
		{"md5", "abc", 0xb04fd23c98500190},
		{"sha256", "abc", 0xeacf018fbf1678ba},
		{"fnv1a", "", 0xcbf29ce484222325},
		{"fnv1a", "a", 0xaf63dc4c8601ec8c},
		{"fnv1a", "foobar", 0x85944171f73967e8},
		{"xxh64", "", 0xef46db3751d8e999},
		{"xxh3", "", 0x2d06800538d394c2},
		{"murmur3", "", 0},
		{"identity", "12345678x", 0x3837363534333231},
	} {
		var keys filters.Keys
		keys.AppendString("before")
		keys.AppendString(c.key)
		if got := hashNamed(t, c.hash).sum(nil, &keys); len(got) != 2 || got[1] != c.want {
			t.Errorf("%s of %q: %#x, want %#x", c.hash, c.key, got[1], c.want)
		}
	}
}

// rateOf is what one filter over a function's hashes gets wrong.
func rateOf(t *testing.T, hash, keys string) (rate, want, slack float64) {
	t.Helper()
	d, err := registry.Must("bloom").ForBits(hashRateN, hashBits)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := hashRate{Config{Seed: 1}, hashNamed(t, hash), d, keys}.count(t.Context(), 8)
	if err != nil {
		t.Fatal(err)
	}
	if sum.fn != 0 || sum.accepted != hashRateN {
		t.Errorf("%s: %d of %d keys are lost", hash, sum.fn, sum.accepted)
	}
	want = theory.BloomExact(hashRateN, hashRateN*hashBits, 7)
	return float64(sum.fp) / hashQueries, want, 5 * math.Sqrt(want/hashQueries+math.Pow(theory.BloomSD(hashRateN, hashRateN*hashBits, 7), 2))
}

// A hash makes any keys random; without one, sequences are no worse than they
// can be, and keys that begin alike are all one.
func TestHashRates(t *testing.T) {
	if testing.Short() {
		t.Skip("7 million lookups")
	}
	for _, hash := range []string{"md5", "sha256", "murmur3", "xxh64", "xxh3", "xxph3", "maphash"} {
		for _, keys := range []string{"sequential", "strided"} {
			if got, want, slack := rateOf(t, hash, keys); math.Abs(got-want) > slack {
				t.Errorf("%s of %s keys: %.5f, want %.5f +- %.5f", hash, keys, got, want, slack)
			}
		}
	}
	if got, want, slack := rateOf(t, "identity", "random"); math.Abs(got-want) > slack {
		t.Errorf("random numbers are their own hash: %.5f, want %.5f", got, want)
	}
	if got, want, _ := rateOf(t, "identity", "sequential"); got < 2*want {
		t.Errorf("sequential numbers are no hash: %.5f, and a hash has %.5f", got, want)
	}
	if got, _, _ := rateOf(t, "identity", "url"); got != 1 {
		t.Errorf("URLs that begin alike: %.5f, want 1", got)
	}
}

func TestHashPlan(t *testing.T) {
	units, err := planHash(Config{Profile: "quick", Seed: 1, Specs: everyFamily()})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, u := range units {
		if seen[u.ID] {
			t.Errorf("%s is planned twice", u.ID)
		}
		seen[u.ID] = true
		if strings.Contains(u.ID, "hash=maphash") != strings.HasSuffix(u.ID, "/sampled=yes") {
			t.Errorf("%s: what differs from run to run says so", u.ID)
		}
	}
	if want := len(hashFunctions)*len(hashKeys) + 1; len(units) != want {
		t.Errorf("%d units, want %d", len(units), want)
	}
	// What it costs to hash is no matter of the filter.
	units, _ = planHash(Config{Profile: "full", Seed: 1, Specs: everyFamily()[5:6]})
	if len(units) != 1 || !units[0].Alone {
		t.Errorf("without a Bloom filter: %d units", len(units))
	}
}

func TestHashRepeats(t *testing.T) {
	countedTwice(t, "hash", func() (some []Unit) {
		units, err := planHash(Config{Profile: "quick", Seed: 1, Specs: everyFamily()})
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range units {
			if strings.Contains(u.ID, "keys=strided") && (strings.Contains(u.ID, "hash=xxh3") || strings.Contains(u.ID, "hash=murmur3")) {
				some = append(some, u)
			}
		}
		return some
	})
}

// A real round, of one length: every function has a cell, and the probes have one.
func TestHashTiming(t *testing.T) {
	u := hashGroup{[]int{8}}.unit(1)
	var names []string
	err := u.Run(t.Context(), hashRounds-1, func(_ int, records []results.Record) error {
		for _, r := range records {
			if err := r.Check(); err != nil {
				t.Error(err)
			}
			names = append(names, r.Name+r.Axis("hash")+r.Axis("calls"))
		}
		return nil
	})
	want := "Hashmd57 Hashsha2561 Hashmurmur31 Hashxxh641 Hashxxh31 Hashxxph31 Hashfnv1a1 Hashmaphash1 Probe"
	if got := strings.Join(names, " "); err != nil || got != want {
		t.Errorf("cells %q, want %q; %v", got, want, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := u.Run(ctx, 0, func(int, []results.Record) error { return nil }); err == nil {
		t.Error("goes on when cancelled")
	}
}
