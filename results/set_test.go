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
