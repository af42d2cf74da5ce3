package results

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCountedBytes(t *testing.T) {
	f := sample()
	want := "BenchmarkFPR/filter=blocked:block=64,k=auto/n=1000/k=6 20000 0 fp 20000 queries 0 fpr\n" +
		"BenchmarkFPR/filter=bloom:index=range,step=enhanced,k=auto/n=1000/k=7 20000 164 fp 20000 queries 0.0082 fpr 9.6 bits/key\n"
	if diff := cmp.Diff(want, string(CountedBytes(f))); diff != "" {
		t.Error(diff)
	}
	f.Config = append(f.Config, ConfigLine{"date", "2026-01-01T00:00:00Z"})
	f.Records = append(f.Records, Record{"FPR", []Axis{{"filter", "set"}, {"sampled", "yes"}}, 1, []Value{{"fp", 1}}})
	if diff := cmp.Diff(want, string(CountedBytes(f))); diff != "" {
		t.Errorf("what the seed does not decide: %s", diff)
	}
	f.Records[0].Values[0].V++
	if string(CountedBytes(f)) == want {
		t.Error("another count gives the same bytes")
	}
	if f.Records[1].Values[3].Unit != "model-fpr" {
		t.Error("the file was changed")
	}
}

// Of a timing the order and number of rounds, the clocks and the length of the
// loops do not count; what the filters answered does.
func TestCountedBytesOfTimings(t *testing.T) {
	round := func(ns float64, iters int, positives float64, filter string) Record {
		return Record{"Lookup", []Axis{{"filter", filter}}, iters, []Value{{"ns/op", ns}, {"positives", positives}}}
	}
	limit := Record{"Limit", []Axis{{"kind", "loop"}}, 5, []Value{{"ns/op", 1}}}
	a := File{"lookup", nil, []Record{round(3, 100, 7, "bloom"), round(4, 100, 9, "set"), limit}}
	b := File{"lookup", nil, []Record{limit, round(5, 50, 9, "set"), round(6, 300, 7, "bloom"), round(7, 300, 7, "bloom")}}
	want := "BenchmarkLookup/filter=bloom 1 7 positives\nBenchmarkLookup/filter=set 1 9 positives\n"
	for _, f := range []File{a, b} {
		if diff := cmp.Diff(want, string(CountedBytes(f))); diff != "" {
			t.Error(diff)
		}
	}
}
