#include "textflag.h"

// The address of a read is Reduce(hash, lines)*64: the high half of a 64 x 64
// bit product, scaled to the line.

// ADDR leaves the offset of the line of the hash at off(SI) in DX.
#define ADDR(off) \
	MOVQ off(SI), AX; \
	MULQ R8; \
	SHLQ $6, DX

#define READ(off, acc) \
	ADDR(off); \
	ADDQ (DI)(DX*1), acc

// AHEAD prefetches the line of the hash R11 bytes further on in the stream.
#define AHEAD(off, PREFETCH) \
	MOVQ off(SI)(R11*1), AX; \
	MULQ R8; \
	SHLQ $6, DX; \
	PREFETCH (DI)(DX*1)

// READAHEAD reads CX lines, from the hashes at SI on, into R9.
#define READAHEAD(PREFETCH) \
	SHLQ $3, R11; \
	XORQ R9, R9; \
	XORQ R10, R10; \
	SUBQ $4, CX; \
	JLT  tail; \
loop4: \
	AHEAD(0, PREFETCH); \
	AHEAD(8, PREFETCH); \
	AHEAD(16, PREFETCH); \
	AHEAD(24, PREFETCH); \
	READ(0, R9); \
	READ(8, R10); \
	READ(16, R9); \
	READ(24, R10); \
	ADDQ $32, SI; \
	SUBQ $4, CX; \
	JGE  loop4; \
tail: \
	ADDQ $4, CX; \
	JZ   done; \
loop1: \
	AHEAD(0, PREFETCH); \
	READ(0, R9); \
	ADDQ $8, SI; \
	DECQ CX; \
	JNZ  loop1; \
done: \
	ADDQ R10, R9

// func readAsm(words *uint64, lines uint64, hashes *uint64, n int) uint64
TEXT ·readAsm(SB), NOSPLIT, $0-40
	MOVQ words+0(FP), DI
	MOVQ lines+8(FP), R8
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), CX
	XORQ R9, R9
	XORQ R10, R10
	SUBQ $4, CX
	JLT  tail

loop4:
	READ(0, R9)
	READ(8, R10)
	READ(16, R9)
	READ(24, R10)
	ADDQ $32, SI
	SUBQ $4, CX
	JGE  loop4

tail:
	ADDQ $4, CX
	JZ   done

loop1:
	READ(0, R9)
	ADDQ $8, SI
	DECQ CX
	JNZ  loop1

done:
	ADDQ R10, R9
	MOVQ R9, ret+32(FP)
	RET

// func readAheadAsm(words *uint64, lines uint64, hashes *uint64, n, distance int) uint64
TEXT ·readAheadAsm(SB), NOSPLIT, $0-48
	MOVQ words+0(FP), DI
	MOVQ lines+8(FP), R8
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), CX
	MOVQ distance+32(FP), R11
	READAHEAD(PREFETCHT0)
	MOVQ R9, ret+40(FP)
	RET

// func readAheadL2Asm(words *uint64, lines uint64, hashes *uint64, n, distance int) uint64
TEXT ·readAheadL2Asm(SB), NOSPLIT, $0-48
	MOVQ words+0(FP), DI
	MOVQ lines+8(FP), R8
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), CX
	MOVQ distance+32(FP), R11
	READAHEAD(PREFETCHT1)
	MOVQ R9, ret+40(FP)
	RET
