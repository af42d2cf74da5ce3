// Package hashing holds the mixing and range-reduction steps that the filters
// share. All of it is plain 64-bit arithmetic, the same on every CPU.
package hashing

import "math/bits"

// Golden is 2^64 divided by the golden ratio, made odd: the multiplier of
// Fibonacci hashing (Knuth, TAOCP 3, section 6.4).
const Golden = 0x9e3779b97f4a7c15

// Mix is a bijection on 64-bit words whose every output bit depends on every
// input bit: Stafford's variant 13 of the MurmurHash3 finaliser, as used by
// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Reduce maps a uniform 64-bit word to [0, n) by multiply-shift, without a
// division and with a bias of at most n/2^64 (Lemire, Fast random integer
// generation in an interval, ACM TOMACS 2019). It uses the high bits of x.
func Reduce(x, n uint64) uint64 {
	hi, _ := bits.Mul64(x, n)
	return hi
}
