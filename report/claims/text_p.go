package claims

import (
	"math"

	"filterbench/filters/theory"
)

// The claims of papers and specifications.

var claimsP = []Claim{
	{ID: "P01", Source: "information theory (Carter et al. 1978)", Text: "any filter needs log2(1/p) bits per key", Want: Holds,
		Truth:   func() Quantity { return Quantity{1, Factor} },
		Formula: "log2(1/p), for many keys",
		Line:    "no filter of 1000 keys or more has fewer bits per key than its rate's interval allows; the number is the least over all, as a multiple of the bound",
		Needs:   []Cell{bloomAt("10")}, Judge: informationBound},
	{ID: "P02", Source: "Bloom 1970", Text: "a Bloom filter is 44% over the bound", Want: Holds,
		Truth:   func() Quantity { return Quantity{1 / math.Ln2, Factor} },
		Formula: "1/ln 2 at the best k",
		Line:    "bits per key are about 44% over log2(1/p) at 10 bits per key, where k = 7 is nearly the best real number",
		Needs:   []Cell{bloomAt("10")}, Judge: bloomOverhead},
	{ID: "P03", Source: "Bose et al. 2008; Christensen et al. 2010", Text: "the classic formula underestimates", Want: Holds,
		Truth: smallTruth, Formula: "Bose et al. 2008; here 10 keys at 1%",
		Line:  "the rate at n = 10 lies above the classic formula and is about the exact one",
		Needs: []Cell{small("10")}, Judge: classicTooLow},
	{ID: "P04", Source: "Fan et al. 2000", Text: "4-bit counters suffice", Want: Holds, Awaits: "counters",
		Remark: "for distinct keys; the same key 16 times overflows"},
	{ID: "P05", Source: "Kirsch and Mitzenmacher 2006", Text: "two hashes give the same rate asymptotically", Want: Holds, Awaits: "double hashing"},
	{ID: "P06", Source: "Putze et al. 2007", Text: "one cache line a query costs a small loss", Want: Holds,
		Truth: blockedTruth, Formula: "the mixture over the loads of a block of 512 bits, at 9 and 10 bits per key, read off at 1%",
		Line:  "1% takes at most 5% more bits per key than the 9.585 of a plain filter",
		Needs: []Cell{blockedAt("9"), blockedAt("10")}, Judge: blockedLoss},
	{ID: "P07", Source: "Parquet specification", Text: "split blocks need 6.0, 10.5, 16.9 and 26.4 bits per key for 10, 1, 0.1 and 0.01%", Want: Holds,
		Truth: splitBlockTruth, Formula: "the mixture over the loads of a block of 8 lanes of 32 bits, at 10.5 bits per key",
		Line:  "the rates at those sizes are about those",
		Needs: splitBlockCells(), Judge: splitBlockSizes},
	{ID: "P08", Source: "Fan et al. 2014", Text: "a cuckoo filter's rate is at most 1-(1-2^-f)^(2b)", Want: Holds,
		Truth:   func() Quantity { return Quantity{theory.CuckooFPR(8, cuckooSlots, cuckooLoad), Rate} },
		Formula: "1-(1-1/(2^f-1))^(2b load), here at f = 8, b = 4 and 95% load, where the bound is 3.08%",
		Line:    "no rate is shown to be above the bound, at lengths of fingerprint from 6 to 16 bits",
		Needs:   cuckooCells(false), Judge: cuckooBound},
	{ID: "P09", Source: "Fan et al. 2014", Text: "cuckoo loads of 50, 84, 95 and 98% for 1, 2, 4 and 8 slots", Want: Holds, Awaits: "load"},
	{ID: "P10", Source: "Fan et al. 2014", Text: "a cuckoo filter is smaller than a Bloom filter below 3%", Want: Conditions,
		Truth: func() Quantity {
			return Quantity{theory.CuckooIdealBits(0.03, cuckooSlots, cuckooLoad, true) / theory.BloomBitsPerKey(0.03), Factor}
		},
		Formula: "(log2(1/p)+2)/0.95 in sorted buckets over log2(1/p)/ln 2, here at 3%",
		Line:    "of filters below 3% none is shown to take over 5% more bits per key than a Bloom filter of its rate; with conditions if none in sorted buckets",
		Needs:   besideBloom(false, true), Judge: belowThree,
		Remark: "2.4% with semi-sorted buckets, 0.37% without"},
	{ID: "P11", Source: "Fan et al. 2014", Text: "short fingerprints limit the load", Want: Holds, Awaits: "load"},
	{ID: "P12", Source: "Fan et al. 2014", Text: "semi-sorting saves one bit an item", Want: Holds,
		Truth:   func() Quantity { return Quantity{1 / cuckooLoad, Bits} },
		Formula: "4 sorted nibbles take 3876 <= 2^12 forms: 12 bits for 16, so 1 a slot; over 0.95 it is bits per key",
		Line:    "the same fingerprints take 1.00 bits a slot less in sorted buckets, at the same rates, at lengths from 6 to 16 bits",
		Needs:   cuckooCells(false, true), Judge: sortedBit},
	{ID: "P13", Source: "Bender et al. 2012", Text: "a quotient filter's rate is at most load x 2^-r, with three more bits a slot", Want: Holds,
		Truth:   func() Quantity { return Quantity{theory.QuotientFPR(7, 0.75), Rate} },
		Formula: "1-e^(-load 2^-r), here r = 7 at 75% load",
		Line:    "no rate is shown to be above load x 2^-r at loads of 50 to 95%, and a slot takes 3.0 bits beside the remainder",
		Needs:   flagsCells(), Judge: flagsRate},
	{ID: "P14", Source: "Bender et al. 2012", Text: "a quotient filter slows down at high load", Want: Holds, Timing: true, Awaits: "load"},
	{ID: "P15", Source: "Pandey et al. 2017", Text: "rank and select take r + 2.125 bits a slot, to 95% load", Want: Holds,
		Truth:   func() Quantity { return Quantity{theory.QuotientBitsPerKey(7, theory.CQFMetadata, 0.95), Bits} },
		Formula: "(r+2.125)/load, here r = 7 at 95%",
		Line:    "a slot takes 2.125 bits beside the remainder, and 95% of the slots take their keys with none refused",
		Needs:   []Cell{rankAt95()}, Judge: rankBits},
	{ID: "P16", Source: "Graf and Lemire 2020", Text: "an xor filter takes 1.23 f bits per key for 2^-f", Want: Holds,
		Truth:   func() Quantity { return Quantity{staticBits * float64(theory.XorSlots(million)) / million, Bits} },
		Formula: "(1.23 n + 32) f bits, here a million keys at f = 8",
		Line:    "bits per key over f round to 1.23, and the rate is about 2^-f",
		Needs:   []Cell{xorMillion}, Judge: xorBits},
	{ID: "P17", Source: "Graf and Lemire 2022", Text: "a binary fuse filter takes 1.125 f bits per key", Want: Conditions,
		Truth:   func() Quantity { return Quantity{staticBits * float64(theory.FuseSlots(million, 3)) / million, Bits} },
		Formula: "slots in segments of a power of two, more than 1.125 a key for few keys; here a million at f = 8, 3 hashes",
		Line:    "HOLDS if bits per key over f are within 5% of 1.125 for 100 keys to a million, WRONG if for none, or if the rate is not about 2^-f",
		Needs:   fuseCells(), Judge: fuseBits,
		Remark: "for many keys: 1.13 at a million, 1.9 at a hundred"},
	{ID: "P18", Source: "Dillinger and Walzer 2021", Text: "a ribbon filter is nearly at the bound", Want: Holds, Awaits: "fpr over the ribbon family",
		Remark: "1.005 to 1.1 times the bound by width"},
	{ID: "P19", Source: "Lang et al. 2019", Text: "where throughput is high a Bloom filter beats a cuckoo filter", Want: Holds, Timing: true, Awaits: "skyline",
		Remark: "until a wasted access costs the difference in lookup time over that in rate"},
	{ID: "P20", Source: "Golomb-coded sets", Text: "a Golomb-coded set is within 1.5 bits of the bound", Want: Holds, Awaits: "fpr over the Golomb family",
		Remark: "but a lookup is O(n)"},
	{ID: "P21", Source: "RocksDB notes", Text: "1% more keys than planned raise the rate by about ln(1/p)%", Want: Holds, Awaits: "load"},
}

// bound is log2(1/p), the bits per key that any filter of the rate p needs.
func bound(p float64) float64 { return -math.Log2(p) }
