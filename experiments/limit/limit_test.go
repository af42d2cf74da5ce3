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
	m, err := New(make([]uint64, lines*lineWords), 0)
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

// A walk of as many steps as there are lines visits each line once and comes
// back, and no step is one that a stride prefetcher would guess.
func TestCycle(t *testing.T) {
	for _, lines := range []int{1, 2, 3, 4, 5, 64, 65, 256, 304, 1 << 13, 9742, 1 << 15} {
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
	for _, lines := range []int{64, 77} {
		m := newMemory(t, lines)
		at := m.Walk(0, 5)
		for _, n := range []int{0, 1, lines - 1, lines, lines + 1, 1000} {
			end := m.Walk(at, n)
			if got := m.Steps(at, end); got != uint64(n%lines) {
				t.Errorf("%d steps of %d lines: Steps says %d", n, lines, got)
			}
			at = end
		}
	}
}

// Memories that share an array leave each other's cycles alone.
func TestLanes(t *testing.T) {
	words := make([]uint64, 1000*lineWords)
	for i := range words {
		words[i] = ^uint64(0) // what an earlier user left
	}
	var all []*Memory
	for lane := range Lanes {
		m, err := New(words[:(1000-100*lane)*lineWords], lane)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	for lane, m := range all {
		at := uint64(0)
		for i := range m.lines {
			if i > 0 && at == 0 {
				t.Fatalf("lane %d: back after %d steps of %d", lane, i, m.lines)
			}
			at = m.Walk(at, 1)
		}
		if at != 0 {
			t.Errorf("lane %d: %d steps do not lead back", lane, m.lines)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, words := range []int{0, 1, 7, 9, 1001} {
		if _, err := New(make([]uint64, words), 0); err == nil || !strings.Contains(err.Error(), fmt.Sprint(8*words, " bytes")) {
			t.Errorf("%d words: error %v, want one that names the size", words, err)
		}
	}
	for _, lane := range []int{-1, Lanes} {
		if _, err := New(make([]uint64, lineWords), lane); err == nil || !strings.Contains(err.Error(), fmt.Sprint("lane ", lane)) {
			t.Errorf("lane %d: error %v, want one that names it", lane, err)
		}
	}
}

func TestLoop(t *testing.T) {
	if got := Loop([]uint64{1, 2, 4}); got != 7 {
		t.Errorf("Loop = %d, want 7", got)
	}
}
