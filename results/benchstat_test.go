package results

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// Row 27 of the field's known faults: every custom unit survives, exact units
// get no p-value however often they are repeated, and clocks and rates are
// never put into one mean.

// writeRuns writes two runs, "old" and "new", that differ in date and load: an
// fpr.txt with six seeds of one exact rate, and a lookup.txt of ten rounds.
func writeRuns(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	rates := map[string]float64{"old": 0.0082, "new": 0}
	base := map[string]float64{"old": 10, "new": 20} // ns, of the first filter
	for i, run := range []string{"old", "new"} {
		config := []ConfigLine{{"schema", SchemaVersion}, {"cpu", "A"},
			{"date", fmt.Sprintf("2026-01-0%dT00:00:00Z", i+1)}, {"load", fmt.Sprintf("0.%d 0 0", i)}}
		fpr := File{Experiment: "fpr", Config: config}
		for seed := range 6 {
			fpr.Records = append(fpr.Records, Record{"FPR",
				[]Axis{{"filter", "bloom:index=range,k=auto"}, {"bits", "9.593"}, {"n", "1000"}, {"seed", strconv.Itoa(seed + 1)}, {"k", "7"}}, 1,
				[]Value{{"fpr", rates[run]}, {"bits/key", 9.593}, {"fn", 0}, {"model-fpr", 1e-9}, {"queries", 1e9}}})
		}
		lookup := File{Experiment: "lookup", Config: config}
		for _, round := range []float64{7, 1, 4, 9, 0, 3, 8, 2, 6, 5} { // median 4.5
			for j, filter := range []string{"bloom:index=range,k=auto", "blocked:block=64,k=6"} {
				ns := base[run]*float64(j+1) + round/10
				lookup.Records = append(lookup.Records, Record{"Lookup",
					[]Axis{{"filter", filter}, {"size", "16KiB"}, {"pages", "heap"}}, 1000,
					[]Value{{"ns/op", ns}, {"cpu-ns/op", ns / 2}, {"positives", 500}}})
			}
		}
		if err := os.Mkdir(filepath.Join(dir, run), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, f := range []File{fpr, lookup} {
			if err := WriteFile(filepath.Join(dir, run, f.Experiment+".txt"), f); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// benchstat runs the pinned benchstat in dir and returns its output.
func benchstat(t *testing.T, dir string, args ...string) string {
	t.Helper()
	path, err := exec.Command("go", "tool", "-n", "benchstat").Output()
	if err != nil {
		t.Fatalf("go tool -n benchstat: %v", err)
	}
	cmd := exec.Command(strings.TrimSpace(string(path)), args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("benchstat %q: %v\n%s", args, err, stderr.String())
	}
	for line := range strings.Lines(stderr.String()) {
		// Rates may be 0, of which there is no geometric mean.
		if !strings.Contains(line, "must be >0 to compute geomean") {
			t.Errorf("benchstat %q warns: %s", args, line)
		}
	}
	return string(out)
}

// table is one of the tables that benchstat writes as CSV.
type table struct {
	unit string
	rows map[string][]string
}

func csvTables(t *testing.T, out string) (tables []table) {
	t.Helper()
	for _, block := range strings.Split(out, "\n\n") {
		if i := strings.Index(block, "\n,"); i >= 0 && !strings.HasPrefix(block, ",") {
			block = block[i+1:] // configuration lines come before the first table
		}
		in := csv.NewReader(strings.NewReader(block))
		in.FieldsPerRecord = -1
		lines, err := in.ReadAll()
		if err != nil || len(lines) < 3 {
			t.Fatalf("no table (%v):\n%s", err, block)
		}
		tb := table{unit: lines[1][1], rows: map[string][]string{}}
		if lines[1][3] != tb.unit {
			t.Errorf("a table compares %s with %s", tb.unit, lines[1][3])
		}
		for _, l := range lines[2:] {
			tb.rows[l[0]] = l[1:]
		}
		tables = append(tables, tb)
	}
	return tables
}

func TestBenchstatReadsOurFiles(t *testing.T) {
	dir := writeRuns(t)
	out := benchstat(t, dir, "-format", "csv", "-ignore", "date,load,/seed",
		"old=old/fpr.txt", "old=old/lookup.txt", "new=new/fpr.txt", "new=new/lookup.txt")
	const (
		fprRow = "FPR/filter=bloom:index=range,k=auto/bits=9.593/n=1000/k=7"
		bloom  = "Lookup/filter=bloom:index=range,k=auto/size=16KiB/pages=heap"
		block  = "Lookup/filter=blocked:block=64,k=6/size=16KiB/pages=heap"
	)
	// Medians of old and new in base units; rows that may be in each table.
	want := map[string]map[string][2]float64{
		"fpr":        {fprRow: {0.0082, 0}},
		"bits/key":   {fprRow: {9.593, 9.593}},
		"fn":         {fprRow: {0, 0}},
		"model-fpr":  {fprRow: {1e-9, 1e-9}},
		"queries":    {fprRow: {1e9, 1e9}},
		"sec/op":     {bloom: {10.45e-9, 20.45e-9}, block: {20.45e-9, 40.45e-9}},
		"cpu-sec/op": {bloom: {5.225e-9, 10.225e-9}, block: {10.225e-9, 20.225e-9}},
		"positives":  {bloom: {500, 500}, block: {500, 500}},
	}
	timed := map[string]bool{"sec/op": true, "cpu-sec/op": true}
	tables := csvTables(t, out)
	if len(tables) != len(want) {
		t.Errorf("%d tables, want %d:\n%s", len(tables), len(want), out)
	}
	for _, tb := range tables {
		rows, ok := want[tb.unit]
		if !ok {
			t.Errorf("unit %s from nowhere", tb.unit)
		}
		delete(tb.rows, "geomean")
		if len(tb.rows) != len(rows) {
			t.Errorf("%s: rows %v", tb.unit, tb.rows)
		}
		for name, medians := range rows {
			row := tb.rows[name]
			if len(row) != 6 {
				t.Fatalf("%s of %s: %q", tb.unit, name, row)
			}
			for i, text := range []string{row[0], row[2]} {
				if got, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(got-medians[i]) > 1e-12*medians[i] {
					t.Errorf("%s of %s: median %s, want %v", tb.unit, name, text, medians[i])
				}
			}
			if hasP := strings.Contains(row[5], "p="); hasP != timed[tb.unit] {
				t.Errorf("%s of %s: p-value %q", tb.unit, name, row[5])
			}
		}
	}
}

// Without the unit lines benchstat takes six copies of one count for six
// measurements: the p-value that the test above rules out is real.
func TestBenchstatNeedsUnitLines(t *testing.T) {
	dir := writeRuns(t)
	for _, run := range []string{"old", "new"} {
		path := filepath.Join(dir, run, "fpr.txt")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data = regexp.MustCompile(`(?m)^Unit .*\n`).ReplaceAll(data, nil)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := benchstat(t, dir, "-format", "csv", "-filter", ".unit:fpr", "-ignore", "date,load,/seed", "old/fpr.txt", "new/fpr.txt")
	for _, row := range csvTables(t, out)[0].rows {
		if strings.Contains(row[5], "p=0.002") {
			return
		}
	}
	t.Errorf("no p-value:\n%s", out)
}

// The commands in SCHEMA.md work as they stand there.
func TestBenchstatCommandsOfSchema(t *testing.T) {
	dir := writeRuns(t)
	schema, err := os.ReadFile("SCHEMA.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^    go tool benchstat (.*)$`).FindAllStringSubmatch(string(schema), -1)
	if len(commands) < 2 {
		t.Fatal("SCHEMA.md shows no commands")
	}
	for _, c := range commands {
		args, err := exec.Command("sh", "-c", "printf '%s\\n' "+c[1]).Output()
		if err != nil {
			t.Fatal(err)
		}
		out := benchstat(t, dir, strings.Split(strings.TrimSpace(string(args)), "\n")...)
		if !strings.Contains(out, "(p=0.000 n=10)") {
			t.Errorf("%s: no comparison:\n%s", c[0], out)
		}
	}
}

// What x/perf's own packages make of the unit lines.
func TestUnitLinesInProcess(t *testing.T) {
	dir := writeRuns(t)
	files := benchfmt.Files{Paths: []string{filepath.Join(dir, "old", "fpr.txt"), filepath.Join(dir, "old", "lookup.txt")}}
	for files.Scan() {
		if err, ok := files.Result().(*benchfmt.SyntaxError); ok {
			t.Error(err)
		}
	}
	if err := files.Err(); err != nil {
		t.Fatal(err)
	}
	meta := benchfmt.UnitMetadataMap(files.Units())
	for unit, want := range map[string]benchmath.Assumption{
		"fpr": benchmath.AssumeExact, "bits/key": benchmath.AssumeExact, "fn": benchmath.AssumeExact,
		"model-fpr": benchmath.AssumeExact, "queries": benchmath.AssumeExact, "positives": benchmath.AssumeExact,
		"sec/op": benchmath.AssumeNothing, "cpu-sec/op": benchmath.AssumeNothing,
	} {
		if got := meta.GetAssumption(unit); got != want {
			t.Errorf("%s: x/perf assumes %T, want %T", unit, got, want)
		}
	}
	for unit, want := range map[string]int{"fpr": -1, "cpu-sec/op": -1, "queries": 0} {
		if got := meta.GetBetter(unit); got != want {
			t.Errorf("%s: better is %d, want %d", unit, got, want)
		}
	}
}
