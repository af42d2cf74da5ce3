package filtertest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"filterbench/filters"
)

// checkMarshal writes filters of several sizes and reads them back.
func checkMarshal(t *testing.T, spec filters.Spec) {
	for _, n := range []int{0, 1, 50, 3000} {
		d := design(t, spec, uint64(max(n, 1)))
		if byRate, err := spec.ForFPR(uint64(max(n, 1)), 0.02); err == nil && n == 50 {
			d = byRate
		}
		f, _ := build(t, d, keys(n, 3, true))
		image, err := filters.Marshal(d, f, hashSeed)
		if _, ok := inner(f).(filters.Snapshotter); !ok {
			if err == nil {
				t.Error("a family without snapshots was marshalled")
			}
			t.Skip("no snapshot")
		}
		if err != nil {
			t.Fatal(err)
		}
		checkRoundTrip(t, d, f, image)
		checkLoad(t, d, state(f))
		if _, err := filters.Marshal(d, f, hashSeed+1); err == nil && d.NewHashed != nil {
			t.Error("a filter was marshalled with another seed than its own")
		}
		if other, err := spec.ForBits(50_000, bitsFor); err == nil {
			if _, err := filters.Marshal(other, f, hashSeed); err == nil {
				t.Error("a filter was marshalled as one of another size")
			}
		}
	}
}

// checkRoundTrip reads an image of f, and writes it again.
func checkRoundTrip(t *testing.T, d filters.Design, f filters.Keyed, image []byte) {
	t.Helper()
	families := []*filters.Family{d.Spec.Family}
	back, g, seed, err := filters.Unmarshal(families, image)
	if err != nil {
		t.Fatalf("n=%d: %v", d.N, err)
	}
	defer filters.Free(g)
	if back.String() != d.String() || back.N != d.N || back.SizeBits != d.SizeBits {
		t.Errorf("n=%d: %s of %d bits was read back as %s of %d bits", d.N, d, d.SizeBits, back, back.SizeBits)
	}
	compare(t, "read back", f, g)
	if mix := mixed(3000); !bytes.Equal(answers(f, mix), answers(g, mix)) {
		t.Errorf("n=%d: the filter that was read back answers otherwise", d.N)
	}
	again, err := filters.Marshal(back, g, seed)
	if err != nil || !bytes.Equal(again, image) {
		t.Errorf("n=%d: written again, the image differs (%v)", d.N, err)
	}
}

// checkLoad gives an empty filter states of other lengths: each is an error,
// and leaves it as it was.
func checkLoad(t *testing.T, d filters.Design, snapshot []byte) {
	t.Helper()
	f := empty(t, d)
	s := inner(f).(filters.Snapshotter)
	before := state(f)
	lengths := []int{0, 1, 7, 8, 9, len(snapshot) / 2, len(snapshot) - 1}
	for _, n := range lengths {
		if n < len(snapshot) && s.LoadState(snapshot[:n]) == nil {
			t.Errorf("LoadState takes %d of %d bytes", n, len(snapshot))
		}
	}
	if s.LoadState(append(bytes.Clone(snapshot), 0)) == nil {
		t.Errorf("LoadState takes a byte more than %d", len(snapshot))
	}
	if !bytes.Equal(state(f), before) || f.Len() != 0 {
		t.Error("a state that was refused changed the filter")
	}
}

// checkDamage flips every bit of a small image, and cuts it off everywhere. The
// checksum catches all of it; with the checksum made right again, as an attacker
// would, the bytes must be an error or the image of another filter.
func checkDamage(t *testing.T, spec filters.Spec) {
	const n = 11 // at 12 bits a key, 4 bits behind the last whole byte
	d := design(t, spec, n)
	f, _ := build(t, d, keys(n, 3, true))
	image, err := filters.Marshal(d, f, hashSeed)
	if err != nil {
		t.Skip(err)
	}
	families := []*filters.Family{spec.Family}
	hostile := func(what string, at int, damaged []byte) {
		if _, _, _, err := filters.Unmarshal(families, damaged); err == nil {
			t.Fatalf("%s %d: no error", what, at)
		}
		Hostile(t, families, damaged)
	}
	for i := range image {
		hostile("cut off at byte", i, bytes.Clone(image[:i]))
	}
	for i := range 8 * len(image) {
		damaged := bytes.Clone(image)
		damaged[i/8] ^= 1 << (i % 8)
		hostile("flipped bit", i, damaged)
	}
}

// Hostile reads bytes that may be anything, as they are and with the checksum
// made right. What is accepted must be the one image of a filter that works.
func Hostile(t *testing.T, families []*filters.Family, image []byte) {
	t.Helper()
	checkAccepted(t, families, image)
	if body := len(image) - 4; body >= 0 {
		sum := crc32.Checksum(image[:body], crc32.MakeTable(crc32.Castagnoli))
		checkAccepted(t, families, binary.LittleEndian.AppendUint32(bytes.Clone(image[:body]), sum))
	}
}

func checkAccepted(t *testing.T, families []*filters.Family, image []byte) {
	t.Helper()
	d, f, seed, err := filters.Unmarshal(families, image)
	if err != nil {
		return
	}
	defer filters.Free(f)
	again, err := filters.Marshal(d, f, seed)
	if err != nil {
		t.Fatalf("%s was read and cannot be written: %v", d, err)
	}
	if !bytes.Equal(again, image) {
		t.Fatalf("%s was read from other bytes than it is written as", d)
	}
	probe := keys(64, 15, true)
	f.CountKeys(probe)
	if !d.Spec.Family.Static {
		if taken, err := f.AddKeys(probe); taken == probe.Len() && f.CountKeys(probe) != taken {
			t.Fatalf("%s was read, and loses keys (%v)", d, err)
		}
	}
}
