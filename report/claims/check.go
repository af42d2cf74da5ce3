package claims

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"filterbench/filters/theory"
	"filterbench/results"
)

// Check says in a [Fault] why an FPR record's numbers cannot be true: counts
// and sizes that no filter has, or a model that is not that of its n, m and k.
// It is nil for a record of which only the rate is not that of its counts
// ([results.Record.Inconsistency]), and for what is not there.
func Check(r results.Record) error {
	if what := r.Impossible(); what != "" {
		return fault(r, "%s", what)
	}
	return checkModel(r)
}

// plainBloom are the families whose rate the exact formula gives from the axes
// n, m and k.
var plainBloom = []string{"naive", "bloom"}

// checkModel compares a Bloom filter's model with the exact formula, so that
// the axes are those that the run had.
func checkModel(r results.Record) error {
	const rounding = 1e-9 // exp and log differ in the last digits from CPU to CPU
	family, _, _ := strings.Cut(r.Axis("filter"), ":")
	model, ok := r.Value("model-fpr")
	if r.Name != "FPR" || !slices.Contains(plainBloom, family) || !ok {
		return nil
	}
	axis := func(key string, most uint64) (uint64, bool) {
		v, err := strconv.ParseUint(r.Axis(key), 10, 64)
		return v, err == nil && v > 0 && v <= most
	}
	n, ok1 := axis("n", maxCount)
	m, ok2 := axis("m", maxCount)
	k, ok3 := axis("k", maxProbes)
	if !ok1 || !ok2 || !ok3 {
		return nil
	}
	fpr, sd := bloomModel(n, m, int(k))
	if !(math.Abs(model-fpr) <= rounding*fpr) {
		return fault(r, "model-fpr is %v, but theory gives %v for n = %d, m = %d and k = %d", model, fpr, n, m, k)
	}
	if v, ok := r.Value("model-sd"); ok && !(math.Abs(v-sd) <= rounding*sd) {
		return fault(r, "model-sd is %v, but theory gives %v for n = %d, m = %d and k = %d", v, sd, n, m, k)
	}
	return nil
}

var bloomModels sync.Map // of [2]float64, since many claims read the same records

func bloomModel(n, m uint64, k int) (fpr, sd float64) {
	key := [3]uint64{n, m, uint64(k)}
	if known, ok := bloomModels.Load(key); ok {
		v := known.([2]float64)
		return v[0], v[1]
	}
	v := [2]float64{theory.BloomExact(n, m, k), theory.BloomSD(n, m, k)}
	bloomModels.Store(key, v)
	return v[0], v[1]
}

// contradiction is a fault of the first record of some cells whose numbers do
// not agree with each other, or nil.
func contradiction(s *results.Set, cells []Cell) error {
	for _, c := range cells {
		records, _ := find(s, c)
		for _, r := range records {
			if what := cmp.Or(r.Impossible(), r.Inconsistency()); what != "" {
				return fault(r, "%s", what)
			}
		}
	}
	return nil
}
