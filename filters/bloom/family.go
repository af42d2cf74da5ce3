package bloom

import (
	"fmt"

	"filterbench/filters"
	"filterbench/filters/internal/bitarray"
	"filterbench/filters/internal/probes"
	"filterbench/filters/simd"
	"filterbench/filters/theory"
)

const maxProbes = 64

// Family describes the filter to the registry.
var Family = &filters.Family{
	Name:    "bloom",
	Summary: "the classic filter: k bits anywhere, from one 64-bit hash by enhanced double hashing",
	Source:  "Bloom, CACM 13(7), 1970; Kirsch and Mitzenmacher, ESA 2006; Dillinger and Manolios, FMCAD 2004",
	Options: []filters.Option{
		{Name: "index", Default: indexes[0], Values: indexes, Help: "position from a word: range (multiply-shift, no bias) or mod (remainder)"},
		{Name: "step", Default: steps[0], Values: steps, Help: "how positions follow: enhanced, odd, any (plain double hashing; degenerates) or independent"},
		filters.ProbesOption(maxProbes),
		simd.Option(),
	},
	NanosPerKey: 20,
	ForBits: func(s filters.Spec, n uint64, bits float64) (filters.Design, error) {
		m := max(1, filters.RoundedBits(n, bits))
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
	if m > maxBits {
		return filters.Design{}, fmt.Errorf("%d bits are needed; at most 2^62 can be addressed", m)
	}
	mod := s.Option("index") == "mod"
	kind := stepOf(s.Option("step"))
	avx2, err := simd.Choose(s, lacks(mod, kind))
	if err != nil {
		return filters.Design{}, err
	}
	return filters.Design{
		N:         n,
		Params:    []filters.Param{{Name: "m", Value: m}, {Name: "k", Value: uint64(k)}},
		SizeBits:  bitarray.Size(m),
		Model:     model(n, m, k, kind),
		Lines:     bitarray.LookupLines(n, m, k),
		NewHashed: func() (filters.Hashed, error) { return newFilter(m, k, mod, kind, avx2) },
	}, nil
}

// lacks says why a filter with these options has no kernel, or "".
func lacks(mod bool, kind step) string {
	switch {
	case mod:
		return "index=mod has none"
	case kind == independent:
		return "step=independent has none"
	}
	return ""
}

const maxBits = 1 << 62 // addMod adds two residues without overflow

func stepOf(name string) step {
	for i, s := range steps {
		if s == name {
			return step(i)
		}
	}
	panic("bloom: no step " + name)
}

// model is the exact rate of independent positions. Double hashing adds to it:
// two walks coincide in every position where independent ones would not. For
// enhanced steps that is bounded by probes.EnhancedExcess; a constant step also
// has short cycles and walks shifted or mirrored against each other, 2/m at most
// (Kirsch and Mitzenmacher 2006, section 4, have both orders). That is the
// tolerance; TestDoubleHashingExcess holds the bounds against simulation.
func model(n, m uint64, k int, kind step) filters.Model {
	md := filters.Model{
		FPR:  func(n uint64) float64 { return theory.BloomExact(n, m, k) },
		SD:   func(n uint64) float64 { return theory.BloomSD(n, m, k) },
		MinN: 1,
		Why:  "exact for independent positions (Bose et al. 2008)",
	}
	if kind == independent {
		return md
	}
	md.Tolerance = excess(n, m, kind) / theory.BloomExact(n, m, k)
	md.Why = "exact for independent positions (Bose et al. 2008), and the coincidences of double hashing as tolerance (Kirsch and Mitzenmacher 2006, section 4)"
	return md
}

// excess bounds what double hashing adds to the false-positive rate.
func excess(n, m uint64, kind step) float64 {
	if kind == enhanced {
		return probes.EnhancedExcess(n, m)
	}
	return 2 / float64(m)
}
