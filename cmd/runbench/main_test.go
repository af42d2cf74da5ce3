package main

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filterbench/experiments"
	"filterbench/filters/registry"
	"filterbench/report/claims"
	"filterbench/results"
)

// command runs a command line in this process.
func command(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), args, &out, &err)
	return out.String(), err.String(), code
}

// The program for many n and p, against what the course text's own program
// printed for them.
func TestTextbook(t *testing.T) {
	data, err := os.ReadFile("testdata/textbook.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split(string(data), "## ")[1:]
	if len(cases) != 8 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		head, want, _ := strings.Cut(c, "\n")
		np := strings.Fields(head)
		got, stderr, code := command(t, "textbook", "--n", np[0], "--p", np[1])
		if got != want || code != 0 || stderr != "" {
			t.Errorf("textbook --n %s --p %s (exit %d, stderr %q) prints\n%s\nwant\n%s", np[0], np[1], code, stderr, got, want)
		}
	}
	if got, _, _ := command(t, "textbook"); !strings.Contains(cases[0], got) {
		t.Errorf("without flags:\n%s", got)
	}
}

func TestExercise1(t *testing.T) {
	got, _, code := command(t, "exercise", "1")
	for _, want := range []string{"62,353", "6.2353", "475 of 10,000", "143,776", "14.3776", "4 of 10,000"} {
		if !strings.Contains(got, want) {
			t.Errorf("exit %d, no %q in\n%s", code, want, got)
		}
	}
}

func TestSize(t *testing.T) {
	got, _, code := command(t, "size", "--n", "5000000", "--fpr", "0.001")
	for _, want := range []string{"71,887,938 bits", "8.986 MB", "8.570 MiB", "k = 10"} {
		if !strings.Contains(got, want) {
			t.Errorf("exit %d, no %q in\n%s", code, want, got)
		}
	}
	got, _, code = command(t, "size", "--n", "1e6", "--bits", "10", "--json")
	var c calculation
	if err := json.Unmarshal([]byte(got), &c); err != nil || code != 0 {
		t.Fatalf("exit %d, %v in\n%s", code, err, got)
	}
	for _, l := range c.Filters {
		if l.Filter == registry.Must("bloom").String() && (l.Params["k"] != 7 || *l.FPR < 0.00819 || *l.FPR > 0.00820) {
			t.Errorf("10 bits per key: %+v", l)
		}
	}
}

// Every bad input is one line that names what is wrong and what is allowed,
// with a failing exit status, nothing on stdout and nothing written.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	empty, one, plain := file("empty", ""), file("one", "only\n"), file("plain", "a\nb\n")
	out := filepath.Join(dir, "out")
	for _, c := range []struct {
		args string
		want []string // all in the line
	}{
		{"size --n 0 --fpr 0.01", []string{"--n", "1 to 2^40"}},
		{"size --n -5 --fpr 0.01", []string{"--n", "1 to 2^40"}},
		{"size --n x --fpr 0.01", []string{"--n", "whole number"}},
		{"size --n 1.5 --fpr 0.01", []string{"--n", "whole number"}},
		{"size --n 1e300 --fpr 0.01", []string{"--n", "2^40"}},
		{"size --n 1e400 --fpr 0.01", []string{"--n", "out of range", "2^40 keys"}},
		{"size --n 10 --bits 1e400", []string{"--bits", "bits per key", "64"}},
		{"size --n NaN --fpr 0.01", []string{"--n", "whole number"}},
		{"size --n 10 --fpr 0", []string{"--fpr", "between 0 and 1"}},
		{"size --n 10 --fpr 1", []string{"--fpr", "between 0 and 1"}},
		{"size --n 10 --fpr -1", []string{"--fpr", "between 0 and 1"}},
		{"size --n 10 --fpr 1.5", []string{"--fpr", "between 0 and 1"}},
		{"size --n 10 --fpr NaN", []string{"--fpr", "between 0 and 1"}},
		{"size --n 10 --fpr 1e-300", []string{"--fpr", "1e-15"}},
		{"size --n 10 --fpr abc", []string{"--fpr", "number"}},
		{"size --n 10 --bits 0", []string{"--bits", "above 0"}},
		{"size --n 10 --bits -3", []string{"--bits", "above 0"}},
		{"size --n 10 --bits 65", []string{"--bits", "64"}},
		{"size --n 100 --bits 1073741824", []string{"--bits", "64", "not a total"}},
		{"size --n 10 --bits NaN", []string{"--bits", "above 0"}},
		{"size --n 10", []string{"--fpr", "--bits"}},
		{"size --n 10 --fpr 0.1 --bits 3", []string{"--fpr", "--bits"}},
		{"size --fpr 0.1", []string{"--n"}},
		{"size --n 10 --fpr 0.1 --filters nosuch", []string{"--filters", "nosuch", "bloom", "blocked"}},
		{"size --n 10 --fpr 0.1 --filters set", []string{"--filters", "set", "bloom"}},
		{"size --n 10 --bits 5 --filters peer-linvon", []string{"feasible", "peer-linvon", "bits per key"}},
		{"size --n 10 --fpr 0.1 extra", []string{"size", "extra"}},
		{"textbook --n 0", []string{"--n", "1 to 2^40"}},
		{"textbook --p 1", []string{"--p", "between 0 and 1"}},
		{"textbook --n 1e12", []string{"--n", "at most"}},
		{"exercise", []string{"exercise", "1"}},
		{"exercise 9", []string{"exercise", "1"}},
		{"exercise 1 --p 0.1,2", []string{"--p", "between 0 and 1"}},
		{"nosuch", []string{"nosuch", "run", "report", "validate", "size"}},
		{"--nosuch", []string{"--nosuch", "--help"}},
		{"run nosuch", []string{"nosuch", "fpr", "lookup"}},
		{"run --profile slow", []string{"--profile", "quick", "full"}},
		{"run --seed x", []string{"--seed"}},
		{"run --seed -1", []string{"--seed", "0 to 2^64-1"}},
		{"run --filters=", []string{"--filters", "empty"}},
		{"run --keys-file=", []string{"--keys-file", "empty"}},
		{"run --queries-file= --keys-file " + plain, []string{"--queries-file", "empty"}},
		{"run --out=", []string{"--out", "empty"}},
		{"run --keys-file " + plain + " --queries-file " + empty, []string{"--queries-file: " + empty}},
		{"run --keys-file " + file("gz", "\x1f\x8b\x08"), []string{"--keys-file", "unpack it first"}},
		{"run --filters bloom:nosuch=1", []string{"--filters", "nosuch", "index", "step"}},
		{"run --filters bloom:step=big", []string{"--filters", "step", "enhanced"}},
		{"run --filters bloom:k=0", []string{"--filters", "k", "1 to 64"}},
		{"run --filters bloom:k", []string{"--filters", "name=value"}},
		{"run --filters bloom,bloom", []string{"--filters", "twice"}},
		{"run --filters ,", []string{"--filters", "bloom"}},
		{"run --keys-file " + dir + "/nosuch", []string{"--keys-file", "nosuch"}},
		{"run --keys-file " + dir, []string{"--keys-file", "directory"}},
		{"run --keys-file " + empty, []string{"--keys-file", "empty"}},
		{"run --keys-file " + one, []string{"--keys-file", "one"}},
		{"run --queries-file " + plain, []string{"--queries-file", "--keys-file"}},
		{"run --resume", []string{"--resume", "no interrupted run"}},
		{"run --pages tiny", []string{"--pages", "auto, huge, small"}},
		{"run --cache=", []string{"--cache", "empty"}},
		{"run --cache l4=1MiB", []string{"--cache", "l4", "l1d, l2 and l3"}},
		{"run --cache l3=many", []string{"--cache", "l3", "1 KiB to 64 GiB"}},
		{"bench " + dir + "/nosuch", []string{"nosuch", "runbench run"}},
		{"bench a b", []string{"one results folder"}},
		{"run textbook --out " + plain + "/x", []string{"--out", "plain"}},
		{"run textbook --out /proc/nosuch", []string{"--out", "/proc"}},
		{"report " + dir + "/nosuch", []string{"nosuch", "runbench run"}},
		{"report " + dir, []string{"runbench run"}},
		{"report a b", []string{"one results folder"}},
		{"validate " + dir + "/nosuch", []string{"nosuch", "runbench run"}},
		{"validate --claim Z99", []string{"--claim", "Z99"}},
		{"cpu x", []string{"cpu", "x"}},
		{"list x", []string{"list", "x"}},
	} {
		args := strings.Fields(c.args)
		if args[0] == "run" && !strings.Contains(c.args, "--out") {
			args = append(args, "--out", out)
		}
		stdout, stderr, code := command(t, args...)
		if code == 0 || stdout != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", c.args, code, stdout, stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: no %q in %q", c.args, want, stderr)
			}
		}
	}
	if _, err := os.Stat(out); err == nil {
		left, _ := os.ReadDir(out)
		if len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// The plan of the quick profile stays within its time on two cores.
func TestQuickPlan(t *testing.T) {
	c := experiments.Config{Profile: "quick", Seed: 1, Specs: registry.Defaults()}
	plan, err := experiments.NewPlan(c, experiments.All)
	if err != nil {
		t.Fatal(err)
	}
	if s := plan.Time(2).Seconds(); s > 115 {
		t.Errorf("the quick profile is planned to take %.0f s; at most 115", s)
	}
	if gib := float64(plan.Bytes(2)) / (1 << 30); gib > 1 {
		t.Errorf("the quick profile takes %.1f GiB at once", gib)
	}
	stdout, _, code := command(t, "run", "--dry-run")
	if code != 0 || !strings.Contains(stdout, "about") {
		t.Errorf("--dry-run: exit %d, %s", code, stdout)
	}
}

// Every cell that a claim needs of the counting experiments is planned, by the
// quick profile unless the claim says that only the full one has it. (What the
// textbook experiment gives is checked by TestEndToEnd.)
func TestClaimsArePlanned(t *testing.T) {
	for _, profile := range []string{"quick", "full"} {
		plan, err := experiments.NewPlan(experiments.Config{Profile: profile, Seed: 1, Specs: registry.Defaults()}, experiments.All)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, part := range plan.Parts {
			for _, id := range part.IDs() {
				_, name, _ := strings.Cut(id, "/")
				names = append(names, name)
			}
		}
		for _, claim := range claims.All() {
			for _, cell := range claim.Needs {
				counted := slices.Contains([]string{"FPR", "Memory", "Touch", "Absent", "Model", "Overflow", "Clear", "Counters", "Steps", "Positions", "Fill", "Refusal", "Overload", "LSM", "Liar", "Resident", "FrontCoding"}, cell.Name)
				cell.Axes = maps.Clone(cell.Axes)
				for _, axis := range map[string][]string{ // what one unit has all of
					"Touch": {"op"}, "Fill": {"load"}, "Overload": {"times"},
					"LSM": {"tables", "hits"}, "Liar": {"tables", "hits", "says", "share"}, "Resident": {"tables", "hits", "held"}, "FrontCoding": {"restart"},
				}[cell.Name] {
					delete(cell.Axes, axis)
				}
				if claim.Judge == nil || !counted || cell.Full && profile == "quick" {
					continue
				}
				if !slices.ContainsFunc(names, cell.MatchName) {
					t.Errorf("claim %s needs %s, which the %s profile does not plan", claim.ID, cell, profile)
				}
			}
		}
	}
}

// One experiment from measuring to report, then with a number doctored: the
// verdict must change, and a missing file must not look like a result.
func TestEndToEnd(t *testing.T) {
	dir := t.TempDir()
	if _, stderr, code := command(t, "run", "textbook", "--out", dir); code != 0 {
		t.Fatalf("run: exit %d, %s", code, stderr)
	}
	names, _ := os.ReadDir(dir)
	if len(names) != 1 || names[0].Name() != "textbook.txt" {
		t.Errorf("the run left %v", names)
	}
	set, err := results.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m := claims.CheckGolden(set); len(m) > 0 {
		t.Errorf("golden numbers: %v", m)
	}
	for _, v := range claims.Judge(set) {
		elsewhere := func(c claims.Cell) bool { return c.Name != "Textbook" }
		if v.Judge != nil && v.Status == claims.NotMeasured && len(v.Needs) > 0 && !slices.ContainsFunc(v.Needs, elsewhere) {
			t.Errorf("claim %s is not measured: %s", v.ID, v.Reason)
		}
	}
	stdout, _, code := command(t, "validate", dir)
	if code != claims.Unmeasured || !strings.Contains(stdout, "NOT MEASURED") {
		t.Errorf("validate without fpr.txt: exit %d", code)
	}
	path := filepath.Join(dir, "textbook.txt")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	doctored := bytes.Replace(data, []byte(" 114 fp-10000 "), []byte(" 115 fp-10000 "), 1)
	if err := os.WriteFile(path, doctored, 0o600); err != nil {
		t.Fatal(err)
	}
	if stdout, _, code := command(t, "validate", dir); code != claims.Differs || !strings.Contains(stdout, "115") {
		t.Errorf("validate with a doctored golden number: exit %d", code)
	}
	if _, stderr, code := command(t, "report", dir); code != 0 {
		t.Errorf("report: exit %d, %s", code, stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "report", "index.html")); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, append(data, "BenchmarkTextbook/x=1 broken\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := command(t, "report", dir); code == 0 || !strings.Contains(stderr, "textbook.txt:") {
		t.Errorf("report of a broken file: exit %d, %s", code, stderr)
	}
}

// Ctrl-C keeps what was measured, and --resume goes on to the same numbers. A
// run over others' results loses nothing of them.
func TestInterruptAndResume(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	if _, stderr, code := command(t, "run", "textbook", "--out", whole); code != 0 {
		t.Fatalf("run: exit %d, %s", code, stderr)
	}
	journal := filepath.Join(dir, "journal.jsonl")
	interrupt(t, dir)
	part, err := results.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if text, ok := part.Config("incomplete"); !ok || len(part.Records("textbook")) == 0 {
		t.Errorf("%d records kept, incomplete: %q", len(part.Records("textbook")), text)
	}
	if _, stderr, code := command(t, "run", "textbook", "--out", dir, "--resume", "--seed", "2"); code == 0 || !strings.Contains(stderr, "seed") {
		t.Errorf("resumed with another seed: exit %d, %s", code, stderr)
	}
	if _, stderr, code := command(t, "run", "textbook", "--out", dir, "--resume"); code != 0 {
		t.Fatalf("resume: exit %d, %s", code, stderr)
	}
	if a, b := counted(t, whole), counted(t, dir); !bytes.Equal(a, b) {
		t.Errorf("resumed:\n%s\nin one go:\n%s", b, a)
	}
	if _, err := os.Stat(journal); err == nil {
		t.Error("the journal of a finished run is still there")
	}
}

// interrupt starts a run that Ctrl-C stops once a unit is in the journal.
func interrupt(t *testing.T, dir string) (stderr string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	journal := filepath.Join(dir, "journal.jsonl")
	before, _ := os.Stat(journal)
	go func() {
		for ctx.Err() == nil {
			data, _ := os.ReadFile(journal)
			now, err := os.Stat(journal)
			if err == nil && !os.SameFile(before, now) && bytes.Count(data, []byte("\n")) > 1 {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	var out, log bytes.Buffer
	if code := run(ctx, []string{"run", "textbook", "--out", dir}, &out, &log); code != 130 || !strings.Contains(log.String(), "--resume") {
		t.Fatalf("interrupted run: exit %d, %s", code, &log)
	}
	return log.String()
}

func counted(t *testing.T, dir string) []byte {
	t.Helper()
	f, err := results.ReadFile(filepath.Join(dir, "textbook.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return results.CountedBytes(f)
}

// Every command is there once, and has help with an example.
func TestHelp(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range newRoot().Commands() {
		if seen[c.Name()] {
			t.Errorf("%s is listed twice", c.Name())
		}
		seen[c.Name()] = true
		stdout, _, code := command(t, c.Name(), "--help")
		if code != 0 || !strings.Contains(stdout, "Examples:") {
			t.Errorf("%s --help: exit %d, no examples", c.Name(), code)
		}
	}
}

// A flag that is given and empty is no flag that is left out.
func TestEmptyFlags(t *testing.T) {
	if _, stderr, code := command(t, "compare", "a", "b", "--out", ""); code != 2 {
		t.Errorf("compare --out '': exit %d, which means a regression or none; %s", code, stderr)
	}
	for _, args := range [][]string{
		{"validate", "--claim", ""}, {"run", "--filters", ""}, {"run", "--keys-file="}, {"merge", "x", "--out", ""},
		{"compare", "a", "b", "--format", ""}, {"run", "--shard", ""}, {"textbook", "--explain="},
	} {
		_, stderr, code := command(t, args...)
		if flag, _, _ := strings.Cut(args[len(args)-1], "="); code == 0 || strings.Count(stderr, "\n") != 1 || flag != "" && !strings.Contains(stderr, flag) {
			t.Errorf("%q: exit %d, %s", args, code, stderr)
		}
	}
}
