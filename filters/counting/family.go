package counting

import (
	"fmt"
	"math/bits"

	"filterbench/filters"
	"filterbench/filters/internal/bitarray"
	"filterbench/filters/internal/probes"
	"filterbench/filters/memory"
	"filterbench/filters/simd"
	"filterbench/filters/theory"
)

const maxProbes = 64

// Family describes the filter to the registry.
var Family = &filters.Family{
	Name:    "counting",
	Summary: "a Bloom filter of counters instead of bits, from which keys can be deleted",
	Source:  "Fan, Cao, Almeida and Broder, Summary cache, IEEE/ACM Trans. Networking 8(3), 2000, section V.C",
	Options: []filters.Option{
		{Name: "counter", Default: "4", Values: []string{"4", "8"}, Help: "bits in a counter: 4 (stuck at 15) or 8 (stuck at 255)"},
		filters.ProbesOption(maxProbes),
		simd.Option(),
	},
	NanosPerKey: 22,
	ForBits: func(s filters.Spec, n uint64, bits float64) (filters.Design, error) {
		m := max(1, filters.RoundedBits(n, bits)/uint64(s.Int("counter")))
		k := s.Int("k")
		if k == 0 {
			k = min(maxProbes, theory.BloomBestProbes(n, m))
		}
		return design(s, n, m, k)
	},
	ForFPR: func(s filters.Spec, n uint64, p float64) (filters.Design, error) {
		k, m := s.Int("k"), uint64(0)
		if k == 0 {
			m, k = theory.BloomBitsForAtMost(n, p)
		} else {
			m = theory.BloomBitsWith(n, p, k)
		}
		if m == 0 {
			return filters.Design{}, fmt.Errorf("no size gives a rate of %v to %d keys with k=%s", p, n, s.Option("k"))
		}
		return design(s, n, m, k)
	},
}

func design(s filters.Spec, n, m uint64, k int) (filters.Design, error) {
	avx2, err := simd.Choose(s, "")
	if err != nil {
		return filters.Design{}, err
	}
	counter := uint64(s.Int("counter"))
	width := uint(bits.Len64(counter) - 1)
	return filters.Design{
		N:        n,
		Params:   []filters.Param{{Name: "counters", Value: m}, {Name: "k", Value: uint64(k)}},
		SizeBits: 8 * memory.Size(arrayBytes(m, width)),
		Model: filters.Model{
			FPR:       func(n uint64) float64 { return theory.BloomExact(n, m, k) },
			SD:        func(n uint64) float64 { return theory.BloomSD(n, m, k) },
			MinN:      1,
			Tolerance: probes.EnhancedExcess(n, m) / theory.BloomExact(n, m, k),
			Why:       "a counter is zero where the bit of a Bloom filter is (Bose et al. 2008), and the coincidences of double hashing as tolerance (Kirsch and Mitzenmacher 2006, section 4)",
		},
		Lines: func(present bool) float64 {
			looks := float64(k)
			if !present {
				looks = theory.ProbesAbsent(theory.BloomFill(n, m, k), k)
			}
			return bitarray.Lines(m*counter, looks)
		},
		NewHashed: func() (filters.Hashed, error) { return newFilter(m, k, width, avx2) },
	}, nil
}
