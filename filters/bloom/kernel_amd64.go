//go:build !purego

package bloom

// The kernels need BMI2 only; they go by the name of the level that all kernels
// share. A batch has at least one key, and so has what is left of it.

// firstAVX2 takes the first round of n keys and returns how many are left.
//
//go:noescape
func firstAVX2(r *rounds, hashes *uint64, n int) (left int)

// secondAVX2 takes the second round of the n keys that are left, and computes
// their steps; nextAVX2 any later one.
//
//go:noescape
func secondAVX2(r *rounds, hashes *uint64, n int) (left int)

//go:noescape
func nextAVX2(r *rounds, n int) (left int)

// fetchFirstAVX2, fetchSecondAVX2 and fetchNextAVX2 find the positions of a round
// and fetch their lines; stayAVX2 then looks at the bits.
//
//go:noescape
func fetchFirstAVX2(r *rounds, hashes *uint64, n int)

//go:noescape
func fetchSecondAVX2(r *rounds, hashes *uint64, n int)

//go:noescape
func fetchNextAVX2(r *rounds, n int)

//go:noescape
func stayAVX2(r *rounds, n int) (left int)

// addAVX2 adds keys, but for the positions that it leaves in the ring.
//
//go:noescape
func addAVX2(a *adder, hashes *uint64, n int)
