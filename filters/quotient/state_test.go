package quotient

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"filterbench/filters/hashing"

	"pgregory.net/rapid"
)

// The state is the same on every machine. The digests are of the states that
// the test's own ring, which knows the layouts from the papers, gives for the
// same fingerprints, and so does TestAgainstMultiset.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		layout string
		slots  uint64
		r      uint
		want   string
	}{
		{"rank", 1024, 7, "22c15930c82471d9ee9925aa2cdb09779360f50ea6d8e97910351aa8300ff285"},
		{"rank", 64 * 13, 13, "ce1b8d0cdba718fabdcbb9f3f4c1b00a434587b727e64c0631da0b5a5f7a9ef5"},
		{"flags", 1024, 7, "c695a658aede3b4f7b7b34279db1d3621e68eee90938f03573cc1eddd154e39b"},
		{"flags", 1000, 54, "21971e54f7445d61e1259797da80264706c86577341a0cd35a2df6797a753787"},
	} {
		f := newTest(t, c.layout, c.slots, c.r)
		var fingerprints []uint64
		for i := range c.slots * 9 / 10 {
			h := hashing.Mix(i % 700) // some twice
			if err := f.AddHash(h); err != nil {
				t.Fatal(err)
			}
			fp, _ := bits.Mul64(h, c.slots<<c.r) // floor(h U / 2^64)
			fingerprints = append(fingerprints, fp)
		}
		same(t, c.layout, f, fingerprints)
		if got := fmt.Sprintf("%x", sha256.Sum256(f.AppendState(nil))); got != c.want {
			t.Errorf("%s, %d slots of %d bits: digest %s, want %s", c.layout, c.slots, c.r, got, c.want)
		}
	}
}

// loads holds LoadState to its word: a state is taken just if it is the one of
// the fingerprints that are then in the filter, and else leaves it empty.
func loads(t rapid.TB, layout string, slots uint64, r uint, state []byte) (ok bool) {
	t.Helper()
	f := newTest(t, layout, slots, r)
	if err := f.LoadState(state); err != nil {
		same(t, layout, f, nil)
		return false
	}
	same(t, layout, f, slices.Collect(f.Fingerprints()))
	if !bytes.Equal(f.AppendState(nil), state) {
		t.Fatal("the state that was loaded is not the state")
	}
	return true
}

// Every single bit of a state is either of a remainder, which may be another
// one, or part of what must fit together: a flip of the latter is refused.
func TestFlippedBits(t *testing.T) {
	for _, layout := range layouts {
		const slots, r = 128, 5
		var set []uint64
		rng := newRand(5)
		f := newTest(t, layout, slots, r)
		for range 110 {
			fp := rng.Uint64N(slots << r)
			set = append(set, fp)
			f.AddHash(hashOf(fp, slots, r))
		}
		state := f.AppendState(nil)
		if !loads(t, layout, slots, r, state) {
			t.Fatalf("%s: a state is refused", layout)
		}
		taken := 0
		for i := range 8 * len(state) {
			state[i/8] ^= 1 << (i % 8)
			if loads(t, layout, slots, r, state) {
				taken++
			}
			state[i/8] ^= 1 << (i % 8)
		}
		if taken > r*len(set) {
			t.Errorf("%s: %d flipped bits are taken; remainders have %d", layout, taken, r*len(set))
		}
		for _, bad := range [][]byte{nil, state[:8], state[:len(state)-1], append(slices.Clone(state), 0)} {
			if loads(t, layout, slots, r, bad) {
				t.Errorf("%s: a state of %d bytes is taken for one of %d", layout, len(bad), len(state))
			}
		}
		if err := f.LoadState(state); err == nil {
			t.Errorf("%s: a filter with keys takes a state", layout)
		}
		same(t, layout, f, set)
	}
}

// Fingerprints beyond 95 % of the slots, all slots filled or all marks set: no
// filter has such a state, and to walk it must end.
func TestOverfullStates(t *testing.T) {
	const slots, r = 64, 3
	for _, layout := range layouts {
		for n := uint64(0); n <= slots; n++ {
			set := make([]uint64, n)
			for i := range set {
				set[i] = uint64(i) << r
			}
			if ok := loads(t, layout, slots, r, newRing(slots, r, set).image(layout)); ok != (n <= slots*95/100) {
				t.Errorf("%s: state of %d keys in %d slots: taken is %v", layout, n, slots, ok)
			}
		}
		state := newTest(t, layout, slots, r).AppendState(nil)
		for _, fill := range []byte{0xff, 0x55, 0xaa, 0x01, 0x80} {
			for i := range state[8:] {
				state[8+i] = fill
			}
			for n := range byte(slots) {
				state[0] = n
				if loads(t, layout, slots, r, state) {
					t.Errorf("%s: %d keys in bytes of %#x are taken", layout, n, fill)
				}
			}
		}
	}
}

func FuzzLoadState(f *testing.F) {
	for _, layout := range layouts {
		for _, n := range []int{0, 1, 60, 120} {
			var set []uint64
			rng := newRand(uint64(n))
			for range n {
				set = append(set, (100+rng.Uint64N(60))%128<<4|rng.Uint64N(16))
			}
			f.Add(layout == "rank", byte(2), byte(4), newRing(128, 4, set).image(layout))
		}
	}
	f.Fuzz(func(t *testing.T, rank bool, size, r byte, state []byte) {
		layout, slots := "flags", uint64(size)*64
		if rank {
			layout = "rank"
		}
		if size == 0 || size > 16 || r == 0 || r > 54 {
			return
		}
		loads(t, layout, slots, uint(r), state)
		// Most inputs are of another length: read them as a table all the same.
		full := newTest(t, layout, slots, uint(r)).AppendState(nil)
		copy(full, state)
		loads(t, layout, slots, uint(r), full)
	})
}

func TestSelectBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Uint64().Draw(t, "x") & rapid.OneOf(rapid.Just(^uint64(0)), rapid.Uint64()).Draw(t, "mask")
		k := 0
		for i := range 64 {
			if x>>i&1 != 0 {
				if got := selectBit(x, k); got != i {
					t.Fatalf("selectBit(%#x, %d) = %d, want %d", x, k, got, i)
				}
				k++
			}
		}
	})
}
