package theory

import "math"

// DistinctLines is the expected number of distinct cache lines among so many
// independent reads, uniform over the lines: L (1 - (1-1/L)^r). (The number of
// reads may be a mean; the function is all but linear where it then matters.)
func DistinctLines(lines uint64, reads float64) float64 {
	if reads == 0 {
		return 0
	}
	l := float64(lines)
	return l * -math.Expm1(float64(reads*math.Log1p(-1/l)))
}

// UniformMisses is the share of reads that miss a cache of so many lines, where
// reads are independent and uniform over the lines of a memory: the cache holds
// distinct lines, whatever its rule of replacement, and each line is as likely to
// be next (King, Analysis of demand paging algorithms, IFIP 1971).
func UniformMisses(cache, lines uint64) float64 {
	return 1 - min(1, float64(cache)/float64(lines))
}
