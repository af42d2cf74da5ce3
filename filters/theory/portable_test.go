package theory

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"
)

// What decides sizes and probe counts must come out bit for bit the same on
// every CPU. The digest was taken on amd64; it is not a check of the values,
// which the other tests make, but of their being the same where the compiler fuses
// multiplications with additions: arm64, s390x, and amd64 with GOAMD64=v3.
func TestSameOnEveryCPU(t *testing.T) {
	digest := fnv.New64a()
	put := func(v uint64) {
		digest.Write(binary.LittleEndian.AppendUint64(nil, v))
	}
	for _, n := range []uint64{1, 17, 1000, 123457, 1e9} {
		for bits := uint64(4); bits <= 24; bits += 5 {
			put(math.Float64bits(BloomExact(n, n*bits, 7)))
			put(uint64(BloomBestProbes(n, n*bits)))
			for _, blockBits := range []int{256, 512, 1024} {
				blocks := n*bits/uint64(blockBits) + 1
				put(math.Float64bits(BlockedFPR(n, blocks, blockBits, 6)))
				put(uint64(BlockedBestProbes(n, blocks, blockBits)))
			}
			put(math.Float64bits(SplitBlockFPR(n, n*bits/256+1)))
		}
		for _, p := range []float64{0.3, 0.05, 0.01, 0.001, 1.7e-5} {
			put(math.Float64bits(ln(p)))
			put(BloomBits(n, p))
			m, k := BloomBitsForAtMost(n, p)
			put(m + uint64(k))
			blocks, k := BlockedBlocksForAtMost(n, p, 512)
			put(blocks + uint64(k))
			put(SplitBlockBlocksForAtMost(n, p))
			put(uint64(CuckooFingerprintBits(p, 4, 0.95) + 100*QuotientRemainderBits(p, 0.9)))
		}
	}
	if got, want := digest.Sum64(), uint64(0xf505ff7958777493); got != want {
		t.Errorf("digest %#x, want %#x", got, want)
	}
}
