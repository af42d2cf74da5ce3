package results

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// sample is a small file of each kind of record.
func sample() File {
	return File{
		Experiment: "fpr",
		Config:     []ConfigLine{{"schema", SchemaVersion}, {"cpu", "AMD EPYC 7763 64-Core Processor"}, {"seed", "1"}},
		Records: []Record{
			{"FPR", []Axis{{"filter", "bloom:index=range,step=enhanced,k=auto"}, {"n", "1000"}, {"k", "7"}}, 20000,
				[]Value{{"fp", 164}, {"queries", 20000}, {"fpr", 0.0082}, {"bits/key", 9.6}}},
			{"FPR", []Axis{{"filter", "blocked:block=64,k=auto"}, {"n", "1000"}, {"k", "6"}}, 20000,
				[]Value{{"fp", 0}, {"queries", 20000}, {"fpr", 0}, {"model-fpr", 1e-9}}},
		},
	}
}

const sampleText = `schema: 1
cpu: AMD EPYC 7763 64-Core Processor
seed: 1

Unit fp better=lower
Unit fp assume=exact
Unit queries assume=exact
Unit fpr better=lower
Unit fpr assume=exact
Unit bits/key better=lower
Unit bits/key assume=exact
Unit model-fpr assume=exact

BenchmarkFPR/filter=bloom:index=range,step=enhanced,k=auto/n=1000/k=7 20000 164 fp 20000 queries 0.0082 fpr 9.6 bits/key
BenchmarkFPR/filter=blocked:block=64,k=auto/n=1000/k=6 20000 0 fp 20000 queries 0 fpr 1e-09 model-fpr
`

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fpr.txt")
	for range 2 { // the second replaces the first
		if err := WriteFile(path, sample()); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sampleText, string(data)); diff != "" {
			t.Fatal(diff)
		}
	}
	f, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(), f); diff != "" {
		t.Error(diff)
	}
}

// Whatever fails, what was there stays and nothing else is left behind.
func TestWriteFileIsAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "fpr.txt")
	if err := WriteFile(path, sample()); err != nil {
		t.Fatal(err)
	}
	bad := sample()
	bad.Records[1].Values[0].V = math.NaN()
	if err := WriteFile(path, bad); err == nil {
		t.Error("wrote NaN")
	}
	other := sample()
	other.Experiment = "other"
	if err := WriteFile(path, other); err == nil || !strings.Contains(err.Error(), "other.txt") {
		t.Errorf("wrote one experiment over another: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "other.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	other.Records = nil
	if err := WriteFile(filepath.Join(dir, "other.txt"), other); err == nil {
		t.Error("replaced a folder")
	}
	if err := WriteFile(filepath.Join(dir, "missing", "fpr.txt"), sample()); err == nil {
		t.Error("wrote into a folder that does not exist")
	}
	if data, _ := os.ReadFile(path); string(data) != sampleText {
		t.Errorf("the old file was touched:\n%s", data)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
}

// Rows 11 and 27 of the field's known faults: no NaN, no infinity, no name
// that another tool would take apart differently, nothing dropped in silence.
func TestCheckRefuses(t *testing.T) {
	axes := func(pairs ...string) []Axis {
		var a []Axis
		for i := 0; i < len(pairs); i += 2 {
			a = append(a, Axis{pairs[i], pairs[i+1]})
		}
		return a
	}
	ok := []Value{{"fp", 1}}
	for _, c := range []struct {
		what string
		r    Record
		want string // in the error
	}{
		{"lower case name", Record{"fpr", nil, 1, ok}, "upper camel case"},
		{"no name", Record{"", nil, 1, ok}, "upper camel case"},
		{"slash in a value", Record{"FPR", axes("filter", "peer/xor8"), 1, ok}, "slash"},
		{"space in a value", Record{"FPR", axes("filter", "a b"), 1, ok}, "white space"},
		{"no-break space in a value", Record{"FPR", axes("filter", "a\u00a0b"), 1, ok}, "white space"},
		{"line break in a value", Record{"FPR", axes("filter", "a\nBenchmarkB"), 1, ok}, "white space"},
		{"not UTF-8", Record{"FPR", axes("filter", "\xff"), 1, ok}, "value"},
		{"empty value", Record{"FPR", axes("filter", ""), 1, ok}, "empty"},
		{"empty key", Record{"FPR", axes("", "x"), 1, ok}, "axis"},
		{"equals in a key", Record{"FPR", axes("a=b", "x"), 1, ok}, "axis"},
		{"axis twice", Record{"FPR", axes("n", "1", "n", "2"), 1, ok}, "twice"},
		{"taken for GOMAXPROCS", Record{"FPR", axes("n", "1", "p", "1e-06"), 1, ok}, "GOMAXPROCS"},
		{"name taken for GOMAXPROCS", Record{"FPR", axes("keys", "url-8"), 1, ok}, "GOMAXPROCS"},
		{"no operations", Record{"FPR", nil, 0, ok}, "at least 1"},
		{"no values", Record{"FPR", nil, 1, nil}, "no values"},
		{"NaN", Record{"FPR", nil, 1, []Value{{"fpr", math.NaN()}}}, "fpr is NaN"},
		{"infinity", Record{"FPR", nil, 1, []Value{{"bits/key", math.Inf(1)}}}, "bits/key is +Inf"},
		{"unit twice", Record{"FPR", nil, 1, []Value{{"fp", 1}, {"fp", 2}}}, "twice"},
		{"unknown unit", Record{"FPR", nil, 1, []Value{{"fprr", 1}}}, "unknown unit"},
		{"long line", Record{"FPR", axes("first", strings.Repeat("1+", 40000)), 1, ok}, "at most"},
	} {
		err := c.r.Check()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.what, err, c.want)
		}
		if _, err := (File{"fpr", nil, []Record{c.r}}).WriteTo(&bytes.Buffer{}); err == nil {
			t.Errorf("%s: written", c.what)
		}
	}
	// An axis before the last may end like that: x/perf looks at the end only.
	if err := (Record{"FPR", axes("p", "1e-06", "k", "20"), 1, ok}).Check(); err != nil {
		t.Error(err)
	}
}

func TestFileCheckRefuses(t *testing.T) {
	fpr := Record{"FPR", nil, 1, []Value{{"fp", 1}}}
	timed := Record{"Lookup", nil, 1, []Value{{"ns/op", 1}, {"positives", 3}}}
	for _, c := range []struct {
		f    File
		want string // in the error; "" if there is none
	}{
		{File{"fpr", []ConfigLine{{"Cpu", "x"}}, nil}, "lower-case"},
		{File{"fpr", []ConfigLine{{"cache size", "x"}}, nil}, "white space"},
		{File{"fpr", []ConfigLine{{"cpu:x", "x"}}, nil}, "colon"},
		{File{"fpr", []ConfigLine{{"cpü", "x"}}, nil}, ""},
		{File{"fpr", []ConfigLine{{"", "x"}}, nil}, "key"},
		{File{"fpr", []ConfigLine{{"cpu", ""}}, nil}, "empty"},
		{File{"fpr", []ConfigLine{{"cpu", " x"}}, nil}, "white space"},
		{File{"fpr", []ConfigLine{{"cpu", "a\nb"}}, nil}, "control"},
		{File{"fpr", []ConfigLine{{"cpu", "a"}, {"cpu", "b"}}, nil}, "twice"},
		{File{"fpr", []ConfigLine{{"schema", "2"}}, nil}, "schema 2"},
		{File{"fpr", []ConfigLine{{"cpu", strings.Repeat("x", 1<<16)}}, nil}, "longer"},
		{File{"FPR", nil, nil}, "lower-case"},
		{File{"../x", nil, nil}, "lower-case"},
		{File{"fpr", nil, []Record{timed}}, "which holds FPR"},
		{File{"notes", nil, []Record{fpr}}, "belongs to fpr.txt"},
		{File{"fpr", nil, []Record{fpr, fpr}}, "counted twice"},
		{File{"lookup", nil, []Record{timed, timed}}, ""},
	} {
		err := c.f.Check()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: error %v, want %q", c.f, err, c.want)
		}
	}
}

// randomFile draws a file that keeps every rule.
func randomFile(t *rapid.T) File {
	key := rapid.StringMatching(`[a-z][a-z0-9-]{0,5}`)
	axes := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) Axis {
		// A letter at the end, so that no name ends like GOMAXPROCS.
		return Axis{key.Draw(t, "key"), rapid.StringMatching(`[a-zA-Z0-9.:,=+~µ-]{0,8}[a-z]`).Draw(t, "value")}
	}), 0, 5, func(a Axis) string { return a.Key })
	values := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) Value {
		v := rapid.Float64().Filter(func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) })
		return Value{rapid.SampledFrom(units).Draw(t, "unit").Name, v.Draw(t, "v")}
	}), 1, 6, func(v Value) string { return v.Unit })
	records := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) Record {
		return Record{rapid.StringMatching(`X[A-Za-z0-9]{0,3}`).Draw(t, "name"), axes.Draw(t, "axes"),
			rapid.IntRange(1, math.MaxInt).Draw(t, "iters"), values.Draw(t, "values")}
	}), 0, 8, Record.FullName)
	config := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) ConfigLine {
		return ConfigLine{"x" + key.Draw(t, "key"), rapid.StringMatching(`[^ \t-\r\x{85}\x{a0}\pZ\pC]([^\pC]{0,9}[^\pZ\pC])?`).Draw(t, "value")}
	}), 0, 4, func(c ConfigLine) string { return c.Key })
	f := File{"x", config.Draw(t, "config"), records.Draw(t, "records")}
	if len(f.Config) == 0 {
		f.Config = nil
	}
	if len(f.Records) == 0 {
		f.Records = nil
	}
	for i := range f.Records {
		if len(f.Records[i].Axes) == 0 {
			f.Records[i].Axes = nil
		}
	}
	return f
}

// bits makes floats comparable bit by bit, the sign of 0 included.
var bits = cmp.Transformer("bits", math.Float64bits)

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := randomFile(t)
		var first, second bytes.Buffer
		if _, err := f.WriteTo(&first); err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteTo(&second); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatal("two writes differ")
		}
		back, err := parse(first.Bytes(), "x.txt")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(f, back, bits); diff != "" {
			t.Fatalf("%s\n%s", diff, first.Bytes())
		}
	})
}
