//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The kernels take keys four at a time, in two steps: keys are located first,
// and their blocks are looked into later, when they have come from memory.
//
// Registers: R8 the filter, DI located keys, SI their hashes, CX the number of the
// key, BX how many keys there are; for the first R12 of them, one of the next keys
// each is located and fetched.

// LOCATOR prepares for blocks of 2^log2 bytes.
#define LOCATOR(log2) \
	VPBROADCASTQ Filter_blocks(R8), Y10; \
	VPBROADCASTQ Filter_words(R8), Y11;  \
	VPCMPEQD     Y12, Y12, Y12;          \
	VPSLLQ       $log2, Y12, Y12

// LOCATE4 locates the four hashes at off(SI). The product of hash and blocks is
// put together from the products of the 32-bit halves of the hash; what lies in it
// from bit 32 on is the key, and its upper half the block, which is turned into an
// address.
#define LOCATE4(off, log2) \
	VMOVDQU  off(SI)(CX*8), Y0;         \
	VPMULUDQ Y10, Y0, Y1;               \
	VPSRLQ   $32, Y0, Y0;               \
	VPMULUDQ Y10, Y0, Y0;               \
	VPSRLQ   $32, Y1, Y1;               \
	VPADDQ   Y1, Y0, Y0;                \
	VMOVDQU  Y0, located_key(DI)(CX*8); \
	VPSRLQ   $(32-log2), Y0, Y0;        \
	VPAND    Y12, Y0, Y0;               \
	VPADDQ   Y11, Y0, Y0;               \
	VMOVDQU  Y0, located_at(DI)(CX*8)

// FETCH64 fetches the block of key CX+i, of one line, into the L2 cache: more lines
// can be under way to it than to the L1 cache. FETCH128 fetches two lines.
#define FETCH64(i) \
	MOVQ       (located_at+8*i)(DI)(CX*8), AX; \
	PREFETCHT1 (AX)

#define FETCH128(i) \
	FETCH64(i); \
	PREFETCHT1 64(AX)

#define FETCH4(FETCH) \
	FETCH(0); \
	FETCH(1); \
	FETCH(2); \
	FETCH(3)

// LOOP does something for all keys, four at a time.
#define LOOP(FOUR) \
	XORL CX, CX; \
loop:                \
	FOUR;        \
	ADDQ $4, CX; \
	CMPQ CX, BX; \
	JLT  loop

// func locate64AVX2(f *Filter, keys *located, hashes *uint64, n int)
TEXT ·locate64AVX2(SB), NOSPLIT, $0-32
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), BX
	LOCATOR(6)
	LOOP(LOCATE4(0, 6))
	VZEROUPPER
	RET

// func locate128AVX2(f *Filter, keys *located, hashes *uint64, n int)
TEXT ·locate128AVX2(SB), NOSPLIT, $0-32
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), BX
	LOCATOR(7)
	LOOP(LOCATE4(0, 7))
	VZEROUPPER
	RET

// func fetch64AVX2(keys *located, n int)
TEXT ·fetch64AVX2(SB), NOSPLIT, $0-16
	MOVQ keys+0(FP), DI
	MOVQ n+8(FP), BX
	LOOP(FETCH4(FETCH64))
	RET

// func fetch128AVX2(keys *located, n int)
TEXT ·fetch128AVX2(SB), NOSPLIT, $0-16
	MOVQ keys+0(FP), DI
	MOVQ n+8(FP), BX
	LOOP(FETCH4(FETCH128))
	RET

// KEY leaves the address of the block of key CX+i in AX, and in the lanes of Y0
// the 32 bits that its positions come from.
#define KEY(i) \
	MOVQ         (located_at+8*i)(DI)(CX*8), AX; \
	VPBROADCASTD (located_key+8*i)(DI)(CX*8), Y0

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

// FEW writes the answer to key CX+i of up to eight probes as one byte, 0xff for a
// hit: a store leaves the ports free that the probes need. Y8 holds the steps.
#define FEW(i, PROBE) \
	KEY(i);               \
	VPMULLD   Y8, Y0, Y0; \
	PROBE(Y0, Y0);        \
	VMOVMSKPS Y0, AX;     \
	MOVB      AX, i(R11)(CX*1)

#define FEW4(PROBE, g0, g1, g2, g3) \
	FEW(0, PROBE); \
	FEW(1, PROBE); \
	FEW(2, PROBE); \
	FEW(3, PROBE)

// PROBES ands the bits of all the probes of a key into Y7, eight at a time.
#define PROBES(PROBE, group) \
	VPCMPEQD Y7, Y7, Y7;                     \
	XORL     DX, DX;                         \
group:                                           \
	VPMULLD  Filter_steps(R8)(DX*4), Y0, Y1; \
	PROBE(Y1, Y1);                           \
	VPAND    Y1, Y7, Y7;                     \
	ADDQ     $8, DX;                         \
	CMPQ     DX, Filter_k(R8);               \
	JLT      group

// MANY is FEW for any number of probes.
#define MANY(i, PROBE, group) \
	KEY(i);               \
	PROBES(PROBE, group); \
	VMOVMSKPS Y7, AX;     \
	MOVB      AX, i(R11)(CX*1)

#define MANY4(PROBE, g0, g1, g2, g3) \
	MANY(0, PROBE, g0); \
	MANY(1, PROBE, g1); \
	MANY(2, PROBE, g2); \
	MANY(3, PROBE, g3)

// CONTAINS answers keys, in AX. The answers are bytes from R11 on before they
// become bits.
#define CONTAINS(FOUR, PROBE, FETCH, log2) \
	LOCATOR(log2);                  \
	VMOVDQU   Filter_steps(R8), Y8; \
	VPCMPEQD  Y9, Y9, Y9;           \
	VPSRLD    $27, Y9, Y9;          \
	XORL      CX, CX;               \
	TESTQ     R12, R12;             \
	JZ        rest;                 \
ahead:                                  \
	FOUR(PROBE, a0, a1, a2, a3);    \
	LOCATE4(512, log2);             \
	FETCH4(FETCH);                  \
	ADDQ      $4, CX;               \
	CMPQ      CX, R12;              \
	JLT       ahead;                \
rest:                                   \
	CMPQ      CX, BX;               \
	JGE       done;                 \
last:                                   \
	FOUR(PROBE, l0, l1, l2, l3);    \
	ADDQ      $4, CX;               \
	CMPQ      CX, BX;               \
	JLT       last;                 \
done:                                   \
	VPCMPEQD  Y0, Y0, Y0;           \
	VPCMPEQB  (R11), Y0, Y1;        \
	VPCMPEQB  32(R11), Y0, Y2;      \
	VPMOVMSKB Y1, AX;               \
	VPMOVMSKB Y2, DX;               \
	SHLQ      $32, DX;              \
	ORQ       DX, AX;               \
	VZEROUPPER

// func contains64x8AVX2(f *Filter, keys *located, hashes *uint64, n, next int) uint64
TEXT ·contains64x8AVX2(SB), NOSPLIT, $64-48
	LEAQ answers-64(SP), R11
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), BX
	MOVQ next+32(FP), R12
	CONTAINS(FEW4, PROBE64, FETCH64, 6)
	MOVQ AX, ret+40(FP)
	RET

// func contains64AVX2(f *Filter, keys *located, hashes *uint64, n, next int) uint64
TEXT ·contains64AVX2(SB), NOSPLIT, $64-48
	LEAQ answers-64(SP), R11
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), BX
	MOVQ next+32(FP), R12
	CONTAINS(MANY4, PROBE64, FETCH64, 6)
	MOVQ AX, ret+40(FP)
	RET

// func contains128x8AVX2(f *Filter, keys *located, hashes *uint64, n, next int) uint64
TEXT ·contains128x8AVX2(SB), NOSPLIT, $64-48
	LEAQ answers-64(SP), R11
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), BX
	MOVQ next+32(FP), R12
	CONTAINS(FEW4, PROBE128, FETCH128, 7)
	MOVQ AX, ret+40(FP)
	RET

// func contains128AVX2(f *Filter, keys *located, hashes *uint64, n, next int) uint64
TEXT ·contains128AVX2(SB), NOSPLIT, $64-48
	LEAQ answers-64(SP), R11
	MOVQ f+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), BX
	MOVQ next+32(FP), R12
	CONTAINS(MANY4, PROBE128, FETCH128, 7)
	MOVQ AX, ret+40(FP)
	RET

// TEST leaves 1 in AX if the filter contains the hash in DX, else 0.
#define TEST(PROBE, log2) \
	MULXQ        Filter_blocks(R8), DX, AX; \
	SHLQ         $log2, AX;                 \
	ADDQ         Filter_words(R8), AX;      \
	SHRQ         $32, DX;                   \
	VMOVD        DX, X0;                    \
	VPBROADCASTD X0, Y0;                    \
	VPCMPEQD     Y9, Y9, Y9;                \
	VPSRLD       $27, Y9, Y9;               \
	PROBES(PROBE, group);                   \
	VMOVMSKPS    Y7, AX;                    \
	INCL         AX;                        \
	SHRL         $8, AX;                    \
	VZEROUPPER

// func test64AVX2(f *Filter, hash uint64) uint64
TEXT ·test64AVX2(SB), NOSPLIT, $0-24
	MOVQ f+0(FP), R8
	MOVQ hash+8(FP), DX
	TEST(PROBE64, 6)
	MOVQ AX, ret+16(FP)
	RET

// func test128AVX2(f *Filter, hash uint64) uint64
TEXT ·test128AVX2(SB), NOSPLIT, $0-24
	MOVQ f+0(FP), R8
	MOVQ hash+8(FP), DX
	TEST(PROBE128, 7)
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

// SET sets the bits of key CX+i in whole registers: bits that are set one by one
// wait for each other's stores. A one is shifted, in each word of the block, by
// how far the position lies behind the word's first bit, which leaves nothing of it
// in other words. Y6 and Y7 hold the first bits, Y8 ones, R10 is k; R11 has room for
// all positions.
#define SET(i, group, probe) \
	KEY(i);                                      \
	XORL         DX, DX;                         \
group:                                               \
	VPMULLD      Filter_steps(R8)(DX*4), Y0, Y1; \
	VPSRLD       $23, Y1, Y1;                    \
	VMOVDQU      Y1, (R11)(DX*4);                \
	ADDQ         $8, DX;                         \
	CMPQ         DX, R10;                        \
	JLT          group;                          \
	MOVQ         R10, DX;                        \
	VMOVDQU      (AX), Y4;                       \
	VMOVDQU      32(AX), Y5;                     \
probe:                                               \
	VPBROADCASTD -4(R11)(DX*4), Y1;              \
	VPSUBD       Y6, Y1, Y2;                     \
	VPSUBD       Y7, Y1, Y3;                     \
	VPSLLVD      Y2, Y8, Y2;                     \
	VPSLLVD      Y3, Y8, Y3;                     \
	VPOR         Y2, Y4, Y4;                     \
	VPOR         Y3, Y5, Y5;                     \
	DECQ         DX;                             \
	JNZ          probe;                          \
	VMOVDQU      Y4, (AX);                       \
	VMOVDQU      Y5, 32(AX)

// func add64AVX2(f *Filter, keys *located, hashes *uint64, n, next int)
TEXT ·add64AVX2(SB), NOSPLIT, $128-40
	LEAQ     positions-128(SP), R11
	MOVQ     f+0(FP), R8
	MOVQ     keys+8(FP), DI
	MOVQ     hashes+16(FP), SI
	MOVQ     n+24(FP), BX
	MOVQ     next+32(FP), R12
	MOVQ     Filter_k(R8), R10
	VMOVDQU  firsts<>+0(SB), Y6
	VMOVDQU  firsts<>+32(SB), Y7
	VPCMPEQD Y8, Y8, Y8
	VPSRLD   $31, Y8, Y8
	LOCATOR(6)
	XORL     CX, CX
	TESTQ    R12, R12
	JZ       rest

ahead:
	SET(0, ag0, ap0)
	SET(1, ag1, ap1)
	SET(2, ag2, ap2)
	SET(3, ag3, ap3)
	LOCATE4(512, 6)
	FETCH4(FETCH64)
	ADDQ $4, CX
	CMPQ CX, R12
	JLT  ahead

rest:
	CMPQ CX, BX
	JGE  done

last:
	SET(0, lg0, lp0)
	SET(1, lg1, lp1)
	SET(2, lg2, lp2)
	SET(3, lg3, lp3)
	ADDQ $4, CX
	CMPQ CX, BX
	JLT  last

done:
	VZEROUPPER
	RET
