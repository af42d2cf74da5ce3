package claims

import (
	"fmt"
	"math"

	"filterbench/filters/theory"
	"filterbench/report/format"
	"filterbench/results"
	"filterbench/results/stat"
)

// The claims on deleting: from plain bits, from counters and from fingerprints.

// The filters from which absent keys are deleted hold so many.
const (
	absentKeys    = 58_982
	absentDeletes = 100_000
)

var (
	// clearedBits is the texts' filter, of which the bits of one key are cleared.
	clearedBits = cell("Clear", "filter", "bloom:index=range,step=enhanced,k=7", "n", "10000", "m", "95851", "k", "7")

	modelCounting = cell("Model", "filter", "counting:counter=4,k=auto")
	modelCuckoo   = cell("Model", "filter", "cuckoo:b=4,f=auto,semisort=no")

	absentCounting = absentOf("counting:counter=4,k=auto")
	absentCuckoo   = absentOf("cuckoo:b=4,f=8,semisort=no,load=90").with("buckets", "*")

	// stuck is a key that is added as often as 4 bits count, and deleted as often.
	stuck = cell("Overflow", "filter", "counting:counter=4,k=auto", "copies", "15")

	counted = cell("Counters", "filter", "counting:counter=8,k=7", "n", "1000000", "counters", "*", "k", "7")
)

func absentOf(filter string) Cell {
	return cell("Absent", "filter", filter, "n", fmt.Sprint(absentKeys), "deletes", fmt.Sprint(absentDeletes))
}

// total adds up a count over the records of a cell.
func total(s *results.Set, c Cell, unit string) (sum float64, err error) {
	records, err := find(s, c)
	for _, r := range records {
		v, e := count(r, unit, 0, maxCount)
		if e != nil {
			return 0, e
		}
		sum += v
	}
	return sum, err
}

// meanOf is a count's mean over as many filters or trials as the unit each says,
// with its interval (Student's). A count is of so many that can be had at most.
func meanOf(s *results.Set, c Cell, unit, each string, most float64) (mean float64, i Interval, err error) {
	records, err := find(s, c)
	if err != nil {
		return 0, i, err
	}
	r := records[0]
	times, err := count(r, each, 1, maxCount)
	if err != nil {
		return 0, i, err
	}
	sum, err := count(r, unit, 0, times*most)
	if err != nil {
		return 0, i, err
	}
	squares, err := number(r, unit+"-sq", sum*sum/times*(1-1e-12), sum*sum)
	if err != nil {
		return 0, i, err
	}
	sample := stat.Sample{Hits: uint64(sum), HitsSq: squares, Queries: uint64(times * most), Filters: uint64(times)}
	lo, hi := sample.Interval(level)
	return sum / times, Interval{lo * most, hi * most}, nil
}

// clearedLoses judges "without counters a delete loses other keys".
func clearedLoses(s *results.Set) (Finding, error) {
	mean, i, err := meanOf(s, clearedBits, "lost", "trials", 9_999)
	found := Finding{Holds, Quantity{mean, Count}, i, "other keys lost with the bits of one, mean"}
	if mean == 0 {
		found.Status = Wrong
	}
	return found, err
}

var clearedClaim = Claim{
	Truth:   func() Quantity { return Quantity{theory.BrokenByClearing(10_000, 95_851, 7), Count} },
	Formula: "(n-1)(1-E[(1-J/m)^k]) with J distinct bits of the key, about k^2/(m/n); here at 1%, k = 7",
	Line:    "WRONG if no other key is lost when the bits of one are cleared",
	Needs:   []Cell{clearedBits}, Judge: clearedLoses, Want: Holds,
}

// modelFaults is what a filter did wrong where only keys that it held were
// deleted, and how many keys passed through it.
func modelFaults(s *results.Set, c Cell) (faults, keys float64, err error) {
	for _, unit := range []string{"fn", "unfound", "left"} {
		v, err := total(s, c, unit)
		if err != nil {
			return 0, 0, err
		}
		faults += v
	}
	keys, err = total(s, c, "added")
	if err == nil && keys == 0 {
		err = fmt.Errorf("%s: no key was added", c)
	}
	return faults, keys, err
}

// counterDeletes judges "a filter of 4-bit counters can delete": its own keys
// go, and no others, under the condition that no counter overflows and that
// nothing else is deleted.
func counterDeletes(s *results.Set) (Finding, error) {
	faults, keys, err := modelFaults(s, modelCounting)
	if err != nil {
		return Finding{}, err
	}
	lost, _, err := meanOf(s, absentCounting, "fn", "filters", absentKeys)
	if err != nil {
		return Finding{}, err
	}
	left, err := total(s, stuck, "left")
	if err != nil {
		return Finding{}, err
	}
	many, err := total(s, stuck, "keys")
	if err != nil {
		return Finding{}, err
	}
	found := Finding{Status: Holds, Number: Quantity{faults, Count},
		Reason: fmt.Sprintf("keys lost or left of %s that were added and deleted", format.Count(keys))}
	switch {
	case faults > 0:
		found.Status = Wrong
	case lost > 0 || left > 0:
		found.Status = Conditions
		found.Reason += fmt.Sprintf("; deleting absent ones loses keys (%s of %s), and of those added 15 times some stay (%s of %s)",
			format.Fixed(lost, 3), format.Count(absentKeys), format.Count(left), format.Count(many))
	}
	return found, nil
}

// deletesSafely judges "then deleting is safe", by the keys that are lost to
// deletes of absent ones.
func deletesSafely(model, absent Cell) func(s *results.Set) (Finding, error) {
	return func(s *results.Set) (Finding, error) {
		faults, _, err := modelFaults(s, model)
		if err != nil {
			return Finding{}, err
		}
		lost, i, err := meanOf(s, absent, "fn", "filters", absentKeys)
		if err != nil {
			return Finding{}, err
		}
		found := Finding{Conditions, Quantity{lost, Count}, i,
			fmt.Sprintf("keys lost of %s to %s deletes of absent ones; none to deletes of keys that were there", format.Count(absentKeys), format.Count(absentDeletes))}
		switch {
		case faults > 0:
			found.Status, found.Reason = Wrong, fmt.Sprintf("%s keys are lost or left where only keys that were there are deleted", format.Count(faults))
			found.Number, found.Interval = Quantity{faults, Count}, Interval{}
		case lost == 0:
			found.Status = Holds
		}
		return found, nil
	}
}

// othersStay judges "deletes exactly that element's fingerprint, others stay".
func othersStay(s *results.Set) (Finding, error) {
	lost, i, err := meanOf(s, absentCuckoo, "fn", "filters", absentKeys)
	if err != nil {
		return Finding{}, err
	}
	removed, _, err := meanOf(s, absentCuckoo, "removed", "filters", absentDeletes)
	found := Finding{Wrong, Quantity{lost, Count}, i, fmt.Sprintf("keys lost of %s: of %s deletes of absent ones %s took something out",
		format.Count(absentKeys), format.Count(absentDeletes), format.Count(removed))}
	if lost == 0 {
		found.Status = Holds
	}
	return found, err
}

func othersStayTruth() Quantity {
	const buckets = 16_384 // of 4 slots, 90 % full
	_, lost := theory.CuckooAbsentDeletes(absentKeys, absentDeletes, buckets, 8)
	return Quantity{lost, Count}
}

// whyCounters judges the answer to question 3.
func whyCounters(s *results.Set) (Finding, error) {
	lost, err := clearedLoses(s)
	if err != nil {
		return Finding{}, err
	}
	found, err := fourTimes(s)
	found.Status = max(found.Status, lost.Status)
	found.Reason = fmt.Sprintf("the memory; without counters a delete takes %s others along", lost.Measured())
	return found, err
}

// fourBits judges "4-bit counters suffice".
func fourBits(s *results.Set) (Finding, error) {
	records, err := find(s, counted)
	if err != nil {
		return Finding{}, err
	}
	m, err := axisNumber(records[0], "counters", maxCount)
	if err != nil {
		return Finding{}, err
	}
	most := float64(m)
	var over [3]float64
	for i, unit := range []string{"over-2bit", "over-3bit", "over-4bit"} {
		filters, err := count(records[0], "filters", 1, maxCount)
		if err != nil {
			return Finding{}, err
		}
		if over[i], err = count(records[0], unit, 0, min(most*filters, maxCount)); err != nil {
			return Finding{}, err
		}
		most = over[i] / filters // fewer fit into fewer bits
	}
	found := Finding{Status: Holds, Number: Quantity{over[2], Count},
		Reason: fmt.Sprintf("of %s counters; %s would not fit in 3 bits, %s in 2", format.Count(float64(m)), format.Count(over[1]), format.Count(over[0]))}
	if over[2] > 0 {
		found.Status = Wrong
	}
	return found, nil
}

// fourBitsTruth is how many counters of that many overflow on average.
func fourBitsTruth() Quantity {
	m := uint64(math.Round(9.585 * million))
	return Quantity{float64(m) * theory.CounterOverflow(million, m, 7, 4), Count}
}
