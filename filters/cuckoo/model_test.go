package cuckoo

import (
	"errors"
	"math/big"
	"slices"
	"testing"

	"filterbench/filters"
	"filterbench/filters/hashing"

	"pgregory.net/rapid"
)

// class is all that the paper's filter remembers of a key: its fingerprint and
// its pair of buckets, of which this is the lower one.
type class struct{ fp, bucket uint64 }

// scaled is floor(x limit / 2^64).
func scaled(x, limit uint64) uint64 {
	p := new(big.Int).Mul(new(big.Int).SetUint64(x), new(big.Int).SetUint64(limit))
	return p.Rsh(p, 64).Uint64()
}

// sumOf is the sum of a fingerprint's buckets, modulo their number.
func sumOf(s shape, fp uint64) uint64 { return 2*scaled(hashing.Mix(fp), s.buckets/2) + 1 }

// classAt is the class of a fingerprint that lies in a bucket.
func classAt(s shape, bucket, fp uint64) class {
	other := (sumOf(s, fp) + s.buckets - bucket) % s.buckets
	return class{fp, min(bucket, other)}
}

func classOf(s shape, hash uint64) class {
	fp := 1 + scaled(hash*0x9e3779b97f4a7c15, 1<<s.fpBits-1)
	return classAt(s, scaled(hash, s.buckets), fp)
}

// codeList is the sorted quadruples of 4 bits in the order of their codes: by
// the last one first.
var codeList = func() (list [][4]uint64) {
	for q := range uint64(1 << 16) {
		d, c, b, a := q>>12, q>>8&15, q>>4&15, q&15
		if a <= b && b <= c && c <= d {
			list = append(list, [4]uint64{a, b, c, d})
		}
	}
	return list
}()

// read is the fingerprints in a state, by bucket, bit by bit.
func read(s shape, state []byte) [][]uint64 {
	at := 0
	next := func(count uint64) (v uint64) {
		for i := range count {
			v |= uint64(state[at/8]>>(at%8)&1) << i
			at++
		}
		return v
	}
	buckets := make([][]uint64, s.buckets)
	for i := range buckets {
		if s.sorted {
			for _, nibble := range codeList[next(12)] {
				buckets[i] = append(buckets[i], nibble<<(s.fpBits-4)|next(s.fpBits-4))
			}
			continue
		}
		for range s.slots {
			buckets[i] = append(buckets[i], next(s.fpBits))
		}
	}
	return buckets
}

// contents counts the classes in a filter by its state.
func contents(t rapid.TB, f *Filter) map[class]int {
	t.Helper()
	count := map[class]int{}
	for bucket, fps := range read(f.shape, f.AppendState(nil)) {
		if f.sorted && !slices.IsSorted(fps) {
			t.Fatalf("bucket %d is not sorted: %v", bucket, fps)
		}
		for _, fp := range fps {
			if fp != 0 {
				count[classAt(f.shape, uint64(bucket), fp)]++
			}
		}
	}
	return count
}

// drawShape is any shape with few buckets.
func drawShape(t *rapid.T) shape {
	s := shape{
		buckets: 2 * rapid.Uint64Range(1, 6).Draw(t, "half of the buckets"),
		slots:   rapid.SampledFrom([]uint64{2, 4, 8}).Draw(t, "slots"),
		fpBits:  rapid.Uint64Range(2, 32).Draw(t, "fpBits"),
		sorted:  rapid.Bool().Draw(t, "sorted"),
	}
	if s.sorted {
		s.slots, s.fpBits = 4, max(s.fpBits, 4)
	}
	return s
}

// Any sequence of adds, deletes and merges leaves the multiset of classes that
// the keys imply; a key is found just if its class is there; and what is refused
// changes no bit.
func TestMultiset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShape(t)
		f, err := newFilter(s, false)
		if err != nil {
			t.Fatal(err)
		}
		keys := hashes(int(s.buckets*s.slots), s.buckets+s.fpBits)
		copies := map[uint64]int{}
		total, refused := uint64(0), uint64(0)
		add := func(t *rapid.T, f *Filter, key uint64) {
			before := f.AppendState(nil)
			switch err := f.AddHash(key); {
			case err == nil:
				copies[key]++
				total++
			case !errors.Is(err, filters.ErrFull):
				t.Fatal(err)
			case !slices.Equal(before, f.AppendState(nil)):
				t.Fatal("a refused key changed the filter")
			default:
				refused++
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				for _, key := range rapid.SliceOfN(rapid.SampledFrom(keys), 1, 20).Draw(t, "keys") {
					add(t, f, key)
				}
			},
			"delete": func(t *rapid.T) {
				key := rapid.SampledFrom(keys).Draw(t, "key")
				if copies[key] == 0 {
					t.Skip("not in it")
				}
				if !f.DeleteHash(key) {
					t.Fatal("a key that is in it is not deleted")
				}
				copies[key]--
				total--
			},
			"merge": func(t *rapid.T) {
				g, _ := newFilter(s, false)
				taken := rapid.SliceOfN(rapid.SampledFrom(keys), 0, 10).Draw(t, "keys")
				if n, err := g.AddHashes(taken); err != nil {
					taken = taken[:n]
				}
				before := f.AppendState(nil)
				switch err := f.Merge(g); {
				case err == nil:
					for _, key := range taken {
						copies[key]++
						total++
					}
				case !errors.Is(err, filters.ErrFull):
					t.Fatal(err)
				case !slices.Equal(before, f.AppendState(nil)):
					t.Fatal("a refused merge changed the filter")
				}
			},
			"": func(t *rapid.T) {
				want := map[class]int{}
				for key, c := range copies {
					if c > 0 {
						want[classOf(s, key)] += c
					}
				}
				got := contents(t, f)
				for c, n := range want {
					if got[c] != n {
						t.Fatalf("%v is there %d times, want %d", c, got[c], n)
					}
				}
				if len(got) != len(want) || f.Len() != total || f.Refused() != refused {
					t.Fatalf("%d classes, %d keys, %d refused; want %d, %d, %d", len(got), f.Len(), f.Refused(), len(want), total, refused)
				}
				for _, key := range append(hashes(20, total), keys...) {
					if f.ContainsHash(key) != (want[classOf(s, key)] > 0) {
						t.Fatalf("ContainsHash(%#x) is %v", key, f.ContainsHash(key))
					}
				}
				back, _ := newFilter(s, false)
				if err := back.LoadState(f.AppendState(nil)); err != nil || back.Len() != total {
					t.Fatalf("its own state is refused, or has %d keys, not %d: %v", back.Len(), total, err)
				}
			},
		})
	})
}

// A semi-sorted filter answers as a plain one with the same keys, for one bit a
// slot less (claim P12).
func TestSemiSortedEqualsPlain(t *testing.T) {
	for _, fpBits := range []uint64{4, 5, 8, 13, 17, 18, 32} {
		s := shape{buckets: 1000, slots: 4, fpBits: fpBits}
		plain := build(t, s)
		s.sorted = true
		sorted := build(t, s)
		if got, want := sorted.bits(), plain.bits()-plain.Slots(); got != want {
			t.Errorf("f=%d: %d bits, want %d", fpBits, got, want)
		}
		in := hashes(3600, 1)
		for _, h := range in {
			if a, b := plain.AddHash(h), sorted.AddHash(h); a != nil || b != nil {
				t.Fatalf("f=%d: %v, %v", fpBits, a, b)
			}
		}
		for _, h := range in[:1800] {
			if !plain.DeleteHash(h) || !sorted.DeleteHash(h) {
				t.Fatalf("f=%d: not deleted", fpBits)
			}
		}
		for _, h := range append(hashes(20_000, 2), in...) {
			if plain.ContainsHash(h) != sorted.ContainsHash(h) {
				t.Fatalf("f=%d: plain says %v", fpBits, plain.ContainsHash(h))
			}
		}
	}
}

// Four sorted nibbles and the 3876 codes are one to one, C(19,4) of them (claim
// P12), in the order of an independent list.
func TestCodes(t *testing.T) {
	if len(codeList) != 3876 || codes != 3876 {
		t.Fatalf("%d quadruples, %d codes; C(19,4) is 3876", len(codeList), codes)
	}
	for code, q := range codeList {
		if got := codeOf(q[0], q[1], q[2], q[3]); got != uint64(code) {
			t.Fatalf("the code of %v is %d, want %d", q, got, code)
		}
		if got, want := uint64(nibblesOf[code]), q[0]|q[1]<<4|q[2]<<8|q[3]<<12; got != want {
			t.Fatalf("code %d is %#x, want %#x", code, got, want)
		}
	}
}
