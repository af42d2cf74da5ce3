package chart

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot"
)

func labels(ticks []plot.Tick) (out []string) {
	for _, t := range ticks {
		if !t.IsMinor() {
			out = append(out, t.Label)
		}
	}
	return out
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		name     string
		ticks    Ticks
		min, max float64
		n        int
		want     []string
	}{
		{"percent", Percent, 9e-6, .2, 10, []string{"0.001%", "0.01%", "0.1%", "1%", "10%"}},
		{"percent, one decade", Percent, .004, .03, 10, []string{"0.5%", "1%", "2%"}},
		{"bytes", Bytes, 1 << 14, 1 << 28, 8, []string{"16 KiB", "64 KiB", "256 KiB", "1 MiB", "4 MiB", "16 MiB", "64 MiB", "256 MiB"}},
		{"bytes, narrow", Bytes, 1 << 14, 1 << 28, 4, []string{"16 KiB", "256 KiB", "4 MiB", "64 MiB"}},
		{"bytes, off the powers", Bytes, 5000, 40000, 8, []string{"8 KiB", "16 KiB", "32 KiB"}},
		{"decimal", Decimal, 4.5, 1100, 12, []string{"5", "10", "20", "50", "100", "200", "500", "1000"}},
		{"number", Number, 3.4, 20.6, 9, []string{"4", "6", "8", "10", "12", "14", "16", "18", "20"}},
		{"number, small", Number, .93, 1.08, 4, []string{"0.95", "1.00", "1.05"}},
		{"times", Times, .9, 1.1, 5, []string{"0.90×", "0.95×", "1.00×", "1.05×", "1.10×"}},
		{"bits", Bits, 4.1, 27, 12, []string{"5", "6", "8", "10", "12", "16", "20", "24"}},
		{"bits, wide", Bits, 3.9, 66, 12, []string{"4", "6", "8", "12", "16", "24", "32", "48", "64"}},
		{"bits, narrow", Bits, 3.9, 66, 5, []string{"4", "8", "16", "32", "64"}},
		{"decimal, between 20 and 50", Decimal, 21, 28, 8, []string{"21", "22", "23", "24", "25", "26", "27", "28"}},
		{"percent, narrow", Percent, .021, .029, 4, []string{"2.2%", "2.4%", "2.6%", "2.8%"}},
		{"many decades", Decimal, 1e-12, 1e12, 6, []string{"1.000e-12", "1e-08", "0.0001", "1", "10000", "100000000", "1000000000000"}},
	} {
		got := labels(c.ticks(c.min, c.max, c.n))
		if c.name == "many decades" { // only their number matters
			if len(got) > c.n+1 {
				t.Errorf("%s: %d labels %q, want at most %d", c.name, len(got), got, c.n+1)
			}
			continue
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: labels %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTicksEndOnHostileRanges(t *testing.T) {
	for _, r := range [][2]float64{{1e16, 1e16 + 2}, {1, 1}, {-math.MaxFloat64, math.MaxFloat64}, {5e-324, 1e-323}} {
		for _, ticks := range []Ticks{Number, Decimal, Bytes, Times, Bits} {
			if n := len(ticks(r[0], r[1], 8)); n > 1e5 {
				t.Errorf("%v: %d ticks", r, n)
			}
		}
	}
}

// Families look different from each other, the same in every chart, and their
// names can be read.
func TestStyles(t *testing.T) {
	specs := []string{"naive", "bloom:step=odd", "blocked:block=64", "blocked:block=128", "cuckoo", "quotient", "splitblock", "set", "array", "peer/xor8"}
	styles := Styles(specs)
	seen := map[Style]string{}
	for i, s := range styles {
		s.Dash = Solid
		if other, dup := seen[s]; dup {
			t.Errorf("%s looks like %s", specs[i], other)
		}
		seen[s] = specs[i]
		if c := contrast(styles[i].text()); c < 4.5 {
			t.Errorf("the name of %s has contrast %.2f, want 4.5", specs[i], c)
		}
	}
	looks := map[Style]string{}
	for family, s := range known {
		if other, dup := looks[s]; dup {
			t.Errorf("%s looks like %s", family, other)
		}
		looks[s] = family
	}
	if alone := Styles([]string{"bloom:step=any"})[0]; alone != styles[1] {
		t.Errorf("bloom is %v alone and %v among others", alone, styles[1])
	}
	if styles[2].Color != styles[3].Color {
		t.Error("two specs of one family differ in colour")
	}
}

// WCAG 2 puts black on white at 21 and #777777 at 4.48.
func TestContrast(t *testing.T) {
	for hex, want := range map[uint32]float64{0x000000: 21, 0xFFFFFF: 1, 0x777777: 4.48} {
		if got := contrast(rgb(hex)); math.Abs(got-want) > .005 {
			t.Errorf("#%06X: contrast %.3f, want %.2f", hex, got, want)
		}
	}
}

// Series that are no filters look different, up to twice as many as colours.
func TestNumbered(t *testing.T) {
	seen := map[Style]int{}
	for i := range 2 * len(palette) {
		s := Numbered(i)
		if j, ok := seen[s]; ok {
			t.Errorf("series %d looks as series %d", i, j)
		}
		seen[s] = i
		if i > 0 && i < len(palette) && s.Color == Numbered(i-1).Color {
			t.Errorf("series %d and the one before have one colour", i)
		}
	}
}
