package theory

import "math"

// Metadata bits that a slot of a quotient filter takes beside the remainder.
const (
	// QuotientMetadata: Bender et al., Don't thrash: how to cache your hash on
	// flash, PVLDB 5(11), 2012, section 3.
	QuotientMetadata = 3.0
	// CQFMetadata: Pandey, Bender, Johnson and Patro, A general-purpose
	// counting filter: making every bit count, SIGMOD 2017, section 4.
	CQFMetadata = 2.125
)

// QuotientFPR is the FPR of a quotient filter with r-bit remainders at the
// given load (0..1), 1-e^(-load 2^-r) (Bender et al. 2012, section 3.1). For a
// given number of keys FingerprintFPR is exact.
func QuotientFPR(r int, load float64) float64 { return -math.Expm1(-load * math.Exp2(-float64(r))) }

// QuotientRemainderBits is the least r, at most 63, with a QuotientFPR of at
// most p, or 0 if there is none.
func QuotientRemainderBits(p, load float64) int {
	if !(p > 0) {
		return 0
	}
	most := -ln1p(-min(p, 1)) // 1-e^-x <= p where x is at most this
	return firstBits(func(r int) bool { return load*math.Exp2(-float64(r)) <= most })
}

// QuotientBitsPerKey is (r+metadata)/load, the metadata being that of the
// layout, QuotientMetadata or CQFMetadata.
func QuotientBitsPerKey(r int, metadata, load float64) float64 {
	return (float64(r) + metadata) / load
}

// QuotientStretch is the expected length of a maximal run of filled slots
// (Bender's cluster may be shorter: several can touch) in a large quotient
// filter, 0 < load < 1: load/((1-load)(1-e^(-load))). Deleting, and inserting
// near its start, cost time in proportion to the stretch.
//
// Slots are filled as in linear probing: walk along the table, and the keys
// still to be placed are a queue with Poisson arrivals and one departure a
// slot. A slot is empty with chance 1-load; after an empty one, a stretch begins
// unless nothing arrives (Knuth, TAOCP 3, section 6.4).
func QuotientStretch(load float64) float64 {
	return load / ((1 - load) * -math.Expm1(-load))
}

// QuotientStretchShare is the share of stretches that are length slots long. A
// stretch and the empty slot behind it are a busy period, whose length has the
// Borel distribution (Borel, C. R. Acad. Sci. 214, 1942), given that it is not
// just the empty slot. 0 < load < 1, length >= 1.
func QuotientStretchShare(load float64, length int) float64 {
	size := float64(length + 1)
	lgamma, _ := math.Lgamma(size + 1)
	borel := math.Exp(-load*size + float64(length)*math.Log(load*size) - lgamma)
	return borel / -math.Expm1(-load)
}
