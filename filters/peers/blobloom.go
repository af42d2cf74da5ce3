package peers

import (
	"math"
	"math/bits"

	"filterbench/filters"
	"filterbench/filters/theory"

	"github.com/greatroar/blobloom"
)

// Blobloom is the blocked Bloom filter of blobloom, sized by its own Optimize.
var Blobloom = &filters.Family{
	Name:        "peer-blobloom",
	Summary:     "blobloom's blocked Bloom filter: blocks of 64 bytes, enhanced double hashing of two 32-bit halves",
	Source:      "github.com/greatroar/blobloom v0.8.0; Putze, Sanders and Singler, JEA 14 (2009)",
	NanosPerKey: 16,
	ForBits: func(_ filters.Spec, n uint64, bits float64) (filters.Design, error) {
		most := max(blobloom.BlockBits, filters.RoundedBits(n, bits))
		if most > blobloom.MaxBits {
			return filters.Design{}, tooLarge(float64(most), blobloom.MaxBits)
		}
		// Of a rate far out of reach Optimize makes the best that fits.
		m, hashes := blobloom.Optimize(blobloom.Config{Capacity: n, FPRate: math.SmallestNonzeroFloat64, MaxBits: most})
		return blobloomDesign(n, m, hashes)
	},
	ForFPR: func(_ filters.Spec, n uint64, p float64) (filters.Design, error) {
		m, hashes := blobloom.Optimize(blobloom.Config{Capacity: n, FPRate: p})
		if m >= blobloom.MaxBits {
			return filters.Design{}, tooLarge(float64(m), blobloom.MaxBits)
		}
		return blobloomDesign(n, m, hashes)
	},
}

// blobloomDesign counts as k the bits that a key sets. They are one fewer than
// the hashes that the peer is given: its loops begin at 1 and end below that
// number.
//
// Inside a block a key is two words of 9 bits, so that every query coincides
// with a key of its block with the chance load/2^18. Words that differ in a high
// bit alone share every second or fourth position, which adds half as much
// again where the rate of the block is low: the tolerance.
func blobloomDesign(n, m uint64, hashes int) (filters.Design, error) {
	k := max(hashes, 2) - 1
	blocks := m / blobloom.BlockBits
	coincidence := func(n uint64) float64 { return float64(n) / float64(blocks) / (1 << 18) }
	fpr := func(n uint64) float64 {
		p := theory.BlockedFPR(n, blocks, blobloom.BlockBits, k)
		return p + (1-p)*min(1, coincidence(n))
	}
	d := filters.Design{
		N:      n,
		Params: []filters.Param{{Name: "m", Value: m}, {Name: "k", Value: uint64(k)}},
		Model: filters.Model{
			FPR:       fpr,
			SD:        func(n uint64) float64 { return theory.BlockedSD(n, blocks, blobloom.BlockBits, k) },
			MinN:      1,
			Tolerance: coincidence(n) / 2 / fpr(n),
			Why:       "mixture over the keys in a block, and the coincidences of 2^18 walks in it; half of those again as tolerance",
		},
		Lines: func(bool) float64 { return 1 },
	}
	return hashed(d, m, func() (filters.Hashed, error) {
		return &blobloomFilter{account{bits: m}, blobloom.New(m, hashes)}, nil
	}), nil
}

type blobloomFilter struct {
	account
	filter *blobloom.Filter
}

func (f *blobloomFilter) AddHash(hash uint64) error {
	f.filter.Add(hash)
	f.n++
	return nil
}

func (f *blobloomFilter) ContainsHash(hash uint64) bool { return f.filter.Has(hash) }

func (f *blobloomFilter) AddHashes(hashes []uint64) (int, error) {
	for _, h := range hashes {
		f.filter.Add(h)
	}
	f.n += uint64(len(hashes))
	return len(hashes), nil
}

func (f *blobloomFilter) ContainsHashes(hashes []uint64, out []uint64) (hits int) {
	for from := 0; from < len(hashes); from += 64 {
		var word uint64
		for i, h := range hashes[from:min(from+64, len(hashes))] {
			word |= bit(f.filter.Has(h)) << i
		}
		out[from/64] = word
		hits += bits.OnesCount64(word)
	}
	return hits
}

func (f *blobloomFilter) CountHashes(hashes []uint64) (hits int) {
	for _, h := range hashes {
		hits += int(bit(f.filter.Has(h)))
	}
	return hits
}
