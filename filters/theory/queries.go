package theory

import "math"

// AnyPositive is the chance that at least one of n absent keys is answered
// "maybe": what is left of a filter when a range of n keys has to be asked for
// one by one, since hashes do not keep the order of keys. 0 <= fpr <= 1.
func AnyPositive(n uint64, fpr float64) float64 {
	if n == 0 {
		return 0
	}
	return -math.Expm1(float64(n) * math.Log1p(-fpr))
}

// Candidates is how many keys of a universe of the given size a filter of n of
// them is expected not to rule out: itself no list of its members, it leaves
// n + fpr (universe - n).
func Candidates(n, universe uint64, fpr float64) float64 {
	return float64(n) + float64(fpr*float64(universe-n))
}

// SparedReads is the share of lookups that a filter spares the read behind it:
// those of absent keys, less its false positives.
func SparedReads(share, fpr float64) float64 { return (1 - share) * (1 - fpr) }

// BreakEven is the share of present keys among the queries up to which a filter
// pays: asking it costs less than the reads that it spares. filter and read are
// the costs of a lookup and of a read in one unit. It is below 0 where the
// filter never pays.
//
// Source: solved from (1-share)(1-fpr) read = filter, the condition of Lang,
// Neumann, Kemper and Boncz, Performance-optimal filtering: Bloom overtakes
// cuckoo at high throughput, PVLDB 12(5), 2019, section 2, for a read that comes
// with every positive.
func BreakEven(filter, read, fpr float64) float64 {
	return 1 - filter/(read*(1-fpr))
}
