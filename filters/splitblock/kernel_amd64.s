//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The kernels take keys four at a time, in two steps: the addresses of their
// blocks are found first, and the blocks are looked into later, when they have
// come from memory.

// LOCATOR prepares LOCATE4 for the filter at AX.
#define LOCATOR \
	VPBROADCASTQ Filter_blocks(AX), Y10; \
	VPCMPEQD     Y11, Y11, Y11;          \
	VPSLLQ       $5, Y11, Y11;           \
	VPBROADCASTQ Filter_words(AX), Y12

// LOCATE4 turns four hashes into the addresses of their blocks, at (DI): the
// upper half of the hash times the number of blocks, shifted to a multiple of 32
// bytes, from the first block on.
#define LOCATE4(hashes) \
	VMOVDQU  hashes, Y0;  \
	VPSRLQ   $32, Y0, Y0; \
	VPMULUDQ Y10, Y0, Y0; \
	VPSRLQ   $27, Y0, Y0; \
	VPAND    Y11, Y0, Y0; \
	VPADDQ   Y12, Y0, Y0; \
	VMOVDQU  Y0, (DI)

// FETCH4 fetches these blocks into the L2 cache: more lines can be under way to
// it than to the L1 cache.
#define FETCH4 \
	MOVQ       (DI), AX;   \
	PREFETCHT1 (AX);       \
	MOVQ       8(DI), AX;  \
	PREFETCHT1 (AX);       \
	MOVQ       16(DI), AX; \
	PREFETCHT1 (AX);       \
	MOVQ       24(DI), AX; \
	PREFETCHT1 (AX)

// func locateAVX2(f *Filter, blocks, hashes *uint64, n int)
TEXT ·locateAVX2(SB), NOSPLIT, $0-32
	MOVQ f+0(FP), AX
	MOVQ blocks+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), CX
	LOCATOR

loop:
	LOCATE4((SI))
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	JNZ  loop
	VZEROUPPER
	RET

// func fetchAVX2(f *Filter, blocks, hashes *uint64, n int)
TEXT ·fetchAVX2(SB), NOSPLIT, $0-32
	MOVQ f+0(FP), AX
	MOVQ blocks+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), CX
	LOCATOR

loop:
	LOCATE4((SI))
	FETCH4
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $4, CX
	JNZ  loop
	VZEROUPPER
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

// ANSWER writes the answer to key i as one byte, 0xff for a hit.
#define ANSWER(i) \
	MOVQ      (8*i)(DI), AX; \
	SIGNS((8*i)(SI), (AX));  \
	VMOVMSKPS Y0, AX;        \
	MOVB      AX, i(DX)

#define ANSWER4 \
	ANSWER(0); \
	ANSWER(1); \
	ANSWER(2); \
	ANSWER(3)

#define NEXT4 \
	ADDQ $32, SI; \
	ADDQ $32, DI; \
	ADDQ $4, DX;  \
	SUBQ $4, CX

// func containsAVX2(f *Filter, blocks, hashes *uint64, n, next int) uint64
TEXT ·containsAVX2(SB), NOSPLIT, $64-48
	LEAQ     answers-64(SP), DX
	MOVQ     f+0(FP), AX
	MOVQ     blocks+8(FP), DI
	MOVQ     hashes+16(FP), SI
	MOVQ     next+32(FP), CX
	VMOVDQU  ·salt(SB), Y8
	VPCMPEQD Y9, Y9, Y9
	LOCATOR
	TESTQ    CX, CX
	JZ       rest

ahead:
	ANSWER4
	LOCATE4(512(SI))
	FETCH4
	NEXT4
	JNZ ahead

rest:
	MOVQ n+24(FP), CX
	SUBQ next+32(FP), CX
	JZ   done

last:
	ANSWER4
	NEXT4
	JNZ last

	// 64 bytes to as many bits.
done:
	VPCMPEQB  answers-64(SP), Y9, Y0
	VPCMPEQB  answers-32(SP), Y9, Y1
	VPMOVMSKB Y0, AX
	VPMOVMSKB Y1, DX
	SHLQ      $32, DX
	ORQ       DX, AX
	VZEROUPPER
	MOVQ      AX, ret+40(FP)
	RET

// SET sets the bits of key i. Y8 holds the salt, Y9 one in each lane.
#define SET(i) \
	MOVQ         (8*i)(DI), AX;     \
	VPBROADCASTD (8*i)(SI), Y0;     \
	VPMULLD      Y8, Y0, Y0;        \
	VPSRLD       $27, Y0, Y0;       \
	VPSLLVD      Y0, Y9, Y0;        \
	VPOR         (AX), Y0, Y0;      \
	VMOVDQU      Y0, (AX)

#define SET4 \
	SET(0); \
	SET(1); \
	SET(2); \
	SET(3)

// func addAVX2(f *Filter, blocks, hashes *uint64, n, next int)
TEXT ·addAVX2(SB), NOSPLIT, $0-40
	MOVQ     f+0(FP), AX
	MOVQ     blocks+8(FP), DI
	MOVQ     hashes+16(FP), SI
	MOVQ     next+32(FP), CX
	VMOVDQU  ·salt(SB), Y8
	VPCMPEQD Y9, Y9, Y9
	VPSRLD   $31, Y9, Y9
	LOCATOR
	TESTQ    CX, CX
	JZ       rest

ahead:
	SET4
	LOCATE4(512(SI))
	FETCH4
	NEXT4
	JNZ ahead

rest:
	MOVQ n+24(FP), CX
	SUBQ next+32(FP), CX
	JZ   done

last:
	SET4
	NEXT4
	JNZ last

done:
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
