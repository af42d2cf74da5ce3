package counting

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"

	"filterbench/filters"
)

// Merging adds counters up; what would overflow is stuck.
func TestMergeSaturates(t *testing.T) {
	for width, most := range map[uint]int{2: 15, 3: 255} {
		for _, c := range [][2]int{{0, 0}, {1, 2}, {most - 1, 0}, {most - 2, 1}, {most - 1, 1}, {most, 0}, {most, most}, {most / 2, most}} {
			a, b := build(t, 1000, 3, width), build(t, 1000, 3, width)
			hash := hashes(1, 7)[0]
			for range c[0] {
				a.AddHash(hash)
			}
			for range c[1] {
				b.AddHash(hash)
			}
			if err := a.Merge(b); err != nil {
				t.Fatal(err)
			}
			for range c[0] + c[1] {
				if !a.ContainsHash(hash) || !a.DeleteHash(hash) {
					t.Fatalf("%d bits, %d+%d adds: lost", 1<<width, c[0], c[1])
				}
			}
			if stuck := c[0]+c[1] >= most; a.ContainsHash(hash) != stuck {
				t.Errorf("%d bits, %d+%d adds, all deleted: found %v", 1<<width, c[0], c[1], !stuck)
			}
		}
	}
}

// States that no filter can have are refused: counters that do not add up to k
// for each key, unless one is stuck, and counters behind the last.
func TestImpossibleStates(t *testing.T) {
	const m, k = 21, 3 // 10 and a half bytes
	for name, c := range map[string]struct {
		keys     byte
		counters string // the first bytes; the others are zero
		fits     bool
	}{
		"empty":          {0, "", true},
		"one key":        {1, "\x12", true},
		"two keys":       {2, "\x33", true},
		"too much":       {1, "\x13", false},
		"too little":     {1, "\x11", false},
		"of no key":      {0, "\x12", false},
		"without any":    {1, "", false},
		"not a multiple": {1, "\x22", false},
		"stuck":          {9, "\x1f", true}, // 15 and more were counted, and some taken back
		"last":           {1, "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03", true},
		"behind last":    {1, "\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x10", false},
	} {
		state := make([]byte, 8+11)
		state[0] = c.keys
		copy(state[8:], c.counters)
		f := build(t, m, k, 2)
		if err := f.LoadState(state); (err == nil) != c.fits {
			t.Errorf("%s: %v", name, err)
		} else if !c.fits && (f.Len() != 0 || f.Histogram()[0] != m) {
			t.Errorf("%s: a refused state left a trace", name)
		}
	}
}

// Any bytes are an error that leaves no trace, or the state of a filter that
// writes them again and keeps working.
func FuzzLoadState(f *testing.F) {
	g := build(f, 21, 3, 2)
	f.Add(g.AppendState(nil))
	for _, h := range hashes(5, 8) {
		g.AddHash(h)
	}
	f.Add(g.AppendState(nil))
	f.Fuzz(func(t *testing.T, state []byte) {
		for width := uint(2); width <= 3; width++ {
			g := build(t, 21, 3, width)
			before := g.AppendState(nil)
			if err := g.LoadState(state); err != nil {
				if !bytes.Equal(g.AppendState(nil), before) {
					t.Fatal("a refused state left a trace")
				}
				continue
			}
			if !bytes.Equal(g.AppendState(nil), state) {
				t.Fatal("the state reads back otherwise")
			}
			for _, h := range hashes(20, 8) {
				g.AddHash(h)
				if !g.ContainsHash(h) || !g.DeleteHash(h) {
					t.Fatal("a key is lost")
				}
			}
		}
	})
}

// The same keys give the same bytes on every machine. The hashes were written
// down once; TestAgainstBloom and TestMultiset say that the counters are right.
func TestGolden(t *testing.T) {
	for text, want := range map[string]string{
		"counting":           "3b55773b5204d0b1",
		"counting:counter=8": "de816bd90a385b25",
		"counting:k=3":       "20b1f3a78df62628",
	} {
		f, err := sized(t, Family, text, 1000, 40).Keyed(1)
		if err != nil {
			t.Fatal(err)
		}
		var keys filters.Keys
		for i := range uint64(1500) {
			keys.AppendUint64(i / 2)
		}
		f.AddKeys(&keys)
		state := f.(interface{ Unwrap() filters.Hashed }).Unwrap().(*Filter).AppendState(nil)
		if got := fmt.Sprintf("%x", sha256.Sum256(state))[:16]; got != want {
			t.Errorf("%s: state %s, want %s", text, got, want)
		}
	}
}
