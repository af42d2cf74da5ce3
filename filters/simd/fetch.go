package simd

// FetchesBits reports whether FetchBits is of use for an array of the given size,
// in a family that has no other kernel: kernels may be used, and the array is twice
// as large as the L2 cache. Fetching is a pass of its own here, and pays later.
func FetchesBits(bytes uint64) bool { return current().usable && FetchAhead(bytes/4) }

// FetchBits begins to fetch the lines in which the given bits of the array lie. It
// waits for none, and does nothing where there are no kernels. The array must not
// be empty. A few hundred bits at once are enough: no more lines can be under way.
func FetchBits(array, bits []uint64) {
	if Compiled && len(bits) > 0 {
		fetchBits(&array[0], &bits[0], len(bits))
	}
}
