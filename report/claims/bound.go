package claims

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"filterbench/results"
)

// The claims on space: the information bound, and what a Bloom filter spends
// over it.

// sweepBits are the whole bits per key of the sweep.
var sweepBits = strings.Fields("4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20")

func sweepCells() (cells []Cell) {
	for _, bits := range sweepBits {
		cells = append(cells, bloomAt(bits))
	}
	return cells
}

// overhead is bits per key over log2(1/rate), the least that any filter of the
// rate needs, with the interval that the rate's gives.
func (r rate) overhead() (value float64, i Interval) {
	at := func(p float64) float64 { return r.bits / math.Log2(1/p) }
	ends := r.interval()
	return at(r.value()), Interval{at(ends.Lo), at(ends.Hi)}
}

// informationBound judges "any filter needs log2(1/p) bits per key": no filter
// that was measured needs less. The bound is for many keys.
func informationBound(s *results.Set) (Finding, error) {
	const many = 1000
	if _, err := pool(s, bloomAt("10")); err != nil {
		return Finding{}, err
	}
	records, err := find(s, cell("FPR"))
	if err != nil {
		return Finding{}, err
	}
	var least Finding
	cells := 0
	for _, rec := range records {
		r, err := readRate(rec)
		if err != nil {
			return Finding{}, err
		}
		if r.n < many || r.Hits == 0 || r.Hits == r.Queries {
			continue
		}
		cells++
		value, i := r.overhead()
		found := Finding{Holds, Quantity{value, Factor}, i, rec.Axis("filter") + " at " + rec.Axis("bits") + " bits per key"}
		if i.sure(value).Hi < 1 {
			found.Status = Wrong
			found.Reason += " needs less than the bound"
			return found, nil
		}
		if least.Status == NotMeasured || value < least.Number.Value {
			least = found
		}
	}
	if cells == 0 {
		return Finding{}, fmt.Errorf("no filter of %d keys or more with false positives", many)
	}
	least.Reason = fmt.Sprintf("the least of %d cells, %s", cells, least.Reason)
	return least, nil
}

// bloomOverhead judges "44 % over the bound" at 10 bits per key, where k = 7 is
// nearly the best real number.
func bloomOverhead(s *results.Set) (Finding, error) {
	r, err := pool(s, bloomAt("10"))
	if err != nil {
		return Finding{}, err
	}
	const claimed = 0.44
	value, i := r.overhead()
	found := Finding{Holds, Quantity{value, Factor}, i, "at 10 bits per key"}
	over := Interval{i.Lo - 1, i.Hi - 1}
	status, decided := over.about(value-1, claimed)
	found.Status = status
	if !decided {
		return Finding{}, fmt.Errorf("too few queries: the overhead is %.3f to %.3f", i.Lo, i.Hi)
	}
	return found, nil
}

// slope is how many bits per key halve the rate, between 4 and 20; straight is
// set if it is about 1.44 all the way.
func slope(s *results.Set) (value float64, i Interval, straight bool, err error) {
	var rates []rate
	straight = true
	for _, bits := range sweepBits {
		r, err := pool(s, bloomAt(bits))
		if err != nil {
			return 0, Interval{}, false, err
		}
		if r.Hits == 0 || r.Hits == r.Queries {
			return 0, Interval{}, false, fmt.Errorf("%s: %d of %d queries were false positives", bloomAt(bits), r.Hits, r.Queries)
		}
		value, i := r.overhead()
		if o := i.sure(value); o.Hi < (1-aboutWithin)/math.Ln2 || o.Lo > (1+aboutWithin)/math.Ln2 {
			straight = false
		}
		rates = append(rates, r)
	}
	first, last := rates[0], rates[len(rates)-1]
	fall, err := quotient(first, last)
	if err != nil {
		return 0, Interval{}, false, err
	}
	per := func(fall float64) float64 { return (last.bits - first.bits) / math.Log2(fall) }
	ends := fall.interval()
	if fall.sure().Lo <= 1 {
		return 0, Interval{}, false, fmt.Errorf("the rate at 20 bits per key is not shown to be below that at 4")
	}
	return per(fall.value), Interval{per(ends.Hi), per(ends.Lo)}, straight, nil
}

// logSpace judges "space is O(n log 1/p)".
func logSpace(s *results.Set) (Finding, error) {
	value, i, straight, err := slope(s)
	found := Finding{Holds, Quantity{value, Bits}, i, "a halving of the rate, from 4 to 20 bits per key"}
	if !straight {
		found.Status = Wrong
		found.Reason += ", but not all the way"
	}
	return found, err
}

// constantSpace judges "the capacity side is O(1)".
func constantSpace(s *results.Set) (Finding, error) {
	value, i, _, err := slope(s)
	found := Finding{Wrong, Quantity{value, Bits}, i, "a halving of the rate: space grows with log 1/p, and with n"}
	if i.Lo < 0.05 {
		found.Status = Holds
		found.Reason = "a halving of the rate costs next to nothing"
	}
	return found, err
}

// unbeatable judges "9.6 bits for 1 % cannot be beaten": some filter with fewer
// bits per key is wrong at most as often. That none was measured proves
// nothing.
func unbeatable(s *results.Set) (Finding, error) {
	const (
		many    = 100_000 // where a filter's fixed costs do not count
		claimed = 9.55    // and more rounds to 9.6
	)
	records, err := find(s, cell("FPR"))
	if err != nil {
		return Finding{}, err
	}
	best := math.Inf(1)
	var found Finding
	for _, rec := range records {
		r, err := readRate(rec)
		if err != nil {
			return Finding{}, err
		}
		if r.n < many || r.sure().Hi > 0.01 || r.bits >= best {
			continue
		}
		best = r.bits
		found = Finding{Wrong, Quantity{r.bits, Bits}, Interval{},
			fmt.Sprintf("%s: %s of its answers on absent keys are wrong", rec.Axis("filter"), Quantity{r.value(), Rate})}
	}
	if best >= claimed {
		return Finding{}, errors.New("no filter measured gives 1% for fewer bits per key, which proves nothing: static ones do by theory")
	}
	return found, nil
}
