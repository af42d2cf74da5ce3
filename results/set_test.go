package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadDirWithoutResults(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	empty := t.TempDir()
	other := t.TempDir()
	os.WriteFile(filepath.Join(other, "journal.json"), []byte("{"), 0o644)
	os.Mkdir(filepath.Join(other, "report.txt"), 0o755)
	file := filepath.Join(other, "journal.json")
	for dir, want := range map[string]string{missing: "runbench run", empty: "runbench run", other: "runbench run", file: file} {
		_, err := ReadDir(dir)
		if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestSet(t *testing.T) {
	dir := t.TempDir()
	fpr := sample()
	fpr.Config = append(fpr.Config, ConfigLine{"date", "2026-01-01T00:00:00Z"}, ConfigLine{"incomplete", "1 of 2 units"})
	memory := File{"memory",
		[]ConfigLine{{"schema", SchemaVersion}, {"cpu", "Neoverse-N1"}, {"seed", "1"}, {"date", "2026-01-02T00:00:00Z"}, {"pages", "huge"}},
		[]Record{{"Memory", []Axis{{"filter", "set"}, {"n", "1000"}}, 1, []Value{{"heap-B", 40000}, {"heap-bits/key", 320}}}}}
	for _, f := range []File{fpr, memory} {
		if err := WriteFile(filepath.Join(dir, f.Experiment+".txt"), f); err != nil {
			t.Fatal(err)
		}
	}
	s, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(memory.Records, s.Records("memory")); diff != "" {
		t.Error(diff)
	}
	if r := s.Records("lookup"); r != nil {
		t.Errorf("records of an experiment that was not run: %v", r)
	}
	for key, want := range map[string]string{"seed": "1", "pages": "huge", "cpu": "", "date": "", "absent": ""} {
		if got, ok := s.Config(key); got != want || ok != (want != "") {
			t.Errorf("Config(%s) = %q, %v, want %q", key, got, ok, want)
		}
	}
	want := []string{
		`files of different runs: cpu is "AMD EPYC 7763 64-Core Processor" in fpr.txt; "Neoverse-N1" in memory.txt`,
		`fpr.txt is incomplete: 1 of 2 units`,
	}
	if diff := cmp.Diff(want, s.Warnings()); diff != "" {
		t.Error(diff)
	}

	os.WriteFile(filepath.Join(dir, "textbook.txt"), []byte("cpu: x\nBenchmarkTextbook 1\n"), 0o644)
	if _, err := ReadDir(dir); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "textbook.txt:2")) {
		t.Errorf("broken line: %v", err)
	}
}

// A text file that is no results file is named, with what to do about it.
func TestReadDirNamesStrangers(t *testing.T) {
	for name, text := range map[string]string{
		"NOTES.txt": "",
		"notes.txt": "Measured on a quiet day.\n",
		"x.txt":     "key: value\n",
		"fpr.txt":   "BenchmarkFPR/n=1 1 1 fp\n",
	} {
		dir := t.TempDir()
		os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
		_, err := ReadDir(dir)
		if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, name)) || !strings.Contains(err.Error(), "move it out of the folder") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestInconsistency(t *testing.T) {
	for _, c := range []struct {
		values []Value
		want   bool
	}{
		{[]Value{{"fp", 164}, {"queries", 20000}, {"fpr", 0.0082}}, false},
		{[]Value{{"fp", 1}, {"queries", 3}, {"fpr", 1.0 / 3}}, false},
		{[]Value{{"fp", 0}, {"queries", 20000}, {"fpr", 0}}, false},
		{[]Value{{"fp", 164}, {"queries", 20000}, {"fpr", 0.0083}}, true},
		{[]Value{{"fp", 164}, {"queries", 20000}, {"fpr", 0.00820001}}, true},
		{[]Value{{"fp", 0}, {"queries", 20000}, {"fpr", 1e-9}}, true},
		{[]Value{{"fp", 164}, {"queries", 0}, {"fpr", 0.0082}}, true},
		{[]Value{{"fp", 164}, {"fpr", 0.5}}, false}, // nothing to compare with
	} {
		text := Record{Name: "FPR", Iters: 1, Values: c.values}.Inconsistency()
		if (text != "") != c.want {
			t.Errorf("%v: %q", c.values, text)
		}
	}
}

// A record as a run writes it; then each of its numbers edited alone.
func TestImpossible(t *testing.T) {
	record := func(edit func(r *Record)) Record {
		r := Record{Name: "FPR", Iters: 1,
			Axes: []Axis{{"filter", "bloom"}, {"n", "1000"}, {"m", "9585"}, {"k", "7"}},
			Values: []Value{{"fp", 20}, {"queries", 2000}, {"fpr", .01}, {"filters", 2}, {"fp-sq", 12*12 + 8*8},
				{"bits/key", 9.728}, {"refused", 0}}}
		edit(&r)
		return r
	}
	set := func(unit string, v float64) func(*Record) {
		return func(r *Record) {
			for i := range r.Values {
				if r.Values[i].Unit == unit {
					r.Values[i].V = v
				}
			}
		}
	}
	axis := func(i int, v string) func(*Record) { return func(r *Record) { r.Axes[i].Value = v } }
	for name, c := range map[string]struct {
		edit func(*Record)
		want string // "" is possible
	}{
		"as written":              {func(*Record) {}, ""},
		"other experiment":        {func(r *Record) { r.Name = "Memory"; set("fp", -1)(r) }, ""},
		"no sizes":                {func(r *Record) { r.Axes = r.Axes[:2] }, ""},
		"fpr":                     {set("fpr", .02), ""}, // a reader's own doubt: Inconsistency
		"fp doubled":              {set("fp", 40), "fp-sq is 208; 800 to 1600"},
		"fp halved":               {set("fp", 10), "fp-sq is 208; 50 to 100"},
		"fp beyond queries":       {set("fp", 2001), "fp is 2001; 0 to 2000"},
		"fp below 0":              {set("fp", -1), "fp is -1"},
		"fp-sq too small":         {set("fp-sq", 199), "fp-sq is 199; 200 to 400"},
		"fp-sq too large":         {set("fp-sq", 401), "fp-sq is 401"},
		"m one block up":          {axis(2, "9729"), "but m is 9729"},
		"m as large as it may be": {axis(2, "9728"), ""},
		"m one block down":        {axis(2, "8704"), "but m is 8704"},
		"m as small as it may be": {axis(2, "8705"), ""},
		"n":                       {axis(1, "2000"), "19456 bits for n = 2000"},
		"bits/key below m/n":      {set("bits/key", 9.584), "9584 bits for n = 1000"},
		"bits/key of 1000":        {set("bits/key", 1000), "but m is 9585"},
	} {
		got := record(c.edit).Impossible()
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	// Keys refused take no bits; a page is the unit from 2 MiB on.
	full := record(func(r *Record) { set("refused", 500)(r); set("bits/key", 9728./750)(r) })
	if got := full.Impossible(); got != "" {
		t.Errorf("a quarter refused: %q", got)
	}
	for m, want := range map[string]bool{"20000000": true, "19988481": true, "19988480": false} {
		large := record(func(r *Record) { axis(1, "1000000")(r); axis(2, m)(r); set("bits/key", 20.021248)(r) })
		if got := large.Impossible(); (got == "") != want {
			t.Errorf("m = %s of 611 pages: %q", m, got)
		}
	}
	broken := record(set("fp", 2001))
	warnings := (&Set{Files: []File{{Experiment: "fpr", Records: []Record{broken}}}}).Warnings()
	if len(warnings) != 1 || !strings.Contains(warnings[0], "fpr.txt: FPR/filter=bloom/") || !strings.Contains(warnings[0], "fp is 2001") {
		t.Errorf("warnings %q", warnings)
	}
}
