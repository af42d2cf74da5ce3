package report

import (
	"bytes"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"filterbench/results"
)

// doctor changes records of the synthetic results; f gets a copy whose values
// it may change, and says whether to keep it.
func doctor(set *results.Set, f func(r *results.Record) bool) *results.Set {
	out := &results.Set{Dir: set.Dir}
	for _, file := range set.Files {
		var kept []results.Record
		for _, r := range file.Records {
			r.Axes, r.Values = slices.Clone(r.Axes), slices.Clone(r.Values)
			if f(&r) {
				kept = append(kept, r)
			}
		}
		file.Records = kept
		out.Files = append(out.Files, file)
	}
	return out
}

// scale multiplies values of a record.
func scale(r *results.Record, by float64, units ...string) {
	for i, v := range r.Values {
		if slices.Contains(units, v.Unit) {
			r.Values[i].V = v.V * by
		}
	}
}

// scaleRate multiplies an FPR record's count, and all that follows from it.
func scaleRate(r *results.Record, by float64) {
	fp, _ := r.Value("fp")
	by = math.Round(fp*by) / fp // a whole count
	scale(r, by, "fp", "fpr")
	scale(r, by*by, "fp-sq")
	queries, _ := r.Value("queries")
	fp, _ = r.Value("fp")
	for i, v := range r.Values {
		switch v.Unit {
		case "fp":
			r.Values[i].V = math.Round(fp)
		case "fpr":
			r.Values[i].V = math.Round(fp) / queries
		}
	}
}

func without(set *results.Set, experiments ...string) *results.Set {
	out := *set
	out.Files = slices.DeleteFunc(slices.Clone(set.Files), func(f results.File) bool { return slices.Contains(experiments, f.Experiment) })
	return &out
}

func TestWriteIsTheSameEachTime(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	s, err := Write(synthetic(), a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(synthetic(), b); err != nil {
		t.Fatal(err)
	}
	if len(s.Files) < 14 || s.Page != filepath.Join(a, "index.html") || s.Files[len(s.Files)-1] != s.Page {
		t.Errorf("files %q, page %q", s.Files, s.Page)
	}
	for _, path := range s.Files {
		rel, _ := filepath.Rel(a, path)
		one, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		two, err := os.ReadFile(filepath.Join(b, rel))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one, two) {
			t.Errorf("%s differs from run to run", rel)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(a, "*", ".report-*")); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

// The report is made from files alone, as of any machine.
func TestWriteFromFiles(t *testing.T) {
	dir := t.TempDir()
	for _, f := range synthetic().Files {
		if err := results.WriteFile(filepath.Join(dir, f.Experiment+".txt"), f); err != nil {
			t.Fatal(err)
		}
	}
	set, err := results.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want, got := titles(synthetic()), titles(set); !maps.Equal(got, want) {
		t.Errorf("titles %q, want %q", got, want)
	}
}

func TestPageStandsAlone(t *testing.T) {
	page := pageOf(t, synthetic())
	for _, bad := range []string{"src=", "@import", "url(", "<link", "<script", "<img", "<iframe"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	page = strings.ReplaceAll(page, `="http://www.w3.org/2000/svg"`, "")
	page = strings.ReplaceAll(page, `="http://www.w3.org/1999/xlink"`, "")
	if strings.Contains(page, "http") {
		t.Error("the page names an address")
	}
	for _, want := range []string{`name="viewport"`, "prefers-color-scheme:dark", "@media print", "Synthetic CPU",
		"git checkout 0123456789abcdef", "bin/runbench run --profile quick --seed 1", "9.585", "4cbbc964b716…"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func pageOf(t *testing.T, set *results.Set) string {
	t.Helper()
	r := analyse(set)
	var figures []figure
	for _, c := range r.charts() {
		figures = append(figures, must(newFigure(c)))
	}
	return string(must(r.page(figures)))
}

// small is results with one chart, for what does not depend on the charts.
func small() *results.Set { return without(synthetic(), "fpr", "lookup") }

func TestHostileNames(t *testing.T) {
	const evil = `"><script>alert(1)<script><img'onerror=alert(1)>|*`
	set := doctor(synthetic(), func(r *results.Record) bool {
		for i, a := range r.Axes {
			switch {
			case a.Key == "filter" && a.Value != bloomSpec:
				r.Axes[i].Value += evil
			case a.Key == "keys" && r.Name == "FPR" && a.Value == "url", a.Key == "first", a.Key == "api":
				r.Axes[i].Value = evil
			}
		}
		return true
	})
	for i := range set.Files {
		config := slices.Clone(set.Files[i].Config)
		for j := range config {
			if config[j].Key != "schema" {
				config[j].Value = evil + "; rm -rf $HOME"
			}
		}
		set.Files[i].Config = config
	}
	dir := t.TempDir()
	s, err := Write(set, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range s.Files {
		if filepath.Ext(path) == ".png" {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"<script", "<img"} {
			if bytes.Contains(data, []byte(bad)) {
				t.Errorf("%s: %q came through", filepath.Base(path), bad)
			}
		}
	}
	page := string(must(os.ReadFile(s.Page)))
	if i := strings.Index(page, "To repeat it"); i < 0 || strings.Contains(page[i:], "rm -rf") {
		t.Error("a command to be pasted holds what a file says")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestMissingExperiments(t *testing.T) {
	for _, c := range []struct {
		missing []string
		want    []string
	}{
		{[]string{"fpr"}, []string{"no fpr.txt", "runbench run fpr"}},
		{[]string{"lookup"}, []string{"no lookup.txt"}},
		{[]string{"memory", "textbook"}, []string{"no memory.txt"}},
		{[]string{"fpr", "lookup", "memory", "textbook"}, []string{"no fpr.txt", "no lookup.txt", "no memory.txt", "NOT MEASURED"}},
	} {
		page := pageOf(t, without(synthetic(), c.missing...))
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("without %q the page lacks %q", c.missing, want)
			}
		}
	}
}

// Nothing is written where something cannot be, and what is there stays.
func TestWriteAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "charts"), []byte("a file in the way"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(small(), dir); err == nil {
		t.Fatal("a file stands where the charts belong, and Write saw no error")
	}
	if got := string(must(os.ReadFile(filepath.Join(dir, "index.html")))); got != "old" {
		t.Errorf("the old page became %.40q", got)
	}
	if entries := must(os.ReadDir(dir)); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestStaleChartsGo(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "charts", "mine.png")
	if err := os.Mkdir(filepath.Dir(mine), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{mine, filepath.Join(dir, "charts", "throughput.svg"), filepath.Join(dir, "charts", "throughput-key-2.png")} {
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Write(small(), dir); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "charts", "throughput*")); left != nil {
		t.Errorf("charts of times that were not measured: %q", left)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Errorf("a file of the user's is gone: %v", err)
	}
}

func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		name   string
		doctor func(r *results.Record) bool
		want   string
	}{
		{"fpr edited", func(r *results.Record) bool {
			if r.Axis("filter") == bloomSpec && r.Axis("bits") == "4" {
				scale(r, 2, "fpr")
			}
			return true
		}, "false positives of"},
		{"a key lost", func(r *results.Record) bool {
			if r.Axis("filter") == bloomSpec && r.Axis("bits") == "4" {
				r.Values = append(slices.DeleteFunc(r.Values, func(v results.Value) bool { return v.Unit == "fn" }), results.Value{Unit: "fn", V: 3})
			}
			return true
		}, "lost 3 keys (false negatives)"},
		{"more hits than queries", func(r *results.Record) bool {
			if r.Axis("filter") == bloomSpec && r.Axis("bits") == "4" {
				scale(r, 1e9, "fp", "fpr")
			}
			return true
		}, "left out 1 records without usable values"},
		{"faster than memory", func(r *results.Record) bool {
			if r.Axis("filter") == bloomSpec && r.Axis("size") == "2MiB" {
				scale(r, .05, "x-limit")
			}
			return true
		}, "times the physical limit"},
		{"three rounds", func() func(r *results.Record) bool {
			seen := map[string]int{}
			return func(r *results.Record) bool {
				seen[r.FullName()]++
				return r.Name == "FPR" || r.Name == "Memory" || r.Name == "Textbook" || seen[r.FullName()] <= 3
			}
		}(), "fewer than 6 rounds"},
		{"interrupted", func(r *results.Record) bool {
			if r.Name == "Lookup" && r.Axis("size") == "2MiB" {
				r.Values = append(r.Values, results.Value{Unit: "disturbed", V: 2})
			}
			return true
		}, "samples were interrupted"},
	} {
		got := analyse(doctor(synthetic(), c.doctor)).warnings
		if !slices.ContainsFunc(got, func(w string) bool { return strings.Contains(w, c.want) }) {
			t.Errorf("%s: warnings %.300q, want one of %q", c.name, got, c.want)
		}
	}
	if got := analyse(synthetic()).warnings; len(got) > 0 {
		t.Errorf("undoctored records give warnings: %q", got)
	}
	mixed := synthetic()
	mixed.Files[1].Config = []results.ConfigLine{{Key: "schema", Value: "1"}, {Key: "cpu", Value: "Another CPU"}}
	if page := pageOf(t, mixed); !strings.Contains(page, "Read this first") || !strings.Contains(page, "Another CPU") {
		t.Error("files of two machines side by side, and the page does not say so")
	}
}
