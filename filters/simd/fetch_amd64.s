//go:build !purego

#include "textflag.h"

// func fetchBits(array, bits *uint64, n int)
//
// Lines go to the L2 cache: more of them can be under way to it than to the L1.
TEXT ·fetchBits(SB), NOSPLIT, $0-24
	MOVQ array+0(FP), DI
	MOVQ bits+8(FP), SI
	MOVQ n+16(FP), CX

bit:
	MOVQ       (SI), AX
	SHRQ       $6, AX
	PREFETCHT1 (DI)(AX*8)
	ADDQ       $8, SI
	DECQ       CX
	JNZ        bit
	RET
