package guava

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"filterbench/filters"
	"filterbench/filters/hashing"
	"filterbench/filters/theory"
)

func spec(t *testing.T) filters.Spec {
	t.Helper()
	s, err := filters.ParseSpec([]*filters.Family{Family}, "guava")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// vectors are the lines of the given kind that the real library wrote, see
// testdata/Vectors.java.
func vectors(t *testing.T, kind string) []string {
	t.Helper()
	file, err := os.Open("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var lines []string
	for s := bufio.NewScanner(file); s.Scan(); {
		if rest, ok := strings.CutPrefix(s.Text(), kind+" "); ok {
			lines = append(lines, rest)
		}
	}
	if len(lines) < 50 {
		t.Fatalf("%d lines of %s", len(lines), kind)
	}
	return lines
}

// vectorKey is key i of the vectors.
func vectorKey(i int) []byte {
	key := make([]byte, i%41)
	for j := range key {
		key[j] = byte(i>>(8*(j%3)) + 7*j)
	}
	return key
}

func TestSameHashesAsGuava(t *testing.T) {
	for _, line := range vectors(t, "hash") {
		var i int
		var want string
		if _, err := fmt.Sscan(line, &i, &want); err != nil {
			t.Fatal(err)
		}
		h1, h2 := Murmur128(vectorKey(i))
		got := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, h1), h2)
		if hex.EncodeToString(got) != want {
			t.Errorf("key %d: %x, want %s", i, got, want)
		}
	}
}

// Size, probes, bits and answers are those of the real library.
func TestSameFiltersAsGuava(t *testing.T) {
	for _, line := range vectors(t, "filter") {
		var n uint64
		var p float64
		var put, claimed int
		var want string
		if _, err := fmt.Sscan(line, &n, &p, &put, &claimed, &want); err != nil {
			t.Fatal(err)
		}
		d, err := spec(t).ForFPR(max(1, n), p) // for Guava no keys are one key
		if err != nil {
			t.Fatal(err)
		}
		keyed, err := d.NewKeyed()
		if err != nil {
			t.Fatal(err)
		}
		f := keyed.(*Filter)
		for i := range put {
			f.Add(vectorKey(i))
		}
		got := 0
		for i := range 10_000 {
			if f.Contains(vectorKey(put + i)) {
				got++
			}
		}
		if got != claimed {
			t.Errorf("%s, p=%v: %d of 10,000 keys claimed, want %d", d, p, got, claimed)
		}
		if sum := sha256.Sum256(f.Stream()); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s, p=%v: SHA-256 %x, want %s", d, p, sum, want)
		}
	}
}

func TestSizing(t *testing.T) {
	for _, c := range []struct {
		n    uint64
		bits float64
		m, k uint64
	}{{1, 0.01, 64, 1}, {1000, 10, 10_048, 7}, {1_000_000, 9.585, 9_585_024, 7}, {1000, 64, 64_000, 44}, {100_000_000, 10, 1_000_000_000, 7}} {
		d, err := spec(t).ForBits(c.n, c.bits)
		if err != nil {
			t.Fatal(err)
		}
		m, _ := d.Param("m")
		k, _ := d.Param("k")
		if m != c.m || k != c.k {
			t.Errorf("%d keys at %v bits: m=%d k=%d, want m=%d k=%d", c.n, c.bits, m, k, c.m, c.k)
		}
	}
	for want, size := range map[string]func() (filters.Design, error){
		"Guava's array has up to 137438953408": func() (filters.Design, error) { return spec(t).ForBits(1<<36, 10) },
		"it is per key, not a total":           func() (filters.Design, error) { return spec(t).ForBits(100, 1<<30) },
	} {
		if d, err := size(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s, error %v, want %q", d, err, want)
		}
	}
}

// Two 64-bit words do not make any number of independent positions (claim B11):
// for small filters the rate is several times the exact one, as it is for the
// scheme over random words, and within what the model states.
func TestRateOfSmallFilters(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		n              uint64
		bits           uint64
		built, queries int
	}{{100, 1024, 5000, 500}, {100, 2048, 5000, 2000}, {1000, 10_048, 300, 5000}} {
		d, err := design(c.n, c.bits)
		if err != nil {
			t.Fatal(err)
		}
		m, _ := d.Param("m")
		k, _ := d.Param("k")
		if testing.Short() {
			c.built /= 10
		}
		var got, want tally
		for set := range uint64(c.built) {
			f, err := d.NewKeyed()
			if err != nil {
				t.Fatal(err)
			}
			f.AddKeys(numbered(2*set, c.n))
			got.add(f.CountKeys(numbered(2*set+1, uint64(c.queries))))
			want.add(simulate(rng, c.n, m, int(k), c.queries))
		}
		p := theory.BloomExact(c.n, m, int(k))
		rate, se := got.rate(c.queries)
		scheme, schemeSE := want.rate(c.queries)
		if math.Abs(rate-scheme) > 5*math.Hypot(se, schemeSE) {
			t.Errorf("%v: %.6f, the scheme has %.6f +- %.6f", d.Params, rate, scheme, 5*math.Hypot(se, schemeSE))
		}
		if rate < p-5*se || rate > p*(1+d.Model.Tolerance)+5*se {
			t.Errorf("%v: %.6f is not between %.6f and %.6f", d.Params, rate, p, p*(1+d.Model.Tolerance))
		}
		if k == 14 && rate < 5*p {
			t.Errorf("%v: %.6f, exact is %.6f: where is the excess?", d.Params, rate, p)
		}
	}
}

// simulate counts the false positives of the scheme over random words.
func simulate(rng *rand.Rand, n, m uint64, k, queries int) (hits int) {
	set := make([]bool, m)
	for range n {
		x, step := rng.Uint64(), rng.Uint64()
		for i := range uint64(k) {
			set[(x+i*step)<<1>>1%m] = true
		}
	}
	for range queries {
		x, step := rng.Uint64(), rng.Uint64()
		i := uint64(0)
		for i < uint64(k) && set[(x+i*step)<<1>>1%m] {
			i++
		}
		if i == uint64(k) {
			hits++
		}
	}
	return hits
}

// tally sums the counts of filters.
type tally struct{ filters, sum, squares float64 }

func (c *tally) add(hits int) {
	c.filters++
	c.sum += float64(hits)
	c.squares += float64(hits) * float64(hits)
}

// rate is the mean rate, and its standard error, between filters.
func (c *tally) rate(queries int) (rate, se float64) {
	mean := c.sum / c.filters
	variance := max(c.squares/c.filters-mean*mean, mean) / c.filters
	return mean / float64(queries), math.Sqrt(variance) / float64(queries)
}

// numbered is n keys of 8 bytes, of a set of its own.
func numbered(set, n uint64) *filters.Keys {
	var keys filters.Keys
	for i := range n {
		keys.AppendUint64(hashing.Mix(set<<32 | i))
	}
	return &keys
}
