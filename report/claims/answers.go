package claims

import (
	"errors"
	"fmt"
	"strings"

	"filterbench/report/format"
	"filterbench/results"
)

// The claims on what an answer means.

// naiveFilter is the texts' own filter under random keys.
var naiveFilter = cell("FPR", "filter", "naive", "bits", "10", "n", "*", "keys", "random")

// neverLostCells are the least that noFalseNegatives must have seen.
func neverLostCells() []Cell {
	return []Cell{naiveFilter, bloomAt("10"), blockedAt("10"), program("0.01")}
}

// lostKeys counts false negatives over all filters of this project, and false
// positives beside them.
func lostKeys(s *results.Set) (lost, keys, wrong float64, where string, err error) {
	for _, c := range neverLostCells() {
		if _, err := find(s, c); err != nil {
			return 0, 0, 0, "", err
		}
	}
	records, err := find(s, cell("FPR"))
	if err != nil {
		return 0, 0, 0, "", err
	}
	for _, rec := range records {
		if strings.HasPrefix(rec.Axis("filter"), "peer") {
			continue // other people's filters are judged apart
		}
		r, err := readRate(rec)
		if err != nil {
			return 0, 0, 0, "", err
		}
		if r.fn > 0 && where == "" {
			where = rec.FullName()
		}
		lost += r.fn
		keys += r.keys
		wrong += float64(r.Hits)
	}
	v, err := counts(s, program("0.01"), "fn", "fp-10000")
	if err != nil {
		return 0, 0, 0, "", err
	}
	if v[0] > 0 && where == "" {
		where = program("0.01").String()
	}
	return lost + v[0], keys + programKeys, wrong + v[1], where, nil
}

// noFalseNegatives judges "a no is certain".
func noFalseNegatives(s *results.Set) (Finding, error) {
	lost, keys, _, where, err := lostKeys(s)
	found := Finding{Status: Holds, Number: Quantity{lost, Count}, Reason: "false negatives of " + format.Count(keys) + " keys asked again"}
	if lost > 0 {
		found.Status = Wrong
		found.Reason += ", first in " + where
	}
	return found, err
}

// onlyFalsePositives judges "no false negatives, but false positives".
func onlyFalsePositives(s *results.Set) (Finding, error) {
	lost, keys, wrong, where, err := lostKeys(s)
	found := Finding{Status: Holds, Number: Quantity{lost, Count},
		Reason: fmt.Sprintf("false negatives of %s keys, and %s false positives", format.Count(keys), format.Count(wrong))}
	switch {
	case lost > 0:
		found.Status = Wrong
		found.Reason += ", first in " + where
	case err == nil && wrong == 0:
		err = errors.New("no false positive was seen either")
	}
	return found, err
}

// filtered99 judges "99 % filtering accuracy": of absent keys, so that it is
// never right without that condition.
func filtered99(s *results.Set) (Finding, error) {
	r, err := pool(s, bloomAt("9.585"))
	if err != nil {
		return Finding{}, err
	}
	status, err := r.about(0.01)
	if status == Holds {
		status = Conditions
	}
	i := r.interval()
	return Finding{status, Quantity{1 - r.value(), Rate}, Interval{1 - i.Hi, 1 - i.Lo},
		"of absent keys; of all keys asked for it is that times the absent share"}, err
}
