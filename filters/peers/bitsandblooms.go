package peers

import (
	"math"
	"math/bits"

	"filterbench/filters"
	"filterbench/filters/internal/bitarray"
	"filterbench/filters/theory"

	"github.com/bits-and-blooms/bloom/v3"
)

// BitsAndBlooms is the Bloom filter of bits-and-blooms, sized by its own
// EstimateParameters: k is rounded up.
var BitsAndBlooms = &filters.Family{
	Name:        "peer-bitsandblooms",
	Summary:     "bits-and-blooms' Bloom filter: MurmurHash3 of the key to four words, k rounded up",
	Source:      "github.com/bits-and-blooms/bloom/v3 v3.7.1",
	KeyedOnly:   true,
	NanosPerKey: 95,
	ForBits: func(_ filters.Spec, n uint64, bits float64) (filters.Design, error) {
		m := max(1, filters.RoundedBits(n, bits))
		return bitsAndBloomsDesign(n, m, roundedUpProbes(n, m))
	},
	ForFPR: func(_ filters.Spec, n uint64, p float64) (filters.Design, error) {
		m, k := bloom.EstimateParameters(uint(n), p)
		return bitsAndBloomsDesign(n, uint64(m), int(k))
	},
}

// roundedUpProbes is the number of probes that these peers take: m/n ln 2,
// rounded up.
func roundedUpProbes(n, m uint64) int { return int(math.Ceil(math.Ln2 * float64(m) / float64(n))) }

// Positions are progressions with one of two starts and one of two steps. Two
// of a key's k^2/2 pairs of positions in one progression fall together up to k
// times as often as independent ones would, if the number of steps between them
// divides m, and then halve what the rate is multiplied by: k^3/m of the rate is
// a bound. That two keys share a whole progression is rarer, by n/m^2.
func bitsAndBloomsDesign(n, m uint64, k int) (filters.Design, error) {
	if m > maxBits {
		return filters.Design{}, tooLarge(float64(m), maxBits)
	}
	d := filters.Design{
		N:      n,
		Params: []filters.Param{{Name: "m", Value: m}, {Name: "k", Value: uint64(k)}},
		Model: filters.Model{
			FPR:       func(n uint64) float64 { return theory.BloomExact(n, m, k) },
			SD:        func(n uint64) float64 { return theory.BloomSD(n, m, k) },
			MinN:      1,
			Tolerance: float64(k*k*k) / float64(m),
			Why:       "exact for independent positions (Bose et al. 2008); positions of a key in progression may fall together, k^3/m of the rate at most",
		},
		Lines: bitarray.LookupLines(n, m, k),
	}
	size := (m + 63) / 64 * 64
	return keyed(d, size, func() (filters.Keyed, error) {
		return &bitsAndBlooms{account{bits: size}, bloom.New(uint(m), uint(k))}, nil
	}), nil
}

type bitsAndBlooms struct {
	account
	filter *bloom.BloomFilter
}

func (f *bitsAndBlooms) Add(key []byte) error {
	f.filter.Add(key)
	f.n++
	return nil
}

func (f *bitsAndBlooms) Contains(key []byte) bool { return f.filter.Test(key) }

func (f *bitsAndBlooms) AddKeys(keys *filters.Keys) (int, error) {
	for i := range keys.Len() {
		f.filter.Add(keys.At(i))
	}
	f.n += uint64(keys.Len())
	return keys.Len(), nil
}

func (f *bitsAndBlooms) ContainsKeys(keys *filters.Keys, out []uint64) (hits int) {
	for from := 0; from < keys.Len(); from += 64 {
		var word uint64
		for i := range min(64, keys.Len()-from) {
			word |= bit(f.filter.Test(keys.At(from+i))) << i
		}
		out[from/64] = word
		hits += bits.OnesCount64(word)
	}
	return hits
}

func (f *bitsAndBlooms) CountKeys(keys *filters.Keys) (hits int) {
	for i := range keys.Len() {
		hits += int(bit(f.filter.Test(keys.At(i))))
	}
	return hits
}
