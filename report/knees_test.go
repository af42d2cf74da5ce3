package report

import (
	"math"
	"math/rand/v2"
	"testing"
)

// made is a ladder from 4 KiB to 1 GiB, so many sizes to an octave.
func ladderOf(perOctave int, noise float64, seed uint64, t func(size float64) float64) (sizes, ns []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := 0; i <= 18*perOctave; i++ {
		s := 4096 * math.Exp2(float64(i)/float64(perOctave))
		sizes = append(sizes, s)
		ns = append(ns, t(s)*math.Exp(noise*rng.NormFloat64()))
	}
	return sizes, ns
}

// caches are levels that serve random reads: each answers for the share of the
// memory that it holds, and the rest goes on to the next.
func caches(sizes, ns []float64) func(size float64) float64 {
	return func(size float64) (t float64) {
		missed := 1.0
		for i, c := range sizes {
			held := min(1, c/size)
			t += max(0, missed-(1-held)) * ns[i]
			missed = 1 - held
		}
		return t + missed*ns[len(sizes)]
	}
}

// cliffs are levels that serve all of the reads or none.
func cliffs(sizes, ns []float64) func(size float64) float64 {
	return func(size float64) float64 {
		for i, c := range sizes {
			if size <= c {
				return ns[i]
			}
		}
		return ns[len(sizes)]
	}
}

func TestKnees(t *testing.T) {
	const kib, mib = 1 << 10, 1 << 20
	for _, c := range []struct {
		name      string
		sizes, ns []float64
	}{
		{"a server, and a last level that is shared", []float64{48 * kib, 2 * mib, 20 * mib}, []float64{2, 6, 45, 130}},
		{"a desktop", []float64{32 * kib, 512 * kib, 32 * mib}, []float64{1, 3, 12, 80}},
		{"two levels", []float64{64 * kib, 8 * mib}, []float64{1.5, 15, 110}},
		{"one level", []float64{128 * kib}, []float64{2, 90}},
	} {
		for seed := range uint64(4) {
			for _, perOctave := range []int{1, 4} {
				for form, f := range map[string]func(size float64) float64{"shares": caches(c.sizes, c.ns), "cliffs": cliffs(c.sizes, c.ns)} {
					got := knees(ladderOf(perOctave, .04, seed, f))
					if len(got) != len(c.sizes) {
						t.Errorf("%s, %s, %d sizes an octave, seed %d: %d knees, want %d: %+v", c.name, form, perOctave, seed, len(got), len(c.sizes), got)
						continue
					}
					for i, k := range got {
						// A cliff lies anywhere between two sizes.
						within := math.Exp2(.5) * (1 + 1e-9)
						if form == "cliffs" {
							within = math.Exp2(max(.5, 1/float64(perOctave))) * (1 + 1e-9)
						}
						if r := k.at / c.sizes[i]; r > within || r < 1/within {
							t.Errorf("%s, %s, %d sizes an octave, seed %d: knee %d at %.0f KiB, want %.0f", c.name, form, perOctave, seed, i, k.at/kib, c.sizes[i]/kib)
						}
						if !(k.lo < k.at && k.at < k.hi) || k.after/k.before < leastStep {
							t.Errorf("%s: knee %+v", c.name, k)
						}
					}
				}
			}
		}
	}
}

// The intervals hold the truth as often as they say, for the model that they are
// derived from.
func TestKneeIntervals(t *testing.T) {
	sizes, ns := []float64{48 << 10, 2 << 20, 20 << 20}, []float64{2, 6, 45, 130}
	held, all := 0, 0
	for seed := range uint64(40) {
		found := knees(ladderOf(4, .05, seed, caches(sizes, ns)))
		if len(found) != len(sizes) {
			t.Fatalf("seed %d: %+v", seed, found)
		}
		for i, k := range found {
			all++
			if k.lo <= sizes[i] && sizes[i] <= k.hi {
				held++
			}
		}
	}
	// 95 % of 120 are 114; fewer than 106 happen once in 1,000 runs.
	if held < 106 {
		t.Errorf("%d of %d intervals hold the truth", held, all)
	}
}

func TestNoKnees(t *testing.T) {
	for name, f := range map[string]func(size float64) float64{
		"flat":              func(float64) float64 { return 80 },
		"a step too low":    cliffs([]float64{1 << 20}, []float64{10, 11.5}),
		"a gentle slope":    func(s float64) float64 { return 10 + .1*math.Log2(s/4096) },
		"a step down alone": cliffs([]float64{1 << 20}, []float64{20, 10}),
	} {
		for seed := range uint64(5) {
			for _, perOctave := range []int{1, 4} {
				if got := knees(ladderOf(perOctave, .04, seed, f)); len(got) > 0 {
					t.Errorf("%s, %d sizes an octave, seed %d: knees %+v", name, perOctave, seed, got)
				}
			}
		}
	}
	for _, n := range []int{0, 1, 5} {
		sizes, ns := ladderOf(1, 0, 1, caches([]float64{64 << 10}, []float64{1, 100}))
		if got := knees(sizes[:n], ns[:n]); got != nil {
			t.Errorf("%d sizes give %+v", n, got)
		}
	}
}
