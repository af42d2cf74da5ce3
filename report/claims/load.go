package claims

import (
	"fmt"
	"math"
	"strings"

	"filterbench/report/format"
	"filterbench/results"

	"gonum.org/v1/gonum/stat/distuv"
)

// The claims on filters as they fill up.

// A table of slots as it fills up, and at one of its loads.
var (
	cuckooFill = cell("Fill", "filter", "cuckoo:b=4,semisort=no", "slots", "*", "load", "95")
	flagsFill  = cell("Fill", "filter", "quotient:layout=flags", "slots", "*", "r", "*", "load", "75")
)

// nothingOutdated judges "it kicks out outdated entries": entries are moved, and
// none is gone.
func nothingOutdated(s *results.Set) (Finding, error) {
	if _, err := find(s, cuckooFill); err != nil {
		return Finding{}, err
	}
	all := cuckooFill.with("load", "*")
	records, err := find(s, all)
	if err != nil {
		return Finding{}, err
	}
	var lost, kicks, asked float64
	for _, r := range records {
		if _, ok := r.Value("fn"); !ok {
			continue // not asked at this load
		}
		keys, err := count(r, "accepted", 1, maxCount)
		if err != nil {
			return Finding{}, err
		}
		fn, err := count(r, "fn", 0, keys)
		if err != nil {
			return Finding{}, err
		}
		moved, err := count(r, "kicks", 0, maxCount)
		if err != nil {
			return Finding{}, err
		}
		lost, kicks, asked = lost+fn, kicks+moved, asked+keys
	}
	found := Finding{Status: Wrong, Number: Quantity{lost, Count},
		Reason: fmt.Sprintf("keys lost, of %s asked for again after %s moves", format.Count(asked), format.Count(kicks))}
	switch {
	case kicks == 0:
		return Finding{}, fmt.Errorf("no entry was moved under %s", all)
	case lost > 0:
		found.Status = Holds
	}
	return found, nil
}

// slotBits is what a slot of the quotient filter takes, its remainder, and the
// number of slots.
func slotBits(s *results.Set) (r results.Record, bits, remainder, slots float64, err error) {
	records, err := find(s, flagsFill)
	if err != nil {
		return r, 0, 0, 0, err
	}
	r = records[0]
	n, err := axisNumber(r, "slots", maxCount)
	if err != nil {
		return r, 0, 0, 0, err
	}
	rem, err := axisNumber(r, "r", 64)
	if err != nil {
		return r, 0, 0, 0, err
	}
	keys, err := count(r, "accepted", 1, maxCount)
	if err != nil {
		return r, 0, 0, 0, err
	}
	perKey, err := number(r, "bits/key", math.SmallestNonzeroFloat64, 1e6)
	return r, perKey * keys / float64(n), float64(rem), float64(n), err
}

// noPointers judges "it minimises the memory of pointers", which it would have to
// have.
func noPointers(s *results.Set) (Finding, error) {
	_, bits, remainder, slots, err := slotBits(s)
	if err != nil {
		return Finding{}, err
	}
	pointer := math.Ceil(math.Log2(slots))
	found := Finding{Status: Wrong, Number: Quantity{math.Round(100*(bits-remainder)) / 100, Count},
		Reason: fmt.Sprintf("bits a slot beside the remainder, where the number of another slot takes %.0f", pointer)}
	if bits-remainder >= pointer {
		found.Status = Holds
	}
	return found, nil
}

// onePlace judges "it reads memory in one place": what a lookup may have to read
// is its cluster, slots that lie beside each other.
func onePlace(s *results.Set) (Finding, error) {
	const page = 4096
	r, bits, _, _, err := slotBits(s)
	if err != nil {
		return Finding{}, err
	}
	longest, err := count(r, "cluster-max", 1, maxCount)
	if err != nil {
		return Finding{}, err
	}
	bytes := math.Ceil(longest * bits / 8)
	found := Finding{Status: Holds, Number: Quantity{bytes, Count}, Reason: fmt.Sprintf("bytes of the longest cluster at 75%% load, %.0f slots", longest)}
	if bytes > page {
		found.Status = Wrong
	}
	return found, nil
}

// refusalOf is the first refusals of cuckoo tables of 2^20 slots.
func refusalOf(b, f int) Cell {
	return cell("Refusal", "filter", fmt.Sprintf("cuckoo:b=%d,f=%d,semisort=no", b, f), "slots", "1048576")
}

// meanLoad is the mean load at the first refusal, with Student's interval over the
// tables.
func meanLoad(s *results.Set, c Cell) (mean float64, i Interval, err error) {
	records, err := find(s, c)
	if err != nil {
		return 0, i, err
	}
	var loads []float64
	for _, r := range records {
		load, err := number(r, "first-load", math.SmallestNonzeroFloat64, 1)
		if err != nil {
			return 0, i, err
		}
		loads = append(loads, load)
		mean += load / float64(len(records))
	}
	n := float64(len(loads))
	if n < 2 {
		return 0, i, fmt.Errorf("one table only under %s", c)
	}
	squares := 0.0
	for _, load := range loads {
		squares += (load - mean) * (load - mean)
	}
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1+level)/2) * math.Sqrt(squares/(n-1)/n)
	return mean, Interval{mean - half, mean + half}, nil
}

// paperLoads are those of Fan et al. 2014 for the buckets that are built here.
var paperLoads = []struct {
	slots int
	load  float64
}{{2, 0.84}, {4, 0.95}, {8, 0.98}}

func paperLoadCells() (cells []Cell) {
	for _, p := range paperLoads {
		cells = append(cells, refusalOf(p.slots, 16))
	}
	return cells
}

// cuckooLoads judges the loads of the paper: they are reached, and not by far
// exceeded.
func cuckooLoads(s *results.Set) (Finding, error) {
	var found Finding
	var text []string
	status := Holds
	var undecided error
	for _, p := range paperLoads {
		mean, i, err := meanLoad(s, refusalOf(p.slots, 16))
		if err != nil {
			return Finding{}, err
		}
		switch wide := i.sure(mean); {
		case wide.Hi < p.load || wide.Lo > p.load*(1+aboutWithin):
			status = Wrong
		case i.Lo < p.load:
			undecided = fmt.Errorf("too few tables: %.4f to %.4f of the slots are filled, with %d in a bucket", i.Lo, i.Hi, p.slots)
		}
		text = append(text, fmt.Sprintf("%s with %d", format.Percent(mean, 3), p.slots))
		if p.slots == cuckooSlots {
			found = Finding{Number: Quantity{mean, Rate}, Interval: i}
		}
	}
	found.Status = status
	found.Reason = "with 4 slots in a bucket; " + strings.Join(text, ", ") + "; buckets of one are not built here"
	if status == Wrong {
		undecided = nil
	}
	return found, undecided
}

// shortBits are fingerprints that are short, longBits those that do not limit.
var shortBits = []int{2, 3}

const longBits = 16

func shortCells() (cells []Cell) {
	for _, f := range append(shortBits, longBits) {
		cells = append(cells, refusalOf(cuckooSlots, f))
	}
	return cells
}

// shortLimits judges "short fingerprints limit the load".
func shortLimits(s *results.Set) (Finding, error) {
	long, least, err := meanLoad(s, refusalOf(cuckooSlots, longBits))
	if err != nil {
		return Finding{}, err
	}
	surely := least.sure(long)
	found := Finding{Status: Holds}
	var text []string
	var undecided error
	for j, f := range shortBits {
		mean, i, err := meanLoad(s, refusalOf(cuckooSlots, f))
		if err != nil {
			return Finding{}, err
		}
		switch wide := i.sure(mean); {
		case wide.Lo >= surely.Lo:
			found.Status = Wrong
		case i.Hi >= least.Lo:
			undecided = fmt.Errorf("too few tables: loads of %.4f to %.4f with %d bits", i.Lo, i.Hi, f)
		}
		if j == 0 {
			found.Number, found.Interval = Quantity{mean, Rate}, i
		}
		text = append(text, fmt.Sprintf("%s with %d bits", format.Percent(mean, 3), f))
	}
	found.Reason = strings.Join(text, ", ") + fmt.Sprintf(", %s with %d", format.Percent(long, 3), longBits)
	if found.Status == Wrong {
		undecided = nil
	}
	return found, undecided
}

// mayRefuse judges "a full filter may refuse": before every slot is taken.
func mayRefuse(s *results.Set) (Finding, error) {
	mean, i, err := meanLoad(s, refusalOf(cuckooSlots, longBits))
	if err != nil {
		return Finding{}, err
	}
	found := Finding{Status: Holds, Number: Quantity{mean, Rate}, Interval: i, Reason: "of 2^20 slots are filled when a key is refused for the first time"}
	if mean >= 1 {
		found.Status, found.Reason = Wrong, "no key is refused before every slot is taken"
	}
	return found, nil
}

// addsTo is the quotient filter of flags, added to at a load.
func addsTo(load string) Cell {
	return cell("Add", "filter", "quotient:layout=flags", "n", "*", "load", load)
}

// slowsDown judges "it slows down at high load".
func slowsDown(s *results.Set) (Finding, error) {
	value, i, err := timeRatio(s, addsTo("95"), addsTo("50"), 1)
	found := Finding{Wrong, Quantity{value, Factor}, i, "the time of an add, at 95% load over 50%"}
	switch {
	case err != nil:
	case i.Lo > 1:
		found.Status = Holds
	case i.Hi > 1:
		return Finding{}, fmt.Errorf("an add takes %.2f to %.2f times as long", i.Lo, i.Hi)
	}
	return found, err
}
