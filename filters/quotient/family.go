package quotient

import (
	"fmt"
	"math/bits"
	"strconv"

	"filterbench/filters"
	"filterbench/filters/memory"
	"filterbench/filters/simd"
	"filterbench/filters/theory"
)

const (
	// maxRemainder lets a slot of either layout be read as part of one word.
	maxRemainder = 54
	// maxFingerprints leaves at least 256 hashes to each fingerprint, so that
	// all are equally likely but for 1/256 and hashes themselves do not collide.
	maxFingerprints = 1 << 56
	// defaultFlagsLoad is in percent. Beyond it lookups among flags walk long
	// clusters.
	defaultFlagsLoad = 75
	// minLoad, in percent, is what 64 bits per key still pay for.
	minLoad = 10
)

// Family describes the filter to the registry.
var Family = &filters.Family{
	Name:    "quotient",
	Summary: "a sorted hash table of fingerprints without their upper bits: deletes, counts, merges, grows",
	Source:  "Bender et al., Don't thrash, PVLDB 5(11), 2012; Pandey et al., A general-purpose counting filter, SIGMOD 2017",
	Options: []filters.Option{
		{Name: "layout", Default: "rank", Values: []string{"rank", "flags"}, Help: "metadata: rank (2.125 bits a slot, by rank and select) or flags (3 bits a slot)"},
		{Name: "load", Default: filters.Auto, Check: checkLoad, Help: "percent of the slots that are filled by the keys it is sized for: 10..95, or auto (the best, up to 95 for rank and 75 for flags)"},
		{Name: "slots", Default: "any", Values: []string{"any", "pow2"}, Help: "number of slots: any, or pow2 (a power of two, as published; the load is then at most the one asked for)"},
		simd.Option(),
	},
	NanosPerKey: 45,
	ForBits: func(s filters.Spec, n uint64, perKey float64) (filters.Design, error) {
		z, err := newSizing(s, n)
		if err != nil {
			return filters.Design{}, err
		}
		return z.forBits(perKey)
	},
	ForFPR: func(s filters.Spec, n uint64, p float64) (filters.Design, error) {
		z, err := newSizing(s, n)
		if err != nil {
			return filters.Design{}, err
		}
		return z.forFPR(p)
	},
}

func checkLoad(value string) error {
	if load, err := strconv.Atoi(value); value == filters.Auto || err == nil && minLoad <= load && load <= MaxLoad && strconv.Itoa(load) == value {
		return nil
	}
	return fmt.Errorf("allowed: auto or a whole number of percent from %d to %d", minLoad, MaxLoad)
}

// sizing finds the slots and the remainder for n keys. What it decides by is
// whole numbers: eighths of a bit, since a slot takes r + 17/8 bits in one of
// the layouts.
type sizing struct {
	n     uint64
	rank  bool
	pow2  bool
	exact bool   // the load is the one asked for, not just at most that
	least uint64 // slots that the load asks for
	avx2  bool
}

func newSizing(s filters.Spec, n uint64) (sizing, error) {
	avx2, err := simd.Choose(s, "")
	if err != nil {
		return sizing{}, err
	}
	z := sizing{n: n, avx2: avx2, rank: s.Option("layout") == "rank", pow2: s.Option("slots") == "pow2"}
	load := uint64(s.Int("load"))
	switch {
	case load != 0:
		z.exact = !z.pow2
	case z.rank:
		load = MaxLoad
	default:
		load = defaultFlagsLoad
	}
	z.least = z.round((100*n-1)/load + 1)
	return z, nil
}

// round rounds a number of slots up to a power of two where that is asked for.
func (z sizing) round(slots uint64) uint64 {
	if z.pow2 {
		return 1 << bits.Len64(slots-1)
	}
	return slots
}

// whole rounds a number of slots up to whole blocks.
func (z sizing) whole(slots uint64) uint64 {
	if z.rank {
		return (slots + blockSlots - 1) / blockSlots * blockSlots
	}
	return slots
}

// eighths is the size of a slot in eighths of a bit. As many bytes of metadata
// as a block has, so many eighths has each of its 64 slots.
func (z sizing) eighths(r uint) uint64 {
	if z.rank {
		return 8*uint64(r) + header
	}
	return 8 * uint64(r+flagBits)
}

// forBits takes the longest remainder for which there are enough slots, and
// then as many slots as the bits pay for: each has half the share in the rate
// that a bit more would have, or less.
func (z sizing) forBits(perKey float64) (filters.Design, error) {
	budget := 8 * filters.RoundedBits(z.n, perKey)
	for r := uint(maxRemainder); r >= 1; r-- {
		slots := (budget + z.eighths(r) - 1) / z.eighths(r)
		most := uint64(maxFingerprints) >> r
		if slots < z.least || most < z.whole(z.least) {
			continue
		}
		if z.exact || z.pow2 {
			slots = z.least
		}
		return z.design(min(z.whole(slots), most), r), nil
	}
	return filters.Design{}, fmt.Errorf("%v bits per key for %d keys; at least %.3g are needed, for remainders of one bit", perKey, z.n, float64(z.least*z.eighths(1))/8/float64(z.n))
}

// forFPR takes the smallest of the designs with enough fingerprints: as a
// filter that errs on equal fingerprints only, this is a Bloom filter with one
// probe to as many bits as there are fingerprints.
func (z sizing) forFPR(p float64) (filters.Design, error) {
	fingerprints := theory.BloomBitsWith(z.n, p, 1)
	var slots, size uint64
	var remainder uint
	for r := uint(1); r <= maxRemainder && fingerprints > 0; r++ {
		s := z.least
		if !z.exact {
			s = max(s, z.round((fingerprints-1)>>r+1))
		}
		s = z.whole(s)
		if most := uint64(maxFingerprints) >> r; s > most || s<<r < fingerprints {
			continue
		}
		if bytes := z.bytes(s, r); size == 0 || bytes < size {
			slots, remainder, size = s, r, bytes
		}
	}
	if size == 0 {
		return filters.Design{}, fmt.Errorf("no size gives a rate of %v to %d keys; it must be above %.2g, since fingerprints have at most %d bits", p, z.n, float64(z.n)/maxFingerprints, bits.Len64(maxFingerprints)-1)
	}
	return z.design(slots, remainder), nil
}

func (z sizing) bytes(slots uint64, r uint) uint64 {
	if z.rank {
		return rankBytes(slots, r)
	}
	return flagsBytes(slots, r)
}

func (z sizing) design(slots uint64, r uint) filters.Design {
	d := filters.Design{
		N:         z.n,
		Params:    []filters.Param{{Name: "slots", Value: slots}, {Name: "r", Value: uint64(r)}},
		SizeBits:  8 * memory.Size(z.bytes(slots, r)),
		Model:     model(slots, r),
		Lines:     flagsLines(z.n, slots, r),
		NewHashed: func() (filters.Hashed, error) { return newFlags(slots, r, z.avx2) },
	}
	if z.rank {
		d.Lines = rankLines(z.n, slots, r)
		d.NewHashed = func() (filters.Hashed, error) { return newRank(slots, r, z.avx2) }
	}
	return d
}

// model is that of an exact set of fingerprints, which is a Bloom filter with
// one probe. Fingerprints are equally likely but for U/2^64 <= 1/256 of their
// chance, 1/U; two of them are then equal with a chance that is above 1/U by
// a quarter of the square of that at most.
func model(slots uint64, r uint) filters.Model {
	u := slots << r
	unequal := float64(u) / (1 << 32) / (1 << 32)
	return filters.Model{
		FPR:       func(n uint64) float64 { return theory.BloomFill(n, u, 1) },
		SD:        func(n uint64) float64 { return theory.BloomFillSD(n, u, 1) },
		MinN:      1,
		MaxN:      capacity(slots),
		Tolerance: unequal * unequal / 4,
		Why:       "an exact set of fingerprints (Bender et al. 2012, section 3.1, there 1-e^(-load 2^-r)); unequal shares of the hashes as tolerance; full at 95 % of the slots",
	}
}
