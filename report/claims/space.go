package claims

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"filterbench/results"
)

// The claims on bytes: of a filter, of a hash set, of an array.

// roundsTo reports whether v, rounded to as many decimals as text has, is the
// number text. It settles what a size "of about 1.14 MB" is: a size carries no
// sampling error, so the digits written are taken at their word.
func roundsTo(v float64, text string) bool {
	_, decimals, _ := strings.Cut(text, ".")
	return strconv.FormatFloat(v, 'f', len(decimals), 64) == text
}

// textBytes is what the filter of the texts' example takes: a million keys at
// 1 %, as allocated.
func textBytes(s *results.Set) (float64, error) {
	r, err := pool(s, bloomAt("9.585"))
	return r.bits * float64(r.n) / 8, err
}

// megabytes judges "a million keys take about 1.2 MB".
func megabytes(s *results.Set) (Finding, error) {
	b, err := textBytes(s)
	found := Finding{Status: Wrong, Number: Quantity{b, Bytes}, Reason: "allocated for a million keys at 9.585 bits per key"}
	if roundsTo(b/1e6, "1.2") {
		found.Status = Holds
	}
	return found, err
}

// mebibytes judges "about 1.14 MB", which is right in another unit.
func mebibytes(s *results.Set) (Finding, error) {
	b, err := textBytes(s)
	found := Finding{Status: Wrong, Number: Quantity{b, Bytes}, Reason: "in neither unit"}
	switch {
	case roundsTo(b/1e6, "1.14"):
		found.Status, found.Reason = Holds, "in MB"
	case roundsTo(b/(1<<20), "1.14"):
		found.Status, found.Reason = Conditions, "in MiB, not in MB"
	}
	return found, err
}

// memoryOf is a structure with keys of a kind.
func memoryOf(filter, keys string) Cell {
	return cell("Memory", "filter", filter, "keys", keys, "n", "*")
}

// filterMemory is the Bloom filter that the others are compared with.
func filterMemory() Cell { return memoryOf("bloom:index=range,step=enhanced,k=auto", "bytes20") }

// perKey is a unit of a memory cell over its keys.
func perKey(s *results.Set, c Cell, unit string) (float64, error) {
	records, err := find(s, c)
	if err != nil {
		return 0, err
	}
	r := records[0]
	n, err := axisNumber(r, "n", maxCount)
	if err != nil {
		return 0, err
	}
	v, err := number(r, unit, 1, maxCount)
	return v / float64(n), err
}

// arrayKeys are the items of an array that the texts may have had in mind.
var arrayKeys = []string{"bytes8", "bytes12", "bytes16", "bytes77"}

func arrayCells() []Cell {
	cells := []Cell{filterMemory()}
	for _, keys := range arrayKeys {
		cells = append(cells, memoryOf("array", keys))
	}
	return cells
}

// tenTimesLess judges "10 times less than an array": the items alone, with
// nothing to find them by, over the filter.
func tenTimesLess(s *results.Set) (Finding, error) {
	const claimed = 10 * (1 - aboutWithin)
	filter, err := perKey(s, filterMemory(), "alloc-B")
	if err != nil {
		return Finding{}, err
	}
	found := Finding{}
	var enough int
	var parts []string
	for _, keys := range arrayKeys {
		item, err := perKey(s, memoryOf("array", keys), "key-B")
		if err != nil {
			return Finding{}, err
		}
		if item/filter >= claimed {
			enough++
		}
		if keys == "bytes12" {
			found.Number = Quantity{item / filter, Factor}
		}
		parts = append(parts, fmt.Sprintf("%.1fx of %.0f B", item/filter, item))
	}
	switch enough {
	case len(arrayKeys):
		found.Status = Holds
	case 0:
		found.Status = Wrong
	default:
		found.Status = Conditions
	}
	found.Reason = "for items of 12 B; " + strings.Join(parts, ", ")
	return found, nil
}

const claimedSetFactor = 17

// setArithmetic judges the text's sum: 20 B a key make 20 MB, which is 17 times
// the filter.
func setArithmetic(s *results.Set) (Finding, error) {
	return setOver(s, "key-B", "the keys alone over the filter: 17 comes of dividing MB by MiB")
}

// setMeasured judges the same of a hash set as it is.
func setMeasured(s *results.Set) (Finding, error) {
	return setOver(s, "heap-B", "Go's map over the filter, as the heap grew")
}

func setOver(s *results.Set, unit, reason string) (Finding, error) {
	keys, err := perKey(s, memoryOf("set", "bytes20"), unit)
	if err != nil {
		return Finding{}, err
	}
	filter, err := perKey(s, filterMemory(), "alloc-B")
	if err != nil {
		return Finding{}, err
	}
	found := Finding{Status: Holds, Number: Quantity{keys / filter, Factor}, Reason: reason}
	if math.Round(keys/filter*10)/10 < claimedSetFactor {
		found.Status = Wrong
	}
	return found, nil
}
