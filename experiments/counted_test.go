package experiments

import (
	"path/filepath"
	"runtime"
	"testing"

	"filterbench/filters/simd"
	"filterbench/results"
)

// countedRecords runs a plan and returns all its records.
func countedRecords(t *testing.T, p *Plan) (all []results.Record) {
	t.Helper()
	j, err := results.Create(filepath.Join(t.TempDir(), "journal"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := p.Run(t.Context(), j, nil); err != nil {
		t.Fatal(err)
	}
	for _, part := range p.Parts {
		records, err := j.Records(part.Experiment.Name, part.IDs())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, records...)
	}
	return all
}

// countedTwice plans counting units and runs them, on one worker and, without
// kernels, on four. It returns their records, which must be the same.
func countedTwice(t *testing.T, experiment string, plan func() []Unit) []results.Record {
	t.Helper()
	run := func(workers int) []results.Record {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
		return countedRecords(t, &Plan{Parts: []Part{{Experiment{Name: experiment}, plan()}}})
	}
	first := run(1)
	defer simd.Disable()()
	again := run(4)
	a, b := results.CountedBytes(results.File{Records: first}), results.CountedBytes(results.File{Records: again})
	if string(a) != string(b) {
		t.Errorf("four workers without kernels count\n%s\none with them\n%s", b, a)
	}
	for _, r := range first {
		if err := r.Check(); err != nil {
			t.Error(err)
		}
	}
	return first
}
