package claims

import (
	"fmt"
	"math"

	"filterbench/filters/theory"
	"filterbench/results"
	"filterbench/results/stat"
)

// The claims on the texts' own program, whose counts repeat bit for bit.

// The program's size, and its ten tables.
const (
	programKeys = 10_000
	tableKeys   = 1_000
	tables      = 10
)

// program is the record of the program's filter at a rate.
func program(p string) Cell { return cell("Textbook", "part", "filter", "p", p, "n", "10000") }

var (
	positionsKey0   = cell("Textbook", "part", "positions", "key", "key0")
	positionsGhost0 = cell("Textbook", "part", "positions", "key", "ghost0")
	lsmAll          = cell("Textbook", "part", "lsm", "table", "all")
	lsmPresent      = cell("Textbook", "part", "lsm-present")
)

// counts reads whole numbers of a cell with one record.
func counts(s *results.Set, c Cell, units ...string) ([]float64, error) {
	records, err := find(s, c)
	if err != nil {
		return nil, err
	}
	if len(records) > 1 {
		return nil, fault(records[1], "is there %d times", len(records))
	}
	out := make([]float64, len(units))
	for i, unit := range units {
		if out[i], err = count(records[0], unit, 0, maxCount); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// programDesign is what theory says of the program's filter.
type programDesign struct {
	m     uint64
	k     int
	exact float64
}

func designFor(n uint64, p float64) programDesign {
	m := theory.BloomBits(n, p)
	k := theory.BloomProbes(n, m)
	return programDesign{m, k, theory.BloomExact(n, m, k)}
}

// printedSize judges "prints m = 95851, 9.6 bits per key, k = 7".
func printedSize(s *results.Set) (Finding, error) {
	v, err := counts(s, program("0.01"), "m", "k")
	if err != nil {
		return Finding{}, err
	}
	m, k := v[0], v[1]
	found := Finding{Status: Wrong, Number: Quantity{m, Count}, Reason: fmt.Sprintf("bits, %.1f per key, k = %v", m/programKeys, k)}
	if want := designFor(programKeys, 0.01); m == float64(want.m) && k == float64(want.k) && roundsTo(m/programKeys, "9.6") {
		found.Status = Holds
	}
	return found, nil
}

// manyGhosts is the rate of one of the program's filters over a million ghosts.
func manyGhosts(s *results.Set, p string) (rate, float64, error) {
	v, err := counts(s, program(p), "fp-1000000", "fp-10000")
	if err != nil {
		return rate{}, 0, err
	}
	if v[0] > million || v[1] > programKeys {
		return rate{}, 0, &Fault{program(p).String(), "more false positives than queries"}
	}
	return rate{Sample: stat.Sample{Hits: uint64(v[0]), Queries: million, Filters: 1}}, v[1], nil
}

// onePercentWrong judges "of 10,000 absent keys about 1 % are said to be there".
func onePercentWrong(s *results.Set) (Finding, error) {
	r, first, err := manyGhosts(s, "0.01")
	if err != nil {
		return Finding{}, err
	}
	status, err := r.about(0.01)
	return r.finding(status, "of 1,000,000 ghosts; %v of the first 10,000", first), err
}

// noneLost judges "key123 is found", by all the keys.
func noneLost(s *results.Set) (Finding, error) {
	v, err := counts(s, program("0.01"), "fn")
	if err != nil {
		return Finding{}, err
	}
	found := Finding{Status: Holds, Number: Quantity{v[0], Count}, Reason: "of key0 ... key9999 were not found"}
	if v[0] > 0 {
		found.Status = Wrong
	}
	return found, nil
}

// sameBits judges the definition: bits and answers are those of an independent
// implementation.
func sameBits(s *results.Set) (Finding, error) {
	for _, c := range []Cell{program("0.01"), positionsKey0, positionsGhost0} {
		if _, err := find(s, c); err != nil {
			return Finding{}, err
		}
	}
	found := Finding{Status: Holds, Reason: "numbers of the filter at 1% differ from an independent program's, its 95,851 bits included"}
	for _, m := range CheckGolden(s) {
		if m.Got != "" && m.inFilter() {
			found.Status = Wrong
			found.Number.Value++
		}
	}
	return found, nil
}

// savedReads judges "10,000 queries cost 1004 reads and save 8996": what is
// saved are probes that do not become reads.
func savedReads(s *results.Set) (Finding, error) {
	v, err := counts(s, lsmAll, "probes", "reads")
	if err != nil {
		return Finding{}, err
	}
	probes, reads := v[0], v[1]
	if reads > probes {
		return Finding{}, &Fault{lsmAll.String(), "more reads than probes"}
	}
	found := Finding{Status: Wrong, Number: Quantity{probes - reads, Count},
		Reason: fmt.Sprintf("reads saved of %v probes, %v were made; the text takes queries for probes", Quantity{probes, Count}, Quantity{reads, Count})}
	if probes-reads == 8996 {
		found.Status = Holds
	}
	return found, nil
}

func savedTruth() Quantity {
	return Quantity{tables * programKeys * (1 - designFor(tableKeys, 0.01).exact), Count}
}

// digests is the mean number of MD5 digests, one a probe, for an absent key.
func digests(s *results.Set) (mean, k float64, err error) {
	v, err := counts(s, program("0.01"), "md5-calls", "k")
	if err != nil {
		return 0, 0, err
	}
	return v[0] / programKeys, v[1], nil
}

func digestsTruth() Quantity {
	d := designFor(programKeys, 0.01)
	return Quantity{theory.ProbesAbsent(theory.BloomFill(programKeys, d.m, d.k), d.k), Count}
}

// atMostK judges "a query costs O(k)".
func atMostK(s *results.Set) (Finding, error) {
	mean, k, err := digests(s)
	found := Finding{Status: Holds, Number: Quantity{mean, Count}, Reason: fmt.Sprintf("probes for an absent key, at most k = %v", k)}
	if mean > k {
		found.Status = Wrong
	}
	return found, err
}

// lazyDigests judges "k digests an add, and about 2.08 for an absent key".
func lazyDigests(s *results.Set) (Finding, error) {
	mean, _, err := digests(s)
	found := Finding{Number: Quantity{mean, Count}, Reason: "digests for an absent key"}
	found.Status, _ = Interval{mean, mean}.about(mean, digestsTruth().Value)
	return found, err
}

// exerciseOne judges the answer to the exercise: the sizes are the formula's,
// and the rates what they should be.
func exerciseOne(s *results.Set) (Finding, error) {
	var found Finding
	var opinions []opinion
	reason := ""
	for _, at := range []struct {
		text string
		p    float64
	}{{"0.05", 0.05}, {"0.001", 0.001}} {
		v, err := counts(s, program(at.text), "m", "k")
		if err != nil {
			return Finding{}, err
		}
		r, first, err := manyGhosts(s, at.text)
		if err != nil {
			return Finding{}, err
		}
		want := designFor(programKeys, at.p)
		if v[0] != float64(want.m) || v[1] != float64(want.k) {
			return r.finding(Wrong, "m = %v and k = %v at p = %s", v[0], v[1], at.text), nil
		}
		opinions = append(opinions, that(r.about(want.exact)))
		reason += fmt.Sprintf("; p = %s takes %.3f bits per key, k = %v, and errs for %v of 10,000", at.text, v[0]/programKeys, v[1], first)
		if at.p == 0.05 {
			found = r.finding(Holds, "")
		}
	}
	var err error
	found.Status, err = worst(opinions...)
	found.Reason = "of 1,000,000 ghosts at p = 0.05" + reason
	return found, err
}

// almostNone judges "an absent key costs almost no read": HOLDS if fewer than
// one query in a hundred reads anything, and with the condition of few tables
// if a query reads less than once.
func almostNone(s *results.Set) (Finding, error) {
	v, err := counts(s, lsmAll, "queries", "reads", "queries-with-reads")
	if err != nil {
		return Finding{}, err
	}
	queries, reads, with := v[0], v[1], v[2]
	if queries == 0 || with > queries || with > reads {
		return Finding{}, &Fault{lsmAll.String(), fmt.Sprintf("%v queries, %v of them with reads, %v reads", queries, with, reads)}
	}
	found := Finding{Number: Quantity{reads / queries, Count},
		Reason: fmt.Sprintf("reads a query of 10 tables; %.2f%% of the queries read", 100*with/queries)}
	switch {
	case with/queries < 0.01:
		found.Status = Holds
	case reads/queries < 1:
		found.Status = Conditions
	default:
		found.Status = Wrong
	}
	return found, nil
}

// presentProbes judges "a present key costs 1+(T-1)p probes".
func presentProbes(s *results.Set) (Finding, error) {
	v, err := counts(s, lsmPresent, "maybe", "true", "false")
	if err != nil {
		return Finding{}, err
	}
	maybe, right, wrong := v[0], v[1], v[2]
	others := (tables - 1) * right
	if right == 0 || maybe != right+wrong || wrong > others {
		return Finding{}, &Fault{lsmPresent.String(), fmt.Sprintf("%v answers, %v right and %v wrong of %v", maybe, right, wrong, others)}
	}
	r := rate{Sample: stat.Sample{Hits: uint64(wrong), Queries: uint64(others), Filters: 1}}
	status, err := r.about(designFor(tableKeys, 0.01).exact)
	i := r.interval()
	return Finding{status, Quantity{maybe / right, Count}, Interval{1 + (tables-1)*i.Lo, 1 + (tables-1)*i.Hi},
		"tables that a present key is looked for in, of 10"}, err
}

// zeroBits judges "a bit stays 0 with the chance (1-1/m)^(kn)": the share of
// zeros is within four standard deviations of it.
func zeroBits(s *results.Set) (Finding, error) {
	v, err := counts(s, program("0.01"), "bits-set", "m")
	if err != nil {
		return Finding{}, err
	}
	set, m := v[0], v[1]
	d := designFor(programKeys, 0.01)
	if m != float64(d.m) || set > m {
		return Finding{}, &Fault{program("0.01").String(), fmt.Sprintf("%v of %v bits set", set, m)}
	}
	sd := theory.BloomFillSD(programKeys, d.m, d.k)
	zero := 1 - set/m
	found := Finding{Holds, Quantity{zero, Rate}, Interval{zero - z95*sd, zero + z95*sd}, "of the bits are 0"}
	if math.Abs(zero-zeroTruth().Value) > 4*sd {
		found.Status = Wrong
	}
	return found, nil
}

func zeroTruth() Quantity {
	d := designFor(programKeys, 0.01)
	return Quantity{1 - theory.BloomFill(programKeys, d.m, d.k), Rate}
}
