package guava

import (
	"bytes"
	"testing"
)

// Any bytes are an error that leaves no trace, or the state of a filter that
// writes them again.
func FuzzLoadState(f *testing.F) {
	g, err := New(128, 3)
	if err != nil {
		f.Fatal(err)
	}
	empty := g.AppendState(nil)
	f.Add(empty)
	for _, key := range []string{"", "a", "key1"} {
		g.Add([]byte(key))
	}
	f.Add(g.AppendState(nil))
	f.Fuzz(func(t *testing.T, state []byte) {
		g, err := New(128, 3)
		if err != nil {
			t.Fatal(err)
		}
		want := state
		if g.LoadState(state) != nil {
			want = empty
		}
		if !bytes.Equal(g.AppendState(nil), want) {
			t.Fatalf("after %x the state is %x", state, g.AppendState(nil))
		}
	})
}
