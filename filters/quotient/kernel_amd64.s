//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// Registers: R8 the filter, R9 its blocks, DI what is found of keys, SI their hashes,
// CX the number of a key.

// The parts of a block, by bytes.
#define OCCUPIEDS const_atOccupied
#define RUNENDS const_atRunends
#define REMAINDERS const_header

// BLOCK leaves the quotient of the hash in DX in AX, and the place of its block,
// counted from R9 on, in DX.
#define BLOCK \
	MULXQ table_slots(R8), AX, AX; \
	MOVQ  AX, DX;                  \
	SHRQ  $6, DX;                  \
	IMULQ Rank_stride(R8), DX

// FETCH fetches a line into the L2 cache: more lines can be under way to it than to
// the L1 cache.
#define FETCH PREFETCHT1

// METADATA fetches the metadata of the block at DX.
#define METADATA \
	FETCH (R9)(DX*1); \
	FETCH (REMAINDERS-1)(R9)(DX*1)

// RANK leaves the occupied quotients of the block up to the key's own, AX, in R11, its
// own on top, and how many they are in R12; all runends in R14; and those of this
// block's quotients, which are from the offset in R13 on, in R15.
#define RANK \
	MOVQ    AX, R12;                       \
	NOTQ    R12;                           \
	SHLXQ   R12, OCCUPIEDS(R9)(DX*1), R11; \
	POPCNTQ R11, R12;                      \
	MOVQ    RUNENDS(R9)(DX*1), R14;        \
	SHRXQ   R13, R14, R15;                 \
	SHLXQ   R13, R15, R15

// SELECT leaves in R13 the slot of the runend in R15 whose rank is R12, counted from
// 1; 64, and the carry flag, if there are not so many. Uses R12.
#define SELECT \
	DECQ   R12;           \
	MOVL   $1, R13;       \
	SHLXQ  R12, R13, R12; \
	PDEPQ  R15, R12, R12; \
	TZCNTQ R12, R13

// START leaves in R14, of the run that ends in slot R13, 64 less its first slot: that
// behind the runend before, in R14, but not before the quotient's own, AX. Where
// runs of earlier blocks take the slots up to the offset, there is a runend before
// it. Uses R12.
#define START \
	XORL   R12, R12;      \
	BTSQ   AX, R12;       \
	SHRQ   $1, R12;       \
	BZHIQ  R13, R14, R14; \
	ORQ    R12, R14;      \
	LZCNTQ R14, R14

// RUN leaves the first bit of the run in R14 and its length in R12, from the slot of
// its end in R13 and 64 less that of its start in R14.
#define RUN \
	LEAQ  -63(R13)(R14*1), R12; \
	IMULQ table_r(R8), R12;     \
	NEGQ  R14;                  \
	ADDQ  $64, R14;             \
	IMULQ table_r(R8), R14;     \
	LEAQ  (R14)(DX*8), R14

// KEEP writes a run where the next that is found belongs, at R10.
#define KEEP \
	MOVQ R14, located_bit(DI)(R10*8);    \
	MOVL R12, located_length(DI)(R10*4); \
	MOVL CX, located_key(DI)(R10*4)

// HARD leaves a key to portable code. Uses AX.
#define HARD \
	MOVQ located_hard(DI), AX;          \
	MOVL CX, located_hardKey(DI)(AX*4); \
	INCQ located_hard(DI)

// FIND finds the run of the hash in DX. It is among those found if its quotient is
// occupied and it ends in this block, and among the far ones, BX of them, if just the
// latter is not so.
#define FIND(PREFETCH, hard) \
	BLOCK;                               \
	MOVBLZX (R9)(DX*1), R13;             \
	CMPL    R13, $const_blockSlots;      \
	JHS     hard;                        \
	RANK;                                \
	SELECT;                              \
	START;                               \
	RUN;                                 \
	KEEP;                                \
	MOVL    CX, located_farKey(DI)(BX*4); \
	SHRQ    $6, R13;                     \
	PREFETCH;                            \
	SHRQ    $63, R11;                    \
	ANDNQ   R11, R13, R12;               \
	ADDQ    R12, R10;                    \
	ANDQ    R11, R13;                    \
	ADDQ    R13, BX

#define NOTHING

// REST fetches the word of remainders from bit R14 on; if R13 is not 0, the runends of
// the next block instead; and if the quotient is not occupied, nothing new.
#define REST \
	SHRQ    $3, R14;                           \
	MOVQ    Rank_stride(R8), R15;              \
	LEAQ    (RUNENDS-REMAINDERS)(DX)(R15*1), R15; \
	TESTQ   R13, R13;                          \
	CMOVQNE R15, R14;                          \
	TESTQ   R11, R11;                          \
	CMOVQPL DX, R14;                           \
	FETCH   REMAINDERS(R9)(R14*1);             \
	FETCH   (REMAINDERS+7)(R9)(R14*1)

// func fetchRankAVX2(f *Rank, hashes *uint64, n int)
TEXT ·fetchRankAVX2(SB), NOSPLIT, $0-24
	MOVQ f+0(FP), R8
	MOVQ hashes+8(FP), SI
	MOVQ n+16(FP), BX
	MOVQ table_data(R8), R9
	XORL CX, CX

key:
	MOVQ  (SI)(CX*8), DX
	BLOCK
	METADATA
	ADDQ  R9, DX
	ANDL  $(const_blockSlots-1), AX
	IMULQ table_r(R8), AX
	SHRQ  $3, AX
	FETCH REMAINDERS(DX)(AX*1)
	FETCH (REMAINDERS+64)(DX)(AX*1)
	INCQ  CX
	CMPQ  CX, BX
	JLT   key
	RET

// func findAVX2(f *Rank, keys *located, hashes *uint64, n int)
TEXT ·findAVX2(SB), NOSPLIT, $0-32
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ table_data(R8), R9
	XORL CX, CX
	XORL R10, R10
	XORL BX, BX
	MOVQ CX, located_hard(DI)

key:
	MOVQ (SI)(CX*8), DX
	FIND(NOTHING, hard)

next:
	INCQ CX
	CMPQ CX, n+24(FP)
	JLT  key
	MOVQ R10, located_found(DI)
	MOVQ BX, located_far(DI)
	RET

hard:
	HARD
	JMP next

// func findFetchAVX2(f *Rank, keys *located, hashes *uint64, n, next int)
TEXT ·findFetchAVX2(SB), NOSPLIT, $0-40
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ table_data(R8), R9
	XORL CX, CX
	XORL R10, R10
	XORL BX, BX
	MOVQ CX, located_hard(DI)
	CMPQ next+32(FP), $0
	JEQ  last

ahead:
	MOVQ (const_chunk*8)(SI)(CX*8), DX
	BLOCK
	METADATA
	MOVQ (SI)(CX*8), DX
	FIND(REST, hardAhead)

nextAhead:
	INCQ CX
	CMPQ CX, next+32(FP)
	JLT  ahead
	CMPQ CX, n+24(FP)
	JGE  done

last:
	MOVQ (SI)(CX*8), DX
	FIND(REST, hardLast)

nextLast:
	INCQ CX
	CMPQ CX, n+24(FP)
	JLT  last

done:
	MOVQ R10, located_found(DI)
	MOVQ BX, located_far(DI)
	RET

hardAhead:
	HARD
	JMP nextAhead

hardLast:
	HARD
	JMP nextLast

// func findFarAVX2(f *Rank, keys *located, hashes *uint64)
TEXT ·findFarAVX2(SB), NOSPLIT, $0-24
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ table_data(R8), R9
	MOVQ located_found(DI), R10
	XORL BX, BX

key:
	MOVL    located_farKey(DI)(BX*4), CX
	MOVQ    (SI)(CX*8), DX
	BLOCK
	MOVBLZX (R9)(DX*1), R13
	RANK
	POPCNTQ R15, R15
	SUBQ    R15, R12
	ADDQ    Rank_stride(R8), DX
	CMPQ    DX, Rank_end(R8)
	JEQ     around

select:
	MOVQ  RUNENDS(R9)(DX*1), R15
	SELECT
	JCS   hard
	MOVQ  R14, R11
	BZHIQ R13, R15, R14
	JNE   start
	TESTQ R11, R11
	JPL   hard                   // the run begins in the first block

start:
	LZCNTQ R14, R14
	RUN
	KEEP
	INCQ   R10

next:
	INCQ BX
	CMPQ BX, located_far(DI)
	JLT  key
	MOVQ R10, located_found(DI)
	RET

around:
	XORL DX, DX
	JMP  select

hard:
	HARD
	JMP next

// REMAINDER leaves the remainder of the hash in DX in each place of a window.
#define REMAINDER \
	IMULQ table_slots(R8), DX;   \
	SHRXQ R11, DX, DX;           \
	IMULQ (Rank_window+window_low)(R8), DX

// WINDOW leaves in R13 the differences of the remainders from bit AX on and that in
// DX. Uses R12 and R15.
#define WINDOW \
	MOVQ  AX, R12;                         \
	SHRQ  $3, R12;                         \
	MOVL  AX, R15;                         \
	ANDL  $7, R15;                         \
	SHRXQ R15, REMAINDERS(R9)(R12*1), R13; \
	XORQ  DX, R13

// EQUAL leaves a bit in R13 where a remainder is equal: of those to any extent, the
// first is. Uses R15.
#define EQUAL \
	MOVQ  R13, R15;                           \
	SUBQ  (Rank_window+window_low)(R8), R15;  \
	ANDNQ R15, R13, R13

// func compareAVX2(f *Rank, keys *located, hashes *uint64) uint64
TEXT ·compareAVX2(SB), NOSPLIT, $0-32
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ table_data(R8), R9
	MOVL $64, R11
	SUBQ table_r(R8), R11
	XORL R10, R10
	XORL BX, BX

key:
	MOVL    located_key(DI)(BX*4), CX
	MOVQ    (SI)(CX*8), DX
	REMAINDER
	MOVQ    located_bit(DI)(BX*8), AX
	MOVLQSX located_length(DI)(BX*4), R14

rest:
	WINDOW
	CMPQ  R14, (Rank_window+window_bits)(R8)
	JGT   long
	EQUAL
	BZHIQ R14, (Rank_window+window_high)(R8), R14
	XORL  AX, AX
	TESTQ R13, R14
	SETNE AX
	SHLXQ CX, AX, AX
	ORQ   AX, R10

next:
	INCQ BX
	CMPQ BX, located_found(DI)
	JLT  key
	MOVQ R10, ret+24(FP)
	RET

long:
	EQUAL
	ADDQ  (Rank_window+window_bits)(R8), AX
	SUBQ  (Rank_window+window_bits)(R8), R14
	TESTQ R13, (Rank_window+window_high)(R8)
	JEQ   rest
	BTSQ  CX, R10
	JMP   next

// func testAVX2(f *Rank, hash uint64) uint64
TEXT ·testAVX2(SB), NOSPLIT, $0-24
	MOVQ    f+0(FP), R8
	MOVQ    hash+8(FP), DX
	MOVQ    DX, BX
	MOVQ    table_data(R8), R9
	BLOCK
	MOVBLZX (R9)(DX*1), R13
	CMPL    R13, $const_blockSlots
	JHS     hard
	RANK
	SELECT
	SBBQ    R10, R10
	START
	RUN
	ANDQ    R11, R10
	JMI     hard
	CMPQ    R12, (Rank_window+window_bits)(R8)
	JGT     long
	MOVQ    R11, R10
	MOVQ    BX, DX
	MOVL    $64, R11
	SUBQ    table_r(R8), R11
	REMAINDER
	MOVQ    R14, AX
	MOVQ    R12, R14
	WINDOW
	EQUAL
	BZHIQ   R14, (Rank_window+window_high)(R8), R14
	XORL    AX, AX
	TESTQ   R13, R14
	SETNE   AX
	SHRQ    $63, R10
	ANDQ    R10, AX
	MOVQ    AX, ret+16(FP)
	RET

long:
	TESTQ R11, R11
	JMI   hard
	MOVQ  $0, ret+16(FP)
	RET

hard:
	MOVQ $2, ret+16(FP)
	RET

// func fetchFlagsAVX2(f *Flags, hashes *uint64, n int)
TEXT ·fetchFlagsAVX2(SB), NOSPLIT, $0-24
	MOVQ f+0(FP), R8
	MOVQ hashes+8(FP), SI
	MOVQ n+16(FP), BX
	MOVQ table_data(R8), R9
	MOVQ table_r(R8), R10
	ADDQ $const_flagBits, R10
	XORL CX, CX

key:
	MOVQ  (SI)(CX*8), DX
	MULXQ table_slots(R8), AX, AX
	IMULQ R10, AX
	SHRQ  $3, AX
	FETCH -8(R9)(AX*1)
	FETCH 15(R9)(AX*1)
	INCQ  CX
	CMPQ  CX, BX
	JLT   key
	RET
