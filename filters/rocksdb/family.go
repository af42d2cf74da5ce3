package rocksdb

import (
	"fmt"

	"filterbench/filters"
	"filterbench/filters/memory"
	"filterbench/filters/theory"
)

// Family describes the filter to the registry. It is sized as RocksDB does, by
// bits per key in thousandths, which k follows from by a table.
var Family = &filters.Family{
	Name:        "rocksdb",
	Summary:     "RocksDB's cache-local Bloom filter of format version 5: k bits inside 64 bytes, k by a table",
	Source:      "RocksDB, util/bloom_impl.h and table/block_based/filter_policy.cc; Putze, Sanders and Singler, JEA 14 (2009)",
	Hash:        filters.XXPH3,
	NanosPerKey: 11,
	ForBits: func(_ filters.Spec, n uint64, bits float64) (filters.Design, error) {
		milli := uint64(float64(bits*1000) + 0.500001)
		switch {
		case bits < 0.5:
			return filters.Design{}, fmt.Errorf("%v bits per key; below 0.5 RocksDB makes no filter", bits)
		case milli < minMilli:
			milli = minMilli
		}
		return design(n, milli)
	},
	ForFPR: func(_ filters.Spec, n uint64, p float64) (filters.Design, error) {
		milli := milliFor(n, p)
		if milli == 0 {
			return filters.Design{}, fmt.Errorf("no size up to %d bits per key gives a rate of %v to %d keys", filters.MaxBitsPerKey, p, n)
		}
		return design(n, milli)
	},
}

// Bounds on thousandths of a bit per key.
const (
	minMilli = 1000
	maxMilli = 1000 * filters.MaxBitsPerKey
)

// Up to probeEnds[k-1] thousandths of a bit per key RocksDB takes k probes.
// Beyond the last it takes one for every 2 bits, beginning again with 11, and
// from 50 bits on 24.
var probeEnds = [...]uint64{2080, 3580, 5100, 6640, 8300, 10070, 11720, 14001, 16050, 18300, 22001, 25501}

// probesFor is the number of probes at a size, and the largest size up to which
// it is the same.
func probesFor(milli uint64) (k int, end uint64) {
	for i, end := range probeEnds {
		if milli <= end {
			return i + 1, end
		}
	}
	if milli > 50_000 {
		return 24, maxMilli
	}
	pairs := (milli - 1) / 2000
	return int(pairs) - 1, 2000 * (pairs + 1)
}

// linesFor is RocksDB's number of lines.
func linesFor(n, milli uint64) uint64 { return (n*milli + 1000*lineBits - 1) / (1000 * lineBits) }

// milliFor is the least size whose rate, by the model, is at most p, or 0.
func milliFor(n uint64, p float64) uint64 {
	for from := uint64(minMilli); from <= maxMilli; {
		k, end := probesFor(from)
		// The first thousandth beyond those that one line less is enough for.
		if lines := theory.BlockedBlocksWith(n, p-coincidence(n, linesFor(n, from)), lineBits, k); lines > 0 {
			if milli := max(from, (lines-1)*1000*lineBits/n+1); milli <= end && rate(n, linesFor(n, milli), k) <= p {
				return milli
			}
		}
		from = end + 1
	}
	return 0
}

// rate is the mixture over the keys in a line of the exact rate in it, and the
// chance to meet a key of the line in all 32 bits that positions come from.
func rate(n, lines uint64, k int) float64 {
	p := theory.BlockedFPR(n, lines, lineBits, k)
	return p + (1-p)*coincidence(n, lines)
}

func coincidence(n, lines uint64) float64 { return min(1, float64(n)/float64(lines)/(1<<32)) }

// maxLines is where RocksDB's 32-bit size of a filter ends: 4 GiB.
const maxLines = 1<<32/lineBytes - 1

func design(n, milli uint64) (filters.Design, error) {
	lines := linesFor(n, milli)
	if lines > maxLines {
		return filters.Design{}, fmt.Errorf("%d bits are needed; a filter of RocksDB has up to %d", lines*lineBits, maxLines*lineBits)
	}
	k, _ := probesFor(milli)
	return filters.Design{
		N:        n,
		Params:   []filters.Param{{Name: "m", Value: lines * lineBits}, {Name: "k", Value: uint64(k)}},
		SizeBits: 8 * memory.Size(lines*lineBytes),
		Model: filters.Model{
			FPR:  func(n uint64) float64 { return rate(n, lines, k) },
			SD:   func(n uint64) float64 { return theory.BlockedSD(n, lines, lineBits, k) },
			MinN: 1,
			Why:  "mixture over the keys in a line of the exact rate inside it (Putze et al. 2009, section 3), and the coincidences of 32 bits",
		},
		Lines:     func(bool) float64 { return 1 },
		NewHashed: func() (filters.Hashed, error) { return newFilter(uint32(lines), k) },
	}, nil
}
