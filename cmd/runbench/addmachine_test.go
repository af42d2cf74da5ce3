package main

import (
	"path/filepath"
	"strings"
	"testing"

	"filterbench/experiments"
	"filterbench/results"
)

// A run of a few filters is no reference: its counts say nothing of the others.
func TestReferenceHasAllFilters(t *testing.T) {
	dir, into := t.TempDir(), t.TempDir()
	for _, e := range experiments.All {
		f := results.File{Experiment: e.Name, Config: []results.ConfigLine{
			{Key: "schema", Value: results.SchemaVersion}, {Key: "profile", Value: "quick"}, {Key: "seed", Value: "1"},
			{Key: "cpu", Value: "x"}, {Key: "filters", Value: "bloom:index=range,step=enhanced,k=auto,kernel=auto"}}}
		if err := results.WriteFile(filepath.Join(dir, e.Name+".txt"), f); err != nil {
			t.Fatal(err)
		}
	}
	_, stderr, code := command(t, "add-machine", dir, "--into", into)
	if code != 1 || !strings.Contains(stderr, "without --filters") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if left, _ := filepath.Glob(filepath.Join(into, "*")); len(left) > 0 {
		t.Errorf("it left %q", left)
	}
}
