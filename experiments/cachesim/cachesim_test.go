package cachesim

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Random reads of one memory: a cache of C lines that forgets what was not used
// for longest holds the C lines used last, and each of the N lines is as likely
// to be next. So C of N reads hit, set by set and together.
func TestUniformReads(t *testing.T) {
	const memory, reads = 4 << 20, 200_000
	c, err := New(Fixed)
	if err != nil {
		t.Fatal(err)
	}
	lines := uint64(memory / LineBytes)
	for i := range lines {
		c.Read(i)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var missed [3]float64
	for i := range 2 * reads {
		misses := c.Read(rng.Uint64N(lines))
		for l := range misses {
			if i >= reads {
				missed[l]++
			}
		}
	}
	for l, level := range Fixed {
		want := max(0, 1-float64(level.Bytes)/memory)
		slack := 5 * math.Sqrt(want*(1-want)/reads)
		if got := missed[l] / reads; math.Abs(got-want) > slack {
			t.Errorf("level %d misses %.4f of the reads, want %.4f +- %.4f", l+1, got, want, slack)
		}
	}
}

// Against a plain account of when each line was used.
func TestAgainstTimes(t *testing.T) {
	g := Geometry{{3 * 2 * LineBytes, 2}, {5 * 4 * LineBytes, 4}}
	c, err := New(g)
	if err != nil {
		t.Fatal(err)
	}
	held := []map[uint64]int{{}, {}} // by level: when a line was used last
	rng := rand.New(rand.NewPCG(3, 4))
	for now := range 50_000 {
		line := rng.Uint64N(60)
		if now%3 == 0 {
			line = uint64(now) % 17
		}
		want := len(g)
		for l, level := range g {
			sets := level.Bytes / LineBytes / uint64(level.Ways)
			_, hit := held[l][line]
			held[l][line] = now
			if hit {
				want = l
				break
			}
			var set []uint64
			oldest := line
			for other, when := range held[l] {
				if other%sets == line%sets {
					set = append(set, other)
					if when < held[l][oldest] {
						oldest = other
					}
				}
			}
			if len(set) > level.Ways {
				delete(held[l], oldest)
			}
		}
		if got := c.Read(line); got != want {
			t.Fatalf("read %d, of line %d: %d levels miss, want %d", now, line, got, want)
		}
	}
}

func TestGeometry(t *testing.T) {
	if got, want := Fixed.String(), "32KiB.8+512KiB.8+32MiB.16"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, l := range []Level{{0, 1}, {64, 0}, {64, -1}, {64, 2}, {192, 2}, {100, 1}} {
		if _, err := New(Geometry{l}); err == nil {
			t.Errorf("%v is taken for a cache", l)
		}
	}
	if _, err := New(Geometry{{300 << 20, 20}}); err != nil { // sets that are no power of two
		t.Error(err)
	}
}
