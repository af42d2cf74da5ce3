package limit

const haveAsm = true

// readAsm reads n lines and leaves their overlap to the CPU.
//
//go:noescape
func readAsm(words *uint64, lines uint64, hashes *uint64, n int) uint64

// readAheadAsm reads n lines and prefetches the line distance hashes ahead of
// each; hashes must hold n + distance values.
//
//go:noescape
func readAheadAsm(words *uint64, lines uint64, hashes *uint64, n, distance int) uint64

// readAheadL2Asm does so, and prefetches into the L2 cache.
//
//go:noescape
func readAheadL2Asm(words *uint64, lines uint64, hashes *uint64, n, distance int) uint64
