package theory

import "math"

// XorFPR is the FPR of a xor or binary fuse filter with f-bit fingerprints,
// 2^-f (Graf and Lemire, Xor filters, ACM JEA 25, 2020, section 2).
func XorFPR(f int) float64 { return math.Exp2(-float64(f)) }

// XorSlots is the number of fingerprints that a xor filter for n distinct keys
// holds, floor(1.23 n) + 32 (Graf and Lemire 2020, section 3).
func XorSlots(n uint64) uint64 { return uint64(1.23*float64(n)) + 32 }

// FuseFactor is the number of slots per key that a binary fuse filter of the
// given arity, 3 or 4, tends to for large n (Graf and Lemire 2022).
func FuseFactor(arity int) float64 {
	if arity == 4 {
		return 1.075
	}
	return 1.125
}

// FuseSlots is the number of fingerprints that a binary fuse filter of the
// given arity, 3 or 4, holds for n distinct keys: FuseFactor and more for small
// n, in segments of a power of two. n >= 2.
//
// Source: Graf and Lemire, Binary fuse filters: fast and smaller than xor
// filters, ACM JEA 27, 2022, section 4.
func FuseSlots(n uint64, arity int) uint64 {
	size := math.Log(float64(max(n, 2)))
	log2Segment := math.Floor(size/math.Log(3.33) + 2.25)
	perKey := 0.875 + 0.25*math.Log(1e6)/size
	if arity == 4 {
		log2Segment = math.Floor(size/math.Log(2.91) - 0.5)
		perKey = 0.77 + 0.305*math.Log(6e5)/size
	}
	segment := uint64(1) << uint(min(max(log2Segment, 0), 18))
	slots := math.Round(float64(n) * max(FuseFactor(arity), perKey))
	segments := uint64(math.Ceil(slots / float64(segment)))
	return max(segments, uint64(arity)) * segment
}
