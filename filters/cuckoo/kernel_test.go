package cuckoo

import (
	"bytes"
	"encoding/binary"
	"testing"

	"filterbench/filters/filtertest"
	"filterbench/filters/simd"
)

// pair makes a filter with the kernel and one without.
func pair(t testing.TB, s shape, fetch bool) (kernel, portable *Filter) {
	t.Helper()
	if simd.Kernel() != simd.AVX2 {
		t.Skip("no kernel here")
	}
	kernel, err := newFilter(s, true)
	if err != nil {
		t.Fatal(err)
	}
	kernel.fetch = fetch
	if portable, err = newFilter(s, false); err != nil {
		t.Fatal(err)
	}
	return kernel, portable
}

// The kernel puts fingerprints where portable code puts them, and gives its
// answers, in every layout, whether buckets are fetched ahead or not.
func TestKernel(t *testing.T) {
	for i, s := range allLayouts() {
		s.buckets = []uint64{2, 20, 1000}[i%3]
		for _, fetch := range []bool{false, true} {
			kernel, portable := pair(t, s, fetch)
			filtertest.Kernel(t, kernel, portable, hashes(int(kernel.Slots()*7/10), uint64(i)))
		}
	}
}

// A batch of adds stops at the key that is refused by itself, wherever that lies
// in the batch, and leaves the same filter behind.
func TestKernelRefuses(t *testing.T) {
	for i, s := range layouts {
		s.buckets = 100
		kernel, portable := pair(t, s, true)
		in := hashes(int(kernel.Slots()*5/4), uint64(i))
		for len(in) > 0 {
			batch := in[:min(len(in), 1+int(in[0]%200))]
			got, gotErr := kernel.AddHashes(batch)
			want, wantErr := portable.AddHashes(batch)
			if got != want || gotErr != wantErr || !bytes.Equal(kernel.AppendState(nil), portable.AppendState(nil)) {
				t.Fatalf("%v: the kernel takes %d of %d (%v), portable code %d (%v), or other slots", s, got, len(batch), gotErr, want, wantErr)
			}
			in = in[min(got+1, len(batch)):]
		}
		if kernel.Refused() == 0 || kernel.Refused() != portable.Refused() || kernel.Kicks() != portable.Kicks() || kernel.Len() != portable.Len() {
			t.Errorf("%v: %d refused, %d kicks, %d keys; by portable code %d, %d and %d", s,
				kernel.Refused(), kernel.Kicks(), kernel.Len(), portable.Refused(), portable.Kicks(), portable.Len())
		}
	}
}

func FuzzKernel(f *testing.F) {
	f.Add(uint32(1), uint8(12), true, []byte{})
	f.Add(uint32(1000), uint8(60), false, []byte("12345678abcdefgh\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, buckets uint32, layout uint8, fetch bool, data []byte) {
		s := allLayouts()[int(layout)%len(allLayouts())]
		s.buckets = 2 * (1 + uint64(buckets)%5000)
		var want []uint64 // what there is room for
		probe := build(t, s)
		for ; len(data) >= 8; data = data[8:] {
			if h := binary.LittleEndian.Uint64(data); probe.AddHash(h) == nil {
				want = append(want, h)
			}
		}
		kernel, portable := pair(t, s, fetch)
		filtertest.Kernel(t, kernel, portable, want)
	})
}

// Tables beyond what 31 bits address have none.
func TestLacks(t *testing.T) {
	if lacks(shape{buckets: 1 << 31}) != "" || lacks(shape{buckets: 1<<31 + 2}) == "" {
		t.Error("the limit is not at 2^31 buckets")
	}
}
