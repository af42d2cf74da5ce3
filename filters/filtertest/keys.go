package filtertest

import (
	"errors"
	"testing"

	"filterbench/filters"
)

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
	f, taken := empty(t, d), new(filters.Keys)
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

// keys makes n distinct keys. Present and absent ones are odd and even counters
// under a bijection, so that they are disjoint; the seed tells key sets apart.
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

// empty makes the filter of a design.
func empty(t *testing.T, d filters.Design) filters.Keyed {
	t.Helper()
	f, err := d.Keyed(hashSeed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { filters.Free(f) })
	return f
}

// emptyHashed makes the hashed filter of a design, or skips the test.
func emptyHashed(t *testing.T, d filters.Design) filters.Hashed {
	t.Helper()
	if d.NewHashed == nil {
		t.Skip("keyed only")
	}
	f, err := d.NewHashed()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { filters.Free(f) })
	return f
}

// state is what a filter holds, as bytes, or nil if it does not tell.
func state(f filters.Filter) []byte {
	if s, ok := inner(f).(filters.Snapshotter); ok {
		return s.AppendState(nil)
	}
	return bitmap(f)
}

// unwrapper is an adapter around a hashed filter.
type unwrapper interface{ Unwrap() filters.Hashed }

// inner returns the filter that holds the data, behind any adapter.
func inner(f filters.Filter) filters.Filter {
	if u, ok := f.(unwrapper); ok {
		return u.Unwrap()
	}
	return f
}

// bitmap is the filter's bits, or nil if it is no plain array of bits.
func bitmap(f filters.Filter) []byte {
	if b, ok := inner(f).(filters.Bitmapper); ok {
		return b.Bitmap()
	}
	return nil
}
