package leveldb

import (
	"fmt"
	"math"

	"filterbench/filters"
	"filterbench/filters/internal/bitarray"
	"filterbench/filters/theory"
)

// Family describes the filter to the registry. It is sized as LevelDB does,
// which makes one filter for every 2 KiB of a table's data: k is cut off, the
// bits are whole bytes, 64 at least.
var Family = &filters.Family{
	Name:        "leveldb",
	Summary:     "LevelDB's Bloom filter: a 32-bit hash, the same hash rotated as step, k = 0.69 bits per key, cut off",
	Source:      "LevelDB, util/bloom.cc and util/hash.cc; Kirsch and Mitzenmacher, ESA 2006",
	KeyedOnly:   true,
	NanosPerKey: 29,
	ForBits: func(_ filters.Spec, n uint64, bits float64) (filters.Design, error) {
		return design(n, filters.RoundedBits(n, bits), theory.LevelDBProbes(bits))
	},
	ForFPR: func(_ filters.Spec, n uint64, p float64) (filters.Design, error) {
		collide := theory.FingerprintFPR(n, hashBits)
		if p <= collide {
			return filters.Design{}, fmt.Errorf("a rate of %v is asked for; the 32-bit hash alone gives %d keys a rate of %.3g", p, n, collide)
		}
		bits, k := bitsFor(n, (p-collide)/(1-collide))
		if k == 0 {
			return filters.Design{}, fmt.Errorf("no size gives a rate of %v to %d keys", p, n)
		}
		return design(n, bits, k)
	},
}

const (
	hashBits = 32
	minBits  = 64
)

// bitsFor is the least number of bits that theory gives the rate p with the
// probes that LevelDB takes at that many bits per key, or 0, 0.
func bitsFor(n uint64, p float64) (m uint64, k int) {
	for k := 1; k <= 30; k++ {
		m := theory.BloomBitsWith(n, p, k)
		if m == 0 {
			continue
		}
		if k > 1 { // not before k begins
			m = max(m, uint64(math.Ceil(float64(k)/0.69*float64(n))))
		}
		if theory.LevelDBProbes(float64(m)/float64(n)) == k {
			return m, k
		}
	}
	return 0, 0
}

func design(n, bits uint64, k int) (filters.Design, error) {
	m := (max(minBits, bits) + 7) / 8 * 8
	if m >= 1<<hashBits {
		return filters.Design{}, fmt.Errorf("%d bits are needed; its 32-bit hash reaches 2^32", m)
	}
	return filters.Design{
		N:        n,
		Params:   []filters.Param{{Name: "m", Value: m}, {Name: "k", Value: uint64(k)}},
		SizeBits: bitarray.Size(m),
		Model:    model(m, k),
		Lines:    bitarray.LookupLines(n, m, k),
		NewKeyed: func() (filters.Keyed, error) { return New(uint32(m), k) },
	}, nil
}

// model is the rate that independent positions from a 32-bit hash would have. It
// is for comparison, and never meant to hold: the step has no bits of its own.
// Keys whose hashes differ by a multiple j of 2^17 have steps that differ by j,
// so that their walks run along each other wherever j 2^17 is near a multiple of
// m; small filters have the coincidences of all constant steps. No closed form is
// known. TestRates has the excess at 10 bits per key: 4 % for 1,000 keys, 37 %
// for 20, and from 10^5 keys on 50 to 140 %, by m.
func model(m uint64, k int) filters.Model {
	return filters.Model{
		FPR: func(n uint64) float64 {
			p := theory.BloomExact(n, m, k)
			return p + (1-p)*theory.FingerprintFPR(n, hashBits)
		},
		SD:   func(n uint64) float64 { return theory.BloomSD(n, m, k) },
		MinN: math.MaxUint64,
		Why:  "for independent positions from a 32-bit hash; the real ones share its bits, and err more often by an amount that depends on m",
	}
}
