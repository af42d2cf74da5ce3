package claims

import (
	"fmt"

	"filterbench/filters/theory"
	"filterbench/report/format"
	"filterbench/results"
	"filterbench/results/stat"
)

// The claims on double hashing: a key's positions from two hashes.

// plainSteps is a filter of m = bits n whose positions are h1 + i h2 mod m.
func plainSteps(bits, n string) Cell {
	return cell("Steps", "filter", "bloom:index=mod,step=any", "bits", bits, "n", n, "m", "*", "k", "*")
}

// shortSteps counts the distinct positions of keys, m = 1024 and k = 7.
var shortSteps = cell("Positions", "filter", "bloom:index=mod,step=any", "m", "1024", "k", "7")

// The numbers of keys over which double hashing is judged, and the least and the
// most bits per key.
var (
	stepsKeys = []string{"10", "100", "1000", "10000", "100000"}
	stepsBits = []string{"10", "20"}
)

func stepsCells() (cells []Cell) {
	for _, bits := range stepsBits {
		for _, n := range stepsKeys {
			cells = append(cells, plainSteps(bits, n))
		}
	}
	return cells
}

// excess is a rate over that of independent positions.
type excess struct {
	rate
	exact float64
}

func excessOf(s *results.Set, c Cell) (e excess, err error) {
	if e.rate, err = pool(s, c); err != nil {
		return e, err
	}
	if e.m == 0 || e.k == 0 {
		return e, fmt.Errorf("%s: no m and k in the name", c)
	}
	e.exact, _ = bloomModel(e.n, e.m, e.k)
	if !(e.exact > 0) {
		return e, fmt.Errorf("%s: theory has no rate for it", c)
	}
	return e, nil
}

func (e excess) value() float64 { return e.rate.value() / e.exact }

func (e excess) interval() Interval {
	i := e.rate.interval()
	return Interval{i.Lo / e.exact, i.Hi / e.exact}
}

// sure is the interval by which verdicts are reached.
func (e excess) sure() Interval { return e.interval().sure(e.value()) }

func (e excess) finding(s Status, reason string) Finding {
	return Finding{s, Quantity{e.value(), Factor}, e.interval(), reason}
}

// apart is what double hashing costs where there are few keys and where there
// are many.
type apart struct {
	worst  excess
	last   []excess // most keys, one for each of stepsBits
	always bool     // it errs more often even there
	never  bool     // and nowhere
}

func doubleHashing(s *results.Set) (a apart, err error) {
	a.never = true
	for _, bits := range stepsBits {
		var e excess
		for _, n := range stepsKeys {
			if e, err = excessOf(s, plainSteps(bits, n)); err != nil {
				return a, err
			}
			if e.sure().Lo > 1+aboutWithin {
				a.never = false
			}
			if a.worst.exact == 0 || e.value() > a.worst.value() {
				a.worst = e
			}
		}
		status, decided := e.interval().about(e.value(), 1)
		if !decided {
			return a, tooFew(e.Queries, stat.Queries(e.exact, aboutWithin, level))
		}
		a.always = a.always || status == Wrong && e.value() > 1
		a.last = append(a.last, e)
	}
	return a, nil
}

// text says what the rates over the exact ones are.
func (a apart) text() string {
	return fmt.Sprintf("times the rate of independent positions at %s keys and %.0f bits; %.3gx at %s keys",
		format.Count(float64(a.worst.n)), float64(a.worst.m)/float64(a.worst.n), a.last[len(a.last)-1].value(), format.Compact(float64(a.last[0].n)))
}

// twoHashes judges a claim on two hashes in place of k: by one verdict if they err
// more often even where keys are many, by another if nowhere, else with conditions.
func twoHashes(always, never Status) func(s *results.Set) (Finding, error) {
	return func(s *results.Set) (Finding, error) {
		a, err := doubleHashing(s)
		if err != nil {
			return Finding{}, err
		}
		status := Conditions
		switch {
		case a.always:
			status = always
		case a.never:
			status = never
		}
		return a.worst.finding(status, a.text()), nil
	}
}

var (
	independentNeeded = twoHashes(Holds, Wrong) // "it needs k independent hash functions"
	twoSimulate       = twoHashes(Wrong, Holds) // "two hashes simulate any number"
)

// twoAsymptotically judges "the same rate asymptotically".
func twoAsymptotically(s *results.Set) (Finding, error) {
	a, err := doubleHashing(s)
	if err != nil {
		return Finding{}, err
	}
	found := a.last[0].finding(Holds, fmt.Sprintf("of the rate of independent positions, at 10 bits and %s keys; %.3gx at %s bits, and %.3gx at %s keys",
		format.Compact(float64(a.last[0].n)), a.last[1].value(), stepsBits[1], a.worst.value(), format.Count(float64(a.worst.n))))
	for _, e := range a.last {
		if status, _ := e.interval().about(e.value(), 1); status == Wrong {
			return e.finding(Wrong, fmt.Sprintf("of the rate of independent positions even at %s keys", format.Compact(float64(e.n)))), nil
		}
	}
	return found, nil
}

// linearPositions judges "position i is h1 + i h2 mod m": those are to be k.
func linearPositions(s *results.Set) (Finding, error) {
	records, err := find(s, shortSteps)
	if err != nil {
		return Finding{}, err
	}
	keys, err := count(records[0], "keys", 1, maxCount)
	if err != nil {
		return Finding{}, err
	}
	short, err := count(records[0], "short", 0, keys)
	if err != nil {
		return Finding{}, err
	}
	least, err := count(records[0], "least", 1, 7)
	if err != nil {
		return Finding{}, err
	}
	a, err := doubleHashing(s)
	if err != nil {
		return Finding{}, err
	}
	lo, hi := stat.Wilson(uint64(short), uint64(keys), level)
	found := Finding{Conditions, Quantity{short / keys, Rate}, Interval{lo, hi},
		fmt.Sprintf("of the keys set fewer than k = 7 of 1,024 bits, the least %.0f", least)}
	switch {
	case a.always:
		found.Status = Wrong
	case short == 0:
		found.Status = Holds
	}
	return found, nil
}

func shortStepsTruth() Quantity { return Quantity{theory.ShortSteps(1024, 7), Rate} }
