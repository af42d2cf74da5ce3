//go:build !purego

package rounds

// The kernels need BMI2 only; they go by the name of the level that all kernels
// share. A batch has at least one key, and so has what is left of it.

// firstBitsAVX2 takes the first round of n keys and returns how many are left.
//
//go:noescape
func firstBitsAVX2(r *rounds, hashes *uint64, n int) (left int)

//go:noescape
func firstCountersAVX2(r *rounds, hashes *uint64, n int) (left int)

// secondBitsAVX2 takes the second round of the n keys that are left, and computes
// their steps.
//
//go:noescape
func secondBitsAVX2(r *rounds, hashes *uint64, n int) (left int)

//go:noescape
func secondCountersAVX2(r *rounds, hashes *uint64, n int) (left int)

// nextBitsAVX2 takes any later round.
//
//go:noescape
func nextBitsAVX2(r *rounds, n int) (left int)

//go:noescape
func nextCountersAVX2(r *rounds, n int) (left int)

// fetchFirstAVX2, fetchSecondAVX2 and fetchNextAVX2 find the fields of a round and
// fetch their lines; stayBitsAVX2 or stayCountersAVX2 then looks at them.
//
//go:noescape
func fetchFirstAVX2(r *rounds, hashes *uint64, n int)

//go:noescape
func fetchSecondAVX2(r *rounds, hashes *uint64, n int)

//go:noescape
func fetchNextAVX2(r *rounds, n int)

//go:noescape
func stayBitsAVX2(r *rounds, n int) (left int)

//go:noescape
func stayCountersAVX2(r *rounds, n int) (left int)

// addBitsAVX2 and addCountersAVX2 add keys, but for the fields that they leave in
// the ring.
//
//go:noescape
func addBitsAVX2(a *adder, hashes *uint64, n int)

//go:noescape
func addCountersAVX2(a *adder, hashes *uint64, n int)
