//go:build !purego

package simd

// Compiled is whether this build has kernels. It is a constant, so that calls
// of kernels that do not exist compile away.
const Compiled = true
