package cuckoo

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"testing"
)

// hashes is n random hashes.
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
	f, err := newFilter(s, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Free)
	return f
}

// digest is over the state, and over the answers to 10,000 keys.
func digest(f *Filter) string {
	sum := sha256.New()
	sum.Write(f.AppendState(nil))
	out := make([]uint64, 157)
	f.ContainsHashes(hashes(10_000, 43), out)
	fmt.Fprint(sum, out)
	return fmt.Sprintf("%x", sum.Sum(nil))[:16]
}

var golden = []struct {
	shape
	taken  int
	digest string
}{
	{shape{buckets: 100, slots: 4, fpBits: 8}, 394, "cbebc528fdbd4508"},
	{shape{buckets: 102, slots: 4, fpBits: 12}, 406, "64a8c8a3e08d4a09"},
	{shape{buckets: 100, slots: 4, fpBits: 13}, 391, "71b6de769ed0a4f9"},
	{shape{buckets: 100, slots: 2, fpBits: 31}, 183, "f65734bcaa731432"},
	{shape{buckets: 100, slots: 8, fpBits: 12}, 798, "4de658e08d7dfbd0"},
	{shape{buckets: 100, slots: 4, fpBits: 12, sorted: true}, 394, "9829d7243716fcbc"},
	{shape{buckets: 100, slots: 4, fpBits: 22, sorted: true}, 393, "9ec87ae79109f1bb"},
}
