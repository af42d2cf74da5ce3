package cuckoo

import (
	"strconv"
	"testing"

	"filterbench/filters"
	"filterbench/filters/theory"
)

// Every width of fingerprints works, or is refused (field case 15): no key is
// lost, and the rate is that of theory.
func TestEveryWidth(t *testing.T) {
	absent := 1_000_000
	if testing.Short() {
		absent = 20_000
	}
	for fpBits := 2; fpBits <= 33; fpBits++ {
		_, err := filters.ParseSpec([]*filters.Family{Family}, "cuckoo:f="+strconv.Itoa(fpBits))
		if (err != nil) != (fpBits > 32) {
			t.Errorf("f=%d: %v", fpBits, err)
		}
		if err != nil {
			continue
		}
		for _, load := range []float64{0.5, 0.9} {
			if load == 0.9 && (fpBits < 5 || testing.Short()) {
				continue
			}
			f := build(t, shape{buckets: 1 << 14, slots: 4, fpBits: uint64(fpBits)})
			in := hashes(int(load*float64(f.Slots())), uint64(fpBits))
			taken := in[:0]
			for _, h := range in {
				if f.AddHash(h) == nil {
					taken = append(taken, h)
				}
			}
			if fpBits > 2 && len(taken) != len(in) { // overlaps make 2 bits refuse some
				t.Errorf("f=%d: %d of %d keys taken", fpBits, len(taken), len(in))
			}
			if found := f.CountHashes(taken); found != len(taken) {
				t.Errorf("f=%d: %d of %d keys found", fpBits, found, len(taken))
			}
			want := theory.CuckooExact(f.Len(), f.buckets, fpBits)
			checkRate(t, f, absent, want, "f=%d, load %v", fpBits, load)
		}
	}
}

// The rate at any load is 1-(1-1/(2^f-1))^(2b load) (claims P08 and B15), but
// for what tells the formula from the exact one: 3 in 1000 at 6 bits.
func TestRate(t *testing.T) {
	queries := 500_000
	if testing.Short() {
		queries = 50_000
	}
	for _, slots := range []uint64{2, 4, 8} {
		for fpBits := uint64(6); fpBits <= 16; fpBits += 2 {
			if testing.Short() && fpBits != 8 || slots == 2 && fpBits == 6 { // overlaps
				continue
			}
			for _, load := range []float64{0.5, 0.75, 0.95} {
				if slots == 2 && load > 0.8 {
					continue
				}
				f := build(t, shape{buckets: 1 << 16 / slots, slots: slots, fpBits: fpBits})
				in := hashes(int(load*float64(f.Slots())), 7)
				if fill(t, f, in) != len(in) {
					t.Fatalf("%v: not all keys fit", f.shape)
				}
				paper := theory.CuckooFPR(int(fpBits), int(slots), f.Load())
				exact := theory.CuckooExact(f.Len(), f.buckets, int(fpBits))
				within(t, exact, paper, 0.01*paper, "%v: the exact rate", f.shape)
				checkRate(t, f, queries, exact, "%v, load %v", f.shape, load)
			}
		}
	}
}

// Golden rates: f=8 and f=12 at 95 % (claims P08 and A13).
func TestMeasuredRates(t *testing.T) {
	if testing.Short() {
		t.Skip("two million lookups a case")
	}
	for fpBits, want := range map[uint64]float64{8: 0.02942, 12: 0.001854} {
		f := build(t, shape{buckets: 1 << 16, slots: 4, fpBits: fpBits})
		fill(t, f, hashes(int(0.95*float64(f.Slots())), 8))
		checkRate(t, f, 2_000_000, want, "f=%d at %.3f of the slots", fpBits, f.Load())
	}
}
