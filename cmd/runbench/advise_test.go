package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filterbench/report"
)

// reference is a committed results folder.
func reference(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob("../../results/*/lookup.txt")
	if err != nil || len(found) == 0 {
		t.Skip("no reference results are committed")
	}
	return filepath.Dir(found[0])
}

func TestAdviseFromReferenceResults(t *testing.T) {
	dir := reference(t)
	stdout, stderr, code := command(t, "advise", "--n", "1e6", "--miss-cost", "100us", "--hit-share", "10%", dir)
	if code != 0 || !strings.Contains(stdout, "\nThe order is ") || !strings.Contains(stdout, "10.0% of the queries for present keys") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	stdout, _, code = command(t, "advise", "--n", "1e6", "--miss-cost", "5ms", "--delete", "--max-bits", "12", "--json", dir)
	var a report.Advice
	if err := json.Unmarshal([]byte(stdout), &a); err != nil || code != 0 || len(a.Choices) == 0 {
		t.Fatalf("exit %d, %v: %s", code, err, stdout)
	}
	for _, p := range a.Choices {
		name, _, _ := strings.Cut(p.Filter, ":")
		if name != "cuckoo" && name != "quotient" && name != "counting" {
			t.Errorf("%s does not delete", p.Filter)
		}
		if p.BitsPerKey > 12.1 { // padding
			t.Errorf("%s has %v bits per key", p.Filter, p.BitsPerKey)
		}
	}
}

func TestAdviseRefuses(t *testing.T) {
	empty := t.TempDir()
	if err := os.WriteFile(filepath.Join(empty, "textbook.txt"), []byte("schema: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"are needed":               {"--n", "1e6"},
		"not a time with its unit": {"--n", "1e6", "--miss-cost", "100"},
		"allowed: 1ns to 1h":       {"--n", "1e6", "--miss-cost", "-5ms"},
		"out of range":             {"--n", "1e6", "--miss-cost", "2h"},
		"not a share":              {"--n", "1e6", "--miss-cost", "5ms", "--hit-share", "1.5"},
		"2^40 keys":                {"--n", "0", "--miss-cost", "5ms"},
		"at most 64":               {"--n", "1e6", "--miss-cost", "5ms", "--max-bits", "65"},
		"takes one results folder": {"--n", "1e6", "--miss-cost", "5ms", "a", "b"},
		"runbench run fpr lookup":  {"--n", "1e6", "--miss-cost", "5ms", empty},
	} {
		_, stderr, code := command(t, append([]string{"advise"}, args...)...)
		if code == 0 || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: exit %d, %s", args, code, stderr)
		}
	}
}
