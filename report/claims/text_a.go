package claims

import (
	"math"

	"filterbench/filters/theory"
)

// The claims of the first text, a course on storage engines.

const textA = "000_189ad350ee1d9ed4.txt"

var claimsA = []Claim{
	{ID: "A01", Text: "the Bloom filter dates from 1970", Want: Holds, Fact: true, Remark: "CACM 13(7), 1970"},
	{ID: "A02", Text: "it errs by false positives, never by false negatives", Want: Holds,
		Truth: none, Formula: "bits go from 0 to 1 only, so that all bits of an added key stay set",
		Line:  "no added key is missed, over all filters",
		Needs: neverLostCells(), Judge: noFalseNegatives,
		Remark: "while bits are never cleared, data are not corrupted and adds do not race"},
	{ID: "A03", Text: "adding sets k bits; all ones mean maybe, any zero means no", Want: Holds, Golden: true,
		Truth: none, Formula: "the definition",
		Line:  "the bits and answers of the 1% filter equal those of an independent program",
		Needs: []Cell{program("0.01"), positionsKey0, positionsGhost0}, Judge: sameBits},
	{ID: "A04", Text: "a no spares a table's disk read completely", Want: Conditions,
		Truth: sparesTruth, Formula: "1+p reads a probe where the filter must be read first, and p where it is in memory",
		Line:  "HOLDS if even where 9 of 10 filters have room in memory filters and tables are read less often than tables without filters, WRONG if not even where all have",
		Needs: []Cell{residentOf("10"), residentOf("9")}, Judge: sparesCompletely,
		Remark: "for point lookups with the filter in memory; no help for range scans, or when the filter itself must be read"},
	claimOf("A05", "1% takes about 9.6 bits per key", nineSixClaim),
	{ID: "A06", Text: "a million keys take about 1.2 MB", Want: Holds,
		Truth: textSize, Formula: "ceil(-n ln p / ln^2 2) bits",
		Line:  "the bytes allocated round to 1.2 MB",
		Needs: []Cell{bloomAt("9.585")}, Judge: megabytes},
	{ID: "A07", Text: "it saves millions of useless reads", Want: Conditions,
		Truth: savesTruth, Formula: "tables x queries x (1-p), here a million queries of ten tables at 10 bits per key",
		Line:  "WRONG if a million queries of ten tables do not save two million reads, HOLDS if ten thousand of one table do, too",
		Needs: []Cell{millionGets, fewGets}, Judge: savesMillions,
		Remark: "tables x queries x (1-p): it takes more than a million probes of absent keys"},
	claimOf("A08", "p is about (1-e^(-kn/m))^k", classicClaim),
	claimOf("A09", "the best k is (m/n) ln 2", bestProbesClaim),
	{ID: "A10", Text: "10 bits per key give 0.8%", Want: Holds,
		Truth: rateTruth(10), Formula: exactly + "at k = 7",
		Line:  "the rate is about 0.8%",
		Needs: []Cell{bloomAt("10")}, Judge: aboutRate("10", 0.008)},
	{ID: "A11", Text: "15 bits per key give 0.03%", Want: Wrong,
		Truth: rateTruth(15), Formula: exactly + "at k = 10",
		Line:  "the rate is about 0.03%",
		Needs: []Cell{bloomAt("15")}, Judge: aboutRate("15", 0.0003),
		Remark: "0.0744%, 2.5 times as much; 0.03% takes 16.9 bits per key"},
	{ID: "A12", Text: "a counting filter with 4-bit counters can delete", Want: Conditions,
		Truth: none, Formula: "counters that say how often the keys in the filter have them; P(16 or more) = 1.6e-16 at 1%",
		Line:  "WRONG if a key is lost or left where only keys that were there are deleted; HOLDS if none is lost to deletes of absent keys either, nor left after an overflow",
		Needs: []Cell{modelCounting, absentCounting, stuck}, Judge: counterDeletes,
		Remark: "if only inserted keys are removed and no counter overflows"},
	{ID: "A13", Text: "a cuckoo filter takes 4 to 6 bits per key at 3%", Want: Wrong,
		Truth:   func() Quantity { return Quantity{theory.CuckooIdealBits(0.03, cuckooSlots, cuckooLoad, false), Bits} },
		Formula: "(log2(1/p)+3)/0.95: buckets of 4 slots, 95% of them filled, with the best real-valued f",
		Line:    "HOLDS if the filter of about 3% takes 6 bits per key or fewer (rounded), with conditions if in sorted buckets only",
		Needs:   []Cell{cuckooAt(about3, false), cuckooAt(about3, true)}, Judge: fourToSix,
		Remark: "8.4 bits per key, 7.4 in sorted buckets; the bound for any filter is 5.06"},
	{ID: "A14", Text: "a cuckoo filter can delete and is smaller", Want: Conditions,
		Truth: cuckooTruth, Formula: "(log2(1/p)+3)/0.95 over log2(1/p)/ln 2, here at 3%; the two are equal at 0.37%",
		Line:  "HOLDS if it is smaller than a Bloom filter of its rate at every length of fingerprint from 6 to 16 bits, WRONG if larger at every one",
		Needs: besideBloom(false), Judge: smaller,
		Remark: "smaller than a counting filter always, than a plain one below 0.37% only (2.4% semi-sorted)"},
	{ID: "A15", Text: "prefix coding makes sorted index keys 5 to 10 times smaller", Want: Wrong,
		Formula: "a key of L bytes that shares s with the one before takes L-s and a byte or two for each of both numbers",
		Line:    "HOLDS if all kinds of keys get 5 times smaller or more, WRONG if none does, with a restart every 16 keys",
		Needs:   []Cell{frontCoded}, Judge: fiveToTen,
		Remark: "1 to 5 times; it takes long shared prefixes"},
	{ID: "A16", Text: "the program prints m = 95851, 9.6 bits per key, k = 7", Want: Holds, Golden: true,
		Truth:   func() Quantity { return Quantity{float64(designFor(programKeys, 0.01).m), Count} },
		Formula: "m = ceil(-n ln p / ln^2 2), k = round(m/n ln 2)",
		Line:    "m and k are the formula's, and m/n rounds to 9.6",
		Needs:   []Cell{program("0.01")}, Judge: printedSize},
	{ID: "A17", Text: "of 10,000 absent keys about 1% are said to be there", Want: Holds, Golden: true,
		Truth:   func() Quantity { return Quantity{designFor(programKeys, 0.01).exact, Rate} },
		Formula: exactly + "at m = 95,851 and k = 7; 81 to 120 of 10,000 in 95 of 100 such filters",
		Line:    "the rate over a million ghosts is about 1%",
		Needs:   []Cell{program("0.01")}, Judge: onePercentWrong},
	{ID: "A18", Text: "key123, which was added, is found", Want: Holds, Golden: true,
		Truth: none, Formula: "no false negatives",
		Line:  "every one of the 10,000 keys is found",
		Needs: []Cell{program("0.01")}, Judge: noneLost},
	{ID: "A19", Text: "10,000 absent queries cost 1004 reads, so 8996 are saved", Want: Wrong, Golden: true,
		Truth: savedTruth, Formula: "tables x queries x (1-p): a query probes all ten tables",
		Line:  "probes less reads are 8996",
		Needs: []Cell{lsmAll}, Judge: savedReads,
		Remark: "the count 1004 is right; of 100,000 probes 98,996 are saved, and the text's figure would be negative with more than 100 tables"},
	{ID: "A20", Text: "adding and asking cost O(k) CPU and no I/O", Want: Holds, Golden: true,
		Truth: digestsTruth, Formula: "(1-r^k)/(1-r) probes for an absent key, with r the share of ones; k for a present one",
		Line:  "an absent key takes at most k probes",
		Needs: []Cell{program("0.01")}, Judge: atMostK,
		Remark: "k is the upper bound"},
	{ID: "A21", Text: "space is O(n log 1/p)", Want: Holds,
		Truth: halvingTruth, Formula: "1/ln 2 bits per key for each halving of p",
		Line:  "bits per key over log2(1/p) are about 1.44 at every whole number of bits from 4 to 20",
		Needs: sweepCells(), Judge: logSpace},
	{ID: "A22", Text: "without a filter an absent key costs several I/Os, with one almost none", Want: Conditions,
		Truth:   func() Quantity { return Quantity{tables * designFor(tableKeys, 0.01).exact, Count} },
		Formula: "tables x p reads a query; 1-(1-p)^tables of the queries read",
		Line:    "HOLDS if fewer than 1% of the queries read, WRONG from one read a query",
		Needs:   []Cell{lsmAll}, Judge: almostNone,
		Remark: "with ten tables at 1% one query in ten still reads"},
	{ID: "A23", Text: "loads with many absent keys gain most", Want: Holds,
		Truth: gainTruth, Formula: "(1-s)(1-p) of the queries are spared the read, with s the share of present keys; here s = 10%",
		Line:  "the queries spared are fewer at every step from 0 to 100% present keys, and none at 100%",
		Needs: gainCells(), Judge: absentGain},
	claimOf("A24", "a plain filter cannot delete", clearedClaim),
	{ID: "A25", Text: "exercise 1: 10,000 keys at p = 0.05 and 0.001", Want: Holds, Golden: true,
		Truth:   func() Quantity { return Quantity{designFor(programKeys, 0.05).exact, Rate} },
		Formula: "6.235 bits per key, k = 4; 14.378 bits per key, k = 10; rates by Bose et al. 2008",
		Line:    "m and k are the formula's, and the rates over a million ghosts about the exact ones",
		Needs:   []Cell{program("0.05"), program("0.001")}, Judge: exerciseOne},
	{ID: "A26", Text: "exercise 2: a present key among T tables costs 1+(T-1)p probes", Want: Holds, Golden: true,
		Truth:   func() Quantity { return Quantity{1 + (tables-1)*designFor(tableKeys, 0.01).exact, Count} },
		Formula: "1+(T-1)p if the search cannot stop early",
		Line:    "the wrong answers are about p of the other tables' probes",
		Needs:   []Cell{lsmPresent}, Judge: presentProbes},
	claimOf("A27", "exercise 3: in an LSM tree a false positive is safe, a false negative fatal", safeAndFatalClaim),
	{ID: "A28", Text: "MD5 with the prefix i makes k hashes", Want: Holds, Golden: true,
		Truth: digestsTruth, Formula: "k digests an add; (1-r^k)/(1-r) for an absent key, since the program stops at the first 0",
		Line:  "the digests for an absent key are about the formula's",
		Needs: []Cell{program("0.01")}, Judge: lazyDigests},
}

// none is the truth of claims that something never happens.
func none() Quantity { return Quantity{} }

func halvingTruth() Quantity { return Quantity{1 / math.Ln2, Bits} }

func textSize() Quantity { return Quantity{float64(designFor(million, 0.01).m) / 8, Bytes} }

// rateTruth is the exact rate of a million keys at so many bits per key.
func rateTruth(bits float64) func() Quantity {
	return func() Quantity { return Quantity{exactAt(bits), Rate} }
}

var classicClaim = Claim{
	Truth: smallTruth, Formula: exactly + "here for 10 keys at 1%; the classic formula is below by about 0.9/n of it at 1%",
	Line:  "HOLDS if the rate at n = 10 does not exclude the classic formula; with conditions if only that at n = 1000 is about the formula's",
	Needs: []Cell{small("10"), small("1000")}, Judge: classicFormula,
	Want: Conditions, Remark: "fine for n from 1000",
}

var bestProbesClaim = Claim{
	Truth: func() Quantity {
		return Quantity{exactWith(10, 6) / exactWith(10, 7), Factor}
	},
	Formula: "(m/n) ln 2 is the best real number; the rates of the whole ones beside it by Bose et al. 2008",
	Line:    "the nearest whole number is not shown to be worse than another k, at 10 and 15 bits per key",
	Needs:   probesCells(), Judge: bestProbes,
	Want: Conditions, Remark: "k is a whole number, and one more or less costs little",
}

// claimOf is a claim that several texts make.
func claimOf(id, text string, c Claim) Claim {
	c.ID, c.Text = id, text
	return c
}
