package limit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"filterbench/filters/hashing"
)

func newMemory(t *testing.T, lines int) *Memory {
	t.Helper()
	m, err := New(make([]uint64, lines*lineWords))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Each reader reads the line that Reduce names and no other, whatever the
// length of the stream: on random words a wrong line gives a wrong sum.
func TestReadersAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	hashes := make([]uint64, 1000)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	hashes[0], hashes[1] = 0, ^uint64(0) // the first line and the last
	lengths := []int{999, 1000}
	for n := range 66 {
		lengths = append(lengths, n)
	}
	for _, lines := range []int{1, 2, 3, 256, 1000, 1 << 14} {
		m := newMemory(t, lines)
		for i := range m.words {
			m.words[i] = rng.Uint64()
		}
		for _, n := range lengths {
			var want uint64
			for _, h := range hashes[:n] {
				want += m.words[hashing.Reduce(h, uint64(lines))*8]
			}
			for _, r := range Readers() {
				if got := r.Sum(m, hashes[:n:n]); got != want {
					t.Fatalf("%+v, %d lines, %d hashes: sum %#x, want %#x", r, lines, n, got, want)
				}
			}
		}
	}
}

// Each read of a chase is of the line that its hash names, and of the word that
// the read before it named.
func TestChase(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	hashes := make([]uint64, 1000)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	hashes[0], hashes[1] = 0, ^uint64(0)
	for _, lines := range []int{1, 3, 64, 1000} {
		m := newMemory(t, lines)
		var word, want uint64
		for _, h := range hashes {
			word = m.words[hashing.Reduce(h, uint64(lines))*8+word/8]
			want += word
		}
		if got := m.Chase(hashes); got != want {
			t.Errorf("%d lines: sum %d, want %d", lines, got, want)
		}
	}
	// A word of the first line decides what is read of the second.
	m := newMemory(t, 2)
	for i := range m.words {
		m.words[i] = uint64(i % 8 * 8)
	}
	for offset := uint64(0); offset < LineBytes; offset += 8 {
		m.words[0] = offset
		if got := m.Chase([]uint64{0, ^uint64(0)}); got != 2*offset {
			t.Errorf("after word %d comes %d", offset, got-offset)
		}
	}
}

// The words tell nothing beforehand: all offsets are as frequent as chance has
// it (chi-square, 7 degrees of freedom: above 35.3 once in 10^5), also after each
// of them.
func TestWords(t *testing.T) {
	m := newMemory(t, 1<<14)
	var pairs [8][8]float64
	for i, w := range m.words[1:] {
		if w%8 != 0 || w >= LineBytes {
			t.Fatalf("word %d is %d", i+1, w)
		}
		pairs[m.words[i]/8][w/8]++
	}
	for before, counts := range pairs {
		sum, chi := 0.0, 0.0
		for _, n := range counts {
			sum += n
		}
		for _, n := range counts {
			chi += (n - sum/8) * (n - sum/8) / (sum / 8)
		}
		if chi > 35.3 || sum < float64(len(m.words))/16 {
			t.Errorf("after %d: %v", 8*before, counts)
		}
	}
}

func TestFirst(t *testing.T) {
	m := newMemory(t, 10)
	for _, c := range []struct{ bytes, want uint64 }{{0, 64}, {64, 64}, {127, 64}, {128, 128}, {640, 640}, {10000, 640}} {
		if got := m.First(c.bytes).Bytes(); got != c.want {
			t.Errorf("the first %d bytes are %d", c.bytes, got)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, words := range []int{0, 1, 7, 9, 1001} {
		if _, err := New(make([]uint64, words)); err == nil || !strings.Contains(err.Error(), fmt.Sprint(8*words, " bytes")) {
			t.Errorf("%d words: error %v, want one that names the size", words, err)
		}
	}
}

func TestLoop(t *testing.T) {
	if got := Loop([]uint64{1, 2, 4}); got != 7 {
		t.Errorf("Loop = %d, want 7", got)
	}
}
