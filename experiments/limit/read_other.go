//go:build !amd64 && !arm64

package limit

const haveAsm = false

func readAsm(*uint64, uint64, *uint64, int) uint64 { panic("limit: no assembly") }

func readAheadAsm(*uint64, uint64, *uint64, int, int) uint64 { panic("limit: no assembly") }

func readAheadL2Asm(*uint64, uint64, *uint64, int, int) uint64 { panic("limit: no assembly") }
