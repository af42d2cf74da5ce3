// Package format writes the report's numbers for people: rates as percent,
// sizes in binary units, counts with separators.
package format

import (
	"math"
	"strconv"
	"strings"
)

// Short is the shortest text of v at up to 4 significant digits, without an
// exponent where a person would write none.
func Short(v float64) string { return Digits(v, 4) }

// Digits writes v with at most n significant digits, trailing zeros dropped.
func Digits(v float64, n int) string {
	s := Fixed(v, n)
	if strings.Contains(s, ".") && !strings.Contains(s, "e") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Fixed writes v with n significant digits, trailing zeros kept: "9.60".
func Fixed(v float64, n int) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case v == 0:
		return "0"
	case math.Abs(v) < 1e-6 || math.Abs(v) >= 1e15:
		return strconv.FormatFloat(v, 'e', n-1, 64)
	}
	// Rounding may carry into another digit (9.996 to 10.00), so the exponent
	// is read off the rounded number.
	e := strconv.FormatFloat(v, 'e', n-1, 64)
	exp, _ := strconv.Atoi(e[strings.IndexByte(e, 'e')+1:])
	if exp >= n-1 { // round to whole digits, then write them all
		r, _ := strconv.ParseFloat(e, 64)
		return strconv.FormatFloat(r, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', n-1-exp, 64)
}

// Percent writes a rate with n significant digits: Percent(.00819, 3) is
// "0.819%".
func Percent(rate float64, n int) string {
	s := Fixed(100*rate, n)
	if s == "–" {
		return s
	}
	return s + "%"
}

// PercentInterval writes both ends of an interval of rates with the decimals
// that their middle deserves: "0.981–1.027%".
func PercentInterval(lo, hi float64) string {
	return Interval(100*lo, 100*hi, Significant(lo, hi)) + "%"
}

// Interval writes both ends of an interval with n significant digits in their
// middle: "9.8–10.2".
func Interval(lo, hi float64, n int) string {
	mid := math.Abs(lo+hi) / 2
	if math.IsNaN(mid) {
		return "–"
	}
	if !(mid > 0) || math.IsInf(mid, 0) || mid < 1e-6 || mid >= 1e15 {
		return Fixed(lo, n) + "–" + Fixed(hi, n)
	}
	decimals := max(0, n-1-int(math.Floor(math.Log10(mid))))
	return strconv.FormatFloat(lo, 'f', decimals, 64) + "–" + strconv.FormatFloat(hi, 'f', decimals, 64)
}

// Significant is how many significant digits an estimate with the interval
// from lo to hi deserves: two in the half-width, at least 2, at most 5.
func Significant(lo, hi float64) int {
	half, mid := (hi-lo)/2, math.Abs(lo+hi)/2
	if !(half > 0) || !(mid > 0) || math.IsInf(half, 0) || math.IsInf(mid, 0) {
		return 3
	}
	n := int(math.Floor(math.Log10(mid))) - int(math.Floor(math.Log10(half))) + 2
	return min(max(n, 2), 5)
}

// Count writes a whole number with separators: 1,537,000.
func Count(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "–"
	}
	if math.Abs(v) >= 1e15 {
		return Fixed(v, 4)
	}
	s := strconv.FormatFloat(math.Abs(math.Round(v)), 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if math.Round(v) < 0 {
		return "-" + s
	}
	return s
}

// Compact writes a count as charts do: 950, 1k, 50k, 1M, 9.59M.
func Compact(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) >= u.size && math.Abs(v) < 1e15 {
			return Digits(v/u.size, 3) + u.name
		}
	}
	return Digits(v, 3)
}

// Nanoseconds writes a time given in nanoseconds with three digits at most: "12.3
// ns", "100 µs", "10 ms".
func Nanoseconds(ns float64) string {
	units := []string{"ns", "µs", "ms", "s"}
	i := 0
	for math.Abs(ns) >= 999.5 && i < len(units)-1 {
		ns /= 1000
		i++
	}
	return Digits(ns, 3) + " " + units[i]
}

// Bytes writes a size in binary units: "64 KiB", "1.5 MiB".
func Bytes(b float64) string { return BytesDigits(b, 4) }

// BytesDigits is Bytes with at most n significant digits.
func BytesDigits(b float64, n int) string {
	if math.IsNaN(b) || math.IsInf(b, 0) || b < 0 {
		return "–"
	}
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	i := 0
	for b >= 1024 && i < len(units)-1 {
		b /= 1024
		i++
	}
	return Digits(b, n) + " " + units[i]
}

// ParseBytes reads a size such as "16KiB", "2 MiB" or "512"; ok is false
// where the text is none.
func ParseBytes(s string) (b float64, ok bool) {
	s = strings.TrimSpace(s)
	scale := 1.0
	for i, u := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if num, found := strings.CutSuffix(s, u); found {
			s, scale = num, math.Exp2(float64(10*(i+1)))
			break
		}
	}
	s = strings.TrimSpace(strings.TrimSuffix(s, "B"))
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v > 0) || math.IsInf(v*scale, 0) {
		return 0, false
	}
	return v * scale, true
}
