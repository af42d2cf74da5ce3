package filtertest

import (
	"math"
	"slices"
	"testing"

	"filterbench/filters"
)

// Lines holds a lookup against what it is said to read: lines of 64 bytes, each
// 8 of the filter's words. read names the words that a lookup reads, in the
// order of reading. Flipping all words of all other lines must change no answer,
// and the mean number of distinct lines must be the design's, for keys that are
// present and for absent ones.
//
// f must be an empty filter of the design, which should be for 50,000 keys or
// more: the interval is for the lookups, not for how filters differ.
func Lines(t *testing.T, d filters.Design, f filters.Hashed, words []uint64, read func(hash uint64) []uint64) {
	t.Helper()
	hash := d.Spec.Family.Hash
	n := int(d.N)
	in := hash.SumKeys(nil, keys(n, 16, true), 0, n, hashSeed)
	if _, err := f.AddHashes(in); err != nil {
		t.Fatal(err)
	}
	const asked = 20_000
	absent := hash.SumKeys(nil, keys(asked, 16, false), 0, asked, hashSeed)
	for present, queries := range map[bool][]uint64{true: in[:asked], false: absent} {
		var sum, squares float64
		for _, h := range queries {
			lines := float64(len(distinctLines(read(h))))
			sum += lines
			squares += lines * lines
		}
		mean := sum / asked
		slack := 5 * math.Sqrt(max(0, squares/asked-mean*mean)/asked)
		if want := d.Lines(present); math.Abs(mean-want) > slack+1e-9 {
			t.Errorf("%s: lookups read %.4f lines where present is %v; the design says %.4f +- %.4f", d, mean, present, want, slack)
		}
		flipOthers(t, f, words, queries[:100], read)
	}
}

// flipOthers asks for each hash with everything flipped but the lines that its
// lookup reads.
func flipOthers(t *testing.T, f filters.Hashed, words, hashes []uint64, read func(hash uint64) []uint64) {
	t.Helper()
	saved := slices.Clone(words)
	for _, h := range hashes {
		want, lines := f.ContainsHash(h), distinctLines(read(h))
		for i := range words {
			words[i] = ^saved[i]
		}
		for _, line := range lines {
			from, to := 8*line, min(8*line+8, uint64(len(words)))
			copy(words[from:to], saved[from:to])
		}
		got := f.ContainsHash(h)
		copy(words, saved)
		if got != want {
			t.Fatalf("hash %#x: the answer depends on other lines than %d", h, lines)
		}
	}
}

// distinctLines are the lines that the words lie in.
func distinctLines(words []uint64) []uint64 {
	lines := make([]uint64, len(words))
	for i, w := range words {
		lines[i] = w / 8
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
