package claims

import (
	"fmt"
	"strings"

	"filterbench/filters/theory"
	"filterbench/report/format"
	"filterbench/results"
)

// The claim on what a lookup costs with the accesses that it wastes: time + rate x
// cost of an access (Lang et al. 2019, section 2). Of two filters of as many bits
// the faster one wins where an access is cheap, and the one that errs less where
// it is dear: where it costs more than the difference of the times over that of
// the rates.

// fingerprintOf is the length at which the two are compared.
const fingerprintOf = 12

func overtakingCells() []Cell {
	return []Cell{
		lookupOf(blockedFilter, "batch", "0").with("size", largeSize), lookupOf(cuckooFilter, "batch", "0").with("size", largeSize),
		blockedAt("12"), blockedAt("13"), cuckooAt(fingerprintOf, false),
	}
}

// overtakingTruth is one over the difference of the rates.
func overtakingTruth() Quantity {
	const blocks = 12_630_000 / 512
	blocked := theory.BlockedFPR(million, blocks, 512, theory.BlockedBestProbes(million, blocks, 512))
	return Quantity{1 / (blocked - theory.CuckooFPR(fingerprintOf, cuckooSlots, cuckooLoad)), Factor}
}

// crossing is one over the difference of the rates at as many bits, as measured.
// With c the cuckoo filter's rate, and q that over the blocked filter's, it is
// q/(c(1-q)), which rises with q and falls with c.
func crossing(s *results.Set) (value float64, i Interval, err error) {
	var blocked curve
	for _, bits := range []string{"12", "13"} {
		r, err := pool(s, blockedAt(bits))
		if err != nil {
			return 0, i, err
		}
		blocked = append(blocked, r)
	}
	cuckoo, err := pool(s, cuckooAt(fingerprintOf, false))
	if err != nil {
		return 0, i, err
	}
	q, err := blocked.rateRatio(cuckoo)
	if err != nil {
		return 0, i, err
	}
	of, c := q.interval(), cuckoo.interval()
	if q.sure().Hi >= 1 || c.Lo <= 0 {
		return 0, i, fmt.Errorf("the rate of a cuckoo filter is not shown to be below a blocked one's: it is %.2f to %.2f of it", of.Lo, of.Hi)
	}
	at := func(q, c float64) float64 { return q / (c * (1 - q)) }
	return at(q.value, cuckoo.value()), Interval{at(of.Lo, c.Hi), at(of.Hi, c.Lo)}, nil
}

// overtakes judges "where throughput is high a Bloom filter beats a cuckoo
// filter".
func overtakes(s *results.Set) (Finding, error) {
	times, i, err := crossing(s)
	if err != nil {
		return Finding{}, err
	}
	blocked, cuckoo := lookupOf(blockedFilter, "batch", "0"), lookupOf(cuckooFilter, "batch", "0")
	sizes, err := sizesOf(s, blocked, cuckoo)
	if err != nil {
		return Finding{}, err
	}
	if len(sizes) == 0 {
		return Finding{}, fmt.Errorf("no size has both filters")
	}
	blocked, cuckoo = blocked.with("size", sizes[len(sizes)-1]), cuckoo.with("size", sizes[len(sizes)-1])
	slower, of, err := timeRatio(s, cuckoo, blocked, 1)
	if err != nil {
		return Finding{}, err
	}
	rounds, _, err := timesOf(s, blocked)
	if err != nil {
		return Finding{}, err
	}
	ns, _, err := medianOf(rounds)
	if err != nil {
		return Finding{}, err
	}
	found := Finding{Number: Quantity{times, Factor}, Interval: i}
	switch {
	case of.Lo > 1:
		found.Status = Holds
		found.Reason = fmt.Sprintf("the time by which a cuckoo lookup takes longer, which a wasted access must cost for it to win; it takes %.2f times a blocked one's at %s, so %s",
			slower, sizes[len(sizes)-1], strings.ReplaceAll(format.Nanoseconds(times*ns*(slower-1)), "µ", "u"))
	case of.Hi < 1:
		found.Status = Wrong
		found.Reason = fmt.Sprintf("a cuckoo lookup takes %.2f times a blocked one's at %s, and errs less", slower, sizes[len(sizes)-1])
	default:
		return Finding{}, fmt.Errorf("the rounds do not tell which is faster: %.2f to %.2f times", of.Lo, of.Hi)
	}
	return found, nil
}
