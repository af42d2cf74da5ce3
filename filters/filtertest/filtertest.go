// Package filtertest is the conformance suite: what every filter must do,
// whatever its family. A family passes when Run passes for each of its specs.
package filtertest

import (
	"bytes"
	"encoding/binary"
	"errors"

	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"filterbench/filters"
)

// Run subjects a spec to every check. skip names checks that the spec is
// exempt from, each with the reason.
func Run(t *testing.T, spec filters.Spec, skip map[string]string) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			if why, ok := skip[c.name]; ok {
				t.Skipf("exempt: %s", why)
			}
			c.run(t, spec)
		})
	}
}

var checks = []struct {
	name string
	run  func(t *testing.T, spec filters.Spec)
}{
	{"empty", checkEmpty},
	{"few keys", checkFew},
	{"no false negatives", checkNoFalseNegatives},
	{"false-positive rate", checkFPR},
	{"batch equals scalar", checkBatch},
	{"hashed equals keyed", checkHashed},
	{"duplicates", checkDuplicates},
	{"order", checkOrder},
	{"size", checkSize},
	{"sizes", checkSizes},
	{"at most the rate asked for", checkPromise},
	{"concurrent readers", checkReaders},
	{"allocations", checkAllocations},
}

// bitsFor is a size at which every family is feasible.
const bitsFor = 12

// design sizes the spec for n keys at about 12 bits each, or skips the test
// where its family has no such size.
func design(t *testing.T, spec filters.Spec, n uint64) filters.Design {
	t.Helper()
	d, err := spec.ForBits(n, bitsFor)
	if err != nil {
		if d, err = spec.ForFPR(n, 0.01); err != nil {
			t.Skipf("no design for %d keys: %v", n, err)
		}
	}
	return d
}

const hashSeed = 42

// build makes the filter of a design and adds keys to it, in one call as a
// static family wants it. It returns the keys that were taken.
func build(t *testing.T, d filters.Design, keys *filters.Keys) (filters.Keyed, *filters.Keys) {
	t.Helper()
	f, err := d.Keyed(hashSeed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { filters.Free(f) })
	taken := new(filters.Keys)
	rest := keys
	for rest.Len() > 0 {
		n, err := f.AddKeys(rest)
		for i := range n {
			taken.Append(rest.At(i))
		}
		if err == nil {
			break
		}
		if !errors.Is(err, filters.ErrFull) {
			t.Fatalf("AddKeys: %v", err)
		}
		rest = slice(rest, n+1, rest.Len())
	}
	return f, taken
}

// slice copies the keys from (inclusive) to to (exclusive).
func slice(keys *filters.Keys, from, to int) *filters.Keys {
	out := new(filters.Keys)
	for i := from; i < to; i++ {
		out.Append(keys.At(i))
	}
	return out
}

// keys makes n distinct keys. Present and absent ones are odd and even counters under a bijection, so that
// they are disjoint; the seed tells key sets apart.
func keys(n int, seed uint64, present bool) *filters.Keys {
	var out filters.Keys
	tag := uint64(0)
	if present {
		tag = 1
	}
	for i := range uint64(n) {
		out.AppendUint64(scramble(i<<1|tag, seed))
	}
	return &out
}

// scramble is a bijection in x: multiplications by odd numbers, rotations by
// xor-shift. It is not the one that the filters use.
func scramble(x, seed uint64) uint64 {
	x += seed * 0xd1342543de82ef95
	for range 3 {
		x ^= x >> 32
		x *= 0xaf251af3b0f025b5
	}
	return x ^ x>>29
}

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
	const n = 20_000
	d := design(t, spec, n)
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
		if (i+1)%2500 == 0 {
			if hits := f.CountKeys(&taken); hits != taken.Len() {
				t.Fatalf("after %d keys only %d of %d found", i+1, hits, taken.Len())
			}
		}
	}
	if f.Len() != uint64(taken.Len()) {
		t.Errorf("Len is %d after %d accepted keys", f.Len(), taken.Len())
	}
}

// checkFPR holds the measured rate against the family's own model at sizes
// from 1,000 to 200,000 keys: within five standard deviations, of the queries
// and of the filters together, beside the model's stated tolerance. A bug that
// moves the rate with n (a narrow hash, a short index) shows at one end.
func checkFPR(t *testing.T, spec filters.Spec) {
	for _, n := range []int{1_000, 20_000, 200_000} {
		d := design(t, spec, uint64(n))
		if !d.Model.Holds(uint64(n)) {
			continue
		}
		filtersBuilt := max(1, 20_000/n)
		if testing.Short() && n > 20_000 {
			continue
		}
		p, sd := d.Model.FPR(uint64(n)), d.Model.SD(uint64(n))
		queries := int(min(1e6, 40_000/max(p, 1e-9)))
		if spec.Family.NanosPerKey >= 100 {
			queries = min(queries, 100_000)
		}
		fp, asked := 0, 0
		for i := range filtersBuilt {
			f, taken := build(t, d, keys(n, uint64(i+1), true))
			if taken.Len() != n {
				t.Fatalf("n=%d: only %d keys taken", n, taken.Len())
			}
			absent := keys(queries/filtersBuilt, uint64(i+1), false)
			fp += f.CountKeys(absent)
			asked += absent.Len()
		}
		q := float64(asked)
		slack := 5*math.Sqrt(q*p*(1-p)+q*q*sd*sd/float64(filtersBuilt)) + q*p*d.Model.Tolerance + 5
		if math.Abs(float64(fp)-q*p) > slack {
			t.Errorf("%s, n=%d: %d false positives of %d; the model says %.1f +- %.1f", d, n, fp, asked, q*p, slack)
		}
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

// mixed is present and absent keys in turn, of the set of checkBatch.
func mixed(n int) *filters.Keys {
	in, out := keys(n, 3, true), keys(n, 3, false)
	var mix filters.Keys
	for i := range n {
		mix.Append(in.At(i))
		mix.Append(out.At(i))
	}
	return &mix
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

// unwrapper is an adapter around a hashed filter.
type unwrapper interface{ Unwrap() filters.Hashed }

// inner returns the filter that holds the data, behind any adapter.
func inner(f filters.Keyed) filters.Filter {
	if u, ok := f.(unwrapper); ok {
		return u.Unwrap()
	}
	return f
}

// bitmap is the filter's bits, or nil if it is no plain array of bits.
func bitmap(f filters.Keyed) []byte {
	if b, ok := inner(f).(filters.Bitmapper); ok {
		return b.Bitmap()
	}
	return nil
}

// checkSize compares what the design promised with what was allocated.
func checkSize(t *testing.T, spec filters.Spec) {
	for _, n := range []uint64{1, 2, 63, 1000, 98_000, 100_000} {
		d := design(t, spec, n)
		f, err := d.Keyed(hashSeed)
		if err != nil {
			t.Fatal(err)
		}
		if d.SizeBits != 0 && !spec.Family.Static && f.SizeBits() != d.SizeBits {
			t.Errorf("n=%d: the design says %d bits, the filter has %d", n, d.SizeBits, f.SizeBits())
		}
		filters.Free(f)
	}
}

// checkSizes sizes the filter for rates and bits over a wide range: absurd
// sizes are errors or designs, never a panic or an overflow.
func checkSizes(t *testing.T, spec filters.Spec) {
	if spec.Family.Exact {
		t.Skip("exact")
	}
	for _, n := range []uint64{1, 10, 1000, 1_000_000, 100_000_000, 350_000_000, filters.MaxKeys} {
		for _, p := range []float64{0.5, 0.1, 0.01, 1e-4, 1e-7} {
			d, err := spec.ForFPR(n, p)
			if err != nil {
				continue
			}
			if d.SizeBits == 0 || d.N != n {
				t.Errorf("n=%d p=%v: design of %d bits for %d keys", n, p, d.SizeBits, d.N)
			}
		}
		for _, bits := range []float64{0.001, 1, 10, 64} {
			if d, err := spec.ForBits(n, bits); err == nil && (d.N != n || d.SizeBits == 0) {
				t.Errorf("n=%d bits=%v: design of %d bits for %d keys", n, bits, d.SizeBits, d.N)
			}
		}
	}
}

// checkPromise holds a design for a rate against the family's own model.
func checkPromise(t *testing.T, spec filters.Spec) {
	for _, n := range []uint64{1, 10, 1000, 1_000_000, 100_000_000} {
		for _, p := range []float64{0.5, 0.1, 0.01, 1e-4, 1e-7} {
			d, err := spec.ForFPR(n, p)
			if err != nil || !d.Model.Holds(n) {
				continue
			}
			if got := d.Model.FPR(n); got > p*(1+1e-12) {
				t.Errorf("n=%d p=%v: the model of %s says %v", n, p, d, got)
			}
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
