package quotient

import (
	"testing"

	"filterbench/filters/filtertest"
	"filterbench/filters/simd"
)

// pair makes a filter with the kernel and one without.
func pair(t testing.TB, layout string, slots uint64, r uint, fetch bool) (kernel, portable Filter) {
	t.Helper()
	if simd.Kernel() != simd.AVX2 {
		t.Skip("no kernel here")
	}
	kernel, portable = newWith(t, layout, slots, r, true), newWith(t, layout, slots, r, false)
	kernel.(interface{ base() *table }).base().fetch = fetch
	return kernel, portable
}

// crowded are hashes of which two in three fall on few quotients around the end of
// the ring, so that runs get long, spill over blocks and go around.
func crowded(n int, slots uint64, r uint, seed uint64) []uint64 {
	rng := newRand(seed)
	out := make([]uint64, n)
	for i := range out {
		quotient := rng.Uint64N(slots)
		if i%3 > 0 {
			quotient = (slots - 7 + rng.Uint64N(1+seed%40)) % slots
		}
		out[i] = hashOf(quotient<<r|rng.Uint64N(1<<r), slots, r)
	}
	return out
}

// The kernel makes the table that portable code makes, and gives its answers, for
// every length of remainders, whether runs are short or long, end in their own block,
// in the next or far behind, and whether lines are fetched ahead or not.
func TestKernel(t *testing.T) {
	for r := uint(1); r <= maxRemainder; r++ {
		for _, layout := range layouts {
			if layout == "flags" && r%9 != 1 { // nothing there depends on r
				continue
			}
			slots := uint64(64 * 9)
			if r%4 == 0 { // one block: the one behind it is the same
				slots = 64
			}
			n, fetch := int(capacity(slots)), r%2 == 0
			kernel, portable := pair(t, layout, slots, r, fetch)
			filtertest.Kernel(t, kernel, portable, randomHashes(uint64(n), uint64(r)))
			kernel, portable = pair(t, layout, slots, r, !fetch)
			filtertest.Kernel(t, kernel, portable, crowded(n, slots, r, uint64(r)))
		}
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(true, uint8(1), uint8(7), true, []byte{})
	f.Add(true, uint8(3), uint8(1), false, []byte("12345678abcdefgh\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add(false, uint8(2), uint8(54), true, []byte("1234567812345678abcdefgh\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, rank bool, blocks, r uint8, fetch bool, data []byte) {
		layout, slots := "flags", uint64(blocks%20+1)*64
		if rank {
			layout = "rank"
		}
		data = data[:min(len(data), int(8*capacity(slots)))]
		filtertest.FuzzKernel(t, data, func() (kernel, portable Filter) {
			return pair(t, layout, slots, uint(r%maxRemainder)+1, fetch)
		})
	})
}
