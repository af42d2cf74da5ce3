//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The kernels take keys four at a time, in two steps: keys are located first,
// and their blocks are looked into later, when they have come from memory. A
// located key is its block, in the upper 32 bits, and the 32 bits from which its
// positions come.

// LOCATOR prepares for the filter at R8.
#define LOCATOR \
	VPBROADCASTQ Filter_blocks(R8), Y10; \
	MOVQ         Filter_words(R8), R9

// LOCATE4 locates the four hashes at off(SI), at (DI). The key is what lies from
// bit 32 on in the product of hash and blocks, which is put together from the
// products of the 32-bit halves of the hash.
#define LOCATE4(off) \
	VMOVDQU  off(SI), Y0;  \
	VPMULUDQ Y10, Y0, Y1;  \
	VPSRLQ   $32, Y0, Y0;  \
	VPMULUDQ Y10, Y0, Y0;  \
	VPSRLQ   $32, Y1, Y1;  \
	VPADDQ   Y1, Y0, Y0;   \
	VMOVDQU  Y0, (DI)

// FETCH64 fetches the block of a located key into the L2 cache: more lines can be
// under way to it than to the L1 cache.
#define FETCH64(off) \
	MOVL       (off+4)(DI), AX; \
	SHLQ       $6, AX;          \
	PREFETCHT1 (R9)(AX*1)

// FETCH128 fetches both lines of a block.
#define FETCH128(off) \
	MOVL       (off+4)(DI), AX; \
	SHLQ       $7, AX;          \
	PREFETCHT1 (R9)(AX*1);      \
	PREFETCHT1 64(R9)(AX*1)

#define FETCH4(FETCH) \
	FETCH(0);  \
	FETCH(8);  \
	FETCH(16); \
	FETCH(24)

// NEXT4 goes on to the next four keys; CX counts them down, DX is where the
// answers go.
#define NEXT4 \
	ADDQ $32, SI; \
	ADDQ $32, DI; \
	ADDQ $4, DX;  \
	SUBQ $4, CX

// func locateAVX2(f *Filter, keys, hashes *uint64, n int)
TEXT ·locateAVX2(SB), NOSPLIT, $0-32
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), CX
	LOCATOR

loop:
	LOCATE4(0)
	NEXT4
	JNZ loop
	VZEROUPPER
	RET

// func fetchAVX2(f *Filter, keys, hashes *uint64, n int)
TEXT ·fetchAVX2(SB), NOSPLIT, $0-32
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), CX
	LOCATOR
	CMPQ Filter_log2(R8), $3
	JNE  loop128

loop64:
	LOCATE4(0)
	FETCH4(FETCH64)
	NEXT4
	JNZ loop64
	VZEROUPPER
	RET

loop128:
	LOCATE4(0)
	FETCH4(FETCH128)
	NEXT4
	JNZ loop128
	VZEROUPPER
	RET

// KEY leaves the address of the block in AX and the other 32 bits of the located
// key in the lanes of Y0.
#define KEY(off, log2) \
	MOVL         (off+4)(DI), AX; \
	VPBROADCASTD off(DI), Y0;     \
	SHLQ         $log2, AX;       \
	ADDQ         R9, AX

// PROBE64 looks up the eight positions in the lanes of x, in the block of 64
// bytes at AX, and leaves the bits in the signs of r. From the top, a position is
// one bit for the half of the block, three for the word of 32 bits in it, and
// five for the bit. Y9 holds 31 in each lane. Uses Y2 to Y4.
#define PROBE64(x, r) \
	VPSRLD    $28, x, Y2;     \
	VPERMD    32(AX), Y2, Y3; \
	VPERMD    (AX), Y2, Y2;   \
	VPSRLD    $23, x, Y4;     \
	VPANDN    Y9, Y4, Y4;     \
	VBLENDVPS x, Y3, Y2, Y2;  \
	VPSLLVD   Y4, Y2, r

// PROBE128 does so in a block of 128 bytes: two bits choose the quarter. Uses Y2
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

// FEW writes the answer to key i of up to eight probes as one byte, 0xff for a
// hit: a store leaves the ports free that the probes need. Y8 holds the steps.
#define FEW(i, log2, PROBE) \
	KEY(8*i, log2);        \
	VPMULLD   Y8, Y0, Y0;  \
	PROBE(Y0, Y0);         \
	VMOVMSKPS Y0, AX;      \
	MOVB      AX, i(DX)

#define FEW4(log2, PROBE, g0, g1, g2, g3) \
	FEW(0, log2, PROBE); \
	FEW(1, log2, PROBE); \
	FEW(2, log2, PROBE); \
	FEW(3, log2, PROBE)

// ALL ands the bits of all the probes of a key into Y7, eight at a time.
#define ALL(PROBE, group) \
	VPCMPEQD Y7, Y7, Y7;                      \
	XORL     R12, R12;                        \
group:                                        \
	VPMULLD  Filter_steps(R8)(R12*4), Y0, Y1; \
	PROBE(Y1, Y1);                            \
	VPAND    Y1, Y7, Y7;                      \
	ADDQ     $8, R12;                         \
	CMPQ     R12, Filter_k(R8);               \
	JLT      group

// MANY is FEW for any number of probes.
#define MANY(i, log2, PROBE, group) \
	KEY(8*i, log2);     \
	ALL(PROBE, group);  \
	VMOVMSKPS Y7, AX;   \
	MOVB      AX, i(DX)

#define MANY4(log2, PROBE, g0, g1, g2, g3) \
	MANY(0, log2, PROBE, g0); \
	MANY(1, log2, PROBE, g1); \
	MANY(2, log2, PROBE, g2); \
	MANY(3, log2, PROBE, g3)

// CONTAINS answers, in AX, BX keys in the filter at R8, four at a time. While it
// does so for the first CX of them, it locates and fetches as many of the next.
// The answers are bytes from R11 on before they become bits.
#define CONTAINS(FOUR, log2, PROBE, FETCH) \
	LOCATOR;                           \
	VMOVDQU   Filter_steps(R8), Y8;    \
	VPCMPEQD  Y9, Y9, Y9;              \
	VPSRLD    $27, Y9, Y9;             \
	MOVQ      R11, DX;                 \
	SUBQ      CX, BX;                  \
	TESTQ     CX, CX;                  \
	JZ        rest;                    \
ahead:                                 \
	FOUR(log2, PROBE, a0, a1, a2, a3); \
	LOCATE4(512);                      \
	FETCH4(FETCH);                     \
	NEXT4;                             \
	JNZ       ahead;                   \
rest:                                  \
	MOVQ      BX, CX;                  \
	TESTQ     CX, CX;                  \
	JZ        done;                    \
last:                                  \
	FOUR(log2, PROBE, l0, l1, l2, l3); \
	NEXT4;                             \
	JNZ       last;                    \
done:                                  \
	VPCMPEQD  Y0, Y0, Y0;              \
	VPCMPEQB  (R11), Y0, Y1;           \
	VPCMPEQB  32(R11), Y0, Y2;         \
	VPMOVMSKB Y1, AX;                  \
	VPMOVMSKB Y2, DX;                  \
	SHLQ      $32, DX;                 \
	ORQ       DX, AX;                  \
	VZEROUPPER

// func contains64x8AVX2(f *Filter, keys, hashes *uint64, n, next int) uint64
TEXT ·contains64x8AVX2(SB), NOSPLIT, $64-48
	LEAQ answers-64(SP), R11
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), BX
	MOVQ next+32(FP), CX
	CONTAINS(FEW4, 6, PROBE64, FETCH64)
	MOVQ AX, ret+40(FP)
	RET

// func contains64AVX2(f *Filter, keys, hashes *uint64, n, next int) uint64
TEXT ·contains64AVX2(SB), NOSPLIT, $64-48
	LEAQ answers-64(SP), R11
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), BX
	MOVQ next+32(FP), CX
	CONTAINS(MANY4, 6, PROBE64, FETCH64)
	MOVQ AX, ret+40(FP)
	RET

// func contains128x8AVX2(f *Filter, keys, hashes *uint64, n, next int) uint64
TEXT ·contains128x8AVX2(SB), NOSPLIT, $64-48
	LEAQ answers-64(SP), R11
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), BX
	MOVQ next+32(FP), CX
	CONTAINS(FEW4, 7, PROBE128, FETCH128)
	MOVQ AX, ret+40(FP)
	RET

// func contains128AVX2(f *Filter, keys, hashes *uint64, n, next int) uint64
TEXT ·contains128AVX2(SB), NOSPLIT, $64-48
	LEAQ answers-64(SP), R11
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), BX
	MOVQ next+32(FP), CX
	CONTAINS(MANY4, 7, PROBE128, FETCH128)
	MOVQ AX, ret+40(FP)
	RET

// TEST leaves 1 in AX if the filter at R8 contains the hash in DX, else 0.
#define TEST(log2, PROBE) \
	MULXQ        Filter_blocks(R8), DX, AX; \
	SHLQ         $log2, AX;                 \
	ADDQ         Filter_words(R8), AX;      \
	SHRQ         $32, DX;                   \
	VMOVD        DX, X0;                    \
	VPBROADCASTD X0, Y0;                    \
	VPCMPEQD     Y9, Y9, Y9;                \
	VPSRLD       $27, Y9, Y9;               \
	ALL(PROBE, group);                      \
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

// firsts are the numbers of the first bits of the words of 32 bits in a block.
DATA firsts<>+0(SB)/8, $0x0000002000000000
DATA firsts<>+8(SB)/8, $0x0000006000000040
DATA firsts<>+16(SB)/8, $0x000000a000000080
DATA firsts<>+24(SB)/8, $0x000000e0000000c0
DATA firsts<>+32(SB)/8, $0x0000012000000100
DATA firsts<>+40(SB)/8, $0x0000016000000140
DATA firsts<>+48(SB)/8, $0x000001a000000180
DATA firsts<>+56(SB)/8, $0x000001e0000001c0
GLOBL firsts<>(SB), RODATA|NOPTR, $64

// SET sets the bits of key i in whole registers: bits that are set one by one
// wait for each other's stores. A one is shifted, in each word of the block, by how
// far the position lies behind the word's first bit, which leaves nothing of it in
// other words. Y6 and Y7 hold the first bits, Y8 ones, BX is k; R11 has room for
// all positions.
#define SET(i, group, probe) \
	KEY(8*i, 6);                                  \
	XORL         R12, R12;                        \
group:                                            \
	VPMULLD      Filter_steps(R8)(R12*4), Y0, Y1; \
	VPSRLD       $23, Y1, Y1;                     \
	VMOVDQU      Y1, (R11)(R12*4);                \
	ADDQ         $8, R12;                         \
	CMPQ         R12, BX;                         \
	JLT          group;                           \
	MOVQ         BX, R12;                         \
	VMOVDQU      (AX), Y4;                        \
	VMOVDQU      32(AX), Y5;                      \
probe:                                            \
	VPBROADCASTD -4(R11)(R12*4), Y1;              \
	VPSUBD       Y6, Y1, Y2;                      \
	VPSUBD       Y7, Y1, Y3;                      \
	VPSLLVD      Y2, Y8, Y2;                      \
	VPSLLVD      Y3, Y8, Y3;                      \
	VPOR         Y2, Y4, Y4;                      \
	VPOR         Y3, Y5, Y5;                      \
	DECQ         R12;                             \
	JNZ          probe;                           \
	VMOVDQU      Y4, (AX);                        \
	VMOVDQU      Y5, 32(AX)

// func add64AVX2(f *Filter, keys, hashes *uint64, n, next int)
TEXT ·add64AVX2(SB), NOSPLIT, $128-40
	LEAQ    positions-128(SP), R11
	MOVQ    f+0(FP), R8
	MOVQ    keys+8(FP), DI
	MOVQ    hashes+16(FP), SI
	MOVQ    next+32(FP), CX
	MOVQ    Filter_k(R8), BX
	VMOVDQU firsts<>+0(SB), Y6
	VMOVDQU firsts<>+32(SB), Y7
	VPCMPEQD Y8, Y8, Y8
	VPSRLD  $31, Y8, Y8
	LOCATOR
	TESTQ   CX, CX
	JZ      rest

ahead:
	SET(0, ag0, ap0)
	SET(1, ag1, ap1)
	SET(2, ag2, ap2)
	SET(3, ag3, ap3)
	LOCATE4(512)
	FETCH4(FETCH64)
	NEXT4
	JNZ ahead

rest:
	MOVQ n+24(FP), CX
	SUBQ next+32(FP), CX
	JZ   done

last:
	SET(0, lg0, lp0)
	SET(1, lg1, lp1)
	SET(2, lg2, lp2)
	SET(3, lg3, lp3)
	NEXT4
	JNZ last

done:
	VZEROUPPER
	RET
