package cuckoo

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"filterbench/filters"
)

// States are the same bytes on every machine, and so are lookups: the digests
// were taken on amd64.
func TestGolden(t *testing.T) {
	for _, c := range golden {
		f := build(t, c.shape)
		keys := hashes(int(f.Slots()), 42)
		taken := 0
		for _, h := range keys {
			if f.AddHash(h) == nil {
				taken++
			}
		}
		for _, h := range keys[:100] {
			f.DeleteHash(h)
		}
		if got := digest(f); got != c.digest || taken != c.taken {
			t.Errorf("%v: %d keys, %s; want %d, %s", c.shape, taken, got, c.taken, c.digest)
		}
	}
}

// Anything is a state of a table that works, or refused.
func FuzzLoadState(f *testing.F) {
	for i, s := range fuzzLayouts {
		g := build(f, s)
		g.AddHashes(hashes(30, 1))
		f.Add(uint8(i), g.AppendState(nil))
		f.Add(uint8(i), slices.Repeat([]byte{0xff}, g.stateBytes()))
	}
	f.Fuzz(func(t *testing.T, layout uint8, state []byte) {
		s := fuzzLayouts[int(layout)%len(fuzzLayouts)]
		g := build(t, s)
		if err := g.LoadState(state); err != nil {
			if g.Len() != 0 || slices.ContainsFunc(g.data, func(b byte) bool { return b != 0 }) {
				t.Fatalf("refused with %v, and %d keys are there", err, g.Len())
			}
			return
		}
		if !slices.Equal(g.AppendState(nil), state) {
			t.Fatal("the state is another one than was loaded")
		}
		total := 0
		for bucket, fps := range read(s, state) {
			for _, fp := range fps {
				if fp != 0 {
					if total++; g.holds(uint64(bucket), fp) == 0 {
						t.Fatalf("%d is not found in bucket %d", fp, bucket)
					}
				}
			}
		}
		if g.Len() != uint64(total) {
			t.Fatalf("Len %d, %d fingerprints", g.Len(), total)
		}
		for _, h := range hashes(50, 3) {
			if g.AddHash(h) == nil && (!g.ContainsHash(h) || !g.DeleteHash(h)) {
				t.Fatal("a key is lost")
			}
		}
		contents(t, g) // sorted
		if g.LoadState(state) == nil && total > 0 {
			t.Fatal("a filter that is not empty was loaded")
		}
	})
}

var fuzzLayouts = []shape{
	{buckets: 10, slots: 4, fpBits: 8}, {buckets: 10, slots: 4, fpBits: 7}, {buckets: 10, slots: 2, fpBits: 31}, {buckets: 10, slots: 8, fpBits: 12},
	{buckets: 10, slots: 4, fpBits: 13, sorted: true}, {buckets: 10, slots: 4, fpBits: 21, sorted: true}, {buckets: 10, slots: 4, fpBits: 4, sorted: true},
}

// States that no filter writes are refused.
func TestBadStates(t *testing.T) {
	s := shape{buckets: 2, slots: 2, fpBits: 5} // 20 bits
	for _, state := range [][]byte{nil, make([]byte, 2), make([]byte, 4), {0, 0, 0x10}} {
		if build(t, s).LoadState(state) == nil {
			t.Errorf("plain: %x is taken", state)
		}
	}
	s = shape{buckets: 2, slots: 4, fpBits: 5, sorted: true} // a code and 4 rests of 1 bit
	for _, c := range []struct {
		state []byte
		ok    bool
	}{
		{[]byte{0, 0, 0, 0}, true},
		{[]byte{0x23, 0x0f, 0, 0}, true},    // code 3875, the last, rests 0
		{[]byte{0x24, 0x0f, 0, 0}, false},   // code 3876
		{[]byte{0x00, 0x80, 0, 0}, true},    // 0 0 0 1
		{[]byte{0x00, 0x10, 0, 0}, false},   // 1 0 0 0
		{[]byte{0, 0, 0xff, 0x0f}, false},   // code 4095
		{[]byte{0, 0, 0x00, 0x50}, false},   // 1 0 1 0
		{[]byte{0, 0, 0, 0, 0}, false},      // too long
		{[]byte{0x01, 0x80, 0, 0xf0}, true}, // nibbles 0 0 0 1
	} {
		if err := build(t, s).LoadState(c.state); (err == nil) != c.ok {
			t.Errorf("semi-sorted: %x: %v", c.state, err)
		}
	}
}

// A filter merged with itself has every key twice.
func TestMergeWithItself(t *testing.T) {
	for _, s := range layouts {
		s.buckets = 50
		f := build(t, s)
		fill(t, f, hashes(int(f.Slots()/5), 1))
		want, n := contents(t, f), f.Len()
		if err := f.Merge(f); err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		got := contents(t, f)
		for c, k := range want {
			if got[c] != 2*k {
				t.Fatalf("%v: %v is there %d times, want %d", s, c, got[c], 2*k)
			}
		}
		if len(got) != len(want) || f.Len() != 2*n {
			t.Errorf("%v: %d classes of %d, Len %d of %d", s, len(got), len(want), f.Len(), n)
		}
	}
}

// A merge that finds no room for a key, half way or before it begins, leaves the
// filter as it was, to the bit.
func TestMergeRefused(t *testing.T) {
	for _, s := range layouts {
		s.buckets = 50
		f, g := build(t, s), build(t, s)
		const key = 1 << 63
		f.AddHash(key)
		for range 2 * s.slots {
			g.AddHash(key) // as many copies as there is room for
		}
		fill(t, f, hashes(int(f.Slots()/2), 1))
		fill(t, g, hashes(int(g.Slots()/4), 2))
		for range 2 {
			before, stats := f.AppendState(nil), *f
			if err := f.Merge(g); !errors.Is(err, filters.ErrFull) {
				t.Fatalf("%v: %d and %d keys in %d slots: %v", s, f.n, g.n, f.Slots(), err)
			}
			if !bytes.Equal(before, f.AppendState(nil)) || f.n != stats.n || f.kicks != stats.kicks || f.refused != stats.refused {
				t.Fatalf("%v: a refused merge changed the filter", s)
			}
			fill(t, g, hashes(int(g.Slots()*8/10), 3)) // more keys than slots
		}
	}
}
