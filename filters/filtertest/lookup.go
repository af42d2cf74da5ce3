package filtertest

import (
	"encoding/binary"
	"errors"
	"math"
	"sync"
	"testing"

	"filterbench/filters"
)

func checkEmpty(t *testing.T, spec filters.Spec) {
	for _, n := range []uint64{1, 2, 100} {
		d := design(t, spec, n)
		f, err := d.Keyed(hashSeed)
		if err != nil {
			t.Fatal(err)
		}
		defer filters.Free(f)
		if f.Len() != 0 {
			t.Errorf("Len of an empty filter is %d", f.Len())
		}
		if hits := f.CountKeys(keys(1000, 1, false)); hits != 0 {
			t.Errorf("n=%d: an empty filter claims %d of 1000 keys", n, hits)
		}
	}
	if _, err := spec.ForBits(0, 10); err == nil {
		t.Error("ForBits accepts 0 keys")
	}
	for _, bits := range []float64{0, -1, 64.001, math.NaN(), math.Inf(1)} {
		if _, err := spec.ForBits(10, bits); err == nil {
			t.Errorf("ForBits accepts %v bits per key", bits)
		}
	}
	for _, p := range []float64{0, 1, -1, 1.5, math.NaN(), 1e-300} {
		if _, err := spec.ForFPR(10, p); err == nil {
			t.Errorf("ForFPR accepts a rate of %v", p)
		}
	}
}

func checkFew(t *testing.T, spec filters.Spec) {
	for n := 1; n <= 20; n++ {
		in := keys(n, uint64(n), true)
		in.Append(nil) // the empty key is a key
		f, taken := build(t, design(t, spec, uint64(n+1)), in)
		if f.Len() != uint64(taken.Len()) {
			t.Errorf("n=%d: Len is %d after %d keys", n, f.Len(), taken.Len())
		}
		if hits := f.CountKeys(taken); hits != taken.Len() {
			t.Errorf("n=%d: only %d of %d keys found", n, hits, taken.Len())
		}
	}
}

// checkNoFalseNegatives adds keys in steps, to double of what the filter was
// sized for, and finds every one again at each step.
func checkNoFalseNegatives(t *testing.T, spec filters.Spec) {
	n := 20_000
	if testing.Short() {
		n = 4_000
	}
	d := design(t, spec, uint64(n))
	all := keys(2*n, 7, true)
	if spec.Family.Static {
		f, taken := build(t, d, slice(all, 0, n))
		if hits := f.CountKeys(taken); hits != n {
			t.Errorf("only %d of %d keys found", hits, n)
		}
		return
	}
	f, err := d.Keyed(hashSeed)
	if err != nil {
		t.Fatal(err)
	}
	defer filters.Free(f)
	var taken filters.Keys
	for i := range all.Len() {
		key := all.At(i)
		if err := f.Add(key); err == nil {
			taken.Append(key)
		} else if !errors.Is(err, filters.ErrFull) {
			t.Fatal(err)
		}
		if (i+1)%(n/8) == 0 {
			if hits := f.CountKeys(&taken); hits != taken.Len() {
				t.Fatalf("after %d keys only %d of %d found", i+1, hits, taken.Len())
			}
		}
	}
	if f.Len() != uint64(taken.Len()) {
		t.Errorf("Len is %d after %d accepted keys", f.Len(), taken.Len())
	}
}

// checkBatch compares batches of every length up to 200, and then of odd
// lengths, with single lookups.
func checkBatch(t *testing.T, spec filters.Spec) {
	const n = 3000
	f, _ := build(t, design(t, spec, n), keys(n, 3, true))
	mix := mixed(n)
	for length := 0; length <= mix.Len(); length += 1 + length/200*97 {
		batch := slice(mix, 0, length)
		out := make([]uint64, filters.BitsetLen(length)+1)
		for i := range out {
			out[i] = 0xdeadbeefdeadbeef
		}
		hits := f.ContainsKeys(batch, out)
		if got := filters.CountBits(out[:filters.BitsetLen(length)]); got != hits {
			t.Fatalf("batch of %d: %d hits returned, %d bits set", length, hits, got)
		}
		if out[len(out)-1] != 0xdeadbeefdeadbeef {
			t.Fatalf("batch of %d wrote behind its answers", length)
		}
		for i := range length {
			if got := out[i/64]>>(i%64)&1 != 0; got != f.Contains(batch.At(i)) {
				t.Fatalf("batch of %d: key %d: batch says %v, Contains %v", length, i, got, !got)
			}
		}
		if got := f.CountKeys(batch); got != hits {
			t.Fatalf("batch of %d: CountKeys %d, ContainsKeys %d", length, got, hits)
		}
	}
}

// checkHashed compares the hashed form with the keyed one.
func checkHashed(t *testing.T, spec filters.Spec) {
	const n = 2000
	d := design(t, spec, n)
	if d.NewHashed == nil {
		t.Skip("keyed only")
	}
	in := keys(n, 3, true)
	keyed, _ := build(t, d, in)
	f, err := d.NewHashed()
	if err != nil {
		t.Fatal(err)
	}
	defer filters.Free(f)
	hash := spec.Family.Hash
	hashes := hash.SumKeys(nil, in, 0, n, hashSeed)
	if spec.Family.Static {
		if _, err := f.AddHashes(hashes); err != nil {
			t.Fatal(err)
		}
		if err := f.AddHash(1); !errors.Is(err, filters.ErrStatic) {
			t.Errorf("AddHash on a static filter: %v", err)
		}
	} else { // half as a batch, half one by one
		if _, err := f.AddHashes(hashes[:n/2]); err != nil {
			t.Fatal(err)
		}
		for _, h := range hashes[n/2:] {
			if err := f.AddHash(h); err != nil {
				t.Fatal(err)
			}
		}
	}
	mix := mixed(n)
	hashes = hash.SumKeys(nil, mix, 0, mix.Len(), hashSeed)
	out := make([]uint64, filters.BitsetLen(len(hashes)))
	hits := f.ContainsHashes(hashes, out)
	if one := f.CountHashes(hashes); one != hits {
		t.Errorf("ContainsHashes %d, CountHashes %d", hits, one)
	}
	for i, h := range hashes {
		want := keyed.Contains(mix.At(i))
		if got := f.ContainsHash(h); got != want || out[i/64]>>(i%64)&1 != 0 != want {
			t.Fatalf("key %d: keyed %v, hashed %v", i, want, got)
		}
	}
}

// checkReaders looks up from many goroutines; the race detector watches.
func checkReaders(t *testing.T, spec filters.Spec) {
	const n = 2000
	f, _ := build(t, design(t, spec, n), keys(n, 3, true))
	mix := mixed(n)
	want := f.CountKeys(mix)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			out := make([]uint64, filters.BitsetLen(mix.Len()))
			if got := f.ContainsKeys(mix, out); got != want {
				t.Errorf("%d hits beside other readers, %d alone", got, want)
			}
		})
	}
	wg.Wait()
}

func checkAllocations(t *testing.T, spec filters.Spec) {
	if raced {
		t.Skip("the race detector allocates")
	}
	const n = 2000
	f, _ := build(t, design(t, spec, n), keys(n, 3, true))
	mix := mixed(n)
	out := make([]uint64, filters.BitsetLen(mix.Len()))
	key := binary.LittleEndian.AppendUint64(nil, 12345)
	for name, lookup := range map[string]func(){
		"Contains":     func() { f.Contains(key) },
		"ContainsKeys": func() { f.ContainsKeys(mix, out) },
		"CountKeys":    func() { f.CountKeys(mix) },
	} {
		if allocs := testing.AllocsPerRun(5, lookup); allocs != 0 {
			t.Errorf("%s allocates %v times", name, allocs)
		}
	}
}
