package rocksdb

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"filterbench/filters"
	"filterbench/filters/filtertest"
	"filterbench/filters/theory"
)

func spec(t testing.TB) filters.Spec {
	t.Helper()
	s, err := filters.ParseSpec([]*filters.Family{Family}, "rocksdb")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func build(t testing.TB, lines uint32, k int, hashes []uint64) *Filter {
	t.Helper()
	f, err := newFilter(lines, k)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Free)
	f.AddHashes(hashes)
	return f
}

// vectorKey is key i of testdata/vectors.cc.
func vectorKey(i uint32) []byte {
	key := binary.BigEndian.AppendUint32(nil, i)
	for j := range i % 61 {
		key = append(key, byte(i+7*j))
	}
	return key
}

// Size, probes and bits are those of the real library, for sizes at every step
// of its table.
func TestSameFiltersAsRocksDB(t *testing.T) {
	file, err := os.Open("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	seen := 0
	for s := bufio.NewScanner(file); s.Scan(); {
		line, ok := strings.CutPrefix(s.Text(), "filter ")
		if !ok {
			continue
		}
		seen++
		var n uint32
		var bits float64
		var size, k int
		var want uint64
		if _, err := fmt.Sscanf(line, "%d %g %d %d %x", &n, &bits, &size, &k, &want); err != nil {
			t.Fatal(err)
		}
		d, err := spec(t).ForBits(uint64(n), bits)
		if err != nil {
			t.Fatal(err)
		}
		var keys filters.Keys
		for i := range n {
			keys.Append(vectorKey(i))
		}
		hashed, err := d.NewHashed()
		if err != nil {
			t.Fatal(err)
		}
		f := hashed.(*Filter)
		f.AddHashes(Family.Hash.SumKeys(nil, &keys, 0, keys.Len(), 0))
		got := f.Block()
		sum := fnv.New64a()
		sum.Write(got)
		if len(got) != size || f.k != k || sum.Sum64() != want {
			t.Errorf("%s, %v bits: %d bytes, sum %016x, want %d bytes, k=%d, sum %016x", d, bits, len(got), sum.Sum64(), size, k, want)
		}
		f.Free()
	}
	if seen < 200 {
		t.Errorf("%d filters", seen)
	}
}

// More probes than the best of a blocked filter, as k = m/n ln 2 has them, are
// worse (facebook/rocksdb 6092), and RocksDB's table has the best ones.
func TestProbes(t *testing.T) {
	for bits, want := range map[uint64]int{8: 5, 10: 6, 12: 8, 16: 9, 20: 11} {
		if k, _ := probesFor(1000 * bits); k != want {
			t.Errorf("%d bits per key: %d probes, want %d", bits, k, want)
		}
		const lines = 100_000
		if k := theory.BlockedBestProbes(lines*lineBits/bits, lines, lineBits); k != want {
			t.Errorf("%d bits per key: theory has %d probes, want %d", bits, k, want)
		}
	}
	for milli := uint64(minMilli); milli <= maxMilli; milli++ {
		k, end := probesFor(milli)
		if next, _ := probesFor(end); k != next || end < milli {
			t.Fatalf("%d: %d probes up to %d, there %d", milli, k, end, next)
		}
		if next, _ := probesFor(end + 1); next == k && end < maxMilli && milli != 50_000 {
			t.Fatalf("%d: %d probes up to %d, and beyond", milli, k, end)
		}
	}
}

// A million keys at 16 bits: 0.0844 % with 9 probes, 0.0886 % with 11.
func TestRates(t *testing.T) {
	const n, lines = 1_000_000, 16_000_000 / lineBits
	queries := 20_000_000
	if testing.Short() {
		queries /= 20
	}
	rng := rand.New(rand.NewPCG(1, 2))
	hashes := random(rng, n)
	for _, c := range []struct {
		k       int
		percent float64
	}{{9, 0.0844}, {11, 0.0886}} {
		f := build(t, lines, c.k, hashes)
		hits := 0
		for asked := 0; asked < queries; asked += 100_000 {
			hits += f.CountHashes(random(rng, 100_000))
		}
		mean := c.percent / 100 * float64(queries)
		sd := math.Sqrt(mean + math.Pow(theory.BlockedSD(n, lines, lineBits, c.k)*float64(queries), 2))
		if rounding := 0.00005 / 100 * float64(queries); math.Abs(float64(hits)-mean) > 4*sd+rounding {
			t.Errorf("k=%d: %d false positives of %d, want %.0f +- %.0f", c.k, hits, queries, mean, 4*sd+rounding)
		}
	}
}

func random(rng *rand.Rand, n int) []uint64 {
	hashes := make([]uint64, n)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	return hashes
}

// A design for a rate is the least in thousandths of a bit, with RocksDB's k.
func TestForFPR(t *testing.T) {
	for _, n := range []uint64{1, 10, 1000, 100_000, 10_000_000} {
		for _, p := range []float64{0.9, 0.5, 0.1, 0.01, 0.001, 1e-4, 1e-5} {
			milli := milliFor(n, p)
			d, err := spec(t).ForFPR(n, p)
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Model.FPR(n); got > p {
				t.Errorf("%s: the model says %v, %v was asked for", d, got, p)
			}
			// Fewer thousandths that make as many lines are the same filter.
			for less := milli - 1; less >= minMilli && less+50 > milli; less-- {
				k, _ := probesFor(less)
				if lines := linesFor(n, less); rate(n, lines, k) <= p*0.9999 {
					t.Errorf("%s: %d thousandths would have done, not %d: %v", d, less, milli, rate(n, lines, k))
					break
				}
			}
		}
	}
}

// The limits of RocksDB's parameters; bits per key are per key (wbolster/plyvel
// 144), and per entry: with a prefix and a key for each row, 10 bits per row are
// 5 for each (cockroachdb/cockroach 10060).
func TestMeaningOfBitsPerKey(t *testing.T) {
	for _, c := range []struct {
		n    uint64
		bits float64
		want string
	}{
		{100, 1 << 30, "at most 64 (it is per key, not a total)"},
		{100, 0.49, "below 0.5 RocksDB makes no filter"},
		{1 << 32, 10, "a filter of RocksDB has up to 34359737856"},
	} {
		if d, err := spec(t).ForBits(c.n, c.bits); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d keys, %v bits: %s, error %v, want %q", c.n, c.bits, d, err, c.want)
		}
	}
	const rows = 1_000_000
	once, err := spec(t).ForBits(rows, 10)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := spec(t).ForBits(2*rows, 10)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := once.Param("m")
	b, _ := twice.Param("m")
	if float64(b) < 20*rows || float64(a) > 10*rows+lineBits {
		t.Errorf("%d bits for %d rows with an entry each, %d with two", a, rows, b)
	}
	// With 6 probes and 5 bits an entry: a plain filter's (1-e^-1.2)^6, and the
	// uneven lines' share on top.
	rng := rand.New(rand.NewPCG(3, 4))
	f := build(t, uint32(a/lineBits), 6, random(rng, 2*rows))
	rate := float64(f.CountHashes(random(rng, 500_000))) / 500_000
	if plain := math.Pow(1-math.Exp(-1.2), 6); rate < plain || rate > 1.1*plain {
		t.Errorf("a rate of %.4f with two entries a row, want a little above %.4f", rate, plain)
	}
	if want := once.Model.FPR(2 * rows); math.Abs(rate-want) > 5*math.Sqrt(want/500_000) {
		t.Errorf("a rate of %.5f with two entries a row, the model says %.5f", rate, want)
	}
}

// Any bytes are an error that leaves no trace, or the state of a filter that
// writes them again.
func FuzzLoadState(f *testing.F) {
	empty := build(f, 2, 3, nil).AppendState(nil)
	f.Add(empty)
	f.Add(build(f, 2, 3, []uint64{0, 1, math.MaxUint64}).AppendState(nil))
	f.Fuzz(func(t *testing.T, state []byte) {
		g := build(t, 2, 3, nil)
		want := state
		if g.LoadState(state) != nil {
			want = empty
		}
		if !bytes.Equal(g.AppendState(nil), want) {
			t.Fatalf("after %x the state is %x", state, g.AppendState(nil))
		}
	})
}

// Batches that fetch lines ahead leave the bits that single adds leave, and give
// the answers of single lookups, whatever their lengths.
func TestFetchedBatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	fetched, plain := build(t, 1000, 6, nil), build(t, 1000, 6, nil)
	fetched.fetch = true
	filtertest.Kernel(t, fetched, plain, random(rng, 50_000))
}
