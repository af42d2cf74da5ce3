package claims

import (
	"fmt"
	"math"

	"filterbench/filters/theory"
	"filterbench/results"
)

// The claims on the cache lines that a lookup touches. Filters name the lines
// themselves, and what caches make of them is counted in a model of fixed
// geometry: none of it depends on the machine.

// eightProbes is a filter of k = 8 at the 12 bits per key for which that is best,
// of 2 MiB.
func eightProbes(op string) Cell {
	return cell("Touch", "filter", "bloom:index=range,step=enhanced,k=8", "bits", "12", "size", "2MiB", "op", op)
}

// oneLine is a blocked filter eight times as large as the second level of the
// modelled caches.
func oneLine(op string) Cell {
	return cell("Touch", "filter", blockedFilter, "bits", "10", "size", "4MiB", "op", op)
}

const (
	probesOfText = 8
	secondLevel  = 512 << 10 // bytes, of the modelled caches
	blockedBytes = 4 << 20   // of oneLine
)

// scatteredTruth is the number of probes that an absent key takes.
func scatteredTruth() Quantity {
	const bits = 12
	fill := theory.BloomFill(million, bits*million, probesOfText)
	return Quantity{theory.ProbesAbsent(fill, probesOfText), Count}
}

// firstTouchTruth is the share of lines that the second level does not hold.
func firstTouchTruth() Quantity {
	return Quantity{theory.UniformMisses(secondLevel/64, blockedBytes/64), Count}
}

// linesOf is the mean number of lines that an operation touches, with its
// interval.
func linesOf(s *results.Set, c Cell) (mean float64, i Interval, err error) {
	records, err := find(s, c)
	if err != nil {
		return 0, i, err
	}
	r := records[0]
	const most = 1e15
	var ops, lines, squares float64
	for unit, v := range map[string]*float64{"ops": &ops, "lines": &lines, "lines-sq": &squares} {
		if *v, err = count(r, unit, 1, most); err != nil {
			return 0, i, err
		}
	}
	shown, err := number(r, "lines/op", 1, most)
	switch {
	case err != nil:
		return 0, i, err
	case math.Abs(shown-lines/ops) > 1e-9*shown:
		return 0, i, fault(r, "lines/op is %v, and lines over ops %v", shown, lines/ops)
	case squares*ops < lines*lines*(1-1e-12):
		return 0, i, fault(r, "lines-sq is %v; of %v lines in %v operations it is %v at least", squares, lines, ops, lines*lines/ops)
	}
	const z = 1.959964 // 95 %
	half := z * math.Sqrt(max(0, squares/ops-shown*shown)/ops)
	return shown, Interval{shown - half, shown + half}, nil
}

// scattered judges "k = 8 means 8 scattered memory accesses".
func scattered(s *results.Set) (Finding, error) {
	_, present, err := linesOf(s, eightProbes("present"))
	if err != nil {
		return Finding{}, err
	}
	mean, absent, err := linesOf(s, eightProbes("absent"))
	if err != nil {
		return Finding{}, err
	}
	about := func(i Interval) bool {
		return i.Hi >= probesOfText*(1-aboutWithin) && i.Lo <= probesOfText*(1+aboutWithin)
	}
	found := Finding{Conditions, Quantity{mean, Count}, absent,
		fmt.Sprintf("lines for an absent key; a present one touches %.2f", (present.Lo+present.Hi)/2)}
	switch {
	case (present.Hi-present.Lo)/2 > blurred*probesOfText || (absent.Hi-absent.Lo)/2 > blurred*probesOfText:
		return Finding{}, fmt.Errorf("too few operations: %.2f to %.2f lines for a present key, %.2f to %.2f for an absent one", present.Lo, present.Hi, absent.Lo, absent.Hi)
	case !about(present):
		found.Status = Wrong
	case about(absent):
		found.Status = Holds
	}
	return found, nil
}

// firstTouch judges that blocks are fast "because of L1 hits".
func firstTouch(s *results.Set) (Finding, error) {
	found := Finding{Status: Holds}
	for _, op := range []string{"present", "absent"} {
		records, err := find(s, oneLine(op))
		if err != nil {
			return Finding{}, err
		}
		const most = 1e6
		r := records[0]
		loads, err := number(r, "loads/op", 1, most)
		if err != nil {
			return Finding{}, err
		}
		first, err := number(r, "l1-misses/op", 0, loads)
		if err != nil {
			return Finding{}, err
		}
		second, err := number(r, "l2-misses/op", 0, first)
		if err != nil {
			return Finding{}, err
		}
		switch {
		case first > loads/2: // those behind the first miss, too
			found.Status = Wrong
		case second > 0.5 && found.Status == Holds:
			found.Status = Conditions
		}
		found.Number = Quantity{second, Count}
		found.Reason = fmt.Sprintf("misses of the second level a lookup; of its %.3g loads %.3g hit the first", loads, loads-first)
	}
	return found, nil
}
