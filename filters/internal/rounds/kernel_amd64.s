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
// Registers: DI rounds, SI hashes, R8 the number of fields m, R9 the fields, R15 log2
// of their bits, CX the length of the list, R11 the place in it, BX the key's
// number, AX its position, R10 the number of keys that stay, DX scratch.

#define START \
	MOVQ Walker_words(DI), R9;  \
	MOVQ Walker_m(DI), R8;      \
	MOVQ Walker_width(DI), R15; \
	XORL R10, R10;              \
	XORL R11, R11

// KEY takes the key's number from the list.
#define KEY \
	MOVL rounds_keys(DI)(R11*4), BX

// POSITION is the high half of the product of the word in DX and m.
#define POSITION \
	MULXQ R8, AX, AX

// FIELD turns a position into the place of its field, in bits.
#define FIELD \
	SHLXQ R15, AX, AX

// FIRST: the word is the hash.
#define FIRST \
	MOVL R11, BX;                    \
	MOVL BX, rounds_keys(DI)(R11*4); \
	MOVQ (SI)(R11*8), DX;            \
	POSITION

// SECOND: the word is the sum of the hash and the step.
#define SECOND \
	KEY;                            \
	MOVQ (SI)(BX*8), DX;            \
	MIX;                            \
	MOVQ AX, rounds_step(DI)(BX*8); \
	ADDQ AX, DX;                    \
	MOVQ DX, rounds_word(DI)(BX*8); \
	POSITION

// NEXT: the word moves by the step and by what steps have changed so far, R12.
#define NEXT \
	KEY;                            \
	MOVQ rounds_word(DI)(BX*8), DX; \
	ADDQ rounds_step(DI)(BX*8), DX; \
	ADDQ R12, DX;                   \
	MOVQ DX, rounds_word(DI)(BX*8); \
	POSITION

// FETCHED: the field has been found before.
#define FETCHED \
	KEY; \
	MOVQ rounds_at(DI)(BX*8), AX

// BIT keeps the key in the list if its bit is set. The list is written over:
// nothing branches on the bit.
#define BIT \
	MOVQ AX, DX;                     \
	SHRQ $6, DX;                     \
	MOVQ (R9)(DX*8), DX;             \
	MOVL BX, rounds_keys(DI)(R10*4); \
	BTQ  AX, DX;                     \
	ADCQ $0, R10

// COUNTER keeps the key if its counter is not zero: then the negation carries.
#define COUNTER \
	MOVQ  AX, DX;                     \
	SHRQ  $6, DX;                     \
	SHRXQ AX, (R9)(DX*8), DX;         \
	MOVL  BX, rounds_keys(DI)(R10*4); \
	ANDQ  Walker_most(DI), DX;        \
	NEGQ  DX;                         \
	ADCQ  $0, R10

// FETCH keeps the place and fetches its line into the L2 cache: more lines can be
// under way to it than to the L1 cache.
#define FETCH \
	FIELD;                              \
	MOVQ       AX, rounds_at(DI)(BX*8); \
	SHRQ       $6, AX;                  \
	PREFETCHT1 (R9)(AX*8)

#define LOOP(POSITION, PART) \
	START;        \
loop:                 \
	POSITION;     \
	PART;         \
	INCQ R11;     \
	CMPQ R11, CX; \
	JLT  loop

// func firstBitsAVX2(r *rounds, hashes *uint64, n int) (left int)
TEXT ·firstBitsAVX2(SB), NOSPLIT, $0-32
	MOVQ r+0(FP), DI
	MOVQ hashes+8(FP), SI
	MOVQ n+16(FP), CX
	LOOP(FIRST, BIT)
	MOVQ R10, left+24(FP)
	RET

// func firstCountersAVX2(r *rounds, hashes *uint64, n int) (left int)
TEXT ·firstCountersAVX2(SB), NOSPLIT, $0-32
	MOVQ r+0(FP), DI
	MOVQ hashes+8(FP), SI
	MOVQ n+16(FP), CX
	LOOP(FIRST, FIELD; COUNTER)
	MOVQ R10, left+24(FP)
	RET

// func fetchFirstAVX2(r *rounds, hashes *uint64, n int)
TEXT ·fetchFirstAVX2(SB), NOSPLIT, $0-24
	MOVQ r+0(FP), DI
	MOVQ hashes+8(FP), SI
	MOVQ n+16(FP), CX
	LOOP(FIRST, FETCH)
	RET

// func secondBitsAVX2(r *rounds, hashes *uint64, n int) (left int)
TEXT ·secondBitsAVX2(SB), NOSPLIT, $0-32
	MOVQ r+0(FP), DI
	MOVQ hashes+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ Walker_low(DI), R12
	MOVQ Walker_shift(DI), R13
	LOOP(SECOND, BIT)
	MOVQ R10, left+24(FP)
	RET

// func secondCountersAVX2(r *rounds, hashes *uint64, n int) (left int)
TEXT ·secondCountersAVX2(SB), NOSPLIT, $0-32
	MOVQ r+0(FP), DI
	MOVQ hashes+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ Walker_low(DI), R12
	MOVQ Walker_shift(DI), R13
	LOOP(SECOND, FIELD; COUNTER)
	MOVQ R10, left+24(FP)
	RET

// func fetchSecondAVX2(r *rounds, hashes *uint64, n int)
TEXT ·fetchSecondAVX2(SB), NOSPLIT, $0-24
	MOVQ r+0(FP), DI
	MOVQ hashes+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ Walker_low(DI), R12
	MOVQ Walker_shift(DI), R13
	LOOP(SECOND, FETCH)
	RET

// func nextBitsAVX2(r *rounds, n int) (left int)
TEXT ·nextBitsAVX2(SB), NOSPLIT, $0-24
	MOVQ r+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ rounds_change(DI), R12
	LOOP(NEXT, BIT)
	MOVQ R10, left+16(FP)
	RET

// func nextCountersAVX2(r *rounds, n int) (left int)
TEXT ·nextCountersAVX2(SB), NOSPLIT, $0-24
	MOVQ r+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ rounds_change(DI), R12
	LOOP(NEXT, FIELD; COUNTER)
	MOVQ R10, left+16(FP)
	RET

// func fetchNextAVX2(r *rounds, n int)
TEXT ·fetchNextAVX2(SB), NOSPLIT, $0-16
	MOVQ r+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ rounds_change(DI), R12
	LOOP(NEXT, FETCH)
	RET

// func stayBitsAVX2(r *rounds, n int) (left int)
TEXT ·stayBitsAVX2(SB), NOSPLIT, $0-24
	MOVQ r+0(FP), DI
	MOVQ n+8(FP), CX
	LOOP(FETCHED, BIT)
	MOVQ R10, left+16(FP)
	RET

// func stayCountersAVX2(r *rounds, n int) (left int)
TEXT ·stayCountersAVX2(SB), NOSPLIT, $0-24
	MOVQ r+0(FP), DI
	MOVQ n+8(FP), CX
	LOOP(FETCHED, COUNTER)
	MOVQ R10, left+16(FP)
	RET

// WALK begins the walk of the hash in SI: SI is the word, R11 the step, R12 and R13
// its changes; R8 the number of fields, R9 the fields; DI holds the walker.
#define WALK \
	MOVQ Walker_low(DI), R12;   \
	MOVQ Walker_shift(DI), R13; \
	MOVQ SI, DX;                \
	MIX;                        \
	MOVQ AX, R11;               \
	MOVQ Walker_z(DI), R12;     \
	MOVQ Walker_c(DI), R13

// AT leaves the position in AX and walks on.
#define AT \
	MOVQ SI, DX;   \
	POSITION;      \
	ADDQ R11, SI;  \
	ADDQ R12, R11; \
	ADDQ R13, R12

// WAIT puts the field at AX into the ring, in the place of an old one, whose line
// has come and which is then in DX.
#define WAIT \
	MOVQ       adder_ring(DI)(R15*8), DX;   \
	MOVQ       AX, adder_ring(DI)(R15*8);   \
	INCQ       R15;                         \
	ANDQ       $(const_ahead-1), R15;       \
	SHRQ       $6, AX;                      \
	PREFETCHT1 (R9)(AX*8)

// SET sets the bit at DX.
#define SET \
	WAIT;                \
	MOVQ DX, BX;         \
	SHRQ $6, BX;         \
	MOVQ (R9)(BX*8), AX; \
	BTSQ DX, AX;         \
	MOVQ AX, (R9)(BX*8)

// COUNT counts up the counter at DX where it is below the most.
#define COUNT \
	MOVQ  Walker_width(DI), BX; \
	SHLXQ BX, AX, AX;           \
	WAIT;                       \
	MOVQ  DX, BX;               \
	SHRQ  $6, BX;               \
	SHRXQ DX, (R9)(BX*8), AX;   \
	ANDQ  Walker_most(DI), AX;  \
	CMPQ  AX, Walker_most(DI);  \
	SBBQ  AX, AX;               \
	SHLXQ DX, AX, AX;           \
	SUBQ  AX, (R9)(BX*8)

#define ADD(PART) \
	MOVQ Walker_words(DI), R9; \
	MOVQ Walker_m(DI), R8;     \
	MOVQ adder_turn(DI), R15;  \
key:                               \
	MOVQ (R10), SI;            \
	ADDQ $8, R10;              \
	WALK;                      \
	MOVQ Walker_k(DI), R14;    \
probe:                             \
	AT;                        \
	PART;                      \
	DECQ R14;                  \
	JNZ  probe;                \
	DECQ CX;                   \
	JNZ  key;                  \
	MOVQ R15, adder_turn(DI)

// func addBitsAVX2(a *adder, hashes *uint64, n int)
TEXT ·addBitsAVX2(SB), NOSPLIT, $0-24
	MOVQ a+0(FP), DI
	MOVQ hashes+8(FP), R10
	MOVQ n+16(FP), CX
	ADD(SET)
	RET

// func addCountersAVX2(a *adder, hashes *uint64, n int)
TEXT ·addCountersAVX2(SB), NOSPLIT, $0-24
	MOVQ a+0(FP), DI
	MOVQ hashes+8(FP), R10
	MOVQ n+16(FP), CX
	ADD(COUNT)
	RET
