package splitblock

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"

	"filterbench/filters"

	parquet "github.com/parquet-go/parquet-go/bloom"
)

// States that no filter can have are refused: each key sets a bit in all eight
// lanes of a block.
func TestImpossibleStates(t *testing.T) {
	lane := func(set string) string { // the first byte of each lane, by its digit
		var b []byte
		for _, d := range set {
			b = append(b, byte(d-'0'), 0, 0, 0)
		}
		return string(b)
	}
	for name, c := range map[string]struct {
		keys   byte
		blocks string
		fits   bool
	}{
		"empty":             {0, lane("0000000000000000"), true},
		"one key":           {1, lane("1211121100000000"), true},
		"two keys":          {2, lane("3333333300000000"), true},
		"a key each":        {2, lane("1111111122222222"), true},
		"more keys":         {9, lane("1211121100000000"), true},
		"a lane is empty":   {2, lane("1110111100000000"), false},
		"a block is broken": {2, lane("1111111100000001"), false},
		"too many bits":     {1, lane("1111111300000000"), false},
		"of no key":         {0, lane("1111111100000000"), false},
		"without bits":      {1, lane("0000000000000000"), false},
	} {
		f := build(t, 2)
		if err := f.LoadState(append([]byte{c.keys, 0, 0, 0, 0, 0, 0, 0}, c.blocks...)); (err == nil) != c.fits {
			t.Errorf("%s: %v", name, err)
		} else if !c.fits && (f.Len() != 0 || f.BitsSet() != 0) {
			t.Errorf("%s: a refused state left a trace", name)
		}
	}
}

// Any bytes are an error that leaves no trace, or the state of a filter that
// writes them again and keeps working.
func FuzzLoadState(f *testing.F) {
	g := build(f, 2)
	f.Add(g.AppendState(nil))
	g.AddHashes(hashes(5, 8))
	f.Add(g.AppendState(nil))
	f.Fuzz(func(t *testing.T, state []byte) {
		g := build(t, 2)
		before := g.AppendState(nil)
		if err := g.LoadState(state); err != nil {
			if !bytes.Equal(g.AppendState(nil), before) {
				t.Fatal("a refused state left a trace")
			}
			return
		}
		if !bytes.Equal(g.AppendState(nil), state) {
			t.Fatal("the state reads back otherwise")
		}
		in := hashes(20, 9)
		g.AddHashes(in)
		if g.CountHashes(in) != len(in) {
			t.Fatal("a key is lost")
		}
	})
}

// The same keys give the same bytes on every machine. TestAgainstParquet says
// that they are the right ones.
func TestGolden(t *testing.T) {
	f, err := sized(t, 1000, 10).Keyed(0)
	if err != nil {
		t.Fatal(err)
	}
	peer := make(parquet.SplitBlockFilter, 40)
	var keys filters.Keys
	for i := range uint64(1000) {
		keys.AppendUint64(i)
		peer.Insert((parquet.XXH64{}).Sum64(keys.At(int(i))))
	}
	f.AddKeys(&keys)
	bitmap := f.(interface{ Unwrap() filters.Hashed }).Unwrap().(*Filter).Bitmap()
	if !bytes.Equal(bitmap, peerBytes(peer)) {
		t.Error("the bits are not parquet-go's")
	}
	const want = "bc68aa88a24fec04"
	if got := fmt.Sprintf("%x", sha256.Sum256(bitmap))[:16]; got != want {
		t.Errorf("bits %s, want %s", got, want)
	}
}
