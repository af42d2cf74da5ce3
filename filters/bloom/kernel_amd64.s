//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// MIX turns the hash in DX into its step in AX: hashing.Mix, made odd in units of
// 2^R13 where R12 is 1. Uses R14.
#define MIX \
	MOVQ  DX, AX;            \
	SHRQ  $30, AX;           \
	XORQ  DX, AX;            \
	IMULQ factor1<>(SB), AX; \
	MOVQ  AX, R14;           \
	SHRQ  $27, R14;          \
	XORQ  R14, AX;           \
	IMULQ factor2<>(SB), AX; \
	MOVQ  AX, R14;           \
	SHRQ  $31, R14;          \
	XORQ  R14, AX;           \
	SHRXQ R13, AX, AX;       \
	ORQ   R12, AX;           \
	SHLXQ R13, AX, AX

// The factors of hashing.Mix.
DATA factor1<>(SB)/8, $0xbf58476d1ce4e5b9
DATA factor2<>(SB)/8, $0x94d049bb133111eb
GLOBL factor1<>(SB), RODATA|NOPTR, $8
GLOBL factor2<>(SB), RODATA|NOPTR, $8

// Rounds go through a list of keys, one probe each. The loop of a round is made of
// two parts: the first finds the key's position, the second does something with it.
//
// Registers: DI rounds, SI hashes, R8 the number of bits m, R9 the bits, CX the
// length of the list, R11 the place in it, BX the key's number, AX its position,
// R10 the number of keys that stay, DX scratch.

#define START \
	MOVQ walker_words(DI), R9; \
	MOVQ walker_m(DI), R8;     \
	XORL R10, R10;             \
	XORL R11, R11

// KEY takes the key's number from the list.
#define KEY \
	MOVL rounds_keys(DI)(R11*4), BX

// POSITION is the high half of the product of the word in DX and m.
#define POSITION \
	MULXQ R8, AX, AX

// FIRST: the word is the hash.
#define FIRST \
	MOVL R11, BX; \
	MOVL BX, rounds_keys(DI)(R11*4); \
	MOVQ (SI)(R11*8), DX; \
	POSITION

// SECOND: the word is the sum of the hash and the step.
#define SECOND \
	KEY;                             \
	MOVQ (SI)(BX*8), DX;             \
	MIX;                             \
	MOVQ AX, rounds_step(DI)(BX*8);  \
	ADDQ AX, DX;                     \
	MOVQ DX, rounds_word(DI)(BX*8);  \
	POSITION

// NEXT: the word moves by the step and by what steps have changed so far, R12.
#define NEXT \
	KEY; \
	MOVQ rounds_word(DI)(BX*8), DX;  \
	ADDQ rounds_step(DI)(BX*8), DX; \
	ADDQ R12, DX;                    \
	MOVQ DX, rounds_word(DI)(BX*8); \
	POSITION

// FETCHED: the position has been found before.
#define FETCHED \
	KEY; \
	MOVQ rounds_at(DI)(BX*8), AX

// STAY keeps the key in the list if its bit is set. The list is written over:
// nothing branches on the bit.
#define STAY \
	MOVQ AX, DX; \
	SHRQ $6, DX;                        \
	MOVQ (R9)(DX*8), DX; \
	MOVL BX, rounds_keys(DI)(R10*4);    \
	BTQ  AX, DX; \
	ADCQ $0, R10

// FETCH keeps the position and fetches its line into the L2 cache: more lines can
// be under way to it than to the L1 cache.
#define FETCH \
	MOVQ       AX, rounds_at(DI)(BX*8); \
	SHRQ       $6, AX;                  \
	PREFETCHT1 (R9)(AX*8)

#define LOOP(POSITION, PART) \
	START; \
loop:                 \
	POSITION; \
	PART;             \
	INCQ R11; \
	CMPQ R11, CX;     \
	JLT  loop

// func firstAVX2(r *rounds, hashes *uint64, n int) (left int)
TEXT ·firstAVX2(SB), NOSPLIT, $0-32
	MOVQ r+0(FP), DI
	MOVQ hashes+8(FP), SI
	MOVQ n+16(FP), CX
	LOOP(FIRST, STAY)
	MOVQ R10, left+24(FP)
	RET

// func secondAVX2(r *rounds, hashes *uint64, n int) (left int)
TEXT ·secondAVX2(SB), NOSPLIT, $0-32
	MOVQ r+0(FP), DI
	MOVQ hashes+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ walker_low(DI), R12
	MOVQ walker_shift(DI), R13
	LOOP(SECOND, STAY)
	MOVQ R10, left+24(FP)
	RET

// func nextAVX2(r *rounds, n int) (left int)
TEXT ·nextAVX2(SB), NOSPLIT, $0-24
	MOVQ r+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ rounds_change(DI), R12
	LOOP(NEXT, STAY)
	MOVQ R10, left+16(FP)
	RET

// func fetchFirstAVX2(r *rounds, hashes *uint64, n int)
TEXT ·fetchFirstAVX2(SB), NOSPLIT, $0-24
	MOVQ r+0(FP), DI
	MOVQ hashes+8(FP), SI
	MOVQ n+16(FP), CX
	LOOP(FIRST, FETCH)
	RET

// func fetchSecondAVX2(r *rounds, hashes *uint64, n int)
TEXT ·fetchSecondAVX2(SB), NOSPLIT, $0-24
	MOVQ r+0(FP), DI
	MOVQ hashes+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ walker_low(DI), R12
	MOVQ walker_shift(DI), R13
	LOOP(SECOND, FETCH)
	RET

// func fetchNextAVX2(r *rounds, n int)
TEXT ·fetchNextAVX2(SB), NOSPLIT, $0-16
	MOVQ r+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ rounds_change(DI), R12
	LOOP(NEXT, FETCH)
	RET

// func stayAVX2(r *rounds, n int) (left int)
TEXT ·stayAVX2(SB), NOSPLIT, $0-24
	MOVQ r+0(FP), DI
	MOVQ n+8(FP), CX
	LOOP(FETCHED, STAY)
	MOVQ R10, left+16(FP)
	RET

// WALK begins the walk of the hash in SI: SI is the word, R11 the step, R12 and R13
// its changes; R8 the number of bits, R9 the bits; DI holds the walker.
#define WALK \
	MOVQ walker_low(DI), R12;   \
	MOVQ walker_shift(DI), R13; \
	MOVQ SI, DX;                \
	MIX;                        \
	MOVQ AX, R11;               \
	MOVQ walker_z(DI), R12;     \
	MOVQ walker_c(DI), R13

// AT leaves the position in AX and walks on.
#define AT \
	MOVQ SI, DX;    \
	POSITION;       \
	ADDQ R11, SI;   \
	ADDQ R12, R11;  \
	ADDQ R13, R12

// func addAVX2(a *adder, hashes *uint64, n int)
TEXT ·addAVX2(SB), NOSPLIT, $0-24
	MOVQ a+0(FP), DI
	MOVQ hashes+8(FP), R10
	MOVQ n+16(FP), CX
	MOVQ walker_words(DI), R9
	MOVQ walker_m(DI), R8
	MOVQ adder_turn(DI), R15

key:
	MOVQ (R10), SI
	ADDQ $8, R10
	WALK
	MOVQ walker_k(DI), R14

probe:
	AT

	// The new position takes the place of an old one, whose line has come.
	MOVQ       adder_ring(DI)(R15*8), DX
	MOVQ       AX, adder_ring(DI)(R15*8)
	INCQ       R15
	ANDQ       $(const_ahead-1), R15
	SHRQ       $6, AX
	PREFETCHT1 (R9)(AX*8)
	MOVQ       DX, BX
	SHRQ       $6, BX
	MOVQ       (R9)(BX*8), AX
	BTSQ       DX, AX
	MOVQ       AX, (R9)(BX*8)
	DECQ       R14
	JNZ        probe
	DECQ       CX
	JNZ        key
	MOVQ       R15, adder_turn(DI)
	RET
