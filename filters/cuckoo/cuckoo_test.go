package cuckoo

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"testing"

	"filterbench/filters"
	"filterbench/filters/theory"
)

// fill adds keys until one is refused, and returns the number that were taken.
func fill(t testing.TB, f *Filter, hashes []uint64) int {
	t.Helper()
	n, err := f.AddHashes(hashes)
	if err != nil && !errors.Is(err, filters.ErrFull) {
		t.Fatal(err)
	}
	return n
}

// within fails the test unless got is within slack of want.
func within(t *testing.T, got, want, slack float64, what string, args ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= slack) {
		t.Errorf(what+": %.5g, want %.5g +- %.2g", append(args, got, want, slack)...)
	}
}

// checkRate holds the false-positive rate against a value, beside five standard
// deviations of the queries and of the filter.
func checkRate(t *testing.T, f *Filter, queries int, want float64, what string, args ...any) {
	t.Helper()
	sd := theory.CuckooSD(f.Len(), f.buckets, int(f.fpBits))
	got := float64(f.CountHashes(hashes(queries, 99))) / float64(queries)
	within(t, got, want, 5*math.Sqrt(want*(1-want)/float64(queries)+sd*sd), what, args...)
}

// The other bucket of the other bucket is the first one, for every even number
// of buckets, and never the same (field case 6).
func TestOtherBucket(t *testing.T) {
	check := func(s shape, bucket, fp uint64) {
		other := s.other(bucket, fp)
		if other >= s.buckets || other == bucket || s.other(other, fp) != bucket {
			t.Fatalf("%d buckets, fp %d: %d, then %d, then %d", s.buckets, fp, bucket, other, s.other(other, fp))
		}
		if want := (sumOf(s, fp) + s.buckets - bucket) % s.buckets; other != want {
			t.Fatalf("%d buckets, fp %d: %d leads to %d, want %d", s.buckets, fp, bucket, other, want)
		}
	}
	for buckets := uint64(2); buckets <= 200; buckets += 2 {
		for fp := uint64(1); fp < 1<<5; fp++ {
			for bucket := range buckets {
				check(shape{buckets: buckets}, bucket, fp)
			}
		}
	}
	for _, buckets := range []uint64{16_000, 16_384, 1<<32 - 2, 1<<32 + 2, 1 << 40, 1<<52 - 2} {
		s := shape{buckets: buckets}
		for _, h := range hashes(20_000, buckets) {
			check(s, scaled(h, buckets), 1+h%(1<<32-1))
		}
		for _, bucket := range []uint64{0, 1, buckets/2 - 1, buckets / 2, buckets - 1} {
			for fp := uint64(1); fp < 1000; fp++ {
				check(s, bucket, fp)
			}
		}
	}
}

// Fingerprints are uniform from 1 on, independently of the bucket: five standard
// deviations of chi-square over all pairs of both.
func TestLocate(t *testing.T) {
	for _, s := range []shape{{buckets: 8, fpBits: 2}, {buckets: 16, fpBits: 4}, {buckets: 6, fpBits: 5}} {
		f := Filter{table: table{shape: s}, fingerprints: 1<<s.fpBits - 1}
		cells := int(s.buckets * f.fingerprints)
		count := make([]float64, cells)
		const keys = 500_000
		for i, h := range hashes(keys, s.buckets) {
			bucket, fp := f.locate(h)
			if i < 10_000 && classOf(s, h) != classAt(s, bucket, fp) {
				t.Fatalf("%#x is at bucket %d, fp %d; want %v", h, bucket, fp, classOf(s, h))
			}
			count[bucket*f.fingerprints+fp-1]++
		}
		chi, mean := 0.0, keys/float64(cells)
		for _, c := range count {
			chi += (c - mean) * (c - mean) / mean
		}
		df := float64(cells - 1)
		within(t, chi, df, 5*math.Sqrt(2*df), "%v: chi-square", s)
	}
}

// Keys far beyond what fits: whatever was taken is found, and the first refusal
// comes where it is known to, with 500 kicks (field case 2). A filter that drops
// a key it moved loses some 6,500 here.
func TestFull(t *testing.T) {
	var all filters.Keys
	for i := range 72_090 {
		all.AppendString("key" + strconv.Itoa(i))
	}
	for fpBits := uint64(8); fpBits <= 12; fpBits += 2 {
		f := build(t, shape{buckets: 65_536 / 4, slots: 4, fpBits: fpBits})
		keyed := filters.WithHash(f, filters.XXH3, 0)
		var taken filters.Keys
		first, refused, tried := 0.0, uint64(0), uint64(0)
		for i := range all.Len() {
			tried++
			if err := keyed.Add(all.At(i)); err == nil {
				taken.Append(all.At(i))
			} else if refused++; refused == 1 {
				first = f.Load()
			} else if testing.Short() && refused == 100 {
				break
			}
		}
		if lost := taken.Len() - keyed.CountKeys(&taken); lost != 0 {
			t.Errorf("f=%d: %d of %d keys lost", fpBits, lost, taken.Len())
		}
		if first < 0.955 || first > 0.97 {
			t.Errorf("f=%d: the first refusal is at %.4f of the slots, want .955 to .97", fpBits, first)
		}
		if f.Refused() != refused || f.Len() != uint64(taken.Len()) || refused+f.Len() != tried {
			t.Errorf("f=%d: %d taken and %d refused; it says %d and %d", fpBits, taken.Len(), refused, f.Len(), f.Refused())
		}
	}
}

// A refused key changes no bit, in any layout.
func TestRefusedChangesNothing(t *testing.T) {
	for _, s := range layouts {
		s.buckets = 32
		f := build(t, s)
		in := hashes(int(f.Slots()*3/2), 5)
		for _, h := range in {
			before, kicks := f.AppendState(nil), f.Kicks()
			if f.AddHash(h) != nil && (!bytes.Equal(before, f.AppendState(nil)) || f.Kicks() != kicks) {
				t.Fatalf("%v: a refused key changed the filter", s)
			}
		}
		if f.Refused() == 0 {
			t.Errorf("%v: none of %d keys for %d slots refused", s, len(in), f.Slots())
		}
	}
}

// One key fits as often as its two buckets have slots, and no more.
func TestCopies(t *testing.T) {
	for _, s := range layouts {
		s.buckets = 100
		f := build(t, s)
		f.AddHashes(hashes(10, 6))
		const key = 0x1234567812345678
		copies := 0
		for f.AddHash(key) == nil {
			copies++
		}
		if c := contents(t, f)[classOf(s, key)]; uint64(copies) != 2*s.slots || c != copies {
			t.Fatalf("%v: %d copies of one key, %d there; want %d", s, copies, c, 2*s.slots)
		}
		for ; copies > 0; copies-- {
			if !f.ContainsHash(key) || !f.DeleteHash(key) {
				t.Fatalf("%v: gone with %d copies left", s, copies)
			}
		}
		if f.ContainsHash(key) || f.DeleteHash(key) || f.Len() != 10 {
			t.Errorf("%v: still there, or others are not: Len %d", s, f.Len())
		}
	}
}

// layouts are the kinds of buckets: one load or several, of each alignment.
var layouts = []shape{
	{slots: 4, fpBits: 8}, {slots: 4, fpBits: 9}, {slots: 4, fpBits: 11}, {slots: 4, fpBits: 12}, {slots: 4, fpBits: 16},
	{slots: 4, fpBits: 17}, {slots: 4, fpBits: 31}, {slots: 4, fpBits: 32}, {slots: 4, fpBits: 5},
	{slots: 2, fpBits: 7}, {slots: 2, fpBits: 31}, {slots: 2, fpBits: 32}, {slots: 8, fpBits: 7}, {slots: 8, fpBits: 12}, {slots: 8, fpBits: 31},
	{slots: 4, fpBits: 4, sorted: true}, {slots: 4, fpBits: 12, sorted: true}, {slots: 4, fpBits: 17, sorted: true}, {slots: 4, fpBits: 25, sorted: true},
}

// Deleting keys that were never added succeeds with the chance of a false
// positive, and makes about as many others vanish (field case 4, claim C27).
//
// In a class, a fingerprint with its pair of buckets, there are L copies, and A
// attempts to delete one, both Poisson: min(L, A) succeed, and the keys of it
// vanish where L <= A. The interval is five standard deviations.
func TestDeleteOfAbsentKeys(t *testing.T) {
	s := shape{buckets: 1 << 14, slots: 4, fpBits: 8}
	const n = 58_982
	classes := 255 * float64(s.buckets) / 2
	for _, attempts := range []int{1_000, 10_000, 100_000} {
		f := build(t, s)
		in := hashes(n, 1)
		if fill(t, f, in) != n {
			t.Fatal("not all keys fit")
		}
		removed := 0
		for _, h := range hashes(attempts, 2) {
			if f.DeleteHash(h) {
				removed++
			}
		}
		lost := n - f.CountHashes(in)
		var wantRemoved, wantLost float64
		for l := 1.0; l < 10; l++ {
			for a := 1.0; a < 10; a++ {
				p := classes * poisson(n/classes, l) * poisson(float64(attempts)/classes, a)
				wantRemoved += p * min(l, a)
				if l <= a {
					wantLost += p * l
				}
			}
		}
		within(t, float64(removed), wantRemoved, 5*math.Sqrt(wantRemoved), "removals by %d attempts", attempts)
		within(t, float64(lost), wantLost, 5*math.Sqrt(wantLost), "keys lost by %d attempts", attempts)
		if f.Len() != uint64(n-removed) {
			t.Errorf("Len is %d after %d removals of %d", f.Len(), removed, n)
		}
	}
	within(t, theory.CuckooFPR(8, 4, 0.9), 0.0279, 5e-5, "the chance that a single attempt succeeds")
}

func poisson(mean, k float64) float64 {
	lgamma, _ := math.Lgamma(k + 1)
	return math.Exp(k*math.Log(mean) - mean - lgamma)
}

// Deleting keys that are there loses no other (field case 4).
func TestDeleteOfPresentKeys(t *testing.T) {
	for _, s := range []shape{{slots: 4, fpBits: 8}, {slots: 2, fpBits: 5}, {slots: 4, fpBits: 9, sorted: true}} {
		s.buckets = 1 << 16 / s.slots
		f := build(t, s)
		a, b := hashes(15_000, 1), hashes(15_000, 2)
		if fill(t, f, a)+fill(t, f, b) != 30_000 {
			t.Fatal("not all keys fit")
		}
		for _, h := range b {
			if !f.DeleteHash(h) {
				t.Fatal("a key is not found by delete")
			}
		}
		if found := f.CountHashes(a); found != len(a) || f.Len() != uint64(len(a)) {
			t.Errorf("%v: %d of %d keys left, Len %d", s, found, len(a), f.Len())
		}
	}
}

// A number of buckets that is no power of two loses no key (field case 6): with
// exclusive or and a remainder it is 4.14 %.
func TestAnyNumberOfBuckets(t *testing.T) {
	for _, buckets := range []uint64{16_000, 16_002, 16_384} {
		f := build(t, shape{buckets: buckets, slots: 4, fpBits: 12})
		in := hashes(int(f.Slots()*9/10), 3)
		if n := fill(t, f, in); n != len(in) || f.CountHashes(in) != n {
			t.Errorf("%d buckets: %d of %d keys taken, %d found", buckets, n, len(in), f.CountHashes(in))
		}
	}
}

// Adding only what the filter does not yet claim to have rejects as many keys as
// there are false positives on the way (field case 31): 12 of 10,000.
func TestInsertIfAbsent(t *testing.T) {
	const keys, repeats = 10_000, 20
	rejected, want := 0, 0.0
	for i := range uint64(repeats) {
		f := build(t, shape{buckets: 1 << 15, slots: 4, fpBits: 8})
		for _, h := range hashes(keys, i) {
			if f.ContainsHash(h) {
				rejected++
			} else if err := f.AddHash(h); err != nil {
				t.Fatal(err)
			}
			want += theory.CuckooExact(f.Len(), f.buckets, 8)
		}
		if f.Len() < keys-30 || f.Len() >= keys {
			t.Errorf("%d of %d keys taken, expected 9,988 +- 7", f.Len(), keys)
		}
	}
	within(t, want/repeats, 12, 0.5, "rejections by theory")
	within(t, float64(rejected), want, 5*math.Sqrt(want), "rejections in %d filters", repeats)
}
