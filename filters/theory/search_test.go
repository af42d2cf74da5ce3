package theory

import (
	"testing"

	"pgregory.net/rapid"
)

func TestLeastFindsTheThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Uint64Range(1, 1<<60).Draw(t, "limit")
		threshold := rapid.Uint64Range(1, limit).Draw(t, "threshold")
		guess := rapid.Uint64().Draw(t, "guess")
		calls := 0
		got := least(guess, limit, func(x uint64) bool {
			calls++
			if x < 1 || x > limit {
				t.Fatalf("asked for %d, outside of 1..%d", x, limit)
			}
			return x >= threshold
		})
		if got != threshold {
			t.Fatalf("least = %d, want %d", got, threshold)
		}
		if calls > 125 {
			t.Fatalf("%d calls", calls)
		}
	})
}

func TestLeastWithoutAny(t *testing.T) {
	if got := least(5, 100, func(uint64) bool { return false }); got != 0 {
		t.Errorf("least = %d, want 0 where nothing is enough", got)
	}
}

func TestBestProbesFindsTheBottom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bottom := rapid.IntRange(1, MaxProbes).Draw(t, "bottom")
		flat := rapid.IntRange(0, MaxProbes-bottom).Draw(t, "flat") // equals after it
		start := rapid.IntRange(-5, 2*MaxProbes).Draw(t, "start")
		got := bestProbes(start, func(k int) int { return max(bottom-k, 0, k-bottom-flat) })
		if got != bottom {
			t.Fatalf("bestProbes = %d, want %d, the smallest of equals", got, bottom)
		}
	})
}
