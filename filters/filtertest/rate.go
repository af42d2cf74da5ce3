package filtertest

import (
	"math"
	"testing"

	"filterbench/filters"
)

// checkFPR holds the measured rate against the family's own model at sizes
// from 1,000 to 200,000 keys: within five standard deviations, of the queries
// and of the filters together, beside the model's stated tolerance. A bug that
// moves the rate with n (a narrow hash, a short index) shows at one end.
func checkFPR(t *testing.T, spec filters.Spec) {
	for _, n := range []int{1_000, 20_000, 200_000} {
		d := design(t, spec, uint64(n))
		if !d.Model.Holds(uint64(n)) {
			continue
		}
		filtersBuilt := max(1, 20_000/n)
		if testing.Short() && n > 20_000 {
			continue
		}
		p, sd := d.Model.FPR(uint64(n)), d.Model.SD(uint64(n))
		queries := int(min(1e6, 40_000/max(p, 1e-9)))
		if testing.Short() {
			queries /= 10
		}
		if spec.Family.NanosPerKey >= 100 {
			queries = min(queries, 100_000)
		}
		fp, asked := 0, 0
		for i := range filtersBuilt {
			f, taken := build(t, d, keys(n, uint64(i+1), true))
			if taken.Len() != n {
				t.Fatalf("n=%d: only %d keys taken", n, taken.Len())
			}
			absent := keys(queries/filtersBuilt, uint64(i+1), false)
			fp += f.CountKeys(absent)
			asked += absent.Len()
		}
		q := float64(asked)
		// Five standard deviations, and five more counts where the mean is so
		// small that a normal bound fails: a Poisson count of mean 1 or less
		// exceeds mean + 5 sd + 5 with a chance below 1e-8.
		slack := 5*math.Sqrt(q*p*(1-p)+q*q*sd*sd/float64(filtersBuilt)) + q*p*d.Model.Tolerance + 5
		if math.Abs(float64(fp)-q*p) > slack {
			t.Errorf("%s, n=%d: %d false positives of %d; the model says %.1f +- %.1f", d, n, fp, asked, q*p, slack)
		}
	}
}

// checkPromise holds a design for a rate against the family's own model.
func checkPromise(t *testing.T, spec filters.Spec) {
	for _, n := range []uint64{1, 10, 1000, 1_000_000, 100_000_000} {
		for _, p := range []float64{0.5, 0.1, 0.01, 1e-4, 1e-7} {
			d, err := spec.ForFPR(n, p)
			if err != nil || !d.Model.Holds(n) {
				continue
			}
			if got := d.Model.FPR(n); got > p*(1+1e-12) {
				t.Errorf("n=%d p=%v: the model of %s says %v", n, p, d, got)
			}
		}
	}
}
