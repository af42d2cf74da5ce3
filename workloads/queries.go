package workloads

import (
	"fmt"
	"math"

	"filterbench/filters"
	"filterbench/filters/hashing"
	"filterbench/filters/memory"
)

// Stream describes a stream of queries to a filter that holds the present keys
// of a source.
type Stream struct {
	Present uint64  // keys that the filter holds: those of the indices [0, Present)
	Count   int     // queries
	Hits    float64 // share of the queries that ask for present keys, 0 to 1
	// Zipf is the exponent of Zipf's law by which the keys are drawn, 0 to 8,
	// the present among themselves and as many absent ones among themselves; the
	// frequent ones lie scattered. 0 draws uniformly, with no key twice where
	// there are enough.
	Zipf float64
	// AbsentFrom is the index of the first absent key to ask for.
	AbsentFrom uint64
	Seed       uint64
}

// Queries makes the keys of a stream, shuffled, and says how many are present
// ones: exactly Hits x Count, rounded. The same stream of the same source has
// the same keys on every machine.
func Queries(src Source, s Stream) (keys *filters.Keys, hits int, err error) {
	if err := s.check(src); err != nil {
		return nil, 0, err
	}
	hits = int(math.Round(float64(s.Hits * float64(s.Count))))
	picks, err := s.picks(src, hits)
	if err != nil {
		return nil, 0, err
	}
	keys = &filters.Keys{}
	for _, p := range picks {
		if p&absentPick == 0 {
			src.Present(keys, p, p+1)
		} else {
			src.Absent(keys, p&^absentPick, p&^absentPick+1)
		}
		if keys.Bytes() > filters.MaxKeyBytes-MaxLine {
			return nil, 0, fmt.Errorf("%d queries of workload %s take more than 4 GiB", s.Count, src.Name())
		}
	}
	return keys, hits, nil
}

func (s Stream) check(src Source) error {
	present, absent := src.Limits()
	switch {
	case s.Count < 1:
		return fmt.Errorf("number of queries is %d; it must be at least 1", s.Count)
	case !(s.Hits >= 0 && s.Hits <= 1): // also catches NaN
		return fmt.Errorf("share of hits is %v; it must be from 0 to 1", s.Hits)
	case !(s.Zipf >= 0 && s.Zipf <= 8):
		return fmt.Errorf("exponent of Zipf's law is %v; it must be from 0 (uniform) to 8", s.Zipf)
	case s.Present < 1 || s.Present > present:
		return fmt.Errorf("number of present keys is %d; workload %s has from 1 to %d", s.Present, src.Name(), present)
	case s.AbsentFrom >= absent:
		return fmt.Errorf("first absent key is number %d; workload %s has %d", s.AbsentFrom, src.Name(), absent)
	}
	return memory.Check(uint64(s.Count) * (8 + 4 + 8))
}

// absentPick marks the index of an absent key.
const absentPick = 1 << 63

// picks is the shuffled list of indices.
func (s Stream) picks(src Source, hits int) ([]uint64, error) {
	_, absent := src.Limits()
	absent -= s.AbsentFrom
	rng := newSequence(s.Seed)
	picks := make([]uint64, 0, s.Count)

	population := s.Present
	draw := s.drawer(population, &rng)
	for j := range uint64(hits) {
		picks = append(picks, draw(j))
	}
	misses := uint64(s.Count - hits)
	population = min(misses, absent)
	if s.Zipf > 0 {
		population = min(s.Present, absent)
	}
	if misses > 0 {
		draw = s.drawer(population, &rng)
		for j := range misses {
			picks = append(picks, absentPick|(s.AbsentFrom+draw(j)))
		}
	}
	for i := len(picks) - 1; i > 0; i-- { // Fisher and Yates
		j := hashing.Reduce(rng.next(), uint64(i+1))
		picks[i], picks[j] = picks[j], picks[i]
	}
	return picks, nil
}

// drawer returns the function that makes draw number j of [0, n).
func (s Stream) drawer(n uint64, rng *sequence) func(j uint64) uint64 {
	key := rng.next()
	if s.Zipf > 0 {
		z := newZipf(n, s.Zipf)
		return func(uint64) uint64 { return permuteBelow(z.rank(rng), n, key) }
	}
	return func(j uint64) uint64 { return permuteBelow(j%n, n, key) }
}

// sequence is SplitMix64.
type sequence uint64

// newSequence keeps clear of the sequence that the random keys of the same seed
// are made of.
func newSequence(seed uint64) sequence { return sequence(hashing.Mix(seed ^ 0x5175657279)) }

func (s *sequence) next() uint64 {
	*s += hashing.Golden
	return hashing.Mix(uint64(*s))
}

// float is uniform in [0, 1), a multiple of 2^-53.
func (s *sequence) float() float64 { return float64(s.next()>>11) / (1 << 53) }

// zipf draws ranks r of [1, n] with a probability proportional to r^-s, exactly
// and without a table of n entries: it draws the octave [2^j, 2^(j+1)) as if all
// its ranks were as frequent as the first, then a rank of it uniformly, and
// rejects that by how much less frequent it is. At least 2^-s of the draws are
// accepted. A rounding error in a power moves one in 10^15 draws, not more with
// large ranks, so that machines which round differently draw alike.
type zipf struct {
	n      uint64
	s      float64
	shares []float64 // cumulative, of the octaves
}

func newZipf(n uint64, s float64) *zipf {
	z := &zipf{n: n, s: s}
	sum := 0.0
	for first := uint64(1); first != 0 && first <= n; first <<= 1 {
		sum += float64(float64(z.width(first)) * math.Pow(float64(first), -s))
		z.shares = append(z.shares, sum)
	}
	for i := range z.shares {
		z.shares[i] /= sum
	}
	return z
}

// width is the number of ranks in the octave that begins with first.
func (z *zipf) width(first uint64) uint64 { return min(first, z.n-first+1) }

// rank draws a rank, counted from 0.
func (z *zipf) rank(rng *sequence) uint64 {
	for {
		u, j := rng.float(), 0
		for u >= z.shares[j] {
			j++
		}
		first := uint64(1) << j
		r := first + hashing.Reduce(rng.next(), z.width(first))
		if rng.float() < math.Pow(float64(first)/float64(r), z.s) {
			return r - 1
		}
	}
}
