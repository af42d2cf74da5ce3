package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"filterbench/report/compare"
	"filterbench/results"
)

// writeLookups writes a results folder of two filters' times, ten rounds around
// the given ns of the second.
func writeLookups(t *testing.T, dir, cpu string, seed uint64, ns float64) string {
	return writeLookupsOf(t, dir, cpu, "", seed, ns)
}

// writeLookupsOf is writeLookups with a date.
func writeLookupsOf(t *testing.T, dir, cpu, date string, seed uint64, ns float64) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	file := results.File{Experiment: "lookup", Config: []results.ConfigLine{
		{Key: "schema", Value: results.SchemaVersion}, {Key: "cpu", Value: cpu}, {Key: "seed", Value: "1"}}}
	if date != "" {
		file.Config = append(file.Config, results.ConfigLine{Key: "date", Value: date})
	}
	for range 10 {
		for filter, ns := range map[string]float64{"bloom:k=7": 20, "blocked:k=6": ns} {
			file.Records = append(file.Records, results.Record{Name: "Lookup", Iters: 1000,
				Axes: []results.Axis{{Key: "filter", Value: filter}, {Key: "size", Value: "1MiB"}, {Key: "api", Value: "hash"},
					{Key: "mode", Value: "batch"}, {Key: "hits", Value: "0"}, {Key: "pages", Value: "heap"}},
				Values: []results.Value{{Unit: "ns/op", V: ns * (1 + 0.004*rng.NormFloat64())}, {Unit: "x-limit", V: ns / 3}, {Unit: "positives", V: 5}}})
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := results.WriteFile(filepath.Join(dir, "lookup.txt"), file); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCompare(t *testing.T) {
	dir := t.TempDir()
	old := writeLookups(t, filepath.Join(dir, "old"), "A", 1, 10)
	same := writeLookups(t, filepath.Join(dir, "same"), "A", 2, 10)
	slower := writeLookups(t, filepath.Join(dir, "slower"), "A", 3, 15)
	other := writeLookups(t, filepath.Join(dir, "other"), "B", 4, 15)
	tests := []struct {
		args []string
		want string // on stdout, or stderr where nothing is compared
		code int
	}{
		{[]string{old, same}, "0 worse", compare.NoChange},
		{[]string{old, slower}, "1 worse", compare.Regression},
		{[]string{slower, old}, "1 better", compare.NoChange},
		{[]string{old, slower, "--threshold", "60%"}, "0 worse", compare.NoChange},
		{[]string{old, same, slower}, "1 worse", compare.Regression},
		{[]string{old, other}, "The CPUs differ", compare.NoChange},
		{[]string{old, other, "--format", "md"}, "| rank |", compare.NoChange},
		{[]string{old, slower, "--format", "csv"}, "experiment,unit,cell", compare.Regression},
		{[]string{old, slower, "--format", "json"}, `"exit": 1`, compare.Regression},
		{[]string{old}, "two results folders or more; got 1", compare.NotComparable},
		{[]string{old, filepath.Join(dir, "none")}, "no results folder", compare.NotComparable},
		{[]string{old, same, "--format", "xml"}, "allowed: text, md, csv, json", compare.NotComparable},
		{[]string{old, same, "--threshold", "-1"}, "--threshold", compare.NotComparable},
	}
	for _, tt := range tests {
		stdout, stderr, code := command(t, append([]string{"compare"}, tt.args...)...)
		if code != tt.code || !strings.Contains(stdout+stderr, tt.want) || strings.Count(stderr, "\n") > 1 {
			t.Errorf("compare %v: exit %d, want %d and %q\n%s%s", tt.args, code, tt.code, tt.want, stdout, stderr)
		}
	}
}

// fakeBuild is a program that answers runs with prepared results, one after the
// other.
func fakeBuild(t *testing.T, seed uint64, ns float64) string {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	dir := t.TempDir()
	for i := range leastRounds {
		writeLookups(t, filepath.Join(dir, strconv.Itoa(i)), "A", seed+uint64(i), ns)
	}
	script := fmt.Sprintf(`#!/bin/sh
for out; do :; done
cd '%s' || exit
n=$(cat count 2>/dev/null || echo 0)
echo $((n+1)) >count
cp "$n/lookup.txt" "$out"
`, dir)
	path := filepath.Join(dir, "runbench")
	if err := os.WriteFile(path, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAB(t *testing.T) {
	tests := []struct {
		name string
		ns   float64 // of the new build; the old one takes 10
		want string
		code int
	}{
		{"the same", 10, "0 worse", compare.NoChange},
		{"slower", 12, "1 worse", compare.Regression},
		{"faster", 8, "1 better", compare.NoChange},
	}
	for i, tt := range tests {
		old, now := fakeBuild(t, uint64(100*i), 10), fakeBuild(t, uint64(100*i+50), tt.ns)
		out := filepath.Join(t.TempDir(), "ab")
		stdout, stderr, code := command(t, "ab", old, now, "--out", out)
		if code != tt.code || !strings.Contains(stdout, tt.want) {
			t.Errorf("%s: exit %d, want %d\n%s%s", tt.name, code, tt.code, stdout, stderr)
		}
		for _, name := range abNames {
			set, err := results.ReadDir(filepath.Join(out, name))
			if err != nil || len(set.Records("lookup")) != 2*leastRounds {
				t.Errorf("%s: %v, %d records", name, err, len(set.Records("lookup")))
			}
		}
	}
}

func TestABSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\necho unknown flag >&2\nexit 3\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args []string
		want string
		code int
	}{
		{[]string{"one"}, "ab takes two programs", compare.NotComparable},
		{[]string{filepath.Join(dir, "none"), broken}, "none", compare.NotComparable},
		{[]string{broken, broken}, "unknown flag", compare.NotComparable},
		{[]string{broken, broken, "--rounds", "3"}, "--rounds is 3; allowed: 10 or more", compare.NotComparable},
		{[]string{broken, broken, "--filters", "blom"}, "unknown filter", compare.NotComparable},
		{[]string{broken, broken, "--out", filepath.Join(broken, "ab")}, "--out: mkdir", compare.NotComparable},
		{[]string{broken, broken, "--threshold", "-5%"}, "not a threshold; allowed: above 0 and below 1", compare.NotComparable},
	}
	for _, tt := range tests {
		stdout, stderr, code := command(t, append([]string{"ab", "--out", filepath.Join(dir, "ab")}, tt.args...)...)
		if code != tt.code || !strings.Contains(stderr, tt.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("ab %v: exit %d, want %d and %q\n%s%s", tt.args, code, tt.code, tt.want, stdout, stderr)
		}
		if _, err := os.Stat(filepath.Join(dir, "ab")); err == nil {
			t.Errorf("ab %v left a results folder", tt.args)
		}
	}
}

func TestHistory(t *testing.T) {
	dir := t.TempDir()
	for i := range 12 {
		ns := 10.0
		if i >= 6 {
			ns = 13
		}
		writeLookupsOf(t, filepath.Join(dir, "runs", fmt.Sprint("n", i)), "A", fmt.Sprintf("2026-01-%02dT00:00:00Z", i+1), uint64(i), ns)
	}
	other := writeLookups(t, filepath.Join(dir, "other"), "B", 1, 10)
	one := filepath.Join(dir, "runs", "n0")
	tests := []struct {
		args []string
		want string
		code int
	}{
		{[]string{filepath.Join(dir, "runs") + "/...", "--out", filepath.Join(dir, "charts")}, "blocked became slower at n6", 0},
		{[]string{one, filepath.Join(dir, "runs", "n1")}, "No change", 0},
		{[]string{one}, "takes two results folders or more", 1},
		{[]string{one, other}, "different CPUs", 1},
		{[]string{filepath.Join(dir, "charts") + "/..."}, "no results folder", 1},
		{[]string{filepath.Join(dir, "none") + "/..."}, "no results folder with a lookup.txt below", 1},
		{nil, "history takes results folders", 1},
	}
	for _, tt := range tests {
		stdout, stderr, code := command(t, append([]string{"history"}, tt.args...)...)
		if code != tt.code || !strings.Contains(stdout+stderr, tt.want) || strings.Count(stderr, "\n") > 1 {
			t.Errorf("history %v: exit %d, want %d and %q\n%s%s", tt.args, code, tt.code, tt.want, stdout, stderr)
		}
	}
	for _, name := range []string{"history.svg", "history.png"} {
		if info, err := os.Stat(filepath.Join(dir, "charts", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	stdout, stderr, code := command(t, "compare", one, other, "--out", filepath.Join(dir, "charts"))
	if _, err := os.Stat(filepath.Join(dir, "charts", "compare-1MiB.png")); err != nil || code != 0 {
		t.Errorf("exit %d, %v\n%s%s", code, err, stdout, stderr)
	}
}
