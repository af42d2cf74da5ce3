package experiments

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"filterbench/results"
	"filterbench/results/stat"
)

// gateLevel is the family-wise error of the gate: a run in which every filter
// follows its model fails once in a million.
const gateLevel = 1e-6

// gateFPR holds every cell against its family's own model, where the model is
// meant to hold, and every filter against its promise never to lose a key. A
// filter whose rate drifts off its model with n fails here, whatever a chart
// would show.
func gateFPR(records []results.Record) error {
	var faults []error
	var cells []results.Record
	var p []float64
	for _, r := range records {
		if fn, _ := r.Value("fn"); fn > 0 {
			faults = append(faults, fmt.Errorf("%s lost %.0f keys: false negatives", r.FullName(), fn))
		}
		if v, ok := pValue(r); ok {
			cells, p = append(cells, r), append(p, v)
		}
	}
	for i, adjusted := range stat.Holm(p) {
		if adjusted < gateLevel {
			fpr, _ := cells[i].Value("fpr")
			model, _ := cells[i].Value("model-fpr")
			faults = append(faults, fmt.Errorf("%s: FPR is %.4g where its model says %.4g (p = %.2g over %d cells)",
				cells[i].FullName(), fpr, model, adjusted, len(cells)))
		}
	}
	return firstOf(faults)
}

// pValue is the probability of a count as far from the model as the record's;
// ok is false where the model is not meant to hold.
func pValue(r results.Record) (p float64, ok bool) {
	tol, ok := r.Value("model-tol")
	if !ok {
		return 0, false
	}
	get := func(unit string) float64 {
		v, _ := r.Value(unit)
		return v
	}
	model := stat.Count{
		Queries: uint64(get("queries")), Filters: uint64(get("filters")),
		Rate: get("model-fpr"), SD: get("model-sd"),
	}
	return model.PValue(uint64(get("fp")), tol), true
}

// firstOf joins the first few faults and says how many there are.
func firstOf(faults []error) error {
	const most = 5
	if len(faults) <= most {
		return errors.Join(faults...)
	}
	var names []string
	for _, f := range faults[:most] {
		names = append(names, f.Error())
	}
	return fmt.Errorf("%s; and %d more", strings.Join(slices.Compact(names), "; "), len(faults)-most)
}
