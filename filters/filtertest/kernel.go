package filtertest

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"filterbench/filters"
	"filterbench/filters/simd"
)

// checkKernel compares the filter that uses its kernel with the portable one.
func checkKernel(t *testing.T, spec filters.Spec) {
	const auto = "kernel=auto"
	if !strings.Contains(spec.String(), auto) {
		t.Skip("no kernel, or one that is named")
	}
	with := func(kernel string, n uint64) (filters.Hashed, error) {
		s, err := filters.ParseSpec([]*filters.Family{spec.Family}, strings.Replace(spec.String(), auto, "kernel="+kernel, 1))
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.ForBits(n, bitsFor)
		if err != nil { // too few bits for it, or no such kernel
			d, err = s.ForFPR(n, 0.01)
		}
		if err != nil {
			return nil, err
		}
		return emptyHashed(t, d), nil
	}
	for _, n := range []uint64{1, 50, 3000} {
		portable, err := with(simd.Portable, n)
		if err != nil {
			t.Fatal(err)
		}
		kernel, err := with(simd.AVX2, n)
		if err != nil {
			t.Skip(err)
		}
		in := keys(int(n), 16, true)
		Kernel(t, kernel, portable, spec.Family.Hash.SumKeys(nil, in, 0, in.Len(), hashSeed))
	}
}

// Kernel compares two empty filters of one design, of which one uses a kernel:
// all bits and all answers must be equal, whatever the lengths of the batches
// and wherever they begin. It adds the hashes, and looks up these and others.
func Kernel(t testing.TB, kernel, portable filters.Hashed, hashes []uint64) {
	t.Helper()
	room := guarded(t, 200) // nothing is read behind a batch
	for from, n := 0, 0; from < len(hashes); n = (n + 1) % len(room) {
		n := min(n, len(hashes)-from)
		batch := room[len(room)-n:]
		copy(batch, hashes[from:])
		if taken, err := kernel.AddHashes(batch); taken != n || err != nil {
			t.Fatalf("the kernel took %d of %d keys: %v", taken, n, err)
		}
		for _, h := range batch {
			if err := portable.AddHash(h); err != nil {
				t.Fatal(err)
			}
		}
		from += n
	}
	if kernel.Len() != portable.Len() {
		t.Fatalf("%d keys by the kernel, %d by portable code", kernel.Len(), portable.Len())
	}
	if !bytes.Equal(state(kernel), state(portable)) {
		t.Fatal("the kernel and the portable code set other bits")
	}
	ask := kernelQueries(hashes)
	for length := 0; length <= len(room); length++ {
		batch := room[len(room)-length:]
		copy(batch, ask[length%7:])
		kernelBatch(t, kernel, portable, batch)
	}
	kernelBatch(t, kernel, portable, ask)
	if got, want := kernel.CountHashes(ask), portable.CountHashes(ask); got != want {
		t.Fatalf("one key at a time: %d hits by the kernel, %d by portable code", got, want)
	}
}

// kernelQueries mixes the hashes with others and with the extreme ones, whose
// blocks are the first and the last.
func kernelQueries(hashes []uint64) []uint64 {
	ask := []uint64{0, ^uint64(0), 1, 1 << 63, 1<<32 - 1, 1 << 32, 0xffffffff_00000000}
	for i := range uint64(2000) {
		ask = append(ask, scramble(i, 17))
		if len(hashes) > 0 && i%2 == 0 {
			ask = append(ask, hashes[i/2%uint64(len(hashes))])
		}
	}
	return ask
}

// kernelBatch looks up one batch, between sentinels.
func kernelBatch(t testing.TB, kernel, portable filters.Hashed, batch []uint64) {
	t.Helper()
	const sentinel = 0xdeadbeefdeadbeef
	n := filters.BitsetLen(len(batch))
	out := slices.Repeat([]uint64{sentinel}, n+2)
	hits := kernel.ContainsHashes(batch, out[1:n+1])
	if out[0] != sentinel || out[n+1] != sentinel {
		t.Fatalf("batch of %d: the kernel wrote outside of its answers", len(batch))
	}
	if got := filters.CountBits(out[1 : n+1]); got != hits {
		t.Fatalf("batch of %d: %d hits returned, %d bits set", len(batch), hits, got)
	}
	for i, h := range batch {
		if got, want := out[1+i/64]>>(i%64)&1 != 0, portable.ContainsHash(h); got != want || kernel.ContainsHash(h) != want {
			t.Fatalf("batch of %d: key %d (%#x): %v in the batch, %v alone, %v by portable code",
				len(batch), i, h, got, kernel.ContainsHash(h), want)
		}
	}
}

// FuzzKernel is Kernel on the hashes that the bytes of a fuzz target hold, 8 each.
func FuzzKernel[F filters.Hashed](t *testing.T, data []byte, pair func() (kernel, portable F)) {
	var hashes []uint64
	for ; len(data) >= 8; data = data[8:] {
		hashes = append(hashes, binary.LittleEndian.Uint64(data))
	}
	kernel, portable := pair()
	defer filters.Free(kernel)
	defer filters.Free(portable)
	Kernel(t, kernel, portable, hashes)
}
