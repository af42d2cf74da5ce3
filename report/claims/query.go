package claims

import (
	"fmt"

	"filterbench/filters/theory"
	"filterbench/report/format"
	"filterbench/results"
	"filterbench/results/stat"
)

// The claims on what answers are worth, counted: precision, candidates, ranges,
// cages.

// precisionAt is the texts' filter for 1 %, asked uniformly, where so many per
// cent of the keys asked for are present.
func precisionAt(hits string) Cell {
	return cell("Precision", "filter", plainFilter, "bits", "9.585", "zipf", "0", "hits", hits)
}

// mix is what filters answered to present keys and absent ones.
type mix struct {
	present, tp float64
	stat.Sample // of the absent keys
}

// share is that of the present keys.
func (m mix) share() float64 { return m.present / (m.present + float64(m.Queries)) }

// spared is the share of queries that are answered no.
func (m mix) spared() float64 {
	return 1 - (m.tp+float64(m.Hits))/(m.present+float64(m.Queries))
}

// precision is the share of the positives that are present, and its interval.
func (m mix) precision() (float64, Interval) {
	lo, hi := m.Interval(level)
	at := func(p float64) float64 { return theory.Precision(m.share(), p) }
	return m.tp / (m.tp + float64(m.Hits)), Interval{at(hi), at(lo)}
}

func mixAt(s *results.Set, hits string) (m mix, err error) {
	records, err := find(s, precisionAt(hits))
	if err != nil {
		return m, err
	}
	r := records[0]
	if m.present, err = count(r, "present", 0, maxCount); err != nil {
		return m, err
	}
	if m.tp, err = count(r, "tp", 0, m.present); err != nil {
		return m, err
	}
	queries, err := count(r, "queries", 0, maxCount)
	if err != nil {
		return m, err
	}
	fp, err := count(r, "fp", 0, queries)
	if err != nil {
		return m, err
	}
	filters, err := count(r, "filters", 1, maxCount)
	if err != nil {
		return m, err
	}
	squares, err := count(r, "fp-sq", fp*fp/filters*(1-1e-12), fp*fp)
	if err != nil {
		return m, err
	}
	if m.present+queries == 0 {
		return m, fault(r, "nothing was asked")
	}
	m.Sample = stat.Sample{Hits: uint64(fp), HitsSq: squares, Queries: uint64(queries), Filters: uint64(filters)}
	return m, nil
}

func precisionCells() []Cell {
	return []Cell{precisionAt("1"), precisionAt("10"), precisionAt("50")}
}

// maybeMeans99 judges "maybe means present with 99 %": it does if it does
// whether one key in ten asked for is present or one in a hundred.
func maybeMeans99(s *results.Set) (Finding, error) {
	const claimed = 0.985 // rounds to 99 %
	var values []float64
	var intervals []Interval
	for _, c := range precisionCells() {
		m, err := mixAt(s, c.Axes["hits"])
		if err != nil {
			return Finding{}, err
		}
		v, i := m.precision()
		values, intervals = append(values, v), append(intervals, i)
	}
	hundredth, tenth := intervals[0], intervals[1]
	found := Finding{Conditions, Quantity{values[1], Rate}, tenth,
		fmt.Sprintf("if 10%% of the keys asked for are present; %v at 1%%, %v at 50%%", Quantity{values[0], Rate}, Quantity{values[2], Rate})}
	switch {
	case hundredth.Lo >= claimed:
		found.Status = Holds
	case tenth.Hi < claimed:
		found.Status = Wrong
	case tenth.Lo < claimed:
		return Finding{}, fmt.Errorf("too few queries: the precision is %.1f to %.1f%%", 100*tenth.Lo, 100*tenth.Hi)
	}
	return found, nil
}

// gainShares are the shares of present keys at which the gain is compared.
var gainShares = []string{"0", "10", "50", "90", "100"}

func gainCells() (cells []Cell) {
	for _, hits := range gainShares {
		cells = append(cells, precisionAt(hits))
	}
	return cells
}

func gainTruth() Quantity {
	return Quantity{theory.SparedReads(.1, theory.BloomExact(10_000, 95_850, 7)), Rate}
}

// absentGain judges "loads with many absent keys gain most".
func absentGain(s *results.Set) (Finding, error) {
	found := Finding{Status: Holds}
	last, text := 2., ""
	for _, hits := range gainShares {
		m, err := mixAt(s, hits)
		if err != nil {
			return Finding{}, err
		}
		spared := m.spared()
		if !(spared < last) || hits == "100" && spared > 0 {
			found.Status = Wrong
		}
		if last = spared; hits == "10" {
			found.Number = Quantity{spared, Rate}
		}
		text += fmt.Sprintf(", %v at %s%%", Quantity{spared, Rate}, hits)
	}
	found.Reason = "of the queries are spared the read if 10% of the keys asked for are present" + text
	return found, nil
}

// cagesOf is a thousand cages, and birds that are in none of them.
var cagesOf = cell("Cages", "filter", plainFilter, "bits", "9.585", "n", "1000", "hits", "0")

// fullSearch judges "without a filter an absent item costs a full search".
func fullSearch(s *results.Set) (Finding, error) {
	records, err := find(s, cagesOf)
	if err != nil {
		return Finding{}, err
	}
	r := records[0]
	n, err := axisNumber(r, "n", maxCount)
	if err != nil {
		return Finding{}, err
	}
	asked, err := count(r, "asked", 1, maxCount)
	if err != nil {
		return Finding{}, err
	}
	opened, err := count(r, "opened", 0, asked*float64(n))
	if err != nil {
		return Finding{}, err
	}
	filtered, err := count(r, "opened-filtered", 0, opened)
	if err != nil {
		return Finding{}, err
	}
	const nearly = .9
	found := Finding{Conditions, Quantity{opened / asked, Count}, Interval{},
		fmt.Sprintf("of %d cages opened for a bird that is in none; %s behind a filter", n, format.Fixed(filtered/asked, 3))}
	full, spared := opened >= nearly*asked*float64(n), filtered <= (1-nearly)*opened
	switch {
	case full && spared:
		found.Status = Holds
	case !full:
		found.Status = Wrong
	}
	return found, nil
}

const (
	universe      = million
	fewestMembers = 1_000
)

var memberCounts = []string{"1000", "10000", "100000"}

func dictionaryCells() (cells []Cell) {
	for _, n := range memberCounts {
		cells = append(cells, cell("Dictionary", "filter", plainFilter, "bits", "9.585", "n", n, "universe", "1000000"))
	}
	return cells
}

func candidatesTruth() Quantity {
	return Quantity{theory.Candidates(fewestMembers, universe, theory.BloomExact(fewestMembers, 9_585, 7)), Count}
}

// noListing judges "elements cannot be listed": asked for a whole universe, the
// filter leaves more than it holds.
func noListing(s *results.Set) (Finding, error) {
	found, text := Finding{Status: Holds}, ""
	listed := 0
	for _, c := range dictionaryCells() {
		records, err := find(s, c)
		if err != nil {
			return Finding{}, err
		}
		r := records[0]
		n, err := axisNumber(r, "n", universe)
		if err != nil {
			return Finding{}, err
		}
		left, err := count(r, "candidates", float64(n), universe)
		if err != nil {
			return Finding{}, err
		}
		if left == float64(n) {
			listed++
		}
		if n == fewestMembers {
			found.Number = Quantity{left, Count}
		}
		text += fmt.Sprintf(", %s for %s", format.Count(left), format.Count(float64(n)))
	}
	switch listed {
	case 0:
	case len(memberCounts):
		found.Status = Wrong
	default:
		found.Status = Conditions
	}
	found.Reason = "keys of a million that the filter does not rule out, where it holds 1,000" + text
	return found, nil
}

// rangeOf is ranges of 100 absent keys, asked of a quotient filter.
var rangeOf = cell("Range", "filter", "quotient", "bits", "9.585", "n", "100000", "length", "100")

func rangeTruth() Quantity { return Quantity{theory.AnyPositive(100, .01), Rate} }

// rangeQueries judges "a quotient filter scales for range queries".
func rangeQueries(s *results.Set) (Finding, error) {
	const same, useless = 2, 10
	records, err := find(s, rangeOf)
	if err != nil {
		return Finding{}, err
	}
	r := records[0]
	length, err := axisNumber(r, "length", maxCount)
	if err != nil {
		return Finding{}, err
	}
	ranges, err := count(r, "ranges", 1, maxCount)
	if err != nil {
		return Finding{}, err
	}
	maybe, err := count(r, "ranges-maybe", 0, ranges)
	if err != nil {
		return Finding{}, err
	}
	queries, err := count(r, "queries", ranges, maxCount)
	if err != nil {
		return Finding{}, err
	}
	fp, err := count(r, "fp", maybe, min(queries, maybe*float64(length)))
	if err != nil {
		return Finding{}, err
	}
	lo, hi := stat.Wilson(uint64(maybe), uint64(ranges), level)
	rate := fp / queries
	found := Finding{Conditions, Quantity{maybe / ranges, Rate}, Interval{lo, hi},
		fmt.Sprintf("of empty ranges of %d keys are not ruled out, and each takes a lookup a key; of single keys %v", length, Quantity{rate, Rate})}
	switch wide := found.Interval.sure(found.Number.Value); {
	case wide.Hi <= same*rate:
		found.Status = Holds
	case wide.Lo > useless*rate:
		found.Status = Wrong
	}
	return found, nil
}
