package filtertest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"filterbench/filters"
)

// checkDuplicates adds every key twice: nothing is lost, and a plain bit array
// does not change.
func checkDuplicates(t *testing.T, spec filters.Spec) {
	const n = 2000
	in := keys(n, 5, true)
	twice := slice(in, 0, n)
	for i := range n {
		twice.Append(in.At(i))
	}
	once, _ := build(t, design(t, spec, 2*n), in)
	both, taken := build(t, design(t, spec, 2*n), twice)
	if hits := both.CountKeys(taken); hits != taken.Len() {
		t.Errorf("%d of %d keys found after adding each twice", hits, taken.Len())
	}
	if a, b := bitmap(once), bitmap(both); !bytes.Equal(a, b) {
		t.Error("adding every key again changed the bits")
	}
}

// checkOrder builds from the keys in another order: a bit array must be equal,
// and answers of other structures may differ only for absent keys.
func checkOrder(t *testing.T, spec filters.Spec) {
	const n = 2000
	in := keys(n, 6, true)
	var shuffled filters.Keys
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		shuffled.Append(in.At(i))
	}
	a, _ := build(t, design(t, spec, n), in)
	b, _ := build(t, design(t, spec, n), &shuffled)
	if !bytes.Equal(bitmap(a), bitmap(b)) {
		t.Error("the bits depend on the order of the keys")
	}
	if hits := b.CountKeys(in); hits != n {
		t.Errorf("%d of %d keys found", hits, n)
	}
}

// checkRepeats builds twice from the same keys, in one call and one by one: the
// filters must be equal to the bit, or in their answers if they do not tell.
func checkRepeats(t *testing.T, spec filters.Spec) {
	const n = 2000
	in := keys(n, 8, true)
	d := design(t, spec, n)
	first, _ := build(t, d, in)
	again, _ := build(t, d, in)
	compare(t, "built again", first, again)
	if spec.Family.Static {
		return
	}
	single := empty(t, d)
	for i := range n {
		if err := single.Add(in.At(i)); err != nil && !errors.Is(err, filters.ErrFull) {
			t.Fatal(err)
		}
	}
	compare(t, "built one by one", first, single)
}

// compare demands that two filters hold the same.
func compare(t *testing.T, what string, a, b filters.Keyed) {
	t.Helper()
	if !bytes.Equal(state(a), state(b)) {
		t.Errorf("%s: the state differs", what)
	}
	compareAnswers(t, what, a, b)
}

// compareAnswers demands that two filters say the same.
func compareAnswers(t *testing.T, what string, a, b filters.Keyed) {
	t.Helper()
	if a.Len() != b.Len() {
		t.Errorf("%s: %d keys, then %d", what, a.Len(), b.Len())
	}
	if ask := keys(20_000, 8, false); !bytes.Equal(answers(a, ask), answers(b, ask)) {
		t.Errorf("%s: the answers differ", what)
	}
}

// compareOrders demands that a filter that took the keys in, and one that took
// them in another order, hold the same; only the same answers, if where a
// key comes to lie depends on those before it.
func compareOrders(t *testing.T, what string, d filters.Design, in *filters.Keys, a, b filters.Keyed) {
	t.Helper()
	var back filters.Keys
	for i := in.Len() - 1; i >= 0; i-- {
		back.Append(in.At(i))
	}
	if other, _ := build(t, d, &back); bytes.Equal(state(other), state(a)) {
		compare(t, what, a, b)
	} else {
		compareAnswers(t, what, a, b)
	}
}

// answers is the filter's answers to a batch.
func answers(f filters.Keyed, keys *filters.Keys) []byte {
	out := make([]uint64, filters.BitsetLen(keys.Len()))
	f.ContainsKeys(keys, out)
	var all []byte
	for _, w := range out {
		all = binary.LittleEndian.AppendUint64(all, w)
	}
	return all
}

// checkFull adds keys until the filter refuses them, or to four times of what
// it was sized for. A refused key must leave no trace, and no key that was
// taken may be lost.
func checkFull(t *testing.T, spec filters.Spec) {
	const n = 500
	d := design(t, spec, n)
	more := keys(4*n, 9, true)
	if spec.Family.Static {
		checkStatic(t, d, slice(more, 0, n), slice(more, n, 2*n))
		return
	}
	f, refused := empty(t, d), 0
	var taken filters.Keys
	for i := 0; i < more.Len() && refused < 50; i++ {
		before, length := state(f), f.Len()
		err := f.Add(more.At(i))
		if err == nil {
			taken.Append(more.At(i))
			continue
		}
		refused++
		if !errors.Is(err, filters.ErrFull) {
			t.Fatalf("Add: %v", err)
		}
		if f.Len() != length || !bytes.Equal(state(f), before) {
			t.Fatalf("the key refused after %d others changed the filter", length)
		}
	}
	if hits := f.CountKeys(&taken); hits != taken.Len() {
		t.Errorf("after %d refused keys, %d of %d others found", refused, hits, taken.Len())
	}
}

func checkStatic(t *testing.T, d filters.Design, in, more *filters.Keys) {
	f, _ := build(t, d, in)
	before, length := state(f), f.Len()
	if err := f.Add(more.At(0)); !errors.Is(err, filters.ErrStatic) {
		t.Errorf("Add to a static filter: %v", err)
	}
	if taken, err := f.AddKeys(more); taken != 0 || !errors.Is(err, filters.ErrStatic) {
		t.Errorf("AddKeys to a static filter that is built: %d taken, %v", taken, err)
	}
	if f.Len() != length || !bytes.Equal(state(f), before) {
		t.Error("keys that were refused changed the filter")
	}
	if hits := f.CountKeys(in); hits != in.Len() {
		t.Errorf("%d of %d keys found after a refused add", hits, in.Len())
	}
}
