package registry

import (
	"bytes"
	"testing"

	"filterbench/filters"
)

// A bit that is set by addition is cleared by the second add (field case 21):
// here the second pass over the texts' 10,000 keys changes no bit, and all are
// found. Nor do plain bits offer a delete, which would clear the bits of others.
func TestBitsAreSetNotCountedUp(t *testing.T) {
	const n = 10_000
	var keys filters.Keys
	for i := range uint64(n) {
		keys.AppendUint64(i)
	}
	shown := 0
	for _, spec := range []string{"naive", "bloom", "bloom:index=mod,step=any", "blocked", "splitblock", "leveldb", "guava", "rocksdb"} {
		d, err := Must(spec).ForBits(n, 9.5851)
		if err != nil {
			t.Fatal(err)
		}
		if m, _ := d.Param("m"); (spec == "naive" || spec == "bloom") && m != 95_851 {
			t.Errorf("%s: m = %d, want 95,851", spec, m)
		}
		f, err := d.Keyed(1)
		if err != nil {
			t.Fatal(err)
		}
		bitmap := func() []byte {
			var inner filters.Filter = f
			if h, ok := f.(interface{ Unwrap() filters.Hashed }); ok {
				inner = h.Unwrap()
			}
			if _, ok := inner.(filters.Deleter); ok {
				t.Errorf("%s offers deletes", spec)
			}
			if b, ok := inner.(filters.Bitmapper); ok {
				shown++
				return b.Bitmap()
			}
			return nil // the conformance suite compares what it can of the others
		}
		var passes [2][]byte
		for i := range passes {
			if _, err := f.AddKeys(&keys); err != nil {
				t.Fatalf("%s: %v", spec, err)
			}
			passes[i] = bitmap()
		}
		if !bytes.Equal(passes[0], passes[1]) {
			t.Errorf("%s: the second pass changed the bits", spec)
		}
		if found := f.CountKeys(&keys); found != n {
			t.Errorf("%s: %d of %d keys found after adding each twice", spec, found, n)
		}
		filters.Free(f)
	}
	if shown < 2*3 {
		t.Errorf("only %d bit arrays were compared", shown/2)
	}
}
