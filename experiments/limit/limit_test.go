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
	for _, lines := range []int{1, 2, 256, 1 << 14} {
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

// A walk of as many steps as there are lines visits each line once and comes
// back, and no step is one that a stride prefetcher would guess.
func TestCycle(t *testing.T) {
	for _, lines := range []int{1, 2, 4, 64, 256, 1 << 13, 1 << 15} {
		m := newMemory(t, lines)
		seen := make([]bool, lines)
		strides := map[int64]int{}
		at := uint64(0)
		for i := range lines {
			if at%lineWords != 0 || seen[at/lineWords] {
				t.Fatalf("%d lines: step %d leads to word %d, seen before or inside a line", lines, i, at)
			}
			seen[at/lineWords] = true
			next := m.Walk(at, 1)
			strides[int64(next)-int64(at)]++
			at = next
		}
		if at != 0 {
			t.Fatalf("%d lines: the walk ends at word %d, not where it started", lines, at)
		}
		for stride, times := range strides {
			if lines >= 256 && times*20 > lines {
				t.Errorf("%d lines: stride %d is taken %d times", lines, stride, times)
			}
		}
	}
}

func TestSteps(t *testing.T) {
	m := newMemory(t, 64)
	at := m.Walk(0, 5)
	for _, n := range []int{0, 1, 63, 64, 65, 1000} {
		end := m.Walk(at, n)
		if got := m.Steps(at, end); got != uint64(n%64) {
			t.Errorf("%d steps of 64 lines: Steps says %d", n, got)
		}
		at = end
	}
}

func TestNewRefuses(t *testing.T) {
	for _, words := range []int{0, 1, 7, 9, 24, 1000} {
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
