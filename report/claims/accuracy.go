package claims

import (
	"errors"
	"fmt"
	"math"

	"filterbench/filters/theory"
	"filterbench/report/format"
	"filterbench/results"
)

// The claims on how often a Bloom filter of a given size is wrong.

// million is the number of keys of the texts' example.
const million = 1_000_000

// ln2sq is ln^2 2: at the best k, a bit per key more takes the rate's logarithm
// down by so much.
const ln2sq = math.Ln2 * math.Ln2

// exactly names the formula behind most truths.
const exactly = "(1-e^(-kn/m))^k, made exact after Bose et al. 2008, "

// bloomAt is the Bloom filter of a million random keys at so many bits per key.
func bloomAt(bits string) Cell {
	return cell("FPR", "filter", "bloom:index=range,step=enhanced,k=auto", "bits", bits,
		"n", "1000000", "keys", "random", "m", "*", "k", "*")
}

// exactAt is the exact rate of that filter.
func exactAt(bits float64) float64 {
	m := uint64(math.Round(bits * million))
	return theory.BloomExact(million, m, theory.BloomBestProbes(million, m))
}

var nineSixClaim = Claim{
	Truth:    func() Quantity { return Quantity{-math.Log2(0.01) / math.Ln2, Bits} },
	Formula:  "-log2(p)/ln 2 bits per key at the best real-valued k; k = 7 needs 9.593, k = 6 needs 9.617",
	Line:     "the rates at 9.585 and 9.593 bits per key are both about 1%; the number is the size at which 1% would be met, by the slope of ln^2 2 a bit",
	Needs:    []Cell{bloomAt("9.585"), bloomAt("9.593")},
	Judge:    nineSix,
	Want:     Holds,
	Headline: true,
}

// nineSix judges "1 % takes about 9.6 bits per key".
func nineSix(s *results.Set) (Finding, error) {
	var bits, weight float64
	for _, at := range []string{"9.585", "9.593"} {
		r, err := pool(s, bloomAt(at))
		if err != nil {
			return Finding{}, err
		}
		if !roundsTo(r.bits, "9.6") {
			return Finding{}, fmt.Errorf("the filter at %s bits per key takes %v, which is not about 9.6", at, r.bits)
		}
		status, err := r.about(0.01)
		if err != nil {
			return Finding{}, err
		}
		if status == Wrong {
			return r.finding(Wrong, "at %s bits per key the rate is not about 1%%", at), nil
		}
		// The two estimates of the size for 1 %, weighted by their precision.
		w := math.Pow(ln2sq/r.logSE(), 2)
		bits += w * (r.bits + math.Log(r.value()/0.01)/ln2sq)
		weight += w
	}
	b, half := bits/weight, z95/math.Sqrt(weight)
	return Finding{Holds, Quantity{b, Bits}, Interval{b - half, b + half}, "for 1%, as measured at 9.585 and 9.593 bits per key"}, nil
}

// aboutRate judges "so many bits per key give about the rate p".
func aboutRate(bits string, p float64) func(*results.Set) (Finding, error) {
	return func(s *results.Set) (Finding, error) {
		r, err := pool(s, bloomAt(bits))
		if err != nil {
			return Finding{}, err
		}
		status, err := r.about(p)
		if err != nil {
			return Finding{}, err
		}
		if status == Wrong {
			return r.finding(Wrong, "%.2g times the rate claimed", r.value()/p), nil
		}
		return r.finding(Holds, "k = %d, %s queries", r.k, format.Count(float64(r.Queries))), nil
	}
}

// separate is how many queries tell the rate of the texts' own example from
// 1 % by three standard errors.
func separate() uint64 {
	p := textExampleRate()
	return uint64(9 * p * (1 - p) / ((p - 0.01) * (p - 0.01)))
}

// textExampleRate is the exact rate of the texts' example: a million keys in
// the size that the formula gives for 1 %.
func textExampleRate() float64 {
	m := theory.BloomBits(million, 0.01)
	return theory.BloomExact(million, m, theory.BloomProbes(million, m))
}

// atMostOne judges "at most 1 %", which is missed by so little that by chance
// a short run would say anything.
func atMostOne(s *results.Set) (Finding, error) {
	const filters = 10
	r, err := pool(s, bloomAt("9.585059"))
	if errors.Is(err, errNoRecord) { // the quick profile has a smaller one
		r, err = pool(s, bloomAt("9.585"))
	}
	if err != nil {
		return Finding{}, err
	}
	i := r.interval() // separate sees to it that this is enough
	switch {
	case r.sure().Lo > 0.01*(1+aboutWithin): // far off: few queries will do
		return r.finding(Wrong, "more than 1%%"), nil
	case r.Queries < separate() || r.Filters < filters:
		return Finding{}, fmt.Errorf("%w, over %d filters", tooFew(r.Queries, separate()), filters)
	case i.Lo > 0.01:
		return r.finding(Wrong, "more than 1%%: at most 1%% takes %d bits", leastForOne()), nil
	case i.Hi <= 0.01:
		return r.finding(Holds, "at most 1%%"), nil
	}
	return Finding{}, fmt.Errorf("the interval %.4f to %.4f%% has 1%% inside", 100*i.Lo, 100*i.Hi)
}

func leastForOne() uint64 {
	m, _ := theory.BloomBitsForAtMost(million, 0.01)
	return m
}

// fiveMillion is the text's exercise: five million URLs at 0.1 %.
var fiveMillion = cell("FPR", "filter", "bloom:index=range,step=enhanced,k=auto",
	"n", "5000000", "keys", "url", "m", "*", "k", "*")

// formulaSize judges "m = -n ln p / ln^2 2": the target is met, or missed by
// what rounding k to a whole number costs.
func formulaSize(s *results.Set) (Finding, error) {
	status, number := Holds, Finding{}
	for i, target := range []struct {
		cell Cell
		p    float64
	}{{bloomAt("9.585"), 0.01}, {fiveMillion, 0.001}} {
		r, err := pool(s, target.cell)
		if err != nil {
			return Finding{}, err
		}
		near, err := r.about(target.p)
		if err != nil {
			return Finding{}, err
		}
		if near == Wrong {
			return r.finding(Wrong, "the target of %g%% is not met even about", 100*target.p), nil
		}
		if r.sure().Hi > target.p {
			status = Conditions
		}
		if i == 0 {
			number = r.finding(Holds, "about the target, and not shown to be at most that: the formula takes k for a real number")
		}
	}
	number.Status = status
	if status == Holds {
		number.Reason = "both targets are met"
	}
	return number, nil
}

// fiveMillionURLs judges the answer to the exercise.
func fiveMillionURLs(s *results.Set) (Finding, error) {
	r, err := pool(s, fiveMillion)
	if err != nil {
		return Finding{}, err
	}
	m := theory.BloomBits(5*million, 0.001)
	if r.m != m || r.k != theory.BloomProbes(5*million, m) {
		return r.finding(Wrong, "measured with m = %d, k = %d", r.m, r.k), nil
	}
	status, err := r.about(0.001)
	return r.finding(status, "m = %v bits = %v, k = %d", Quantity{float64(r.m), Count}, Quantity{float64(r.m) / 8, Bytes}, r.k), err
}

// small is a Bloom filter with truly independent positions and few keys, many
// times over: where the classic formula shows its error.
func small(n string) Cell {
	return cell("FPR", "filter", "bloom:step=independent", "bits", "9.585", "n", n, "keys", "random", "m", "*", "k", "*")
}

func smallTruth() Quantity {
	m := theory.BloomBits(10, 0.01)
	return Quantity{theory.BloomExact(10, m, theory.BloomProbes(10, m)), Rate}
}

// classicGap compares the rate at n = 10 with the classic formula and with the
// exact one: above is set if it lies above the classic formula, and near if it
// agrees with the exact one. What tells neither is an error.
func classicGap(s *results.Set) (r rate, classic float64, above, near bool, err error) {
	if r, err = pool(s, small("10")); err != nil {
		return
	}
	classic = theory.BloomClassic(r.n, r.m, r.k)
	exact := theory.BloomExact(r.n, r.m, r.k)
	i := r.sure()
	switch {
	case !(exact > classic):
		err = fmt.Errorf("%s: m = %d, k = %d cannot tell the two formulas apart", small("10"), r.m, r.k)
	case i.Lo <= classic && i.Hi >= exact:
		half := (i.Hi - i.Lo) / (exact - classic) // twice what would separate them
		err = tooFew(r.Queries, uint64(float64(r.Queries)*half*half)+1)
	}
	return r, classic, i.Lo > classic, i.Lo <= exact*(1+aboutWithin) && i.Hi >= exact*(1-aboutWithin), err
}

// classicFormula judges "p is about (1-e^(-kn/m))^k".
func classicFormula(s *results.Set) (Finding, error) {
	r, classic, above, _, err := classicGap(s)
	if err != nil {
		return Finding{}, err
	}
	if !above {
		if r.sure().Hi < classic {
			return r.finding(Wrong, "below the formula's %.4g%% at n = 10", 100*classic), nil
		}
		return r.finding(Holds, "the formula's %.4g%% even at n = 10", 100*classic), nil
	}
	large, err := pool(s, small("1000"))
	if err != nil {
		return Finding{}, err
	}
	status, err := large.about(theory.BloomClassic(large.n, large.m, large.k))
	if err != nil {
		return Finding{}, err
	}
	if status == Wrong {
		return large.finding(Wrong, "not the formula's rate even at n = 1000"), nil
	}
	return r.finding(Conditions, "at n = 10 and k = %d, where the formula says %.4g%%; at n = 1000 it fits", r.k, 100*classic), nil
}

// classicTooLow judges "the classic formula underestimates".
func classicTooLow(s *results.Set) (Finding, error) {
	r, classic, above, near, err := classicGap(s)
	if err != nil {
		return Finding{}, err
	}
	if above && near {
		return r.finding(Holds, "at n = 10 and k = %d: above the classic %.4g%%, and about the exact %.4g%%",
			r.k, 100*classic, 100*theory.BloomExact(r.n, r.m, r.k)), nil
	}
	return r.finding(Wrong, "at n = 10; the classic formula says %.4g%%", 100*classic), nil
}
