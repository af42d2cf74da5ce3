package guava

import (
	"bytes"
	"testing"

	"filterbench/filters"
)

// Batches that fetch lines first leave the bits that single adds leave, and give
// the answers of single lookups, whatever their lengths.
func TestFetchedBatches(t *testing.T) {
	fetched, plain := empty(t), empty(t)
	fetched.fetch, plain.fetch = true, false
	next := uint64(0)
	draw := func(n int) *filters.Keys {
		var keys filters.Keys
		for range n {
			keys.AppendUint64(next)
			next++
		}
		return &keys
	}
	out := make([]uint64, filters.BitsetLen(1500))
	for _, n := range []int{0, 1, 31, 32, 33, 64, 255, 256, 257, 511, 1000} {
		keys := draw(n)
		if taken, err := fetched.AddKeys(keys); taken != n || err != nil {
			t.Fatalf("%d of %d keys: %v", taken, n, err)
		}
		for i := range n {
			plain.Add(keys.At(i))
		}
		if !bytes.Equal(fetched.AppendState(nil), plain.AppendState(nil)) {
			t.Fatalf("a batch of %d keys leaves other bits", n)
		}
		for range n / 2 { // as many that are absent
			keys.AppendUint64(next << 32)
			next++
		}
		for i := range out {
			out[i] = ^uint64(0)
		}
		hits := fetched.ContainsKeys(keys, out)
		if got := filters.CountBits(out[:filters.BitsetLen(keys.Len())]); got != hits {
			t.Fatalf("%d hits, %d bits", hits, got)
		}
		for i := range keys.Len() {
			if got := out[i/64]>>(i%64)&1 != 0; got != plain.Contains(keys.At(i)) {
				t.Fatalf("batch of %d: key %d is answered %v", keys.Len(), i, got)
			}
		}
	}
}

func empty(t *testing.T) *Filter {
	t.Helper()
	f, err := New(100_003, 7)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Free)
	return f
}
