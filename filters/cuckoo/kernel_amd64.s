//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// The kernels take keys eight at a time, a key in each lane of 64 bits of two
// registers. All is done for one of them and then for the other, step by step: a
// key is a long chain of operations that wait for each other, and the CPU does not
// look far enough ahead to find the next keys by itself.
//
// Where buckets have to be fetched, that is done in two steps: keys are located
// first, and looked up later, when their buckets have come from memory.
//
// Registers: R8 the kernel, R9 the table, SI hashes, DI located keys, CX the number
// of the key, BX how many keys there are. Y10 to Y13 and Y15 as START says; others
// are scratch.

// FACTOR is the low and the high half of a factor of 64 bits in each lane.
#define FACTOR(name, low, high) \
	DATA  name<>+0(SB)/8, $low;   \
	DATA  name<>+8(SB)/8, $low;   \
	DATA  name<>+16(SB)/8, $low;  \
	DATA  name<>+24(SB)/8, $low;  \
	DATA  name<>+32(SB)/8, $high; \
	DATA  name<>+40(SB)/8, $high; \
	DATA  name<>+48(SB)/8, $high; \
	DATA  name<>+56(SB)/8, $high; \
	GLOBL name<>(SB), RODATA|NOPTR, $64

FACTOR(golden, 0x7f4a7c15, 0x9e3779b9)  // hashing.Golden
FACTOR(factor1, 0x1ce4e5b9, 0xbf58476d) // the factors of hashing.Mix
FACTOR(factor2, 0x133111eb, 0x94d049bb)

#define START \
	MOVQ     kernel_data(R8), R9;          \
	VMOVDQU  kernel_buckets(R8), Y10;      \
	VPCMPEQD Y11, Y11, Y11;                \
	VMOVDQU  kernel_fingerprints(R8), Y12; \
	VPSRLQ   $63, Y11, Y13;                \
	VMOVDQU  kernel_within(R8), Y15

// PRODUCT is x times the factor, modulo 2^64; high is x>>32. Uses a.
#define PRODUCT(name, x, high, a) \
	VPMULUDQ name<>+32(SB), x, a;      \
	VPMULUDQ name<>+0(SB), high, high; \
	VPMULUDQ name<>+0(SB), x, x;       \
	VPADDQ   high, a, a;               \
	VPSLLQ   $32, a, a;                \
	VPADDQ   a, x, x

// SHORT is PRODUCT for x below 2^32.
#define SHORT(name, x, a) \
	VPMULUDQ name<>+32(SB), x, a; \
	VPMULUDQ name<>+0(SB), x, x;  \
	VPSLLQ   $32, a, a;           \
	VPADDQ   a, x, x

// SCALE leaves hashing.Reduce(x, limit), for a limit below 2^32, in the upper half
// of r, which may be x; high is x>>32. Uses a, which may be high.
#define SCALE(limit, x, high, a, r) \
	VPMULUDQ limit, x, r;    \
	VPMULUDQ limit, high, a; \
	VPSRLQ   $32, r, r;      \
	VPADDQ   a, r, r

// XORSHIFT is x ^ x>>n. Uses a.
#define XORSHIFT(n, x, a) \
	VPSRLQ $n, x, a; \
	VPXOR  a, x, x

// FIRST leaves the buckets of the hashes at off(SI) in b, and a second mix of the
// hashes in x. Uses a and c.
#define FIRST(off, x, a, b, c) \
	VMOVDQU off(SI)(CX*8), x;  \
	VPSRLQ  $32, x, a;         \
	SCALE(Y10, x, a, c, b);    \
	VPSRLQ  $32, b, b;         \
	PRODUCT(golden, x, a, c)

// FINGERPRINT turns the second mix into fingerprints, and leaves what Mix makes of
// them in c. Uses a and b.
#define FINGERPRINT(x, a, c) \
	VPSRLQ $32, x, a;        \
	SCALE(Y12, x, a, a, x);  \
	VPSRLQ $32, x, x;        \
	VPADDQ Y13, x, x;        \
	VPSRLQ $30, x, c;        \
	VPXOR  x, c, c;          \
	SHORT(factor1, c, a);    \
	XORSHIFT(27, c, a)

#define MIXED(c, a, b) \
	VPSRLQ $32, c, a;         \
	PRODUCT(factor2, c, a, b); \
	XORSHIFT(31, c, a)

// OTHER turns mixed fingerprints in c into the other buckets. What is negative when
// the first is taken off the sum is greater, as an unsigned number of 32 bits, than
// when all buckets are added.
#define OTHER(b, c, a) \
	VPSRLQ  $32, c, a;        \
	SCALE(Y10, c, a, a, c);   \
	VPSRLQ  $32, c, c;        \
	VPOR    Y13, c, c;        \
	VPSUBQ  b, c, c;          \
	VPADDQ  Y10, c, a;        \
	VPMINUD a, c, c

// LOCATE8 locates the eight hashes at off(SI): their buckets in Y0 and Y5, the
// other ones in Y1 and Y6, their fingerprints in Y2 and Y7.
#define LOCATE8(off) \
	FIRST(off, Y2, Y3, Y0, Y1);    \
	FIRST(off+32, Y7, Y8, Y5, Y6); \
	FINGERPRINT(Y2, Y3, Y1);       \
	FINGERPRINT(Y7, Y8, Y6);       \
	MIXED(Y1, Y3, Y4);             \
	MIXED(Y6, Y8, Y9);             \
	OTHER(Y0, Y1, Y3);             \
	OTHER(Y5, Y6, Y8)

#define STORE8 \
	VMOVDQU Y0, located_first(DI)(CX*8);       \
	VMOVDQU Y1, located_second(DI)(CX*8);      \
	VMOVDQU Y2, located_fp(DI)(CX*8);          \
	VMOVDQU Y5, (located_first+32)(DI)(CX*8);  \
	VMOVDQU Y6, (located_second+32)(DI)(CX*8); \
	VMOVDQU Y7, (located_fp+32)(DI)(CX*8)

#define LOAD8 \
	VMOVDQU located_first(DI)(CX*8), Y0;       \
	VMOVDQU located_second(DI)(CX*8), Y1;      \
	VMOVDQU located_fp(DI)(CX*8), Y2;          \
	VMOVDQU (located_first+32)(DI)(CX*8), Y5;  \
	VMOVDQU (located_second+32)(DI)(CX*8), Y6; \
	VMOVDQU (located_fp+32)(DI)(CX*8), Y7

// KEEP8 keeps located keys, and BACK8 gets them back.
#define KEEP8(a, b, c, d, e, f) \
	VMOVDQU Y0, a; \
	VMOVDQU Y1, b; \
	VMOVDQU Y2, c; \
	VMOVDQU Y5, d; \
	VMOVDQU Y6, e; \
	VMOVDQU Y7, f

#define BACK8(a, b, c, d, e, f) \
	VMOVDQU a, Y0; \
	VMOVDQU b, Y1; \
	VMOVDQU c, Y2; \
	VMOVDQU d, Y5; \
	VMOVDQU e, Y6; \
	VMOVDQU f, Y7

// FETCH fetches the line in which a bucket of key CX+i begins into the L2 cache: more
// lines can be under way to it than to the L1 cache. Few buckets reach into a next
// line, and to fetch the end of all costs more than to wait for that of the few.
#define FETCH(bucket, i) \
	MOVQ       (bucket+8*i)(DI)(CX*8), AX; \
	IMULQ      kernel_perBucket(R8), AX;   \
	SHRQ       $3, AX;                     \
	PREFETCHT1 (R9)(AX*1)

#define FETCH2(i) \
	FETCH(located_first, i);  \
	FETCH(located_second, i)

#define FETCH8 \
	FETCH2(0); \
	FETCH2(1); \
	FETCH2(2); \
	FETCH2(3); \
	FETCH2(4); \
	FETCH2(5); \
	FETCH2(6); \
	FETCH2(7)

// PATTERN turns fingerprints into loads full of them, and buckets b and c into
// their first bits. Uses a.
#define PATTERN(b, c, x, a) \
	VPMULUDQ kernel_onesHigh(R8), x, a;  \
	VPMULUDQ kernel_ones(R8), x, x;      \
	VPMULUDQ kernel_perBucket(R8), b, b; \
	VPMULUDQ kernel_perBucket(R8), c, c; \
	VPSLLQ   $32, a, a;                  \
	VPADDQ   a, x, x

// WINDOW ors into found where the load for the bits from bit on holds the pattern,
// as zeros tells it. Uses Y4, Y9 and Y14.
#define WINDOW(bit, pattern, found) \
	VPANDN     bit, Y15, Y4;        \
	VPSRLQ     $3, Y4, Y4;          \
	VMOVDQA    Y11, Y9;             \
	VPXOR      Y14, Y14, Y14;       \
	VPGATHERQQ Y9, (R9)(Y4*1), Y14; \
	VPAND      bit, Y15, Y4;        \
	VPSRLVQ    Y4, Y14, Y14;        \
	VPXOR      pattern, Y14, Y14;   \
	VPSUBQ     kernel_ones(R8), Y14, Y4; \
	VPANDN     Y4, Y14, Y4;         \
	VPOR       Y4, found, found

// ABSENT leaves ones in AX for those keys of which nothing was found.
#define ABSENT(found, AX) \
	VPAND     kernel_highs(R8), found, found; \
	VPCMPEQQ  Y4, found, found;               \
	VMOVMSKPD found, AX

#define NEXT(b, c) \
	VPADDQ kernel_size(R8), b, b; \
	VPADDQ kernel_size(R8), c, c

// ANSWER8 looks up the keys that are located in registers, and sets the bit in R11
// of each that is absent. Buckets that do not fit into one load take more windows.
#define ANSWER8(window, done) \
	PATTERN(Y0, Y1, Y2, Y3);       \
	PATTERN(Y5, Y6, Y7, Y8);       \
	VPXOR Y3, Y3, Y3;              \
	VPXOR Y8, Y8, Y8;              \
	MOVQ  kernel_loads(R8), AX;    \
window:                                \
	WINDOW(Y0, Y2, Y3);            \
	WINDOW(Y5, Y7, Y8);            \
	WINDOW(Y1, Y2, Y3);            \
	WINDOW(Y6, Y7, Y8);            \
	DECQ  AX;                      \
	JZ    done;                    \
	NEXT(Y0, Y1);                  \
	NEXT(Y5, Y6);                  \
	JMP   window;                  \
done:                                  \
	VPXOR Y4, Y4, Y4;              \
	ABSENT(Y3, AX);                \
	ABSENT(Y8, DX);                \
	SHLQ  $4, DX;                  \
	ORQ   DX, AX;                  \
	SHLXQ CX, AX, AX;              \
	ORQ   AX, R11

// func containsAVX2(k *kernel, hashes *uint64, n int) (absent uint64)
TEXT ·containsAVX2(SB), NOSPLIT, $0-32
	MOVQ k+0(FP), R8
	MOVQ hashes+8(FP), SI
	MOVQ n+16(FP), BX
	START
	XORL R11, R11
	XORL CX, CX

eight:
	LOCATE8(0)
	ANSWER8(window, done)
	ADDQ $8, CX
	CMPQ CX, BX
	JLT  eight
	VZEROUPPER
	MOVQ R11, absent+24(FP)
	RET

// func locateAVX2(k *kernel, keys *located, at int, hashes *uint64, n int)
TEXT ·locateAVX2(SB), NOSPLIT, $0-40
	MOVQ k+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ at+16(FP), AX
	MOVQ hashes+24(FP), SI
	MOVQ n+32(FP), BX
	LEAQ (DI)(AX*8), DI
	START
	XORL CX, CX

eight:
	LOCATE8(0)
	STORE8
	FETCH8
	ADDQ $8, CX
	CMPQ CX, BX
	JLT  eight
	VZEROUPPER
	RET

// The next keys are located before the present ones are looked up: the other way
// round took a quarter more time from DRAM.
//
// func answerAVX2(k *kernel, keys *located, hashes *uint64, n, next int) (absent uint64)
TEXT ·answerAVX2(SB), NOSPLIT, $192-48
	MOVQ k+0(FP), R8
	MOVQ keys+8(FP), DI
	MOVQ hashes+16(FP), SI
	MOVQ n+24(FP), BX
	MOVQ next+32(FP), R12
	START
	XORL  R11, R11
	XORL  CX, CX
	TESTQ R12, R12
	JZ    rest

ahead:
	LOCATE8(512)
	KEEP8(next-192(SP), next-160(SP), next-128(SP), next-96(SP), next-64(SP), next-32(SP))
	LOAD8
	ANSWER8(window1, done1)
	BACK8(next-192(SP), next-160(SP), next-128(SP), next-96(SP), next-64(SP), next-32(SP))
	STORE8
	FETCH8
	ADDQ $8, CX
	CMPQ CX, R12
	JLT  ahead

rest:
	CMPQ CX, BX
	JGE  done

last:
	LOAD8
	ANSWER8(window2, done2)
	ADDQ $8, CX
	CMPQ CX, BX
	JLT  last

done:
	VZEROUPPER
	MOVQ R11, absent+40(FP)
	RET
