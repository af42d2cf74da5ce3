package claims

import (
	"fmt"
	"math"
	"strings"

	"filterbench/filters/theory"
	"filterbench/report/format"
	"filterbench/results"
	"filterbench/results/stat"
)

// The claims on filters that hold more keys than they were sized for.

// overloaded is a filter that was offered so many times the keys it was sized for.
func overloaded(filter, p, times string) Cell {
	return cell("Overload", "filter", filter, "p", p, "n", "*", "times", times)
}

const mostTimes = "5"

// overloadedRate is the rate of such a filter, and its record.
func overloadedRate(s *results.Set, c Cell) (rate, results.Record, error) {
	records, err := find(s, c)
	if err != nil {
		return rate{}, results.Record{}, err
	}
	r := records[0]
	n, err := axisNumber(r, "n", maxCount)
	if err != nil {
		return rate{}, r, err
	}
	queries, err := count(r, "queries", 1, maxCount)
	if err != nil {
		return rate{}, r, err
	}
	hits, err := count(r, "fp", 0, queries)
	return rate{Sample: stat.Sample{Hits: uint64(hits), HitsSq: hits * hits, Queries: uint64(queries), Filters: 1}, n: n}, r, err
}

// takesAll judges "it can always insert".
func takesAll(s *results.Set) (Finding, error) {
	rate, r, err := overloadedRate(s, overloaded(plainFilter, "0.01", mostTimes))
	if err != nil {
		return Finding{}, err
	}
	refused, err := count(r, "refused", 0, maxCount)
	if err != nil {
		return Finding{}, err
	}
	if refused > 0 {
		return rate.finding(Wrong, "%s keys were refused", format.Count(refused)), nil
	}
	accepted, err := count(r, "accepted", 1, maxCount)
	return rate.finding(Holds, "of the answers on absent keys are wrong, once it has taken %s keys in place of %s; none was refused",
		format.Count(accepted), format.Count(float64(rate.n))), err
}

// fullerIsSlower judges "as bits fill up, lookups get slower and the rate rises",
// by the bits that a lookup reads.
func fullerIsSlower(s *results.Set) (Finding, error) {
	var rates [2]rate
	var absent, present [2]float64
	for i, times := range []string{"1", mostTimes} {
		one, r, err := overloadedRate(s, overloaded("naive", "0.01", times))
		if err != nil {
			return Finding{}, err
		}
		rates[i] = one
		probed, err := count(r, "probed", 1, maxCount)
		if err != nil {
			return Finding{}, err
		}
		for unit, to := range map[string]*float64{"absent-probes": &absent[i], "present-probes": &present[i]} {
			v, err := count(r, unit, probed, maxProbes*probed)
			if err != nil {
				return Finding{}, err
			}
			*to = v / probed
		}
	}
	found := Finding{Status: Wrong, Number: Quantity{absent[1] / absent[0], Factor},
		Reason: fmt.Sprintf("as many bits are read for an absent key, %.2f after %.2f, once five times the keys are in; %.2f after %.2f for a present one; %v are wrong after %v",
			absent[1], absent[0], present[1], present[0], Quantity{rates[1].value(), Rate}, Quantity{rates[0].value(), Rate})}
	risen := rates[1].sure().Lo > rates[0].sure().Hi
	slower := func(v [2]float64) bool { return v[1] > v[0]*(1+aboutWithin) }
	switch {
	case !risen:
	case slower(absent) && slower(present):
		found.Status = Holds
	case slower(absent):
		found.Status = Conditions
	}
	return found, nil
}

// elasticRates are the rates at which a rise is judged, as axes have them.
var elasticRates = []struct {
	axis string
	p    float64
}{{"0.001", 0.001}, {"0.01", 0.01}}

const (
	fewMore      = "1.05"
	fewMoreTimes = 1.05
)

func elasticCells() (cells []Cell) {
	for _, at := range elasticRates {
		for _, times := range []string{"1", fewMore} {
			cells = append(cells, overloaded(plainFilter, at.axis, times))
		}
	}
	return cells
}

// elastic judges "1 % more keys raise the rate by about ln(1/p) %": over 5 % more,
// for the sake of the counts. Both counts are of one filter and the same queries, of
// which none stops being wrong as keys are added: so the first count and the rise
// vary by themselves, and so does how many bits the keys set.
func elastic(s *results.Set) (Finding, error) {
	var found Finding
	var opinions []opinion
	var text []string
	for j, at := range elasticRates {
		before, r, err := overloadedRate(s, overloaded(plainFilter, at.axis, "1"))
		if err != nil {
			return Finding{}, err
		}
		after, _, err := overloadedRate(s, overloaded(plainFilter, at.axis, fewMore))
		if err != nil {
			return Finding{}, err
		}
		if after.Queries != before.Queries || after.Hits < before.Hits {
			return Finding{}, fault(r, "of %d absent keys %d are found, and %d of %d once there are more keys", before.Queries, before.Hits, after.Hits, after.Queries)
		}
		if before.Hits == 0 || after.Hits == before.Hits {
			return Finding{}, fmt.Errorf("too few queries: %d false positives become %d", before.Hits, after.Hits)
		}
		first, more := float64(before.Hits), float64(after.Hits-before.Hits)
		counted := more / first * math.Sqrt(1/first+1/more) / (1 + more/first)
		rise := ratio{after.value() / before.value(), math.Hypot(counted, riseSD(before.n, at.p))}
		per := func(rise float64) float64 { return math.Log(rise) / math.Log(fewMoreTimes) }
		ends := rise.interval()
		i := Interval{per(ends.Lo), per(ends.Hi)}
		claimed := -math.Log(before.value())
		status, decided := i.about(per(rise.value), claimed)
		var undecided error
		if !decided {
			undecided = fmt.Errorf("too few queries: 1%% more keys raise the rate by %.2f to %.2f%%, where ln(1/p) is %.3g", i.Lo, i.Hi, claimed)
		}
		opinions = append(opinions, that(status, undecided))
		if j == 0 {
			found = Finding{Number: Quantity{per(rise.value), Count}, Interval: i}
		}
		text = append(text, fmt.Sprintf("%.3g at %g%%, where ln(1/p) is %.3g", per(rise.value), 100*at.p, claimed))
	}
	var err error
	found.Status, err = worst(opinions...)
	found.Reason = "percent that a percent more keys adds to the rate: " + strings.Join(text, "; ")
	return found, err
}

// riseSD is the standard deviation between filters for n keys of the logarithm of
// the rise, by how many of the bits the planned keys set, and those that come after
// them. Of the bits that are 0 these set the same share, whatever their number, which
// is the covariance of the two.
func riseSD(n uint64, p float64) float64 {
	m, k := theory.BloomBitsForAtMost(n, p)
	all := uint64(float64(n) * fewMoreTimes)
	before, after := theory.BloomFill(n, m, k), theory.BloomFill(all, m, k)
	sd0, sd1 := theory.BloomFillSD(n, m, k)/before, theory.BloomFillSD(all, m, k)/after
	kept := (1 - after) / (1 - before) * before / after
	return float64(k) * math.Sqrt(max(0, sd0*sd0*(1-2*kept)+sd1*sd1))
}

// plannedFor is the Bloom filter that is overloaded in the quick profile.
func plannedFor(p float64, times float64) float64 {
	const n = 10_000
	m, k := theory.BloomBitsForAtMost(n, p)
	return theory.BloomExact(uint64(n*times), m, k)
}

func elasticTruth() Quantity {
	return Quantity{math.Log(plannedFor(0.001, fewMoreTimes)/plannedFor(0.001, 1)) / math.Log(fewMoreTimes), Count}
}

// fullerTruth is how many times as many bits are read for an absent key.
func fullerTruth() Quantity {
	const n = 10_000
	m := theory.BloomBits(n, 0.01)
	k := theory.BloomProbes(n, m)
	at := func(n uint64) float64 { return theory.ProbesAbsent(theory.BloomFill(n, m, k), k) }
	return Quantity{at(5*n) / at(n), Factor}
}
