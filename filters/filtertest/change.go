package filtertest

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"filterbench/filters"
)

// checkDelete adds and deletes at random beside a multiset that knows the
// truth: a key that is still in it, once or twice, must be found.
func checkDelete(t *testing.T, spec filters.Spec) {
	const n, universe, steps = 600, 500, 6000
	f := emptyHashed(t, design(t, spec, n))
	del, ok := f.(filters.Deleter)
	if !ok {
		t.Skip("no delete")
	}
	hashes := spec.Family.Hash.SumKeys(nil, keys(universe, 10, true), 0, universe, hashSeed)
	var (
		rng    = rand.New(rand.NewPCG(10, 11))
		copies [universe]int
		held   []int // the multiset as a list
	)
	check := func(when int) {
		t.Helper()
		if f.Len() != uint64(len(held)) {
			t.Fatalf("step %d: Len is %d, %d keys are in it", when, f.Len(), len(held))
		}
		for _, i := range held {
			if !f.ContainsHash(hashes[i]) {
				t.Fatalf("step %d: key %d was added, is not deleted, and is not found", when, i)
			}
		}
	}
	remove := func(when int) {
		t.Helper()
		at := rng.IntN(len(held))
		i := held[at]
		held[at] = held[len(held)-1]
		held = held[:len(held)-1]
		copies[i]--
		if !del.DeleteHash(hashes[i]) {
			t.Fatalf("step %d: key %d is not found by delete", when, i)
		}
	}
	for step := range steps {
		if i := rng.IntN(universe); copies[i] < 2 && (len(held) == 0 || rng.IntN(100) < 55) {
			switch err := f.AddHash(hashes[i]); {
			case err == nil:
				copies[i]++
				held = append(held, i)
			case !errors.Is(err, filters.ErrFull):
				t.Fatal(err)
			}
		} else if len(held) > 0 {
			remove(step)
		}
		if step%100 == 0 {
			check(step)
		}
	}
	for step := steps; len(held) > 0; step++ {
		remove(step)
		if len(held)%50 == 0 {
			check(step)
		}
	}
	if hits := f.CountHashes(hashes); hits != 0 {
		t.Errorf("%d keys found after all were deleted", hits)
	}
	if del.DeleteHash(hashes[0]) || f.Len() != 0 {
		t.Errorf("an empty filter deletes a key; its Len is %d", f.Len())
	}
}

// checkMerge compares the merge of two filters with one that took the keys of
// both, and gives Merge filters that do not fit.
func checkMerge(t *testing.T, spec filters.Spec) {
	const n = 1000
	d := design(t, spec, 2*n)
	a, inA := build(t, d, keys(n, 11, true))
	b, inB := build(t, d, keys(n, 12, true))
	if _, ok := inner(a).(filters.Merger); !ok {
		t.Skip("no merge")
	}
	checkMergeRefuses(t, spec, a)

	all := slice(inA, 0, inA.Len())
	for i := range inB.Len() {
		all.Append(inB.At(i))
	}
	both, _ := build(t, d, all)
	before := state(b)
	if err := filters.Merge(a, b); err != nil {
		t.Fatal(err)
	}
	compareOrders(t, "merged", d, all, both, a)
	if hits := a.CountKeys(all); hits != all.Len() {
		t.Errorf("%d of %d keys found in the merge", hits, all.Len())
	}
	if !bytes.Equal(state(b), before) {
		t.Error("Merge changed the filter that was merged in")
	}
	fresh := empty(t, d)
	if err := filters.Merge(fresh, b); err != nil {
		t.Fatal(err)
	}
	compare(t, "merged into an empty filter", b, fresh)
	if err := filters.Merge(fresh, empty(t, d)); err != nil {
		t.Fatal(err)
	}
	compare(t, "an empty filter merged in", b, fresh)
}

// checkMergeRefuses gives Merge filters that do not fit f.
func checkMergeRefuses(t *testing.T, spec filters.Spec, f filters.Keyed) {
	t.Helper()
	others := map[string]filters.Filter{"none": nil, "another kind": alien{}}
	if d, err := spec.ForBits(10_000, bitsFor); err == nil {
		others["another size"], _ = build(t, d, keys(100, 13, true))
		if d.NewHashed != nil {
			others["hashes, not keys"] = inner(others["another size"].(filters.Keyed))
		}
	}
	if u, ok := f.(unwrapper); ok {
		others["another seed"] = filters.WithHash(u.Unwrap(), spec.Family.Hash, hashSeed+1)
	}
	before, length := state(f), f.Len()
	for what, other := range others {
		if err := filters.Merge(f, other); !errors.Is(err, filters.ErrMismatch) {
			t.Errorf("merging in %s: %v", what, err)
		}
		if m := inner(f).(filters.Merger); what != "another seed" {
			if err := m.Merge(other); !errors.Is(err, filters.ErrMismatch) {
				t.Errorf("Merge of %s: %v", what, err)
			}
		}
	}
	if !bytes.Equal(state(f), before) || f.Len() != length {
		t.Error("a refused merge changed the filter")
	}
}

// alien is a filter of no family.
type alien struct{}

func (alien) Len() uint64      { return 0 }
func (alien) SizeBits() uint64 { return 0 }

// checkShards adds from eight goroutines, each to a filter of its own, and
// merges: no filter takes adds from several goroutines at once, and this is how
// to use them all. The result must be that of one goroutine, bit for bit.
func checkShards(t *testing.T, spec filters.Spec) {
	const shards, each = 8, 500
	d := design(t, spec, shards*each)
	in := keys(shards*each, 14, true)
	whole, _ := build(t, d, in)
	if _, ok := inner(whole).(filters.Merger); !ok {
		t.Skip("no merge")
	}
	var parts [shards]filters.Keyed
	var wg sync.WaitGroup
	for i := range parts {
		parts[i] = empty(t, d)
		wg.Go(func() {
			if _, err := parts[i].AddKeys(slice(in, i*each, (i+1)*each)); err != nil {
				t.Errorf("shard %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	for _, p := range parts[1:] {
		if err := filters.Merge(parts[0], p); err != nil {
			t.Fatal(err)
		}
	}
	compareOrders(t, "merged shards", d, in, whole, parts[0])
}
