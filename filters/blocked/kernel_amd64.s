//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The kernels take keys in two steps, up to 64 at a time: locate finds their
// blocks and fetches them, contains and add work inside the blocks. Between the
// two passes the time that a line takes to come from memory.
//
// All steps are for eight probes in the lanes of a register. Lanes behind the
// last probe repeat the first one (Filter.steps).

// LOCATE4 packs the four hashes at (SI) into four located keys at (DI): the
// block, which is the high half of the product of hash and blocks, above the 32
// bits that follow it. The product is put together from 32-bit halves. Y10
// holds blocks in each quadword.
#define LOCATE4 \
	VMOVDQU  (SI), Y0;      \
	VPMULUDQ Y10, Y0, Y1;   \
	VPSRLQ   $32, Y0, Y0;   \
	VPMULUDQ Y10, Y0, Y0;   \
	VPSRLQ   $32, Y1, Y1;   \
	VPADDQ   Y1, Y0, Y0;    \
	VMOVDQU  Y0, (DI);      \
	ADDQ     $32, SI

// func locateAVX2(f *Filter, keys, hashes *uint64, n int)
TEXT ·locateAVX2(SB), NOSPLIT, $0-32
	MOVQ         f+0(FP), AX
	MOVQ         keys+8(FP), DI
	MOVQ         hashes+16(FP), SI
	MOVQ         n+24(FP), CX
	VPBROADCASTQ Filter_blocks(AX), Y10

loop:
	LOCATE4
	ADDQ $32, DI
	SUBQ $4, CX
	JNZ  loop
	VZEROUPPER
	RET

// FETCH prefetches the block of the key at off(DI): R8 is the first block, CX
// log2 of the bytes of a block.
#define FETCH(off) \
	MOVL       (off+4)(DI), AX; \
	SHLXQ      CX, AX, AX;      \
	PREFETCHT0 (R8)(AX*1)

// FETCH2 prefetches the second line of a block of 128 bytes, too.
#define FETCH2(off) \
	FETCH(off);                  \
	PREFETCHT0 64(R8)(AX*1)

// func fetchAVX2(f *Filter, keys, hashes *uint64, n int)
TEXT ·fetchAVX2(SB), NOSPLIT, $0-32
	MOVQ         f+0(FP), AX
	MOVQ         keys+8(FP), DI
	MOVQ         hashes+16(FP), SI
	MOVQ         n+24(FP), DX
	VPBROADCASTQ Filter_blocks(AX), Y10
	MOVQ         Filter_words(AX), R8
	MOVQ         Filter_log2(AX), CX
	ADDQ         $3, CX
	CMPQ         CX, $6
	JNE          loop128

loop64:
	LOCATE4
	FETCH(0)
	FETCH(8)
	FETCH(16)
	FETCH(24)
	ADDQ $32, DI
	SUBQ $4, DX
	JNZ  loop64
	VZEROUPPER
	RET

loop128:
	LOCATE4
	FETCH2(0)
	FETCH2(8)
	FETCH2(16)
	FETCH2(24)
	ADDQ $32, DI
	SUBQ $4, DX
	JNZ  loop128
	VZEROUPPER
	RET

// PROBE64 looks up the positions in the lanes of x, in the block of 64 bytes
// at AX, and leaves the bit found in the sign of each lane of r. From the top, a
// position is 1 bit for the half of the block, 3 for the word of 32 bits in it,
// and 5 for the bit. Y9 holds 31 in each lane. Uses Y2 to Y4.
#define PROBE64(x, r) \
	VPSRLD    $28, x, Y2;     \
	VPERMD    32(AX), Y2, Y3; \
	VPERMD    (AX), Y2, Y2;   \
	VPSRLD    $23, x, Y4;     \
	VPANDN    Y9, Y4, Y4;     \
	VBLENDVPS x, Y3, Y2, Y2;  \
	VPSLLVD   Y4, Y2, r

// PROBE128 does so in a block of 128 bytes: 2 bits choose the quarter. Uses Y2
// to Y6.
#define PROBE128(x, r) \
	VPSRLD    $27, x, Y2;     \
	VPERMD    96(AX), Y2, Y3; \
	VPERMD    64(AX), Y2, Y4; \
	VPERMD    32(AX), Y2, Y5; \
	VPERMD    (AX), Y2, Y2;   \
	VPADDD    x, x, Y6;       \
	VBLENDVPS Y6, Y3, Y4, Y3; \
	VBLENDVPS Y6, Y5, Y2, Y2; \
	VPSRLD    $22, x, Y4;     \
	VPANDN    Y9, Y4, Y4;     \
	VBLENDVPS x, Y3, Y2, Y2;  \
	VPSLLVD   Y4, Y2, r

// KEY leaves the block of the key at off(SI) in AX and its multiplicand in Y0.
#define KEY(off, log2) \
	MOVL         (off+4)(SI), AX; \
	VPBROADCASTD off(SI), Y0;     \
	SHLQ         $log2, AX;       \
	ADDQ         DI, AX

// ANSWER8 writes the answers of up to eight probes as one byte, 0xff for a hit.
#define ANSWER8(i, log2, PROBE) \
	KEY(8*i, log2);           \
	VPMULLD   Y8, Y0, Y0;     \
	PROBE(Y0, Y2);            \
	VMOVMSKPS Y2, AX;         \
	MOVB      AX, i(DX)

// CONTAINS prepares lookups in the filter R8. Answers are collected as bytes from
// (R11) on, which keeps them off the ports that the probes need.
#define CONTAINS \
	MOVQ     Filter_words(R8), DI; \
	VPCMPEQD Y9, Y9, Y9;           \
	VPSRLD   $27, Y9, Y9;          \
	MOVQ     R11, DX

// PACK makes 64 bits of the 64 bytes, in AX.
#define PACK \
	VPCMPEQD  Y0, Y0, Y0;             \
	VPCMPEQB  (R11), Y0, Y1; \
	VPCMPEQB  32(R11), Y0, Y2; \
	VPMOVMSKB Y1, AX;                 \
	VPMOVMSKB Y2, DX;                 \
	SHLQ      $32, DX;                \
	ORQ       DX, AX;                 \
	VZEROUPPER

// CONTAINS8 looks up CX keys from (SI), four at a time, with up to 8 probes.
#define CONTAINS8(log2, PROBE) \
	CONTAINS;                         \
	VMOVDQU Filter_steps(R8), Y8;     \
loop:                                 \
	ANSWER8(0, log2, PROBE);          \
	ANSWER8(1, log2, PROBE);          \
	ANSWER8(2, log2, PROBE);          \
	ANSWER8(3, log2, PROBE);          \
	ADDQ    $32, SI;                  \
	ADDQ    $4, DX;                   \
	SUBQ    $4, CX;                   \
	JNZ     loop;                     \
	PACK

// ALL ands the bits of all the probes of the key in Y0 and AX into Y7, eight at
// a time.
#define ALL(PROBE) \
	VPCMPEQD Y7, Y7, Y7;                     \
	XORL     R9, R9;                         \
group:                                       \
	VPMULLD  Filter_steps(R8)(R9*4), Y0, Y1; \
	PROBE(Y1, Y2);                           \
	VPAND    Y2, Y7, Y7;                     \
	ADDQ     $8, R9;                         \
	CMPQ     R9, Filter_k(R8);               \
	JLT      group

// CONTAINSALL looks up CX keys from (SI) with any number of probes.
#define CONTAINSALL(log2, PROBE) \
	CONTAINS;             \
loop:                     \
	KEY(0, log2);         \
	ALL(PROBE);           \
	VMOVMSKPS Y7, AX;     \
	MOVB      AX, (DX);   \
	ADDQ      $8, SI;     \
	INCQ      DX;         \
	DECQ      CX;         \
	JNZ       loop;       \
	PACK

// func contains64x8AVX2(f *Filter, keys *uint64, n int) uint64
TEXT ·contains64x8AVX2(SB), NOSPLIT, $64-32
	LEAQ frame-64(SP), R11
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), SI
	MOVQ n+16(FP), CX
	CONTAINS8(6, PROBE64)
	MOVQ AX, ret+24(FP)
	RET

// func contains128x8AVX2(f *Filter, keys *uint64, n int) uint64
TEXT ·contains128x8AVX2(SB), NOSPLIT, $64-32
	LEAQ frame-64(SP), R11
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), SI
	MOVQ n+16(FP), CX
	CONTAINS8(7, PROBE128)
	MOVQ AX, ret+24(FP)
	RET

// func contains64AVX2(f *Filter, keys *uint64, n int) uint64
TEXT ·contains64AVX2(SB), NOSPLIT, $64-32
	LEAQ frame-64(SP), R11
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), SI
	MOVQ n+16(FP), CX
	CONTAINSALL(6, PROBE64)
	MOVQ AX, ret+24(FP)
	RET

// func contains128AVX2(f *Filter, keys *uint64, n int) uint64
TEXT ·contains128AVX2(SB), NOSPLIT, $64-32
	LEAQ frame-64(SP), R11
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), SI
	MOVQ n+16(FP), CX
	CONTAINSALL(7, PROBE128)
	MOVQ AX, ret+24(FP)
	RET

// TEST leaves 1 in AX if the filter R8 contains the hash in DX, else 0.
#define TEST(log2, PROBE) \
	MULXQ        Filter_blocks(R8), DX, AX; \
	SHLQ         $log2, AX;                 \
	ADDQ         Filter_words(R8), AX;      \
	SHRQ         $32, DX;                   \
	VMOVD        DX, X0;                    \
	VPBROADCASTD X0, Y0;                    \
	VPCMPEQD     Y9, Y9, Y9;                \
	VPSRLD       $27, Y9, Y9;               \
	ALL(PROBE);                             \
	VMOVMSKPS    Y7, AX;                    \
	INCL         AX;                        \
	SHRL         $8, AX;                    \
	VZEROUPPER

// func test64AVX2(f *Filter, hash uint64) uint64
TEXT ·test64AVX2(SB), NOSPLIT, $0-24
	MOVQ f+0(FP), R8
	MOVQ hash+8(FP), DX
	TEST(6, PROBE64)
	MOVQ AX, ret+16(FP)
	RET

// func test128AVX2(f *Filter, hash uint64) uint64
TEXT ·test128AVX2(SB), NOSPLIT, $0-24
	MOVQ f+0(FP), R8
	MOVQ hash+8(FP), DX
	TEST(7, PROBE128)
	MOVQ AX, ret+16(FP)
	RET

// SET sets the bit of lane i in the block at AX.
#define SET(i) \
	MOVL (4*i)(R11), BX;  \
	MOVL (4*i+32)(R11), R10; \
	ORL  R10, (AX)(BX*4)

// ADD sets the bits of CX keys from (SI) in the filter R8: the words and the
// bits of eight positions are found at once, and set one after the other, since
// two may be in one word.
#define ADD(log2) \
	MOVQ     Filter_words(R8), DI;           \
	VPCMPEQD Y9, Y9, Y9;                     \
	VPSRLD   $31, Y9, Y8;                    \
	VPSRLD   $27, Y9, Y9;                    \
loop:                                        \
	KEY(0, log2);                            \
	XORL     R9, R9;                         \
group:                                       \
	VPMULLD  Filter_steps(R8)(R9*4), Y0, Y1; \
	VPSRLD   $(34-log2), Y1, Y2;             \
	VMOVDQU  Y2, (R11);               \
	VPSRLD   $(29-log2), Y1, Y1;             \
	VPAND    Y9, Y1, Y1;                     \
	VPSLLVD  Y1, Y8, Y1;                     \
	VMOVDQU  Y1, 32(R11);               \
	SET(0);                                  \
	SET(1);                                  \
	SET(2);                                  \
	SET(3);                                  \
	SET(4);                                  \
	SET(5);                                  \
	SET(6);                                  \
	SET(7);                                  \
	ADDQ     $8, R9;                         \
	CMPQ     R9, Filter_k(R8);               \
	JLT      group;                          \
	ADDQ     $8, SI;                         \
	DECQ     CX;                             \
	JNZ      loop;                           \
	VZEROUPPER

// func add64AVX2(f *Filter, keys *uint64, n int)
TEXT ·add64AVX2(SB), NOSPLIT, $64-24
	LEAQ frame-64(SP), R11
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), SI
	MOVQ n+16(FP), CX
	ADD(6)
	RET

// func add128AVX2(f *Filter, keys *uint64, n int)
TEXT ·add128AVX2(SB), NOSPLIT, $64-24
	LEAQ frame-64(SP), R11
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), SI
	MOVQ n+16(FP), CX
	ADD(7)
	RET
