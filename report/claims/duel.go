package claims

import (
	"fmt"
	"slices"

	"filterbench/filters/theory"
	"filterbench/report/format"
	"filterbench/results"
)

// The claims that compare times with those of a cuckoo filter.

// mixedLookup is a filter's lookups one by one at 10 bits per key.
func mixedLookup(filter, hits string) Cell {
	return cell("HitMix", "filter", filter, "mode", "single", "hits", hits, "zipf", "0", "bits", "10", "size", "*")
}

const cuckooFilter = "cuckoo:b=4,f=auto,semisort=no,load=auto"

func mixedCells() (cells []Cell) {
	for _, filter := range []string{plainFilter, cuckooFilter} {
		for _, hits := range []string{"0", "100"} {
			cells = append(cells, mixedLookup(filter, hits).with("size", "2MiB"))
		}
	}
	return cells
}

// duel compares a cuckoo filter with a plain one, for absent keys and for present
// ones.
type duel struct {
	size  string
	times [2]float64  // a plain filter's time over a cuckoo filter's
	of    [2]Interval // of times
	lines [2]float64  // likewise, of lines read
}

// duelHits are the shares, in the order of duel's arrays.
var duelHits = [2]string{"0", "100"}

func cuckooDuel(s *results.Set) (d duel, err error) {
	var cells []Cell
	for _, hits := range duelHits {
		cells = append(cells, mixedLookup(plainFilter, hits), mixedLookup(cuckooFilter, hits))
	}
	sizes, err := sizesOf(s, cells...)
	if err != nil {
		return d, err
	}
	if len(sizes) == 0 {
		return d, fmt.Errorf("no size has both filters")
	}
	d.size = sizes[len(sizes)-1]
	for i, hits := range duelHits {
		plain, cuckoo := mixedLookup(plainFilter, hits).with("size", d.size), mixedLookup(cuckooFilter, hits).with("size", d.size)
		if d.times[i], d.of[i], err = timeRatio(s, plain, cuckoo, 1); err != nil {
			return d, err
		}
		var lines [2]float64
		for j, c := range []Cell{plain, cuckoo} {
			records, err := find(s, c)
			if err != nil {
				return d, err
			}
			if lines[j], err = number(records[0], "model-lines", 1, 1e6); err != nil {
				return d, err
			}
		}
		d.lines[i] = lines[0] / lines[1]
	}
	return d, nil
}

func (d duel) text() string {
	return fmt.Sprintf("%s times as fast for absent keys and %s for present ones, one lookup after the other at %s, with %s and %s times fewer lines",
		format.Fixed(d.times[0], 3), format.Fixed(d.times[1], 3), d.size, format.Fixed(d.lines[0], 3), format.Fixed(d.lines[1], 3))
}

// fewerLines is how many times fewer lines count as fewer.
const fewerLines = 1.1

// fewerAndFaster judges "two places instead of k are faster": by the lines that a
// lookup reads, and by its time.
func fewerAndFaster(s *results.Set) (Finding, error) {
	d, err := cuckooDuel(s)
	if err != nil {
		return Finding{}, err
	}
	var both [2]bool
	for i := range both {
		both[i] = d.lines[i] >= fewerLines && d.of[i].Lo > 1
		if d.lines[i] >= fewerLines && d.of[i].Lo <= 1 && d.of[i].Hi >= 1 {
			return Finding{}, fmt.Errorf("the rounds do not tell which is faster: %s", d.text())
		}
	}
	found := Finding{Wrong, Quantity{d.times[1], Factor}, d.of[1], d.text()}
	switch {
	case both[0] && both[1]:
		found.Status = Holds
	case both[0] || both[1]:
		found.Status = Conditions
	}
	return found, nil
}

// similarAndFaster judges "similar space and often faster".
func similarAndFaster(s *results.Set) (Finding, error) {
	space, err := sameSpace(s)
	if err != nil {
		return Finding{}, err
	}
	d, err := cuckooDuel(s)
	if err != nil {
		return Finding{}, err
	}
	faster := 0
	for _, i := range d.of {
		if i.Lo > 1 {
			faster++
		}
	}
	found := Finding{Conditions, Quantity{d.times[1], Factor}, d.of[1], fmt.Sprintf("%s; %v of the space for 3%%", d.text(), space.Number)}
	undecided := slices.ContainsFunc(d.of[:], func(i Interval) bool { return i.Lo <= 1 && i.Hi >= 1 })
	switch {
	case space.Status == Wrong || faster == 0 && !undecided:
		found.Status = Wrong
	case faster == 0:
		return Finding{}, fmt.Errorf("the rounds do not tell which is faster: %s", d.text())
	case space.Status == Holds && faster == len(d.of):
		found.Status = Holds
	}
	return found, nil
}

// leastRead is the cheapest read that a filter is put in front of, in ns: one from
// a fast disk takes ten times as long.
const leastRead = 1_000.

func paysCells() []Cell {
	return append([]Cell{precisionAt("0")}, mixedLookup(plainFilter, "0").with("size", "2MiB"), mixedLookup(plainFilter, "100").with("size", "2MiB"))
}

// whenItPays judges the answer to "when does a filter pay": if the reads that it
// spares cost more than asking it.
func whenItPays(s *results.Set) (Finding, error) {
	m, err := mixAt(s, "0")
	if err != nil {
		return Finding{}, err
	}
	p := m.Rate()
	sizes, err := sizesOf(s, mixedLookup(plainFilter, "0"), mixedLookup(plainFilter, "100"))
	if err != nil {
		return Finding{}, err
	}
	if len(sizes) == 0 {
		return Finding{}, fmt.Errorf("no size has absent keys and present ones")
	}
	size := sizes[len(sizes)-1]
	slowest := Interval{}
	for _, hits := range duelHits {
		ns, _, err := timesOf(s, mixedLookup(plainFilter, hits).with("size", size))
		if err != nil {
			return Finding{}, err
		}
		_, i, err := medianOf(ns)
		if err != nil {
			return Finding{}, err
		}
		if i.Hi > slowest.Hi {
			slowest = i
		}
	}
	at := func(ns, read float64) float64 { return max(0, theory.BreakEven(ns, read, p)) }
	mid := (slowest.Lo + slowest.Hi) / 2
	found := Finding{Holds, Quantity{at(mid, leastRead), Rate}, Interval{at(slowest.Hi, leastRead), at(slowest.Lo, leastRead)},
		fmt.Sprintf("of the keys may be present for a filter of %s to pay in front of reads of 1 us; %v for reads of 100 us", size, Quantity{at(mid, 100*leastRead), Rate})}
	if theory.BreakEven(slowest.Lo, leastRead, p) <= 0 {
		found.Status = Wrong
	}
	return found, nil
}
