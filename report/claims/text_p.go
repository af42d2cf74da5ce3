package claims

import "math"

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
	{ID: "P07", Source: "Parquet specification", Text: "split blocks need 6.0, 10.5, 16.9 and 26.4 bits per key for 10, 1, 0.1 and 0.01%", Want: Holds, Awaits: "fpr over the splitblock family"},
	{ID: "P08", Source: "Fan et al. 2014", Text: "a cuckoo filter's rate is at most 1-(1-2^-f)^(2b)", Want: Holds, Awaits: "fpr over the cuckoo family"},
	{ID: "P09", Source: "Fan et al. 2014", Text: "cuckoo loads of 50, 84, 95 and 98% for 1, 2, 4 and 8 slots", Want: Holds, Awaits: "load"},
	{ID: "P10", Source: "Fan et al. 2014", Text: "a cuckoo filter is smaller than a Bloom filter below 3%", Want: Conditions, Awaits: "fpr over the cuckoo family",
		Remark: "2.4% with semi-sorted buckets, 0.37% without"},
	{ID: "P11", Source: "Fan et al. 2014", Text: "short fingerprints limit the load", Want: Holds, Awaits: "load"},
	{ID: "P12", Source: "Fan et al. 2014", Text: "semi-sorting saves one bit an item", Want: Holds, Awaits: "memory over the cuckoo family"},
	{ID: "P13", Source: "Bender et al. 2012", Text: "a quotient filter's rate is at most load x 2^-r, with three more bits a slot", Want: Holds, Awaits: "fpr over the quotient family"},
	{ID: "P14", Source: "Bender et al. 2012", Text: "a quotient filter slows down at high load", Want: Holds, Timing: true, Awaits: "load"},
	{ID: "P15", Source: "Pandey et al. 2017", Text: "rank and select take r + 2.125 bits a slot, to 95% load", Want: Holds, Awaits: "fpr over the quotient family"},
	{ID: "P16", Source: "Graf and Lemire 2020", Text: "an xor filter takes 1.23 f bits per key for 2^-f", Want: Holds, Awaits: "fpr over the peers"},
	{ID: "P17", Source: "Graf and Lemire 2022", Text: "a binary fuse filter takes 1.125 f bits per key", Want: Conditions, Awaits: "fpr over the peers",
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
