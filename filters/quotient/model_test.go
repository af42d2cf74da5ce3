package quotient

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"filterbench/filters"
	"filterbench/filters/simd"

	"pgregory.net/rapid"
)

var layouts = []string{"rank", "flags"}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// newTest makes a filter with its kernel, if there is one here.
func newTest(t rapid.TB, layout string, slots uint64, r uint) Filter {
	t.Helper()
	return newWith(t, layout, slots, r, simd.Kernel() == simd.AVX2)
}

func newWith(t rapid.TB, layout string, slots uint64, r uint, avx2 bool) Filter {
	t.Helper()
	var f Filter
	var err error
	if layout == "rank" {
		f, err = newRank(slots, r, avx2)
	} else {
		f, err = newFlags(slots, r, avx2)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// hashOf is the least hash with the given fingerprint, the inverse of the
// mapping that the package's comment states: ceil(fp 2^64 / U).
func hashOf(fp, slots uint64, r uint) uint64 {
	u := slots << r
	quotient, rest := div128(fp, u)
	if rest != 0 {
		quotient++
	}
	return quotient
}

// div128 divides hi 2^64 by d, hi < d, bit by bit.
func div128(hi, d uint64) (quotient, rest uint64) {
	rest = hi
	for range 64 {
		rest <<= 1 // d <= 2^56
		quotient <<= 1
		if rest >= d {
			rest -= d
			quotient |= 1
		}
	}
	return quotient, rest
}

// ring is a table as the papers define it, made without any of its code:
// linear probing in the order of quotients around the ring.
type ring struct {
	slots   uint64
	r       uint
	runs    [][]uint64 // remainders of each quotient, sorted
	table   []*content
	offsets []uint64 // slots taken, from each on, by runs of quotients before it
	n       uint64
}

type content struct {
	quotient, remainder uint64
	first, last         bool
}

func newRing(slots uint64, r uint, fingerprints []uint64) *ring {
	g := &ring{slots, r, make([][]uint64, slots), make([]*content, slots), make([]uint64, slots), uint64(len(fingerprints))}
	for _, fp := range slices.Sorted(slices.Values(fingerprints)) {
		g.runs[fp>>r] = append(g.runs[fp>>r], fp&(1<<r-1))
	}
	at := uint64(0)              // the next free slot, virtual
	for lap := range uint64(2) { // the second lap knows what the first spills
		clear(g.table)
		for q, run := range g.runs {
			here := lap*slots + uint64(q)
			at = max(at, here)
			g.offsets[q] = at - here
			for i, remainder := range run {
				g.table[at%slots] = &content{uint64(q), remainder, i == 0, i == len(run)-1}
				at++
			}
		}
	}
	return g
}

// image is the state of the table, written bit by bit.
func (g *ring) image(layout string) []byte {
	out := bitWriter{bytes: binary.LittleEndian.AppendUint64(nil, g.n), n: 64}
	if layout == "flags" {
		for i, c := range g.table {
			out.flag(len(g.runs[i]) > 0)
			out.flag(c != nil && !c.first)
			out.flag(c != nil && c.quotient != uint64(i))
			out.remainder(c, g.r)
		}
	} else {
		for b := 0; b < len(g.table); b += 64 {
			out.write(min(g.offsets[b], 255), 8)
			for _, run := range g.runs[b : b+64] {
				out.flag(len(run) > 0)
			}
			for _, c := range g.table[b : b+64] {
				out.flag(c != nil && c.last)
			}
			for _, c := range g.table[b : b+64] {
				out.remainder(c, g.r)
			}
		}
	}
	return append(out.bytes, make([]byte, 7)...)
}

// lengths counts maximal sequences of filled slots that no slot cuts.
func (g *ring) lengths(cuts func(slot int, c *content) bool) []uint64 {
	longest, counts := 0, map[int]uint64{}
	for i, c := range g.table {
		before := g.table[(i+len(g.table)-1)%len(g.table)]
		if c == nil || before != nil && !cuts(i, c) {
			continue
		}
		length := 1
		for j := (i + 1) % len(g.table); g.table[j] != nil && !cuts(j, g.table[j]); j = (j + 1) % len(g.table) {
			length++
		}
		counts[length]++
		longest = max(longest, length)
	}
	if longest == 0 {
		return nil
	}
	h := make([]uint64, longest+1)
	for length, n := range counts {
		h[length] = n
	}
	return h
}

type bitWriter struct {
	bytes []byte
	n     int
}

func (w *bitWriter) write(value uint64, bits uint) {
	for i := range bits {
		if w.n%8 == 0 {
			w.bytes = append(w.bytes, 0)
		}
		w.bytes[w.n/8] |= byte(value>>i&1) << (w.n % 8)
		w.n++
	}
}

func (w *bitWriter) flag(b bool) {
	if b {
		w.write(1, 1)
	} else {
		w.write(0, 1)
	}
}

func (w *bitWriter) remainder(c *content, r uint) {
	if c == nil {
		w.write(0, r)
	} else {
		w.write(c.remainder, r)
	}
}

// same fails unless f holds just the fingerprints, and its state and its
// statistics are theirs.
func same(t rapid.TB, layout string, f Filter, fingerprints []uint64) {
	t.Helper()
	if got := f.Len(); got != uint64(len(fingerprints)) {
		t.Fatalf("Len is %d with %d fingerprints", got, len(fingerprints))
	}
	sorted := slices.Sorted(slices.Values(fingerprints))
	if got := slices.Collect(f.Fingerprints()); !slices.Equal(got, sorted) {
		t.Fatalf("fingerprints %x, want %x", got, sorted)
	}
	g := newRing(f.Slots(), uint(f.RemainderBits()), fingerprints)
	if got, want := f.AppendState(nil), g.image(layout); !bytes.Equal(got, want) {
		t.Fatalf("%s, %d slots of %d bits with %x: state\n%x, want\n%x", layout, f.Slots(), f.RemainderBits(), sorted, got, want)
	}
	stretches := g.lengths(func(int, *content) bool { return false })
	clusters := g.lengths(func(slot int, c *content) bool { return c.quotient == uint64(slot) && c.first })
	if got := f.Stretches(); !slices.Equal(got, stretches) {
		t.Fatalf("%x: stretches %v, want %v", sorted, got, stretches)
	}
	if got := f.Clusters(); !slices.Equal(got, clusters) {
		t.Fatalf("%x: clusters %v, want %v", sorted, got, clusters)
	}
}

// drawSize draws slots and a remainder, tables of one slot and block included.
func drawSize(t *rapid.T, layout string) (slots uint64, r uint) {
	r = uint(rapid.OneOf(rapid.IntRange(1, 6), rapid.IntRange(1, 40)).Draw(t, "r"))
	if layout == "rank" {
		return 64 * uint64(rapid.IntRange(1, 12).Draw(t, "blocks")), r
	}
	return uint64(rapid.OneOf(rapid.IntRange(1, 12), rapid.IntRange(1, 300)).Draw(t, "slots")), r
}

// drawFingerprints draws up to the given number of fingerprints: anywhere, or
// crowded on few quotients, at the end of the ring too, so that runs grow long
// and go around.
func drawFingerprints(t *rapid.T, slots uint64, r uint, most uint64) []uint64 {
	n := rapid.Uint64Range(0, most).Draw(t, "n")
	if rapid.IntRange(0, 3).Draw(t, "full") == 0 {
		n = most
	}
	width := min(slots, rapid.SampledFrom([]uint64{1, 3, 70, slots}).Draw(t, "width"))
	first := rapid.OneOf(rapid.Just(slots-1), rapid.Uint64Range(0, slots-1)).Draw(t, "first")
	rng := newRand(rapid.Uint64().Draw(t, "seed"))
	out := make([]uint64, n)
	for i := range out {
		q := (first + rng.Uint64N(width)) % slots
		out[i] = q<<r | rng.Uint64N(1<<r)
	}
	return out
}

func TestAgainstMultiset(t *testing.T) {
	for _, layout := range layouts {
		t.Run(layout, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { againstMultiset(t, layout) })
		})
	}
}

func againstMultiset(t *rapid.T, layout string) {
	slots, r := drawSize(t, layout)
	f := newTest(t, layout, slots, r)
	most := slots * 95 / 100
	set := drawFingerprints(t, slots, r, most)
	for _, fp := range set {
		if err := f.AddHash(hashOf(fp, slots, r)); err != nil {
			t.Fatalf("add %d of %d slots: %v", f.Len()+1, slots, err)
		}
	}
	same(t, layout, f, set)
	t.Repeat(map[string]func(*rapid.T){
		"add": func(t *rapid.T) {
			for _, fp := range drawFingerprints(t, slots, r, 3) {
				err := f.AddHash(hashOf(fp, slots, r))
				if full := uint64(len(set)) == most; full != errors.Is(err, filters.ErrFull) {
					t.Fatalf("%d of %d slots filled: %v", len(set), slots, err)
				} else if !full {
					set = append(set, fp)
				}
			}
		},
		"delete": func(t *rapid.T) {
			for range rapid.IntRange(1, 50).Draw(t, "n") {
				if len(set) == 0 {
					return
				}
				i := rapid.IntRange(0, len(set)-1).Draw(t, "i")
				if !f.DeleteHash(hashOf(set[i], slots, r)) {
					t.Fatalf("%x is not there to delete", set[i])
				}
				set[i] = set[len(set)-1]
				set = set[:len(set)-1]
			}
		},
		"absent": func(t *rapid.T) {
			for _, fp := range drawFingerprints(t, slots, r, 20) {
				i := slices.Index(set, fp)
				if got := f.ContainsHash(hashOf(fp, slots, r)); got != (i >= 0) {
					t.Fatalf("%x: %v", fp, got)
				}
				if got := f.DeleteHash(hashOf(fp, slots, r)); got != (i >= 0) {
					t.Fatalf("%x deleted: %v", fp, got)
				} else if got {
					set = slices.Delete(set, i, i+1)
				}
			}
		},
		"merge": func(t *rapid.T) {
			other := newTest(t, layout, slots, r)
			more := drawFingerprints(t, slots, r, most)
			for _, fp := range more {
				other.AddHash(hashOf(fp, slots, r))
			}
			err := f.Merge(other)
			if len(set)+len(more) > int(most) {
				if !errors.Is(err, filters.ErrFull) {
					t.Fatalf("merge of %d and %d into %d slots: %v", len(set), len(more), slots, err)
				}
			} else if err != nil {
				t.Fatal(err)
			} else {
				set = append(set, more...)
			}
			same(t, layout, other, more)
		},
		"grow": func(t *rapid.T) {
			if slots > 1000 {
				return
			}
			err := f.Grow()
			if (r == 1) != (err != nil) {
				t.Fatalf("growing with remainders of %d bits: %v", r, err)
			}
			if err == nil {
				slots, r = 2*slots, r-1
				most = slots * 95 / 100
			}
		},
		"state": func(t *rapid.T) {
			g := newTest(t, layout, slots, r)
			if err := g.LoadState(f.AppendState(nil)); err != nil {
				t.Fatal(err)
			}
			f = g
		},
		"": func(t *rapid.T) {
			same(t, layout, f, set)
			for _, fp := range set {
				if !f.ContainsHash(hashOf(fp, slots, r)) {
					t.Fatalf("%x is lost", fp)
				}
			}
		},
	})
}
