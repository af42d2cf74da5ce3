//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The kernels take keys four at a time, in two steps: the addresses of their
// blocks are found first, and the blocks are looked into later, when they have
// come from memory.
//
// Registers: DI addresses, SI hashes, CX the number of the key, BX how many keys
// there are; for the first R12 of them, the block of one of the next keys each is
// located and fetched.

// LOCATOR prepares for the filter at AX.
#define LOCATOR \
	VPBROADCASTQ Filter_blocks(AX), Y10; \
	VPCMPEQD     Y11, Y11, Y11;          \
	VPSLLQ       $5, Y11, Y11;           \
	VPBROADCASTQ Filter_words(AX), Y12

// LOCATE4 turns the four hashes at off(SI) into the addresses of their blocks: the
// upper half of the hash times the number of blocks, shifted to a multiple of 32
// bytes, from the first block on.
#define LOCATE4(off) \
	VMOVDQU  off(SI)(CX*8), Y0; \
	VPSRLQ   $32, Y0, Y0;       \
	VPMULUDQ Y10, Y0, Y0;       \
	VPSRLQ   $27, Y0, Y0;       \
	VPAND    Y11, Y0, Y0;       \
	VPADDQ   Y12, Y0, Y0;       \
	VMOVDQU  Y0, (DI)(CX*8)

// FETCH fetches the block of key CX+i into the L2 cache: more lines can be under
// way to it than to the L1 cache.
#define FETCH(i) \
	MOVQ       (8*i)(DI)(CX*8), AX; \
	PREFETCHT1 (AX)

#define FETCH4 \
	FETCH(0); \
	FETCH(1); \
	FETCH(2); \
	FETCH(3)

// LOOP does something for all keys, four at a time.
#define LOOP(FOUR) \
	XORL CX, CX; \
loop:            \
	FOUR;        \
	ADDQ $4, CX; \
	CMPQ CX, BX; \
	JLT  loop

// func locateAVX2(f *Filter, blocks, hashes *uint64, n int)
TEXT ·locateAVX2(SB), NOSPLIT, $0-32
	MOVQ f+0(FP), AX
	MOVQ blocks+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), BX
	LOCATOR
	LOOP(LOCATE4(0))
	VZEROUPPER
	RET

// func fetchAVX2(blocks *uint64, n int)
TEXT ·fetchAVX2(SB), NOSPLIT, $0-16
	MOVQ blocks+0(FP), DI
	MOVQ n+8(FP), BX
	LOOP(FETCH4)
	RET

// SIGNS leaves the key's bit of each lane of the block in the sign of that lane
// of Y0. Y8 holds the salt, Y9 ones everywhere: bit i becomes the sign when it is
// shifted by 31-i.
#define SIGNS(hash, block) \
	VPBROADCASTD hash, Y0;    \
	VPMULLD      Y8, Y0, Y0;  \
	VPXOR        Y9, Y0, Y0;  \
	VPSRLD       $27, Y0, Y0; \
	VMOVDQU      block, Y1;   \
	VPSLLVD      Y0, Y1, Y0

// ANSWER writes the answer to key CX+i as one byte, 0xff for a hit.
#define ANSWER(i) \
	MOVQ      (8*i)(DI)(CX*8), AX;    \
	SIGNS((8*i)(SI)(CX*8), (AX));     \
	VMOVMSKPS Y0, AX;                 \
	MOVB      AX, i(R11)(CX*1)

#define ANSWER4 \
	ANSWER(0); \
	ANSWER(1); \
	ANSWER(2); \
	ANSWER(3)

// SET sets the bits of key CX+i. Y8 holds the salt, Y9 one in each lane.
#define SET(i) \
	MOVQ         (8*i)(DI)(CX*8), AX; \
	VPBROADCASTD (8*i)(SI)(CX*8), Y0; \
	VPMULLD      Y8, Y0, Y0;          \
	VPSRLD       $27, Y0, Y0;         \
	VPSLLVD      Y0, Y9, Y0;          \
	VPOR         (AX), Y0, Y0;        \
	VMOVDQU      Y0, (AX)

#define SET4 \
	SET(0); \
	SET(1); \
	SET(2); \
	SET(3)

// PIPELINE does something for all keys, and locates and fetches some of the next.
#define PIPELINE(FOUR) \
	XORL  CX, CX;   \
	TESTQ R12, R12; \
	JZ    rest;     \
ahead:              \
	FOUR;           \
	LOCATE4(512);   \
	FETCH4;         \
	ADDQ  $4, CX;   \
	CMPQ  CX, R12;  \
	JLT   ahead;    \
rest:               \
	CMPQ  CX, BX;   \
	JGE   done;     \
last:               \
	FOUR;           \
	ADDQ  $4, CX;   \
	CMPQ  CX, BX;   \
	JLT   last;     \
done:

// func containsAVX2(f *Filter, blocks, hashes *uint64, n, next int) uint64
TEXT ·containsAVX2(SB), NOSPLIT, $64-48
	LEAQ     answers-64(SP), R11
	MOVQ     f+0(FP), AX
	MOVQ     blocks+8(FP), DI
	MOVQ     hashes+16(FP), SI
	MOVQ     n+24(FP), BX
	MOVQ     next+32(FP), R12
	VMOVDQU  ·salt(SB), Y8
	VPCMPEQD Y9, Y9, Y9
	LOCATOR
	PIPELINE(ANSWER4)

	// 64 bytes to as many bits.
	VPCMPEQB  (R11), Y9, Y0
	VPCMPEQB  32(R11), Y9, Y1
	VPMOVMSKB Y0, AX
	VPMOVMSKB Y1, DX
	SHLQ      $32, DX
	ORQ       DX, AX
	VZEROUPPER
	MOVQ      AX, ret+40(FP)
	RET

// func addAVX2(f *Filter, blocks, hashes *uint64, n, next int)
TEXT ·addAVX2(SB), NOSPLIT, $0-40
	MOVQ     f+0(FP), AX
	MOVQ     blocks+8(FP), DI
	MOVQ     hashes+16(FP), SI
	MOVQ     n+24(FP), BX
	MOVQ     next+32(FP), R12
	VMOVDQU  ·salt(SB), Y8
	VPCMPEQD Y9, Y9, Y9
	VPSRLD   $31, Y9, Y9
	LOCATOR
	PIPELINE(SET4)
	VZEROUPPER
	RET

// func testAVX2(f *Filter, hash uint64) uint64
TEXT ·testAVX2(SB), NOSPLIT, $0-24
	MOVQ      f+0(FP), DX
	MOVQ      hash+8(FP), AX
	SHRQ      $32, AX
	IMULQ     Filter_blocks(DX), AX
	SHRQ      $32, AX
	SHLQ      $5, AX
	ADDQ      Filter_words(DX), AX
	VMOVDQU   ·salt(SB), Y8
	VPCMPEQD  Y9, Y9, Y9
	SIGNS(hash+8(FP), (AX))
	VMOVMSKPS Y0, AX
	INCL      AX
	SHRL      $8, AX
	VZEROUPPER
	MOVQ      AX, ret+16(FP)
	RET
