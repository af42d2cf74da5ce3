package claims

import (
	"fmt"
	"math"
	"strconv"

	"filterbench/filters/theory"
	"filterbench/report/format"
	"filterbench/results"
)

// The claims on other designs: LevelDB's scheme, Parquet's split blocks,
// counters, quotient filters and the static filters.

// measured is a cell of the fpr experiment with random keys.
func measured(filter, bits, n string) Cell {
	return cell("FPR", "filter", filter, "bits", bits, "n", n, "keys", "random")
}

// param is a parameter that the sizing of a cell resolved, such as r or slots.
func param(s *results.Set, c Cell, key string) (float64, error) {
	records, err := find(s, c)
	if err != nil {
		return 0, err
	}
	v, err := axisNumber(records[0], key, maxCount)
	return float64(v), err
}

// levelDBKeys are the numbers of keys over which LevelDB's scheme is judged. Its
// own filters have 20 to 100.
var levelDBKeys = []string{"20", "100", "1000", "10000", "100000", "300000", "1000000"}

func levelDBCells() (cells []Cell) {
	for _, n := range levelDBKeys {
		cells = append(cells, measured("leveldb", "10", n).with("m", "*", "k", "*"))
	}
	return cells
}

// levelDBRates are its rates by the number of keys, and all of them in words.
func levelDBRates(s *results.Set) (rates []rate, all string, err error) {
	for _, c := range levelDBCells() {
		r, err := pool(s, c)
		if err != nil {
			return nil, "", err
		}
		rates = append(rates, r)
		all += fmt.Sprintf(", %s at %s", format.Percent(r.value(), 2), format.Compact(float64(r.n)))
	}
	return rates, all[2:] + " keys", nil
}

// levelDBSeven judges "k = 7 and 0.82 %" at LevelDB's 10 bits per key.
func levelDBSeven(s *results.Set) (Finding, error) {
	rates, all, err := levelDBRates(s)
	if err != nil {
		return Finding{}, err
	}
	var opinions []opinion
	for _, r := range rates {
		o := that(r.about(0.0082))
		if r.k != 7 {
			o = that(Wrong, nil)
		}
		opinions = append(opinions, o)
	}
	status, err := worst(opinions...)
	last := rates[len(rates)-1]
	return last.finding(status, "k = %d; %s", last.k, all), err
}

// underOneOfHundred judges "fewer than 1 of 100" by the numbers of keys at which
// that is so. Those where it is not settled count for neither side.
func underOneOfHundred(s *results.Set) (Finding, error) {
	rates, all, err := levelDBRates(s)
	if err != nil {
		return Finding{}, err
	}
	below, above := 0, 0
	worst := rates[0]
	for _, r := range rates {
		switch i := r.sure(); {
		case i.Hi < 0.01:
			below++
		case i.Lo > 0.01:
			above++
		}
		if r.value() > worst.value() {
			worst = r
		}
	}
	found := worst.finding(Conditions, "%s", all)
	switch {
	case below == len(rates):
		found.Status = Holds
	case above == len(rates):
		found.Status = Wrong
	case below == 0 || above == 0:
		return Finding{}, fmt.Errorf("too few queries: of %d rates %d are shown to be below 1%% and %d above", len(rates), below, above)
	}
	return found, nil
}

// splitBlockTable is that of Parquet's specification.
var splitBlockTable = []struct {
	bits string
	p    float64
}{{"6", 0.1}, {"10.5", 0.01}, {"16.9", 0.001}, {"26.4", 0.0001}}

func splitBlockCells() (cells []Cell) {
	for _, at := range splitBlockTable {
		cells = append(cells, measured("splitblock", at.bits, "1000000"))
	}
	return cells
}

// splitBlockSizes judges the whole table.
func splitBlockSizes(s *results.Set) (Finding, error) {
	var found Finding
	var all []opinion
	reason := ""
	for i, c := range splitBlockCells() {
		r, err := pool(s, c)
		if err != nil {
			return Finding{}, err
		}
		at := splitBlockTable[i]
		all = append(all, that(r.about(at.p)))
		reason += fmt.Sprintf(", %s at %s", format.Percent(r.value(), 3), at.bits)
		if at.p == 0.01 {
			found = r.finding(Holds, "")
		}
	}
	status, err := worst(all...)
	found.Status, found.Reason = status, "at 10.5 bits per key; "+reason[2:]
	return found, err
}

func splitBlockTruth() Quantity {
	const bits = 10.5 * million
	return Quantity{theory.SplitBlockFPR(million, uint64(math.Ceil(bits/256))), Rate}
}

// counters is a counting filter of as many 4-bit counters as bloomAt("9.585") has
// bits.
var counters = measured("counting:counter=4,k=auto", "38.34", "1000000").with("k", "*", "counters", "*")

// fourTimes judges "exactly 4 times the memory".
func fourTimes(s *results.Set) (Finding, error) {
	plain, err := pool(s, bloomAt("9.585"))
	if err != nil {
		return Finding{}, err
	}
	counting, err := pool(s, counters)
	if err != nil {
		return Finding{}, err
	}
	m, err := param(s, counters, "counters")
	if err != nil {
		return Finding{}, err
	}
	if m != float64(plain.m) || counting.k != plain.k {
		return Finding{}, fmt.Errorf("%s counters with k = %d beside %s bits with k = %d", format.Count(m), counting.k, format.Count(float64(plain.m)), plain.k)
	}
	f := counting.bits / plain.bits
	found := Finding{Status: Wrong, Number: Quantity{f, Factor}, Reason: fmt.Sprintf("%s counters, k = %d", format.Count(m), plain.k)}
	if roundsTo(f, "4.00") {
		found.Status = Holds
	}
	return found, nil
}

// countingMemory is a counting filter for 1 %.
func countingMemory() Cell { return memoryOf("counting:counter=4,k=auto", "bytes20") }

// countingLarger judges "it is larger".
func countingLarger(s *results.Set) (Finding, error) {
	counting, err := perKey(s, countingMemory(), "alloc-B")
	if err != nil {
		return Finding{}, err
	}
	plain, err := perKey(s, filterMemory(), "alloc-B")
	if err != nil {
		return Finding{}, err
	}
	found := Finding{Status: Holds, Number: Quantity{counting / plain, Factor}, Reason: "a plain filter's bytes, both for 1%"}
	if counting <= plain {
		found.Status = Wrong
	}
	return found, nil
}

// slotted is a quotient filter: remainders of r bits in slots that are filled to
// a share load, with so many further bits each.
type slotted struct {
	rate
	r, load, metadata float64
}

func slottedOf(s *results.Set, c Cell) (q slotted, err error) {
	if q.rate, err = pool(s, c); err != nil {
		return q, err
	}
	slots, err := param(s, c, "slots")
	if err == nil {
		q.r, err = param(s, c, "r")
	}
	n := float64(q.n)
	q.load, q.metadata = n/slots, q.bits*n/slots-q.r
	return q, err
}

func flagsAt(load string) Cell {
	return measured("quotient:layout=flags,load="+load, "*", "100000").with("slots", "*", "r", "*")
}

func flagsCells() (cells []Cell) {
	for _, load := range []string{"75", "50", "90", "95"} {
		cells = append(cells, flagsAt(load))
	}
	return cells
}

// flagsRate judges "at most load x 2^-r, three more bits a slot".
func flagsRate(s *results.Set) (Finding, error) {
	var found Finding
	reason := ""
	for i, c := range flagsCells() {
		q, err := slottedOf(s, c)
		if err != nil {
			return Finding{}, err
		}
		most := q.load * math.Exp2(-q.r)
		half := z95 * q.logSE()
		switch {
		case q.sure().Lo > most:
			return q.finding(Wrong, "%s of the slots filled, where %s is the most", format.Percent(q.load, 2), format.Percent(most, 3)), nil
		case !roundsTo(q.metadata, "3.0"):
			return q.finding(Wrong, "a slot takes %.2f bits beside the remainder", q.metadata), nil
		case !(half <= blurred):
			return Finding{}, fmt.Errorf("too few queries: the rate is known within %.0f%% only", 100*half)
		}
		if i == 0 {
			found = q.finding(Holds, "")
		}
		reason += fmt.Sprintf(", %.3fx the bound at %s", q.value()/most, format.Percent(q.load, 2))
	}
	found.Reason = "at 75% load; " + reason[2:] + "; 3 bits a slot"
	return found, nil
}

func rankAt95() Cell {
	return measured("quotient:layout=rank,load=95", "*", "1000000").with("slots", "*", "r", "*")
}

// rankBits judges "r + 2.125 bits a slot, to 95 % load".
func rankBits(s *results.Set) (Finding, error) {
	q, err := slottedOf(s, rankAt95())
	if err != nil {
		return Finding{}, err
	}
	records, err := find(s, rankAt95())
	if err != nil {
		return Finding{}, err
	}
	refused, err := count(records[0], "refused", 0, float64(q.n))
	if err != nil {
		return Finding{}, err
	}
	found := Finding{Status: Holds, Number: Quantity{q.bits, Bits},
		Reason: fmt.Sprintf("r = %.0f and %.3f bits a slot, %s filled, %s keys refused", q.r, q.metadata, format.Percent(q.load, 3), format.Count(refused))}
	if !roundsTo(q.metadata, "2.125") || !roundsTo(q.load, "0.95") || refused > 0 {
		found.Status = Wrong
	}
	return found, nil
}

const staticBits = 8 // of the fingerprints of the static filters measured

var xorMillion = measured("peer-xor8", "*", "1000000").with("f", strconv.Itoa(staticBits))

// xorBits judges "1.23 f bits per key for 2^-f".
func xorBits(s *results.Set) (Finding, error) {
	r, err := pool(s, xorMillion)
	if err != nil {
		return Finding{}, err
	}
	status, err := r.about(theory.XorFPR(staticBits))
	if !roundsTo(r.bits/staticBits, "1.23") {
		status, err = Wrong, nil
	}
	return Finding{Status: status, Number: Quantity{r.bits, Bits},
		Reason: fmt.Sprintf("%.3f f at f = %d, and %s", r.bits/staticBits, staticBits, format.Percent(r.value(), 3))}, err
}

// fuseKeys are the numbers of keys over which binary fuse filters are judged.
var fuseKeys = []string{"1000000", "100000", "10000", "100"}

func fuseOf(n string) Cell {
	return measured("peer-fuse8", "*", n).with("f", strconv.Itoa(staticBits))
}

func fuseCells() (cells []Cell) {
	for _, n := range fuseKeys {
		cells = append(cells, fuseOf(n))
	}
	return cells
}

// fuseBits judges "1.125 f bits per key", by the numbers of keys at which it is
// about that.
func fuseBits(s *results.Set) (Finding, error) {
	var found Finding
	near, reason := 0, ""
	for i, c := range fuseCells() {
		r, err := pool(s, c)
		if err != nil {
			return Finding{}, err
		}
		f := r.bits / staticBits
		if math.Abs(f/theory.FuseFactor(3)-1) <= aboutWithin {
			near++
		}
		reason += fmt.Sprintf(", %.3g f at %s keys", f, format.Count(float64(r.n)))
		if i > 0 {
			continue
		}
		found = Finding{Status: Conditions, Number: Quantity{r.bits, Bits}}
		if status, err := r.about(theory.XorFPR(staticBits)); status != Holds {
			return r.finding(Wrong, "not about 2^-%d", staticBits), err
		}
	}
	switch near {
	case len(fuseKeys):
		found.Status = Holds
	case 0:
		found.Status = Wrong
	}
	found.Reason = reason[2:]
	return found, nil
}
