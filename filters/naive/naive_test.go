package naive

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"filterbench/filters"
	"filterbench/filters/theory"
)

// The golden numbers are those of the course text's Python program, run
// unchanged (Python 3.11) for 10,000 keys key0.. and 10,000 ghosts.
var golden = []struct {
	p                       float64
	m                       uint64
	k                       int
	falsePositives, bitsSet uint64
	probes                  int // MD5 digests for the 10,000 ghosts
	sha256                  string
	firstFalse              []int
}{
	{p: 0.05, m: 62353, k: 4, falsePositives: 475, bitsSet: 29609, probes: 17805,
		sha256: "2913307224263aa16d1dc9758ac6a88e5d20ec8ae05b516bd07318cbffe44b30", firstFalse: []int{0, 1, 6, 33, 34, 73, 76, 82}},
	{p: 0.01, m: 95851, k: 7, falsePositives: 114, bitsSet: 49690, probes: 20801,
		sha256: "4cbbc964b71656f71d99a3ea4d1105ba1f3c06d82005df3991c93508ad8e5546", firstFalse: []int{70, 296, 304, 366, 395, 597, 604, 721}},
	{p: 0.001, m: 143776, k: 10, falsePositives: 4, bitsSet: 72104, probes: 20174,
		sha256: "df05a61a369b1e7bd376ee81a77aed58e4e390cb828aff752edb549bc5446113", firstFalse: []int{5515, 7026, 8565, 9102}},
}

const n = 10_000

func textbookFilter(t *testing.T, m uint64, k int) *Filter {
	t.Helper()
	f, err := New(m, k)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		f.Add(fmt.Appendf(nil, "key%d", i))
	}
	return f
}

func TestGolden(t *testing.T) {
	for _, g := range golden {
		m := theory.BloomBits(n, g.p)
		k := theory.BloomProbes(n, m)
		if m != g.m || k != g.k {
			t.Fatalf("p=%v: m=%d k=%d, want %d and %d", g.p, m, k, g.m, g.k)
		}
		f := textbookFilter(t, m, k)
		if got := f.BitsSet(); got != g.bitsSet {
			t.Errorf("p=%v: %d bits set, want %d", g.p, got, g.bitsSet)
		}
		sum := sha256.Sum256(f.Bitmap())
		if got := hex.EncodeToString(sum[:]); got != g.sha256 {
			t.Errorf("p=%v: SHA-256 %s, want %s", g.p, got, g.sha256)
		}
		var falsePositives uint64
		var first []int
		probes := 0
		for i := range n {
			tried, maybe := f.Probes(fmt.Appendf(nil, "ghost%d", i))
			probes += tried
			if maybe {
				falsePositives++
				first = append(first, i)
			}
		}
		if falsePositives != g.falsePositives || probes != g.probes {
			t.Errorf("p=%v: %d false positives in %d digests, want %d in %d", g.p, falsePositives, probes, g.falsePositives, g.probes)
		}
		if got := fmt.Sprint(first[:len(g.firstFalse)]); got != fmt.Sprint(g.firstFalse) {
			t.Errorf("p=%v: first false positives %s, want %v", g.p, got, g.firstFalse)
		}
	}
}

func TestPositions(t *testing.T) {
	for key, want := range map[string][]uint64{
		"key0":   {86596, 63495, 13170, 57413, 87040, 53217, 44839},
		"ghost0": {77441, 31826, 10379, 44193, 56631, 95579, 8255},
	} {
		for i, w := range want {
			if got := Position([]byte(key), i, 95851); got != w {
				t.Errorf("position %d of %s is %d, want %d", i, key, got, w)
			}
		}
	}
}

// A filter written elsewhere must read the same: bit i is bit i%8 of byte i/8,
// a last byte that is not full is padded with zeros.
func TestBitmap(t *testing.T) {
	for _, m := range []uint64{1, 7, 8, 9, 63, 64, 65, 95851} {
		f, err := New(m, 1)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]byte, (m+7)/8)
		for _, i := range []uint64{0, m / 2, m - 1} {
			f.bits.Set(i)
			want[i/8] |= 1 << (i % 8)
		}
		if got := f.Bitmap(); string(got) != string(want) {
			t.Errorf("m=%d: bytes %x, want %x", m, got, want)
		}
	}
	if got := len(textbookFilter(t, 95851, 7).Bitmap()); got != 11_982 {
		t.Errorf("95,851 bits take %d bytes, want 11,982", got)
	}
}

// Adding all keys again changes nothing, and there is no delete: clearing one
// key's bits would break about five others.
func TestAddIsIdempotent(t *testing.T) {
	f := textbookFilter(t, 95851, 7)
	before := f.Bitmap()
	for i := range n {
		f.Add(fmt.Appendf(nil, "key%d", i))
	}
	if string(f.Bitmap()) != string(before) {
		t.Error("adding the keys again changed the bits")
	}
	if _, ok := any(f).(filters.Deleter); ok {
		t.Error("a plain Bloom filter offers to delete")
	}
}

// Sizes beyond 2^31 and 2^32 bits must not wrap.
func TestLargeDesigns(t *testing.T) {
	spec, err := filters.ParseSpec([]*filters.Family{Family}, "naive")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		n    uint64
		p    float64
		m, k uint64
	}{
		{100_000_000, 1e-5, 2_396_264_595, 17},
		{150_000_000, 1e-4, 2_875_517_514, 13},
		{350_000_000, 0.01, 3_354_770_433, 7},
	} {
		d, err := spec.ForFPR(c.n, c.p)
		if err != nil {
			t.Fatal(err)
		}
		m, _ := d.Param("m")
		k, _ := d.Param("k")
		if m != c.m || k != c.k || d.SizeBits < m {
			t.Errorf("n=%d p=%v: m=%d k=%d size=%d, want m=%d k=%d", c.n, c.p, m, k, d.SizeBits, c.m, c.k)
		}
	}
}
