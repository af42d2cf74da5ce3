package guava

import (
	"fmt"
	"math"

	"filterbench/filters"
	"filterbench/filters/internal/bitarray"
	"filterbench/filters/theory"
)

// Family describes the filter to the registry. It is sized by Guava's own
// formulas: the textbook's bits, cut off, and k to the nearest whole number; the
// bits are then filled up to whole words.
var Family = &filters.Family{
	Name:        "guava",
	Summary:     "Guava's Bloom filter: one MurmurHash3 of 128 bits a key, half of it the position, half the step",
	Source:      "Guava 31.1, com.google.common.hash.BloomFilter, strategy MURMUR128_MITZ_64; Kirsch and Mitzenmacher, ESA 2006",
	KeyedOnly:   true,
	NanosPerKey: 60,
	ForBits: func(_ filters.Spec, n uint64, bits float64) (filters.Design, error) {
		return design(n, max(1, filters.RoundedBits(n, bits)))
	},
	ForFPR: func(_ filters.Spec, n uint64, p float64) (filters.Design, error) {
		const ln2 float64 = math.Ln2
		return design(n, max(1, uint64(float64(-float64(n)*math.Log(p))/float64(ln2*ln2))))
	},
}

const (
	maxProbes = 255         // Guava keeps k in a byte,
	maxBits   = 64<<31 - 64 // and words in an array of Java
)

func design(n, bits uint64) (filters.Design, error) {
	m := wholeWords(bits)
	if m > maxBits {
		return filters.Design{}, fmt.Errorf("%d bits are needed; Guava's array has up to %d", m, uint64(maxBits))
	}
	k := int(max(1, math.Floor(float64(float64(bits)/float64(n)*math.Ln2)+0.5)))
	if k > maxProbes {
		return filters.Design{}, fmt.Errorf("%d probes are needed; Guava allows %d", k, maxProbes)
	}
	return filters.Design{
		N:        n,
		Params:   []filters.Param{{Name: "m", Value: m}, {Name: "k", Value: uint64(k)}},
		SizeBits: bitarray.Size(m),
		Model: filters.Model{
			FPR:       func(n uint64) float64 { return theory.BloomExact(n, m, k) },
			SD:        func(n uint64) float64 { return theory.BloomSD(n, m, k) },
			MinN:      1,
			Tolerance: excess(m) / theory.BloomExact(n, m, k),
			Why:       "exact for independent positions (Bose et al. 2008), and the coincidences of double hashing with a constant step as tolerance (Kirsch and Mitzenmacher 2006, section 4)",
		},
		Lines:    bitarray.LookupLines(n, m, k),
		NewKeyed: func() (filters.Keyed, error) { return New(bits, k) },
	}, nil
}

// excess bounds what the constant step adds to the rate, absolute: short cycles
// (the step i times over is a multiple of m, with the chance gcd(i,m)/m, and only
// i positions are left) and walks that run along another key's, forwards,
// backwards or shifted (6 n/m^2 or so, and n is about m/10). Both are of the
// order of 1/m.
func excess(m uint64) float64 { return 2 / float64(m) }
