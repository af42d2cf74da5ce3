package cuckoo

import (
	"slices"
	"testing"
)

// Every layout reads and writes the slots that it should and no others: against
// plain slices, and a reading of the bytes bit by bit. A bucket outside of the
// memory would panic.
func TestTable(t *testing.T) {
	for _, s := range allLayouts() {
		s.buckets = 10
		f := build(t, s)
		truth := make([][]uint64, s.buckets)
		for i := range truth {
			truth[i] = make([]uint64, s.slots)
		}
		random := hashes(600, s.fpBits)
		for i := 0; i+3 <= len(random); i += 3 {
			bucket, slot, fp := random[i]%s.buckets, random[i+1]%s.slots, random[i+2]&f.mask
			if random[i]>>60 == 0 {
				fp = 0
			}
			if got := f.get(bucket, slot); got != truth[bucket][slot] {
				t.Fatalf("%v: slot %d of bucket %d holds %d, want %d", s, slot, bucket, got, truth[bucket][slot])
			}
			before := f.AppendState(nil)
			old, at := f.exchange(bucket, slot, fp)
			if fp2, slot2 := f.exchange(bucket, at, old); fp2 != fp || !slices.Equal(before, f.AppendState(nil)) {
				t.Fatalf("%v: exchanged twice, slot %d gives %d, slot %d", s, at, fp2, slot2)
			}
			f.exchange(bucket, slot, fp)
			truth[bucket][slot] = fp
			if s.sorted {
				slices.Sort(truth[bucket])
			}
			for i, want := range read(s, f.AppendState(nil)) {
				if !slices.Equal(want, truth[i]) {
					t.Fatalf("%v: bucket %d is %v, want %v", s, i, want, truth[i])
				}
			}
			checkFind(t, f, bucket, truth[bucket], fp, 0, 1, f.mask, random[i+2]>>32&f.mask)
		}
	}
}

// checkFind looks for fingerprints in a bucket.
func checkFind(t *testing.T, f *Filter, bucket uint64, truth []uint64, fps ...uint64) {
	t.Helper()
	for _, fp := range fps {
		want := slices.Index(truth, fp)
		slot, ok := f.find(bucket, fp)
		if ok != (want >= 0) || ok && slot != uint64(want) || ok != (f.holds(bucket, fp) != 0) {
			t.Fatalf("%v: %d is found in slot %d (%v, %v) of %v", f.shape, fp, slot, ok, f.holds(bucket, fp) != 0, truth)
		}
	}
}

func allLayouts() (list []shape) {
	for fpBits := uint64(2); fpBits <= 32; fpBits++ {
		for _, slots := range []uint64{2, 4, 8} {
			list = append(list, shape{slots: slots, fpBits: fpBits})
		}
		if fpBits >= 4 {
			list = append(list, shape{slots: 4, fpBits: fpBits, sorted: true})
		}
	}
	return list
}

// Where a bucket fits into one load whatever its place, it is one; and no load
// is less aligned than it could be.
func TestWindows(t *testing.T) {
	for _, s := range allLayouts() {
		if s.sorted && s.fpBits > 17 {
			continue
		}
		w := windowOf(s)
		// fits reports whether loads of so many bits fit, by trying all places.
		fits := func(size, align uint64) bool {
			for i := range uint64(64) {
				if i*size%align+size > 64 {
					return false
				}
			}
			return true
		}
		size := s.bucketBits() / w.loads
		if w.size != size || !fits(size, w.within+1) || w.within < 63 && fits(size, 2*w.within+2) {
			t.Errorf("%v: %d loads of %d bits at multiples of %d", s, w.loads, size, w.within+1)
		}
		if w.loads > 1 && fits(2*size, 8) {
			t.Errorf("%v: %d loads where fewer would do", s, w.loads)
		}
	}
}
