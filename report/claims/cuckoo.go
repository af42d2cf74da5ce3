package claims

import (
	"fmt"
	"math"
	"strconv"

	"filterbench/filters/theory"
	"filterbench/report/format"
	"filterbench/results"
)

// The claims on cuckoo filters, which compare them with Bloom's at equal bytes
// or at equal rates: buckets of 4 slots, 95 % of them filled.

const (
	cuckooSlots = 4
	cuckooLoad  = 0.95
)

// cuckooBits are the lengths of the fingerprints measured.
var cuckooBits = []int{6, 8, 9, 10, 12, 13, 16}

// cuckooAt is the filter with f-bit fingerprints, in sorted buckets or not.
func cuckooAt(f int, sorted bool) Cell {
	how := map[bool]string{false: "no", true: "yes"}[sorted]
	return measured(fmt.Sprintf("cuckoo:b=%d,f=%d,semisort=%s,load=95", cuckooSlots, f, how), "*", "1000000").
		with("f", strconv.Itoa(f), "buckets", "*")
}

func cuckooCells(sorted ...bool) (cells []Cell) {
	for _, how := range sorted {
		for _, f := range cuckooBits {
			cells = append(cells, cuckooAt(f, how))
		}
	}
	return cells
}

// besideBloom are the cells of a comparison with Bloom's filter.
func besideBloom(sorted ...bool) []Cell { return append(cuckooCells(sorted...), sweepCells()...) }

// curve is a filter's measured rates by bits per key, from few bits to many.
type curve []rate

func bloomCurve(s *results.Set) (c curve, err error) {
	for _, cell := range sweepCells() {
		r, err := pool(s, cell)
		if err != nil {
			return nil, err
		}
		c = append(c, r)
	}
	return c, nil
}

// between finds where on the curve a number lies, by a coordinate that rises
// along it: behind point i, a share t of the way to the next.
func (c curve) between(x float64, coordinate func(rate) float64) (i int, t float64, err error) {
	for i := range len(c) - 1 {
		a, b := coordinate(c[i]), coordinate(c[i+1])
		if a <= x && x <= b && a < b {
			return i, (x - a) / (b - a), nil
		}
	}
	return 0, 0, fmt.Errorf("a Bloom filter was not measured on both sides of what the other has")
}

// mixed is the standard error of the rate's logarithm between two points.
func (c curve) mixed(i int, t float64) float64 {
	return math.Hypot((1-t)*c[i].logSE(), t*c[i+1].logSE())
}

func lnRate(r rate) float64 { return math.Log(r.value()) }

// rateRatio is the rate of r over that of the curve at as many bits.
func (c curve) rateRatio(r rate) (ratio, error) {
	i, t, err := c.between(r.bits, func(r rate) float64 { return r.bits })
	if err != nil {
		return ratio{}, err
	}
	if !(r.interval().Lo > 0 && c[i+1].interval().Lo > 0) {
		return ratio{}, fmt.Errorf("too few false positives at %.3g bits per key", r.bits)
	}
	p := math.Exp((1-t)*lnRate(c[i]) + t*lnRate(c[i+1]))
	return ratio{r.value() / p, math.Hypot(r.logSE(), c.mixed(i, t))}, nil
}

// bitsRatio is the bits per key of r over those of the curve at r's rate.
func (c curve) bitsRatio(r rate) (ratio, error) {
	if !(r.interval().Lo > 0) {
		return ratio{}, fmt.Errorf("too few false positives at %.3g bits per key", r.bits)
	}
	i, t, err := c.between(-lnRate(r), func(r rate) float64 { return -lnRate(r) })
	if err != nil {
		return ratio{}, err
	}
	bits := (1-t)*c[i].bits + t*c[i+1].bits
	perLog := (c[i+1].bits - c[i].bits) / (lnRate(c[i]) - lnRate(c[i+1]))
	return ratio{r.bits / bits, math.Hypot(r.logSE(), c.mixed(i, t)) * perLog / bits}, nil
}

// versus is a cuckoo filter beside Bloom's.
type versus struct {
	rate
	f     int
	ratio ratio
}

// besides compares the cuckoo filters of a kind with Bloom's, and writes all
// down.
func besides(s *results.Set, sorted bool, by func(curve, rate) (ratio, error), where func(versus) string) (all []versus, text string, err error) {
	bloom, err := bloomCurve(s)
	if err != nil {
		return nil, "", err
	}
	for _, f := range cuckooBits {
		v := versus{f: f}
		if v.rate, err = pool(s, cuckooAt(f, sorted)); err != nil {
			return nil, "", err
		}
		if v.ratio, err = by(bloom, v.rate); err != nil {
			return nil, "", err
		}
		all = append(all, v)
		text += fmt.Sprintf(", %.3gx %s", v.ratio.value, where(v))
	}
	return all, text[2:], nil
}

func atRate(v versus) string { return "at " + format.Percent(v.value(), 2) }
func atBits(v versus) string { return fmt.Sprintf("at %.3g bits", v.bits) }

// about3 is the length of fingerprint that gives about 3 %.
const about3 = 8

// fourToSix judges "4 to 6 bits per key at 3 %".
func fourToSix(s *results.Set) (Finding, error) {
	var bits [2]float64
	var plain rate
	for i, sorted := range []bool{false, true} {
		r, err := pool(s, cuckooAt(about3, sorted))
		if err != nil {
			return Finding{}, err
		}
		if near, err := r.about(0.03); near != Holds {
			return Finding{}, orElse(err, "the rate at f = %d is %s, not about 3%%", about3, format.Percent(r.value(), 3))
		}
		bits[i] = r.bits
		if !sorted {
			plain = r
		}
	}
	found := Finding{Status: Wrong, Number: Quantity{bits[0], Bits},
		Reason: fmt.Sprintf("at f = %d and %s; %.3g in sorted buckets", about3, format.Percent(plain.value(), 3), bits[1])}
	const most = 6.05 // rounds to 6.0
	switch {
	case bits[0] < most:
		found.Status = Holds
	case bits[1] < most:
		found.Status = Conditions
	}
	return found, nil
}

// orElse is err, or one of the given text if there is none.
func orElse(err error, text string, args ...any) error {
	if err == nil {
		err = fmt.Errorf(text, args...)
	}
	return err
}

// smaller judges "it is smaller than a Bloom filter", by the rates at which that
// is so.
func smaller(s *results.Set) (Finding, error) {
	all, text, err := besides(s, false, curve.bitsRatio, atRate)
	if err != nil {
		return Finding{}, err
	}
	less, more := 0, 0
	var found Finding
	for _, v := range all {
		switch i := v.ratio.sure(); {
		case i.Hi < 1:
			less++
		case i.Lo > 1:
			more++
		}
		if v.f == about3 {
			found = v.ratio.finding(Conditions, "a Bloom filter's bits per key at 3%%; %s", text)
		}
	}
	switch {
	case less == len(all):
		found.Status = Holds
	case more == len(all):
		found.Status = Wrong
	case less == 0 || more == 0:
		return Finding{}, fmt.Errorf("too few queries: of %d sizes %d are shown to be smaller and %d larger", len(all), less, more)
	}
	return found, nil
}

// errsFarLess judges "at 95 % load it errs far less", at equal bytes.
func errsFarLess(s *results.Set) (Finding, error) {
	const half = 0.5
	all, text, err := besides(s, false, curve.rateRatio, atBits)
	if err != nil {
		return Finding{}, err
	}
	far, more := 0, false
	var found Finding
	for _, v := range all {
		i := v.ratio.sure()
		more = more || i.Lo > 1
		if i.Hi < half {
			far++
		}
		if v.f == about3 {
			found = v.ratio.finding(Conditions, "a Bloom filter's rate at f = %d; %s", about3, text)
		}
	}
	switch {
	case more:
		found.Status = Wrong
	case far == len(all):
		found.Status = Holds
	}
	return found, nil
}

// sameSpace judges "at equal rates about the same space", from 3 % on.
func sameSpace(s *results.Set) (Finding, error) {
	const within = 0.25 // and more is not the same
	all, text, err := besides(s, false, curve.bitsRatio, atRate)
	if err != nil {
		return Finding{}, err
	}
	found := Finding{Status: Holds}
	for _, v := range all {
		if v.f < about3 {
			continue
		}
		i := v.ratio.sure()
		apart := func(by float64) bool { return i.Lo > 1+by || i.Hi < 1/(1+by) }
		if v.f == about3 {
			found = v.ratio.finding(found.Status, "a Bloom filter's bits per key at 3%%; %s", text)
		}
		switch {
		case apart(within):
			found.Status = Wrong
		case apart(aboutWithin):
			found.Status = max(found.Status, Conditions)
		}
	}
	return found, nil
}

// belowThree judges "smaller than a Bloom filter below 3 %".
func belowThree(s *results.Set) (Finding, error) {
	var found Finding
	larger := map[bool]bool{}
	for _, sorted := range []bool{false, true} {
		all, text, err := besides(s, sorted, curve.bitsRatio, atRate)
		if err != nil {
			return Finding{}, err
		}
		for _, v := range all {
			if v.f >= about3 && v.ratio.sure().Lo > 1+aboutWithin {
				larger[sorted] = true
			}
			if sorted && v.f == about3 {
				found = v.ratio.finding(Holds, "a Bloom filter's bits per key at 3%%, in sorted buckets; %s", text)
			}
		}
	}
	switch {
	case larger[true]:
		found.Status = Wrong
	case larger[false]:
		found.Status = Conditions
	}
	return found, nil
}

// cuckooMost is the paper's bound on the rate, that of full buckets.
func cuckooMost(f int) float64 {
	return -math.Expm1(2 * cuckooSlots * math.Log1p(-math.Exp2(-float64(f))))
}

// cuckooBound judges "at most 1-(1-2^-f)^(2b)".
func cuckooBound(s *results.Set) (Finding, error) {
	var found Finding
	text := ""
	for _, f := range cuckooBits {
		r, err := pool(s, cuckooAt(f, false))
		if err != nil {
			return Finding{}, err
		}
		if r.sure().Lo > cuckooMost(f) {
			return r.finding(Wrong, "at f = %d, where %s is the most", f, format.Percent(cuckooMost(f), 3)), nil
		}
		if half := z95 * r.logSE(); f <= 13 && !(half <= blurred) {
			return Finding{}, fmt.Errorf("too few queries: the rate at f = %d is known within %.0f%% only", f, 100*half)
		}
		text += fmt.Sprintf(", %.3gx at f = %d", r.value()/cuckooMost(f), f)
		if f == about3 {
			found = r.finding(Holds, "")
		}
	}
	found.Reason = fmt.Sprintf("at f = %d; of the bound %s", about3, text[2:])
	return found, nil
}

// sortedBit judges "semi-sorting saves one bit an item".
func sortedBit(s *results.Set) (Finding, error) {
	var found Finding
	for _, f := range cuckooBits {
		var perSlot, perKey [2]float64
		var rates [2]rate
		for i, sorted := range []bool{false, true} {
			r, err := pool(s, cuckooAt(f, sorted))
			if err != nil {
				return Finding{}, err
			}
			buckets, err := param(s, cuckooAt(f, sorted), "buckets")
			if err != nil {
				return Finding{}, err
			}
			rates[i], perKey[i] = r, r.bits
			perSlot[i] = r.bits * float64(r.n) / (cuckooSlots * buckets)
		}
		saved := perSlot[0] - perSlot[1]
		if f == about3 {
			found = Finding{Status: Holds, Number: Quantity{perKey[0] - perKey[1], Bits},
				Reason: fmt.Sprintf("at f = %d and 95%% load: %.2f bits a slot, at every f from %d to %d", f, saved, cuckooBits[0], cuckooBits[len(cuckooBits)-1])}
		}
		i, j := rates[0].sure(), rates[1].sure()
		if !roundsTo(saved, "1.00") || i.Lo > j.Hi*(1+aboutWithin) || j.Lo > i.Hi*(1+aboutWithin) {
			return Finding{Status: Wrong, Number: Quantity{perKey[0] - perKey[1], Bits},
				Reason: fmt.Sprintf("at f = %d: %.2f bits a slot, and %s becomes %s", f, saved,
					format.Percent(rates[0].value(), 3), format.Percent(rates[1].value(), 3))}, nil
		}
	}
	return found, nil
}

// cuckooTruth is the quotient of bits per key at 3 %, with real-valued f and k.
func cuckooTruth() Quantity {
	return Quantity{theory.CuckooIdealBits(0.03, cuckooSlots, cuckooLoad, false) / theory.BloomBitsPerKey(0.03), Factor}
}
