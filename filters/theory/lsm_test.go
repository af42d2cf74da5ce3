package theory

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Figures of claims.md: the texts' ten tables at 1 %.
func TestLSM(t *testing.T) {
	const p = 0.01004
	near(t, LSMReads(10, p, 0, true), 0.1004, 1e-12, "reads of an absent key")
	near(t, LSMReads(10, p, 1, false), 1.0904, 1e-4, "reads of a present key")
	near(t, LSMAnyRead(10, p), 0.0960, 1e-3, "share of absent gets that read")
	near(t, LSMSaved(10, 0.01, 0, true), 9.9, 1e-12, "saved by an absent key")
	near(t, LSMSaved(1, p, 0.5, true), 0.5*(1-p), 1e-12, "saved of one table")
	near(t, LSMAnyRead(3, 1), 1, 1e-12, "filters that always say maybe")
	near(t, LSMAnyRead(1e6, 1e-12), 1e-6, 1e-6, "many tables")
	// (1-h)(1-p) C_read > C_filter, for one table: claim C35.
	for _, h := range []float64{0, 0.5, 0.99} {
		near(t, BreakEvenRead(30, 1, p, h, false), 30/((1-h)*(1-p)), 1e-12, "break-even at %v", h)
	}
	if c := BreakEvenRead(30, 1, p, 1, true); !math.IsInf(c, 1) {
		t.Errorf("one table and only present keys: a read of %v pays", c)
	}
	if c := BreakEvenRead(30, 10, 1, 0, true); !math.IsInf(c, 1) {
		t.Errorf("a filter that always says maybe: a read of %v pays", c)
	}
}

// The formulas against a simulation that draws each answer.
func TestLSMAgainstSimulation(t *testing.T) {
	const tables, p, hits, gets = 7, 0.05, 0.3, 200_000
	for _, early := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(1, 2))
		var sum, squares float64
		for range gets {
			owner, reads := -1, 0.0
			if rng.Float64() < hits {
				owner = rng.IntN(tables)
			}
			for table := range tables {
				if table == owner || rng.Float64() < p {
					reads++
				}
				if table == owner && early {
					break
				}
			}
			sum += reads
			squares += reads * reads
		}
		mean := sum / gets
		sd := math.Sqrt((squares/gets - mean*mean) / gets)
		if want := LSMReads(tables, p, hits, early); math.Abs(mean-want) > 5*sd {
			t.Errorf("early %v: %.4f reads, want %.4f +- %.4f", early, mean, want, sd)
		}
	}
}
