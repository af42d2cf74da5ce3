package claims

import (
	"fmt"
	"math"

	"filterbench/filters/theory"
	"filterbench/results"
)

// The claims on how the rate falls with the bits, and on what a rate costs.

// falls are the rates at 10, 15 and 20 bits per key and the factors between.
type falls struct {
	at10, at15, at20 rate
	first, second    ratio
}

func fallsOf(s *results.Set) (f falls, err error) {
	for _, at := range []struct {
		bits string
		to   *rate
	}{{"10", &f.at10}, {"15", &f.at15}, {"20", &f.at20}} {
		if *at.to, err = pool(s, bloomAt(at.bits)); err != nil {
			return f, err
		}
	}
	if f.first, err = quotient(f.at10, f.at15); err == nil {
		f.second, err = quotient(f.at15, f.at20)
	}
	return f, err
}

var fallCells = []Cell{bloomAt("10"), bloomAt("15"), bloomAt("20")}

// fallFactor judges "from 10 to 15 bits the rate falls 27 times".
func fallFactor(s *results.Set) (Finding, error) {
	at10, err := pool(s, bloomAt("10"))
	if err != nil {
		return Finding{}, err
	}
	at15, err := pool(s, bloomAt("15"))
	if err != nil {
		return Finding{}, err
	}
	fall, err := quotient(at10, at15)
	if err != nil {
		return Finding{}, err
	}
	status, err := worst(that(fall.about(27)), that(at10.about(0.0082)), that(at15.about(0.0003)))
	return fall.finding(status, "from %v to %v", Quantity{at10.value(), Rate}, Quantity{at15.value(), Rate}), err
}

// fallTo judges "from 15 to 20 bits the rate falls from 0.03 to 0.001 %".
func fallTo(s *results.Set) (Finding, error) {
	at15, err := pool(s, bloomAt("15"))
	if err != nil {
		return Finding{}, err
	}
	at20, err := pool(s, bloomAt("20"))
	if err != nil {
		return Finding{}, err
	}
	status, err := worst(that(at15.about(0.0003)), that(at20.about(0.00001)))
	return at20.finding(status, "at 20 bits per key, from %v at 15", Quantity{at15.value(), Rate}), err
}

// diminishing judges "the second five bits gain very little": less than half of
// what the first five did, as a factor.
func diminishing(s *results.Set) (Finding, error) {
	f, err := fallsOf(s)
	if err != nil {
		return Finding{}, err
	}
	// The rate at 15 bits is in both factors, twice over.
	share := ratio{f.second.value / f.first.value,
		math.Hypot(2*f.at15.logSE(), math.Hypot(f.at10.logSE(), f.at20.logSE()))}
	i := share.sure()
	switch {
	case i.Hi < 0.5:
		return share.finding(Holds, "the second factor over the first"), nil
	case i.Lo > 0.5:
		return share.finding(Wrong, "the second factor over the first: %.3g after %.3g", f.second.value, f.first.value), nil
	}
	return Finding{}, fmt.Errorf("too few queries at 20 bits per key: the factors' quotient is %.2g to %.2g", i.Lo, i.Hi)
}

// diminishingPoints is the same in percentage points.
func diminishingPoints(s *results.Set) (Finding, error) {
	f, err := fallsOf(s)
	if err != nil {
		return Finding{}, err
	}
	// (p15-p20)/(p10-p15) rises with p15 and falls with the other two, so that
	// its extremes over the three intervals are at their ends.
	points := func(p10, p15, p20 float64) float64 { return (p15 - p20) / (p10 - p15) }
	a, b, c := f.at10.interval(), f.at15.interval(), f.at20.interval()
	i := Interval{points(a.Hi, b.Lo, c.Hi), points(a.Lo, b.Hi, c.Lo)}
	if a.Lo <= b.Hi {
		return Finding{}, fmt.Errorf("the rates at 10 and 15 bits per key cannot be told apart")
	}
	found := Finding{Holds, Quantity{points(f.at10.value(), f.at15.value(), f.at20.value()), Factor}, i,
		"the second fall over the first, in percentage points"}
	switch {
	case i.Lo > 0.5:
		found.Status = Wrong
	case i.Hi >= 0.5:
		return Finding{}, fmt.Errorf("too few queries: the falls' quotient is %.2g to %.2g", i.Lo, i.Hi)
	}
	return found, nil
}

// probesAt is the Bloom filter with a given k.
func probesAt(bits string, k int) Cell {
	return cell("FPR", "filter", fmt.Sprintf("bloom:index=range,step=enhanced,k=%d", k), "bits", bits,
		"n", "100000", "keys", "random", "m", "*", "k", fmt.Sprint(k))
}

// bestKs are the sizes at which k is varied around m/n ln 2.
var bestKs = []struct {
	bits string
	ks   []int
	real float64 // m/n ln 2
}{
	{"10", []int{5, 6, 7, 8, 9}, 10 * math.Ln2},
	{"15", []int{8, 9, 10, 11, 12}, 15 * math.Ln2},
}

func probesCells() (cells []Cell) {
	for _, at := range bestKs {
		for _, k := range at.ks {
			cells = append(cells, probesAt(at.bits, k))
		}
	}
	return cells
}

// bestProbes judges "k = m/n ln 2 is best": the nearest whole number must not
// be shown to be worse than another. It cannot hold without the condition that
// k is rounded, since filters with k = 6.93 do not exist.
func bestProbes(s *results.Set) (Finding, error) {
	var number Finding
	for i, at := range bestKs {
		rates := map[int]rate{}
		best := 0
		for _, k := range at.ks {
			r, err := pool(s, probesAt(at.bits, k))
			if err != nil {
				return Finding{}, err
			}
			rates[k] = r
			if best == 0 || r.value() < rates[best].value() {
				best = k
			}
		}
		nearest := int(math.Round(at.real))
		cost, err := quotient(rates[nearest-1], rates[nearest])
		if err != nil {
			return Finding{}, err
		}
		if cost.se*z95 > blurred {
			return Finding{}, fmt.Errorf("too few queries: the rates of k = %d and %d compare within %.0f%% only", nearest-1, nearest, 100*cost.se*z95)
		}
		if rates[nearest].sure().Lo > rates[best].sure().Hi {
			return rates[best].finding(Wrong, "k = %d is better at %s bits per key than k = %d", best, at.bits, nearest), nil
		}
		if i == 0 {
			number = cost.finding(Conditions, "k = 6 over k = 7 at 10 bits per key: k is a whole number, and one less costs little")
		}
	}
	return number, nil
}

// blockedAt is the filter of one cache line a key.
func blockedAt(bits string) Cell {
	return bloomAt(bits).with("filter", "blocked:block=64,k=auto")
}

// slightly is the factor below which a rise of the rate is called slight.
const slightly = 1.5

func blockedCells() (cells []Cell) {
	for _, bits := range []string{"8", "10", "12", "16", "20"} {
		cells = append(cells, blockedAt(bits), bloomAt(bits))
	}
	return cells
}

// blockedRise judges "64-byte blocks raise the rate only slightly".
func blockedRise(s *results.Set) (Finding, error) {
	var found Finding
	var undecided error
	reason := ""
	status := Holds
	for _, bits := range []string{"8", "10", "12", "16", "20"} {
		over, err := pool(s, blockedAt(bits))
		if err != nil {
			return Finding{}, err
		}
		under, err := pool(s, bloomAt(bits))
		if err != nil {
			return Finding{}, err
		}
		rise, err := quotient(over, under)
		if err != nil {
			return Finding{}, err
		}
		reason += fmt.Sprintf(", %.2fx at %s", rise.value, bits)
		if bits == "10" {
			found = rise.finding(Holds, "")
		}
		usual := over.m <= 12*million
		switch wide := rise.sure(); {
		case wide.Lo > slightly && usual:
			status = Wrong
		case wide.Lo > slightly:
			status = max(status, Conditions)
		case wide.Hi > slightly:
			undecided = fmt.Errorf("too few queries: at %s bits per key the rate is %.2f to %.2f times a plain filter's", bits, wide.Lo, wide.Hi)
		}
	}
	found.Status, found.Reason = status, "at 10 bits per key"+reason
	if status == Holds {
		return found, undecided
	}
	return found, nil
}

// blockedLoss judges "a small loss": the bits per key that the blocked filter
// needs for 1 %, read off between 9 and 10, are at most 5 % more than 9.585.
func blockedLoss(s *results.Set) (Finding, error) {
	at9, err := pool(s, blockedAt("9"))
	if err != nil {
		return Finding{}, err
	}
	at10, err := pool(s, blockedAt("10"))
	if err != nil {
		return Finding{}, err
	}
	fall, err := quotient(at9, at10)
	if err != nil {
		return Finding{}, err
	}
	slope := math.Log(fall.value) / (at10.bits - at9.bits)
	if !(slope > 0) {
		return Finding{}, fmt.Errorf("the rate does not fall from 9 to 10 bits per key")
	}
	bits := at10.bits + math.Log(at10.value()/0.01)/slope
	t := (at10.bits - bits) / (at10.bits - at9.bits) // of the way from 10 to 9
	half := z95 * math.Hypot(t*at9.logSE(), (1-t)*at10.logSE()) / slope
	found := Finding{Holds, Quantity{bits, Bits}, Interval{bits - half, bits + half},
		fmt.Sprintf("for 1%%: %+.1f%% over a plain filter's", 100*(bits/plainForOne-1))}
	most := plainForOne * (1 + aboutWithin)
	switch {
	case bits-half*sureTimes > most:
		found.Status = Wrong
	case bits+half > most:
		return Finding{}, fmt.Errorf("too few queries: %.2f to %.2f bits per key for 1%%", bits-half, bits+half)
	}
	return found, nil
}

// plainForOne is -log2(0.01)/ln 2, what a plain filter needs for 1 %.
var plainForOne = -math.Log2(0.01) / math.Ln2

// blockedTruth reads the same off the model.
func blockedTruth() Quantity {
	at := func(bits uint64) float64 {
		blocks := bits * million / 512
		return theory.BlockedFPR(million, blocks, 512, theory.BlockedBestProbes(million, blocks, 512))
	}
	p9, p10 := at(9), at(10)
	return Quantity{10 + math.Log(p10/0.01)/math.Log(p9/p10), Bits}
}

func riseTruth() Quantity {
	const blocks = 10 * million / 512
	blocked := theory.BlockedFPR(million, blocks, 512, theory.BlockedBestProbes(million, blocks, 512))
	return Quantity{blocked / exactAt(10), Factor}
}
