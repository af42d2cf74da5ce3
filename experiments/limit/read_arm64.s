#include "textflag.h"

// The address of a read is Reduce(hash, lines)*64: the high half of a 64 x 64
// bit product, scaled to the line.

// READ adds the first word of the line of the hash in reg to acc.
#define READ(reg, acc) \
	UMULH R1, reg, reg; \
	LSL   $6, reg, reg; \
	MOVD  (R0)(reg), reg; \
	ADD   reg, acc, acc

// AHEAD prefetches the line of the hash in reg.
#define AHEAD(reg, LEVEL) \
	UMULH R1, reg, reg; \
	ADD   reg<<6, R0, reg; \
	PRFM  (reg), LEVEL

// READAHEAD reads R3 lines, from the hashes at R2 on, into R9; R11 is the
// distance.
#define READAHEAD(LEVEL) \
	ADD  R11<<3, R2, R11; \
	MOVD ZR, R9; \
	MOVD ZR, R10; \
	SUBS $4, R3; \
	BLT  tail; \
loop4: \
	LDP.P 16(R11), (R4, R5); \
	LDP.P 16(R11), (R6, R7); \
	AHEAD(R4, LEVEL); \
	AHEAD(R5, LEVEL); \
	AHEAD(R6, LEVEL); \
	AHEAD(R7, LEVEL); \
	LDP.P 16(R2), (R4, R5); \
	LDP.P 16(R2), (R6, R7); \
	READ(R4, R9); \
	READ(R5, R10); \
	READ(R6, R9); \
	READ(R7, R10); \
	SUBS  $4, R3; \
	BGE   loop4; \
tail: \
	ADDS $4, R3; \
	BEQ  done; \
loop1: \
	MOVD.P 8(R11), R4; \
	AHEAD(R4, LEVEL); \
	MOVD.P 8(R2), R4; \
	READ(R4, R9); \
	SUBS   $1, R3; \
	BNE    loop1; \
done: \
	ADD  R10, R9, R9

// func readAsm(words *uint64, lines uint64, hashes *uint64, n int) uint64
TEXT ·readAsm(SB), NOSPLIT, $0-40
	MOVD words+0(FP), R0
	MOVD lines+8(FP), R1
	MOVD hashes+16(FP), R2
	MOVD n+24(FP), R3
	MOVD ZR, R9
	MOVD ZR, R10
	SUBS $4, R3
	BLT  tail

loop4:
	LDP.P 16(R2), (R4, R5)
	LDP.P 16(R2), (R6, R7)
	READ(R4, R9)
	READ(R5, R10)
	READ(R6, R9)
	READ(R7, R10)
	SUBS  $4, R3
	BGE   loop4

tail:
	ADDS $4, R3
	BEQ  done

loop1:
	MOVD.P 8(R2), R4
	READ(R4, R9)
	SUBS   $1, R3
	BNE    loop1

done:
	ADD  R10, R9
	MOVD R9, ret+32(FP)
	RET

// func readAheadAsm(words *uint64, lines uint64, hashes *uint64, n, distance int) uint64
TEXT ·readAheadAsm(SB), NOSPLIT, $0-48
	MOVD words+0(FP), R0
	MOVD lines+8(FP), R1
	MOVD hashes+16(FP), R2
	MOVD n+24(FP), R3
	MOVD distance+32(FP), R11
	READAHEAD(PLDL1KEEP)
	MOVD R9, ret+40(FP)
	RET

// func readAheadL2Asm(words *uint64, lines uint64, hashes *uint64, n, distance int) uint64
TEXT ·readAheadL2Asm(SB), NOSPLIT, $0-48
	MOVD words+0(FP), R0
	MOVD lines+8(FP), R1
	MOVD hashes+16(FP), R2
	MOVD n+24(FP), R3
	MOVD distance+32(FP), R11
	READAHEAD(PLDL2KEEP)
	MOVD R9, ret+40(FP)
	RET
