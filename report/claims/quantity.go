package claims

import (
	"math"
	"strconv"
	"strings"

	"filterbench/report/format"
)

// Unit is what a quantity counts.
type Unit uint8

// The units of quantities.
const (
	Count  Unit = iota // a whole number, or a mean of such
	Rate               // a share, shown as percent
	Bits               // bits per key
	Bytes              // shown as MB and MiB, since the texts confuse them
	Factor             // how many times
)

// Quantity is a number with its unit.
type Quantity struct {
	Value float64
	Unit  Unit
}

// String writes the quantity with four significant digits, counts in full.
func (q Quantity) String() string {
	const n = 4
	switch q.Unit {
	case Rate:
		return format.Percent(q.Value, n)
	case Bits:
		return format.Fixed(q.Value, n) + " bits/key"
	case Bytes:
		return format.Fixed(q.Value/1e6, n) + " MB (" + format.Fixed(q.Value/(1<<20), n) + " MiB)"
	case Factor:
		return format.Fixed(q.Value, n) + "x"
	}
	if q.Value == math.Trunc(q.Value) || math.Abs(q.Value) >= 1000 {
		return format.Count(q.Value)
	}
	return format.Fixed(q.Value, n)
}

// Measured is the finding's number with its interval, as "1.004% [0.984,
// 1.025]"; a count stands alone. It is empty where nothing was measured.
func (f Finding) Measured() string {
	if f.Status == NotMeasured || f.Status == Note {
		return ""
	}
	if f.Interval == (Interval{}) {
		return f.Number.String()
	}
	scale, unit := 1.0, ""
	switch f.Number.Unit {
	case Rate:
		scale, unit = 100, "%"
	case Bits:
		unit = " bits/key"
	case Factor:
		unit = "x"
	}
	// All three with the decimals that the interval deserves.
	i := f.Interval
	mid := format.Fixed(scale*(i.Lo+i.Hi)/2, format.Significant(i.Lo, i.Hi))
	_, decimals, _ := strings.Cut(mid, ".")
	text := func(v float64) string { return strconv.FormatFloat(scale*v, 'f', len(decimals), 64) }
	return text(f.Number.Value) + unit + " [" + text(i.Lo) + ", " + text(i.Hi) + "]"
}
