package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"filterbench/experiments"
	"filterbench/filters/memory"
	"filterbench/results"
)

// The table comes from records alone, whoever measured them.
func TestBenchFromRecords(t *testing.T) {
	dir := t.TempDir()
	const filter = "blocked:block=64,k=auto,kernel=auto"
	file := results.File{Experiment: "kernels", Config: []results.ConfigLine{{Key: "schema", Value: results.SchemaVersion}, {Key: "cpu", Value: "Some CPU"}, {Key: "simd", Value: "avx2"}}}
	for i := range 10 {
		file.Records = append(file.Records, results.Record{Name: "Kernel", Iters: 1, Axes: []results.Axis{
			{Key: "filter", Value: filter}, {Key: "size", Value: "16MiB"}, {Key: "api", Value: "hash"}, {Key: "op", Value: "absent"}, {Key: "pages", Value: "huge"},
		}, Values: []results.Value{{Unit: "ns/op", V: 5 + .01*float64(i)}, {Unit: "x-limit", V: 1.05 + .001*float64(i)}}})
	}
	if err := results.WriteFile(filepath.Join(dir, "kernels.txt"), file); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := command(t, "bench", dir)
	for _, want := range []string{"Some CPU, kernels avx2", "blocked, lookups of absent keys, 16 MiB", "1.05×", "met", "not measured"} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("exit %d, %s: no %q in\n%s", code, stderr, want, stdout)
		}
	}
}

// What large filters stand on is in the provenance, and part of the run's
// identity.
func TestPagesAreRecorded(t *testing.T) {
	defer memory.SetPages(memory.PagesAuto)
	if err := memory.Offers(memory.PagesSmall); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	if _, stderr, code := command(t, "run", "textbook", "--pages", "small", "--out", dir); code != 0 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	f, err := results.ReadFile(filepath.Join(dir, "textbook.txt"))
	if err != nil || f.Get("pages") != "small" {
		t.Errorf("pages %q, %v", f.Get("pages"), err)
	}
	plan := func(p memory.Pages) *experiments.Plan { return &experiments.Plan{Config: experiments.Config{Pages: p}} }
	var flags runFlags
	auto, small := results.Identity(flags.provenance(plan(memory.PagesAuto))), results.Identity(flags.provenance(plan(memory.PagesSmall)))
	if slices.Equal(auto, small) {
		t.Error("runs on other pages have the same identity")
	}
}
