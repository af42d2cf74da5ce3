package limit

import (
	"slices"
	"testing"
)

// A view reads what is there, by every reader alike, and leaves it alone.
func TestView(t *testing.T) {
	words := make([]uint64, 100*lineWords)
	for i := range words {
		words[i] = uint64(i * i)
	}
	before := slices.Clone(words)
	m, err := View(words)
	if err != nil {
		t.Fatal(err)
	}
	hashes := []uint64{0, 1 << 63, ^uint64(0), 12345 << 40}
	const want = 0 + 50*8*50*8 + 99*8*99*8 + 0
	for _, r := range Readers() {
		if got := r.Sum(m, hashes); got != want {
			t.Errorf("%+v: %d, want %d", r, got, want)
		}
	}
	if !slices.Equal(words, before) {
		t.Error("the memory has changed")
	}
	for _, n := range []int{0, 1, 7, 9} {
		if _, err := View(make([]uint64, n)); err == nil {
			t.Errorf("%d words are taken for lines", n)
		}
	}
}
