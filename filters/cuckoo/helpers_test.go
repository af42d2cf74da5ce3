package cuckoo

import (
	"math/rand/v2"
	"testing"
)

func hashes(n int, seed uint64) []uint64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := make([]uint64, n)
	for i := range out {
		out[i] = rng.Uint64()
	}
	return out
}

func build(t testing.TB, s shape) *Filter {
	t.Helper()
	f, err := newFilter(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Free)
	return f
}
