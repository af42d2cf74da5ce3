package cuckoo

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"filterbench/filters"
	"filterbench/filters/internal/bitarray"
	"filterbench/filters/memory"
	"filterbench/filters/simd"
	"filterbench/filters/theory"
)

const (
	minBits = 2  // of a fingerprint: one bit would tell nothing
	maxBits = 32 // more than 64-bit hashes are good for beside the index
)

// Family describes the filter to the registry.
var Family = &filters.Family{
	Name:    "cuckoo",
	Summary: "a hash table of fingerprints, each in one of two buckets, from which keys can be deleted",
	Source:  "Fan, Andersen, Kaminsky and Mitzenmacher, Cuckoo filter: practically better than Bloom, CoNEXT 2014",
	Options: []filters.Option{
		{Name: "b", Default: "4", Values: []string{"2", "4", "8"}, Help: "slots in a bucket: 2, 4 or 8"},
		numberOption("f", minBits, maxBits, "bits in a fingerprint: auto (as many as fit, or as few as are needed)"),
		{Name: "semisort", Default: "no", Values: []string{"no", "yes"}, Help: "sort each bucket, which saves a bit a key and takes time: no or yes (b=4, f from 4 on)"},
		numberOption("load", 1, 100, "percent of the slots that the keys fill: auto (as many as are sure to fit)"),
		simd.Option(),
	},
	NanosPerKey: 10,
	ForBits:     forBits,
	ForFPR:      forFPR,
}

// numberOption is an option that is auto or a number in the given range.
func numberOption(name string, least, most int, help string) filters.Option {
	return filters.Option{
		Name: name, Default: filters.Auto,
		Check: func(value string) error {
			if v, err := strconv.Atoi(value); value == filters.Auto || err == nil && v >= least && v <= most && strconv.Itoa(v) == value {
				return nil
			}
			return fmt.Errorf("allowed: auto or a whole number from %d to %d", least, most)
		},
		Help: fmt.Sprintf("%s or %d..%d", help, least, most),
	}
}

// shapes are the tables for n keys, one for each number of fingerprint bits that
// the spec allows, with as few buckets as will do.
func shapes(s filters.Spec, n uint64) ([]shape, error) {
	sorted := s.Option("semisort") == "yes"
	slots, load := s.Int("b"), uint64(s.Int("load"))
	from, to := minBits, maxBits
	if sorted {
		from = 4
	}
	if f := s.Int("f"); f != 0 {
		from, to = max(f, from), f
	}
	if sorted && (slots != 4 || to < from) {
		return nil, errors.New("semisort=yes needs b=4, and f from 4 on")
	}
	var list []shape
	for f := from; f <= to; f++ {
		buckets := theory.CuckooBuckets(n, f, slots)
		if load != 0 {
			buckets = theory.CuckooBucketsAt(n, load, slots)
		}
		list = append(list, shape{buckets: buckets, slots: uint64(slots), fpBits: uint64(f), sorted: sorted})
	}
	return list, nil
}

// forBits takes the longest fingerprints that leave room for the keys, which
// for a given number of bits always err least, and then as many buckets as there
// is memory for, if the load is not given.
func forBits(s filters.Spec, n uint64, bits float64) (filters.Design, error) {
	list, err := shapes(s, n)
	if err != nil {
		return filters.Design{}, err
	}
	asked := memory.Size((filters.RoundedBits(n, bits) + 7) / 8)
	for i := len(list) - 1; i >= 0; i-- {
		if sh := list[i]; sh.bytes() <= asked {
			if s.Option("load") == filters.Auto {
				sh.buckets = mostBuckets(sh, asked)
			}
			return design(s, n, sh)
		}
	}
	least := list[0]
	for _, sh := range list {
		if sh.bytes() < least.bytes() {
			least = sh
		}
	}
	return filters.Design{}, fmt.Errorf("%d keys need at least %.2f bits per key, for %v; %.2f were asked for",
		n, math.Ceil(100*float64(8*least.bytes())/float64(n))/100, least, bits)
}

// mostBuckets is the greatest even number of buckets that fit into the memory.
func mostBuckets(s shape, bytes uint64) uint64 {
	s.buckets = 8 * bytes / s.bucketBits() &^ 1
	for s.bytes() > bytes {
		s.buckets -= 2
	}
	return s.buckets
}

// forFPR takes the smallest of the tables that have the rate. At a given load,
// fingerprints that are too short for it are left out.
func forFPR(s filters.Spec, n uint64, p float64) (filters.Design, error) {
	list, err := shapes(s, n)
	if err != nil {
		return filters.Design{}, err
	}
	var best shape
	for _, sh := range list {
		need := theory.CuckooBucketsForAtMost(n, p, int(sh.fpBits))
		if need == 0 || need > sh.buckets && s.Option("load") != filters.Auto {
			continue
		}
		sh.buckets = max(sh.buckets, need)
		if best.buckets == 0 || sh.bits() < best.bits() {
			best = sh
		}
	}
	// Few keys need more than this each, as spare buckets do not count for much.
	if most := filters.MaxBitsPerKey*n + 4096; best.buckets == 0 || best.bits() > most {
		return filters.Design{}, fmt.Errorf("no table of at most %d bits per key gives %d keys a rate of %v", filters.MaxBitsPerKey, n, p)
	}
	return design(s, n, best)
}

func design(spec filters.Spec, n uint64, s shape) (filters.Design, error) {
	avx2, err := simd.Choose(spec, lacks(s))
	if err != nil {
		return filters.Design{}, err
	}
	f := int(s.fpBits)
	return filters.Design{
		N:        n,
		Params:   []filters.Param{{Name: "buckets", Value: s.buckets}, {Name: "f", Value: s.fpBits}},
		SizeBits: 8 * memory.Size(s.bytes()),
		Model: filters.Model{
			FPR:  func(n uint64) float64 { return theory.CuckooExact(n, s.buckets, f) },
			SD:   func(n uint64) float64 { return theory.CuckooSD(n, s.buckets, f) },
			MinN: 1,
			MaxN: s.buckets * s.slots,
			Why:  "exact: a lookup errs just where the query's fingerprint and pair of buckets are those of a key, and all are as likely",
		},
		Lines:     func(bool) float64 { return lines(s) },
		NewHashed: func() (filters.Hashed, error) { return newFilter(s, avx2) },
	}, nil
}

// lines is the expected number of distinct cache lines that a lookup reads: it
// reads both buckets whole, wherever the key is, and a bucket may lie across two
// lines. Where buckets lie in lines repeats after 512 of them at the most.
func lines(s shape) float64 {
	const lineBits = 512
	w := windowOf(s)
	count, sum := min(s.buckets, lineBits), uint64(0)
	for bucket := range count {
		first := bucket * s.bucketBits() &^ w.within
		last := ((bucket+1)*s.bucketBits()-w.size)&^w.within + 63
		sum += last/lineBits - first/lineBits + 1
	}
	return bitarray.Lines(8*s.bytes(), 2*float64(sum)/float64(count))
}
