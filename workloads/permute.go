package workloads

import (
	"math/bits"

	"filterbench/filters/hashing"
)

// permute is a bijection of the numbers of the given width in bits that the key
// picks: xor-shifts and odd multiplications, each of which is one.
func permute(x uint64, width int, key uint64) uint64 {
	mask := uint64(1)<<width - 1
	shift := max(1, width/2)
	x = (x + key) & mask
	x ^= x >> shift
	x = x * 0xbf58476d1ce4e5b9 & mask
	x ^= x >> shift
	x = (x*0x94d049bb133111eb + key>>32) & mask
	x ^= x >> shift
	x = x * hashing.Golden & mask
	return x ^ x>>shift
}

// permuteBelow is a bijection of [0, n): it walks the cycle of the next power of
// two until it is back in the range, less than twice on average.
func permuteBelow(x, n, key uint64) uint64 {
	width := bits.Len64(n - 1)
	for {
		if x = permute(x, width, key); x < n {
			return x
		}
	}
}
