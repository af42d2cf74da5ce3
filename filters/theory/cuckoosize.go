package theory

import "math/bits"

// How many buckets n keys need is a question of chance: where a key may lie is
// fixed but for the choice between two buckets, and it may find no room while
// slots are free elsewhere. The sizes below keep that to about one table in
// 10,000. It has three causes.
//
// The walk. In the limit of many buckets of 2, 4 or 8 slots, keys with two
// random buckets each can be arranged up to 89.70, 98.04 or 99.79 % of the slots
// (Fernholz and Ramachandran, The k-orientability thresholds for G(n,p), SODA
// 2007; Cain, Sanders and Wormald, ibid.). Fan et al. 2014 fill 84, 95 or 98 %,
// and give up after a random walk of 500 moves. In simulated tables of 2^20
// slots of 4, filled from empty, 0.31 % of the keys between 94 and 95 % walked
// 150 moves, and each 50 more moves a fifth of those: so 3 in 10^8 would walk
// 500, and the last percent, 10^4 keys, is refused one with the chance 3 in
// 10^4. A load lower by .1 % makes that half or a third. So each doubling of the
// keys beyond 2^18 costs .1 %. Short fingerprints pair few buckets with each
// other, and walks take longer: at 5, 6 and 12 bits, 14, 5.7 and 1.7 in 10^5
// walked 300. That costs 16 % over the number of fingerprints.
//
// Small tables. The number of free slots at the first refusal varies between
// tables by s times the root of the slots, s = .48, .22 or .09 by simulation,
// while what is free below the threshold grows in proportion to the slots: so
// the former outgrows the latter in small tables only. With a share d of slack
// between the load and the threshold, z standard deviations are covered at every
// size by (z s)^2/(4 d) spare slots: 40, 24 or 16 are z = 6, 8 or 13. Of 10^5 to
// 10^7 simulated tables of each of 9 sizes, from 10 to 6000 keys, no more than
// one in 10^5 refused a key where overlaps did not make it.
//
// Overlaps. Buckets of b slots hold at most 2b keys of one pair, however empty
// the table is. That limits tables of short fingerprints, which make few pairs
// (Fan et al. 2014, section 4.2), and small tables; see CuckooOverlaps.

// cuckooRoom is the load, in thousandths, and the number of spare slots, by the
// slots in a bucket.
var cuckooRoom = map[int]struct{ load, spare uint64 }{2: {840, 40}, 4: {950, 24}, 8: {980, 16}}

// cuckooRefusal is the greatest CuckooOverlaps of a table of CuckooBuckets.
const cuckooRefusal = 1e-4

// CuckooBuckets is the least even number of buckets, of 2, 4 or 8 slots, that
// takes n different keys with f-bit fingerprints, but for about one table in
// 10,000 that refuses a key. 1 <= n <= 2^50, 2 <= f <= 32.
func CuckooBuckets(n uint64, f, slots int) uint64 {
	room := cuckooRoom[slots]
	load := room.load - uint64(max(0, bits.Len64(n-1)-18)) - 160/(1<<f-1)
	pairs := ceilDiv(ceilDiv(1000*n, load)+room.spare, 2*uint64(slots))
	return 2 * least(pairs, 1<<52, func(p uint64) bool {
		return p >= pairs && CuckooOverlaps(n, 2*p, f, slots) <= cuckooRefusal
	})
}

func ceilDiv(a, b uint64) uint64 { return (a + b - 1) / b }

// CuckooBucketsAt is the least even number of buckets in which n keys fill at
// most the given percentage of the slots, whether they fit or not.
func CuckooBucketsAt(n, percent uint64, slots int) uint64 {
	return 2 * ceilDiv(100*n, 2*uint64(slots)*percent)
}

// CuckooOverlaps is the expected number of sets of 2 slots + 1 keys, of n in an
// even number of buckets, that share both of their buckets. It bounds the
// chance that a key is refused because its pair of buckets is full of keys that
// can go nowhere else.
//
// Of such a set, each key but the first must have one of the two buckets, which
// is its chance 2/buckets, and its fingerprint must lead from there to the
// other: j different fingerprints do with the chance (2/buckets)^(j-1).
func CuckooOverlaps(n, buckets uint64, f, slots int) float64 {
	keys := 2*slots + 1
	if n < uint64(keys) {
		return 0
	}
	side := 2 / float64(buckets)
	sets := float64(n)
	for i := 1; i < keys; i++ {
		sets *= float64(n-uint64(i)) / float64(i+1) * side
	}
	lead, one := 0.0, 1.0
	for _, chance := range distinctDraws(uint64(fingerprints(f)), keys)[1:] {
		lead += float64(chance * one)
		one *= side
	}
	return sets * lead
}

// CuckooBucketsForAtMost is the least even number of buckets at which n keys
// with f-bit fingerprints have a CuckooExact of at most p; they may not fit. It
// is 0 if p <= 0 or 2^53 buckets do not suffice.
func CuckooBucketsForAtMost(n uint64, p float64, f int) uint64 {
	if !(p > 0) {
		return 0
	}
	most := -ln1p(-min(p, 1)) // 1-(1-1/classes)^n <= p where -n ln(1-1/classes) is at most this
	guess := float64(n) / most / fingerprints(f)
	return 2 * least(uint64(min(guess, 1<<52))+1, 1<<52, func(pairs uint64) bool {
		return float64(n)*-ln1p(-1/cuckooClasses(2*pairs, f)) <= most
	})
}
