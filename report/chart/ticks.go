package chart

import (
	"math"
	"slices"
	"strconv"

	"filterbench/report/format"

	"gonum.org/v1/plot"
)

// Ticks places the ticks of an axis from min to max, with at most about n
// labels. Ticks without a label are minor ones.
type Ticks func(min, max float64, n int) []plot.Tick

// Number labels a linear axis in steps of 1, 2 or 5 times a power of ten.
func Number(min, max float64, n int) []plot.Tick {
	return linear(min, max, n, func(v float64, digits int) string {
		return strconv.FormatFloat(v, 'f', digits, 64)
	})
}

// Whole labels a linear axis of whole numbers, such as of threads, with nothing
// between them.
func Whole(min, max float64, n int) []plot.Tick {
	whole := func(v float64, _ int) string { return strconv.FormatFloat(v, 'f', 0, 64) }
	return slices.DeleteFunc(linear(min, max, n, whole), func(t plot.Tick) bool { return t.Value != math.Trunc(t.Value) })
}

// Decimal labels a logarithmic axis: 1, 10, 100, and 2 and 5 between them
// where there is room.
func Decimal(min, max float64, n int) []plot.Tick { return logarithmic(min, max, n, format.Short) }

// Counts labels a logarithmic axis of counts: 1k, 10k, 1M.
func Counts(min, max float64, n int) []plot.Tick { return logarithmic(min, max, n, format.Compact) }

// Nanoseconds labels a logarithmic axis of times in nanoseconds: 10 ns, 1 µs.
func Nanoseconds(min, max float64, n int) []plot.Tick {
	return logarithmic(min, max, n, format.Nanoseconds)
}

// Percent labels a logarithmic axis of rates: 10%, 1%, 0.1%.
func Percent(min, max float64, n int) []plot.Tick {
	return logarithmic(min, max, n, func(v float64) string { return format.Short(100*v) + "%" })
}

// Times labels a logarithmic axis of ratios: 0.5×, 1×, 2×.
func Times(min, max float64, n int) []plot.Tick {
	label := func(v float64) string { return format.Short(v) + "×" }
	if max/min < 6 { // too narrow for 1, 2, 5
		return linear(min, max, n, func(v float64, digits int) string {
			return strconv.FormatFloat(v, 'f', digits, 64) + "×"
		})
	}
	return logarithmic(min, max, n, label)
}

// Bytes labels a logarithmic axis of sizes at powers of two: 64 KiB, 1 MiB.
func Bytes(min, max float64, n int) (ticks []plot.Tick) {
	if !(min > 0 && max <= math.MaxFloat64) {
		return nil
	}
	lo, hi := int(math.Ceil(math.Log2(min)-eps)), int(math.Floor(math.Log2(max)+eps))
	step := 1
	for n > 0 && (hi-lo)/step+1 > n {
		step *= 2
	}
	for e := lo; e <= hi; e++ {
		t := plot.Tick{Value: math.Exp2(float64(e))}
		if (e-lo)%step == 0 {
			t.Label = format.Bytes(t.Value)
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// Bits labels a logarithmic axis of bits per key, which spans few doublings: at
// powers of two, and between them at halves and quarters, as far as there is
// room.
func Bits(min, max float64, n int) (ticks []plot.Tick) {
	if !(min > 0 && max <= math.MaxFloat64) {
		return nil
	}
	from := int(math.Floor(math.Log2(min)))
	for _, steps := range [][]float64{{1, 1.25, 1.5}, {1, 1.5}, {1}} {
		ticks = nil
		for e := from; e <= int(math.Ceil(math.Log2(max))); e++ {
			for _, s := range steps {
				if v := s * math.Exp2(float64(e)); v >= min && v <= max {
					ticks = append(ticks, plot.Tick{Value: v, Label: format.Short(v)})
				}
			}
		}
		if len(ticks) <= n {
			return ticks
		}
	}
	return Decimal(min, max, n)
}

const eps = 1e-9

func linear(min, max float64, n int, label func(v float64, digits int) string) (ticks []plot.Tick) {
	step, minors := niceStep((max - min) / float64(n))
	if !(step > 0 && step <= math.MaxFloat64) {
		return nil
	}
	digits := 0
	for s := step; digits < 12 && math.Abs(s-math.Round(s)) > 1e-6; digits++ {
		s *= 10
	}
	small := step / float64(minors)
	from, to := math.Ceil(min/small-eps), math.Floor(max/small+eps)
	for k := 0.0; k <= to-from; k++ { // from+k, since from++ may change nothing
		i := from + k
		t := plot.Tick{Value: i * small}
		if math.Mod(i, float64(minors)) == 0 {
			t.Value = i / float64(minors) * step
			t.Label = label(t.Value, digits)
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// niceStep rounds up to 1, 2 or 5 times a power of ten and says into how many
// parts the step divides well.
func niceStep(v float64) (step float64, minors int) {
	p := math.Pow(10, math.Floor(math.Log10(v)))
	switch f := v / p; {
	case f <= 1+eps:
		return p, 2
	case f <= 2+eps:
		return 2 * p, 2
	case f <= 5+eps:
		return 5 * p, 5
	}
	return 10 * p, 2
}

// logarithmic puts a tick at each whole multiple of a power of ten, and labels
// the powers, or also 2 and 5 times them where fewer than n labels come of it.
func logarithmic(min, max float64, n int, label func(float64) string) (ticks []plot.Tick) {
	if !(min > 0 && max <= math.MaxFloat64) {
		return nil
	}
	decades := math.Log10(max) - math.Log10(min)
	all := 3*decades <= float64(n)
	if max/min < 3 { // too narrow for 1, 2, 5: perhaps none of them lies in it
		return linear(min, max, n, func(v float64, _ int) string { return label(v) })
	}
	every := int(math.Max(1, math.Ceil(decades/math.Max(1, float64(n)))))
	for e := int(math.Floor(math.Log10(min))); e <= int(math.Ceil(math.Log10(max))); e++ {
		for f := 1; f < 10; f++ {
			v := exact(f, e)
			if v < min*(1-eps) || v > max*(1+eps) {
				continue
			}
			t := plot.Tick{Value: v}
			if f == 1 && e%every == 0 || all && (f == 2 || f == 5) {
				t.Label = label(v)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// exact is f times 10^e as the nearest float, since products of powers show
// digits that nobody wants to read.
func exact(f, e int) float64 {
	v, _ := strconv.ParseFloat(strconv.Itoa(f)+"e"+strconv.Itoa(e), 64)
	return v
}
