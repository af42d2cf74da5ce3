package peers

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"runtime"
	"strings"
	"testing"

	"filterbench/filters"
	"filterbench/filters/hashing"
)

// specs are all peers, with the values of their options.
var specs = []string{
	"peer-parquet", "peer-blobloom", "peer-bitsandblooms", "peer-holiman",
	"peer-xor8", "peer-fuse8", "peer-seiflotfy", "peer-linvon", "peer-linvon:table=single",
}

func parse(t *testing.T, text string) filters.Spec {
	t.Helper()
	s, err := filters.ParseSpec(Families, text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sized is a design with 10 bits per key, or for 1 % where that is not feasible.
func sized(t *testing.T, text string, n uint64) filters.Design {
	t.Helper()
	s := parse(t, text)
	d, err := s.ForBits(n, 10)
	if err != nil {
		if d, err = s.ForFPR(n, 0.01); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// numbered is n keys of 8 bytes; sets and numbers tell keys apart.
func numbered(set, from, n uint64) *filters.Keys {
	var keys filters.Keys
	keys.Grow(int(n), int(8*n))
	for i := range n {
		keys.AppendUint64(hashing.Mix(set<<40 | (from + i)))
	}
	return &keys
}

func filled(t *testing.T, d filters.Design, keys *filters.Keys) filters.Keyed {
	t.Helper()
	f, err := d.Keyed(1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.AddKeys(keys); err != nil {
		t.Fatalf("%s: %v", d, err)
	}
	if hits := f.CountKeys(keys); hits != keys.Len() {
		t.Fatalf("%s: %d of %d keys found", d, hits, keys.Len())
	}
	return f
}

// What a peer is said to take is what the heap grows by.
func TestSizeIsHeapGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes large filters to tell 2 %")
	}
	const n = 500_000
	keys := numbered(1, 0, n)
	for _, text := range specs {
		d := sized(t, text, n)
		before := heap()
		f := filled(t, d, keys)
		grown := float64(heap() - before)
		said := float64(f.SizeBits()) / 8
		if f.SizeBits() != d.SizeBits {
			t.Errorf("%s: %d bits in the design, %d in the filter", d, d.SizeBits, f.SizeBits())
		}
		if math.Abs(grown-said) > 0.02*said {
			t.Errorf("%s: %.0f bytes said, the heap grew by %.0f", d, said, grown)
		}
		runtime.KeepAlive(f)
	}
	runtime.KeepAlive(keys)
}

func heap() int64 {
	runtime.GC()
	runtime.GC() // finishes the sweep of the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A peer that its authors change, or that counts otherwise on another machine,
// shows here. The cuckoo filters kick at random, but the answers of one that has
// refused nothing do not depend on where a fingerprint ended up.
func TestAnswers(t *testing.T) {
	want := map[string]string{
		"peer-parquet":             "82213ccba7c209e1",
		"peer-blobloom":            "dbe741caf9f0438b",
		"peer-bitsandblooms":       "2338b32783368714",
		"peer-holiman":             "6a8b5c4282debbd4",
		"peer-xor8":                "56ef9f750167b703",
		"peer-fuse8":               "7f74abfd7cd66ffb",
		"peer-seiflotfy":           "c0d7594b41d82852",
		"peer-linvon:table=packed": "3f4d16cc1ebe0028",
		"peer-linvon:table=single": "263cdf94523fa772",
	}
	const n = 20_000
	in, out := numbered(1, 0, n), numbered(2, 0, 5*n)
	for _, text := range specs {
		for range 2 {
			f := filled(t, sized(t, text, n), in)
			set := make([]uint64, filters.BitsetLen(out.Len()))
			f.ContainsKeys(out, set)
			h := sha256.New()
			binary.Write(h, binary.LittleEndian, set)
			name := parse(t, text).String()
			if got := hex.EncodeToString(h.Sum(nil)[:8]); got != want[name] {
				t.Errorf("%s: answers %s, want %s", name, got, want[name])
			}
		}
	}
}

// An adapter must not offer a size that the peer does not have.
func TestInfeasible(t *testing.T) {
	for _, c := range []struct {
		spec    string
		n       uint64
		bits, p float64
		want    string
	}{
		{"peer-xor8", 1_000_000, 9.8, 0, "it takes 9.841 bits per key for 1000000 keys, or more; 9.8 were asked for"},
		{"peer-fuse8", 1_000_000, 9, 0, "it takes 9.044 bits per key for 1000000 keys, or more; 9 were asked for"},
		{"peer-xor8", 1000, 0, 0.003, "a rate of 0.003 is asked for; with 8-bit fingerprints it is 0.00390625"},
		{"peer-seiflotfy", 1_000_000, 8.3, 0, "it takes 8.389 bits per key for 1000000 keys, or more; 8.3 were asked for"},
		{"peer-seiflotfy", 1_000_000, 0, 1e-4, "no size up to 64 bits per key gives a rate of 0.0001 with 8-bit fingerprints"},
		{"peer-linvon", 1000, 12, 0, "it takes 1118.840 bits per key for 1000 keys, or more"},
		{"peer-parquet", 1 << 40, 10, 0, "1.1e+13 bits are needed; this filter can address 5.498e+11"},
		{"peer-blobloom", 1 << 40, 10, 0, "1.1e+13 bits are needed; this filter can address 2.199e+12"},
		{"peer-fuse8", 1 << 40, 10, 0, "9.896e+12 bits are needed; this filter can address 3.436e+10"},
	} {
		s := parse(t, c.spec)
		var err error
		if c.p == 0 {
			_, err = s.ForBits(c.n, c.bits)
		} else {
			_, err = s.ForFPR(c.n, c.p)
		}
		if err == nil || len(err.Error()) > 160 || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s n=%d bits=%v p=%v: error %v, want %q", c.spec, c.n, c.bits, c.p, err, c.want)
		}
	}
}
