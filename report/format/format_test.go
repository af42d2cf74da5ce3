package format

import (
	"math"
	"testing"
)

func TestFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Percent(.00819, 3), "0.819%"},
		{Percent(.01, 3), "1.00%"},
		{Percent(.0999999, 2), "10%"},
		{Percent(.000067, 2), "0.0067%"},
		{Percent(0, 3), "0%"},
		{Percent(math.NaN(), 3), "–"},
		{PercentInterval(.00981, .01027), "0.981–1.027%"},
		{PercentInterval(.0000601, .0000744), "0.00601–0.00744%"},
		{Interval(9.82, 10.24, 3), "9.8–10.2"},
		{Interval(math.NaN(), 1, 3), "–"},
		{Fixed(9.9996, 4), "10.00"}, // rounding carries
		{Fixed(9.585, 3), "9.59"},   // the float 9.585 is 9.58500000000000085
		{Fixed(1234567, 3), "1230000"},
		{Fixed(-0.5, 2), "-0.50"},
		{Fixed(math.Inf(1), 2), "–"},
		{Digits(1.50, 3), "1.5"},
		{Digits(100, 3), "100"},
		{Count(0), "0"},
		{Count(999), "999"},
		{Count(1000), "1,000"},
		{Count(9585059), "9,585,059"},
		{Count(-1234), "-1,234"},
		{Count(math.NaN()), "–"},
		{Compact(950), "950"},
		{Compact(1000), "1k"},
		{Compact(5e6), "5M"},
		{Compact(9585059), "9.59M"},
		{Nanoseconds(12.34), "12.3 ns"},
		{Nanoseconds(999.6), "1 µs"},
		{Nanoseconds(1e5), "100 µs"},
		{Nanoseconds(1e7), "10 ms"},
		{Nanoseconds(5e10), "50 s"},
		{Nanoseconds(math.NaN()), "– ns"},
		{Bytes(512), "512 B"},
		{Bytes(65536), "64 KiB"},
		{Bytes(1.5 * (1 << 20)), "1.5 MiB"},
		{Bytes(-1), "–"},
		{Bytes(math.Inf(1)), "–"},
		{Short(.001), "0.001"},
		{Short(10), "10"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]float64{
		"16KiB": 16384, "256 KiB": 262144, "2MiB": 2097152, "1GiB": 1 << 30, "33554432": 33554432, "512B": 512,
	} {
		if got, ok := ParseBytes(text); !ok || got != want {
			t.Errorf("%q: got %v, %v; want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "KiB", "-1KiB", "0", "NaN", "Inf", "1e308GiB", "16 kB", "<script>"} {
		if got, ok := ParseBytes(text); ok {
			t.Errorf("%q: got %v, want none", text, got)
		}
	}
}
