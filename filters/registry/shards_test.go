package registry

import (
	"bytes"
	"runtime"
	"sync"
	"testing"

	"filterbench/filters"
)

// Adds from eight goroutines to one filter lose bits: filters are not made for
// it. The way is a filter for each goroutine and a merge, and since the merge is
// an OR (or a sum) the result is that of one goroutine, bit for bit, whatever
// runs when (field case 22; the race detector watches under make race).
func TestShardsOfAMillion(t *testing.T) {
	n := uint64(1_000_000)
	if testing.Short() {
		n = 80_000
	}
	const shards = 8
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, text := range []string{"bloom", "blocked:block=64", "splitblock", "counting"} {
		d, err := Must(text).ForBits(n, 10)
		if err != nil {
			t.Fatal(err)
		}
		var all filters.Keys
		parts := make([]filters.Keys, shards)
		for i := range n {
			all.AppendUint64(i)
			parts[i*shards/n].AppendUint64(i)
		}
		want := filled(t, d, &all)
		for _, procs := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(procs)
			built := make([]filters.Keyed, shards)
			var wg sync.WaitGroup
			for i := range shards {
				wg.Go(func() { built[i] = filled(t, d, &parts[i]) })
			}
			wg.Wait()
			for _, part := range built[1:] {
				if err := filters.Merge(built[0], part); err != nil {
					t.Fatal(err)
				}
				filters.Free(part)
			}
			if found := built[0].CountKeys(&all); uint64(found) != n {
				t.Errorf("%s, %d threads: %d of %d keys found", text, procs, found, n)
			}
			if !bytes.Equal(state(built[0]), state(want)) {
				t.Errorf("%s, %d threads: the bits differ from those of one goroutine", text, procs)
			}
			filters.Free(built[0])
		}
		filters.Free(want)
	}
}

func filled(t *testing.T, d filters.Design, keys *filters.Keys) filters.Keyed {
	f, err := d.Keyed(3)
	if err != nil {
		t.Error(err)
		return nil
	}
	if _, err := f.AddKeys(keys); err != nil {
		t.Error(err)
	}
	return f
}

func state(f filters.Keyed) []byte {
	return f.(interface{ Unwrap() filters.Hashed }).Unwrap().(filters.Snapshotter).AppendState(nil)
}
