package claims

import (
	"fmt"
	"math"

	"filterbench/report/format"
	"filterbench/results"
	"filterbench/results/stat"
)

// Intervals are two-sided, at this level.
const (
	level = 0.95
	z95   = 1.959963984540054 // the normal quantile of that
	// sureTimes is by how much they are widened before they count against a claim or
	// for one side of a line: to 4.7 standard errors, which chance exceeds three times
	// in a million. The table makes some 400 such comparisons, so that at 95 % each
	// every table had wrong verdicts.
	sureTimes = 2.4
)

// sure is the interval of a value, widened as far as a verdict asks.
func (i Interval) sure(value float64) Interval {
	return Interval{value - (value-i.Lo)*sureTimes, value + (i.Hi-value)*sureTimes}
}

// A claim "about p" or "about x bytes" leaves open how close that must be. It
// is settled here, once for all claims.
const (
	// aboutWithin is the relative distance that "about" allows.
	aboutWithin = 0.05
	// blurred is the relative half-width above which an interval that reaches
	// the value is no evidence for it, only a lack of evidence against it.
	blurred = 0.10
)

// rate is a false-positive rate pooled over the records of a cell: one design,
// several seeds and filters.
type rate struct {
	stat.Sample
	n, m     uint64
	k        int
	bits     float64 // bits allocated per key accepted
	fn, keys float64 // keys not found again, of keys added
}

// pool adds up the FPR records of a cell, which must be of one size.
func pool(s *results.Set, c Cell) (rate, error) {
	records, err := find(s, c)
	if err != nil {
		return rate{}, err
	}
	var sum rate
	for i, r := range records {
		one, err := readRate(r)
		if err != nil {
			return rate{}, err
		}
		if i > 0 && (one.n != sum.n || one.m != sum.m || one.k != sum.k) {
			return rate{}, fmt.Errorf("records of different sizes under %s", c)
		}
		if i == 0 {
			sum = one
			continue
		}
		sum.bits = max(sum.bits, one.bits)
		sum.Add(one.Sample)
		sum.fn += one.fn
		sum.keys += one.keys
	}
	return sum, nil
}

// Bounds that keep sums of counts, and the cost of the exact formula, finite.
const (
	maxCount  = 1 << 50
	maxProbes = 128
)

// readRate reads one FPR record.
func readRate(r results.Record) (one rate, err error) {
	// Each step is passed over once one has failed.
	axis := func(key string, most uint64) (v uint64) {
		if err == nil {
			v, err = axisNumber(r, key, most)
		}
		return v
	}
	value := func(unit string, lo, hi float64) (v float64) {
		if err == nil {
			v, err = number(r, unit, lo, hi)
		}
		return v
	}
	whole := func(unit string, lo, hi float64) (v float64) {
		if err == nil {
			v, err = count(r, unit, lo, hi)
		}
		return v
	}
	one.n = axis("n", maxCount)
	// Families that are no array of bits, or that probe no k of them, have other
	// parameters.
	if r.Axis("m") != "" {
		one.m = axis("m", maxCount)
	}
	if r.Axis("k") != "" {
		one.k = int(axis("k", maxProbes))
	}
	queries := whole("queries", 1, maxCount)
	hits := whole("fp", 0, queries)
	filters := whole("filters", 1, maxCount)
	squares := value("fp-sq", 0, math.MaxFloat64)
	fpr := value("fpr", 0, 1)
	keys := float64(one.n) * filters
	one.fn = whole("fn", 0, keys)
	one.bits = value("bits/key", math.SmallestNonzeroFloat64, math.MaxFloat64)
	if _, ok := r.Value("model-sd"); ok {
		one.SD = value("model-sd", 0, 1)
	}
	if err == nil {
		err = Check(r)
	}
	if err != nil {
		return rate{}, err
	}
	if r.Inconsistency() != "" {
		// Someone changed one of the numbers. The rate is what every other
		// tool shows, so it counts here, too; the set's warnings name the record.
		hits, queries = AtRate(fpr, hits, queries)
		squares = hits * hits / filters
	}
	one.Queries, one.Hits, one.HitsSq, one.Filters = uint64(queries), uint64(hits), squares, uint64(filters)
	one.keys = keys
	return one, nil
}

// AtRate are the counts to take from a record whose fpr is not fp/queries: its
// rate, of no more queries than fp false positives of that rate come from, so
// that whichever number was edited, no interval becomes the narrower for it.
func AtRate(fpr, fp, queries float64) (hits, asked float64) {
	if fpr > 0 && fp > 0 {
		queries = max(1, math.Round(min(queries, fp/fpr)))
	}
	return math.Round(fpr * queries), queries
}

func (r rate) value() float64 { return r.Rate() }

// interval is at 95 %, for the mean rate of such filters.
func (r rate) interval() Interval {
	lo, hi := r.Interval(level)
	return Interval{lo, hi}
}

// sure is the interval by which verdicts are reached.
func (r rate) sure() Interval { return r.interval().sure(r.value()) }

// logSE is the standard error of the rate's logarithm, infinite where the
// interval reaches 0.
func (r rate) logSE() float64 {
	i := r.interval()
	return math.Log(i.Hi/i.Lo) / (2 * z95)
}

// about judges "about x" by a value and its interval: decided is not set where that
// is too wide to tell, or lies beyond what "about" allows, but not for sure.
func (i Interval) about(value, x float64) (s Status, decided bool) {
	least, most := x*(1-aboutWithin), x*(1+aboutWithin)
	if wide := i.sure(value); wide.Hi < least || wide.Lo > most {
		return Wrong, true
	}
	return Holds, i.Hi >= least && i.Lo <= most && (i.Hi-i.Lo)/2 <= blurred*x
}

// about judges "the rate is about p".
func (r rate) about(p float64) (Status, error) {
	i := r.interval()
	s, decided := i.about(r.value(), p)
	if decided {
		return s, nil
	}
	if need := stat.Queries(p, aboutWithin, level); r.Queries < need {
		return NotMeasured, tooFew(r.Queries, need)
	}
	return NotMeasured, fmt.Errorf("the rate is %s to %s, and neither about %s nor surely another", format.Percent(i.Lo, 3), format.Percent(i.Hi, 3), format.Percent(p, 3))
}

// opinion is a status, or the reason why there is none.
type opinion struct {
	status Status
	err    error
}

func that(s Status, err error) opinion { return opinion{s, err} }

// worst judges "this and that": one that is wrong decides, whatever the rest.
func worst(opinions ...opinion) (Status, error) {
	var err error
	for _, o := range opinions {
		switch {
		case o.err != nil:
			err = o.err
		case o.status == Wrong:
			return Wrong, nil
		}
	}
	if err != nil {
		return NotMeasured, err
	}
	return Holds, nil
}

// tooFew says that the queries do not decide, and how many would.
func tooFew(have, need uint64) error {
	return fmt.Errorf("too few queries: %s, and %s needed", format.Count(float64(have)), format.Count(float64(need)))
}

// finding reports the rate with a status and a reason.
func (r rate) finding(s Status, why string, args ...any) Finding {
	return Finding{s, Quantity{r.value(), Rate}, r.interval(), fmt.Sprintf(why, args...)}
}

// ratio is a quotient of rates with its 95 % interval, from the normal
// approximation of the logarithms.
type ratio struct {
	value float64
	se    float64 // of the logarithm
}

// quotient is over/under, of rates that are not 0.
func quotient(over, under rate) (ratio, error) {
	for _, r := range []rate{over, under} {
		if !(r.interval().Lo > 0) {
			return ratio{}, fmt.Errorf("too few queries: %s, and %d false positives", format.Count(float64(r.Queries)), r.Hits)
		}
	}
	return ratio{over.value() / under.value(), math.Hypot(over.logSE(), under.logSE())}, nil
}

// about judges "about x times".
func (r ratio) about(x float64) (Status, error) {
	i := r.interval()
	s, decided := i.about(r.value, x)
	if !decided {
		return NotMeasured, fmt.Errorf("too few queries: the factor is %.3g to %.3g", i.Lo, i.Hi)
	}
	return s, nil
}

func (r ratio) interval() Interval {
	f := math.Exp(z95 * r.se)
	return Interval{r.value / f, r.value * f}
}

// sure is the interval by which verdicts are reached.
func (r ratio) sure() Interval { return r.interval().sure(r.value) }

func (r ratio) finding(s Status, why string, args ...any) Finding {
	return Finding{s, Quantity{r.value, Factor}, r.interval(), fmt.Sprintf(why, args...)}
}
