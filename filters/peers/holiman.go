package peers

import (
	"math/bits"

	"filterbench/filters"
	"filterbench/filters/hashing"
	"filterbench/filters/internal/bitarray"
	"filterbench/filters/theory"

	"github.com/holiman/bloomfilter/v2"
)

// Holiman is the Bloom filter of holiman, sized by its own OptimalM and
// OptimalK: k is rounded up. A lock is taken for every key.
var Holiman = &filters.Family{
	Name:        "peer-holiman",
	Summary:     "holiman's Bloom filter: the hash rotated and masked for every position, a lock for every key",
	Source:      "github.com/holiman/bloomfilter/v2 v2.0.3, after steakknife/bloomfilter",
	NanosPerKey: 35,
	ForBits: func(_ filters.Spec, n uint64, bits float64) (filters.Design, error) {
		m := max(v2.MMin, filters.RoundedBits(n, bits))
		return holimanDesign(n, m, int(v2.OptimalK(m, n)))
	},
	ForFPR: func(_ filters.Spec, n uint64, p float64) (filters.Design, error) {
		m := max(v2.MMin, v2.OptimalM(n, p))
		return holimanDesign(n, m, int(v2.OptimalK(m, n)))
	},
}

func holimanDesign(n, m uint64, k int) (filters.Design, error) {
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
			Tolerance: holimanTolerance(n, m, k),
			Why:       "exact for independent positions (Bose et al. 2008); where a power of two divides m, positions share bits of the hash",
		},
		Lines: bitarray.LookupLines(n, m, k),
	}
	size := (m+63)/64*64 + 64*uint64(k)
	return hashed(d, size, func() (filters.Hashed, error) {
		masks := make([]uint64, k) // New draws them at random
		for i := range masks {
			masks[i] = hashing.Mix(uint64(i + 1))
		}
		filter, err := v2.NewWithKeys(m, masks)
		return &holimanFilter{account{bits: size}, filter}, err
	}), nil
}

// holimanTolerance bounds what shared bits add, relative. Position i takes the
// hash rotated by 17 (i+1) bits. Rotations come within 4 bits of each other four
// positions later, and within 1 bit fifteen later. If m is 2^j times an odd
// number, such a pair has j-4 or j-1 bits in common. A bit that is set, with the
// chance rho, was set by n/(m rho) keys in the same place as the query's; the
// query meets each of them in the second position too with the chance 2^(j-4)/m
// or 2^(j-1)/m, and so finds that set in 1-rho more of the cases than rho.
func holimanTolerance(n, m uint64, k int) float64 {
	rho := theory.BloomFill(n, m, k)
	met := float64(n) / float64(m) / rho * (1 - rho) / rho
	power := float64(m & -m)
	return met * (float64(max(0, k-4))/16 + float64(max(0, k-15))/2) * power / float64(m)
}

type holimanFilter struct {
	account
	filter *v2.Filter
}

func (f *holimanFilter) AddHash(hash uint64) error {
	f.filter.AddHash(hash)
	f.n++
	return nil
}

func (f *holimanFilter) ContainsHash(hash uint64) bool { return f.filter.ContainsHash(hash) }

func (f *holimanFilter) AddHashes(hashes []uint64) (int, error) {
	for _, h := range hashes {
		f.filter.AddHash(h)
	}
	f.n += uint64(len(hashes))
	return len(hashes), nil
}

func (f *holimanFilter) ContainsHashes(hashes []uint64, out []uint64) (hits int) {
	for from := 0; from < len(hashes); from += 64 {
		var word uint64
		for i, h := range hashes[from:min(from+64, len(hashes))] {
			word |= bit(f.filter.ContainsHash(h)) << i
		}
		out[from/64] = word
		hits += bits.OnesCount64(word)
	}
	return hits
}

func (f *holimanFilter) CountHashes(hashes []uint64) (hits int) {
	for _, h := range hashes {
		hits += int(bit(f.filter.ContainsHash(h)))
	}
	return hits
}
