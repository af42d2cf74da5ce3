package theory

import (
	"math"
	"testing"
)

func TestAnyPositive(t *testing.T) {
	for _, x := range []struct {
		n         uint64
		fpr, want float64
	}{
		{1, .01, .01}, {2, .5, .75}, {100, .01, 1 - math.Pow(.99, 100)}, {0, .5, 0}, {7, 0, 0}, {7, 1, 1},
		{1000, 1e-15, 1e-12}, // where 1-p is 1
	} {
		if got := AnyPositive(x.n, x.fpr); math.Abs(got-x.want) > 1e-12*x.want+1e-17 {
			t.Errorf("%d at %v: %v, want %v", x.n, x.fpr, got, x.want)
		}
	}
}

func TestCandidates(t *testing.T) {
	if got := Candidates(1000, 1_000_000, .01); got != 10_990 {
		t.Errorf("%v", got)
	}
	if got := Candidates(7, 7, .5); got != 7 {
		t.Errorf("%v of a full universe", got)
	}
}

// At the break-even share the reads spared cost what asking costs.
func TestBreakEven(t *testing.T) {
	for _, x := range []struct{ filter, read, fpr float64 }{{20, 1000, .01}, {50, 1e7, .001}, {1, 2, 0}} {
		h := BreakEven(x.filter, x.read, x.fpr)
		if got := SparedReads(h, x.fpr) * x.read; math.Abs(got-x.filter) > 1e-9*x.read {
			t.Errorf("%+v: at a share of %v %v is spared", x, h, got)
		}
	}
	if h := BreakEven(300, 100, .01); h >= 0 {
		t.Errorf("a filter slower than the read pays up to %v", h)
	}
}
