package filtertest

import (
	"bytes"
	"testing"

	"filterbench/filters"
)

// stated is a keyed filter that shows its state.
type stated interface {
	filters.Keyed
	filters.Snapshotter
}

// KeyedBatches holds a filter whose batches have a path of their own against one
// that is given and asked one key after the other: both empty, of one design.
func KeyedBatches(t *testing.T, batched, single stated) {
	t.Helper()
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
		if taken, err := batched.AddKeys(keys); taken != n || err != nil {
			t.Fatalf("%d of %d keys: %v", taken, n, err)
		}
		for i := range n {
			single.Add(keys.At(i))
		}
		if !bytes.Equal(batched.AppendState(nil), single.AppendState(nil)) {
			t.Fatalf("a batch of %d keys leaves other bits", n)
		}
		for range n / 2 { // as many that are absent
			keys.AppendUint64(next << 32)
			next++
		}
		for i := range out {
			out[i] = ^uint64(0)
		}
		hits := batched.ContainsKeys(keys, out)
		if got := filters.CountBits(out[:filters.BitsetLen(keys.Len())]); got != hits {
			t.Fatalf("%d hits, %d bits", hits, got)
		}
		for i := range keys.Len() {
			if got := out[i/64]>>(i%64)&1 != 0; got != single.Contains(keys.At(i)) {
				t.Fatalf("batch of %d: key %d is answered %v", keys.Len(), i, got)
			}
		}
	}
}
