// Package compare compares results folders: commits on one CPU by their times,
// CPUs with each other by what is a property of the filters and not of the clock.
//
// What is counted must be equal everywhere. Times are compared by x/perf's
// statistics, the ones that benchstat is made of; a difference is one only if it
// is significant after Benjamini and Hochberg's correction over the rows of its
// table, larger than the noise floor of both runs, and at least the threshold.
package compare

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"filterbench/results"
	"filterbench/results/stat"

	"golang.org/x/perf/benchmath"
)

// run is one results folder, its samples by name.
type run struct {
	label string
	set   *results.Set
	names []string // of rows, in order of first appearance
	rows  map[string]row
	twins map[string][][2]float64 // medians of what was timed twice, by size
}

// row is one cell of a run: what was sampled, over the rounds.
type row struct {
	record  results.Record
	samples map[string][]float64 // by unit
}

// machineAxes are those of a name that the machine chose: a row is the same cell
// whatever they are.
var machineAxes = []string{"path", "distance"}

// rowName is the name of a record without what the machine chose.
func rowName(r results.Record) string {
	r.Axes = slices.DeleteFunc(slices.Clone(r.Axes), func(a results.Axis) bool { return slices.Contains(machineAxes, a.Key) })
	return r.FullName()
}

func newRun(label string, set *results.Set) *run {
	r := &run{label: label, set: set, rows: map[string]row{}, twins: map[string][][2]float64{}}
	for _, f := range set.Files {
		for _, rec := range f.Records {
			r.add(rec)
		}
	}
	cells := r.names[:0]
	for _, name := range r.names {
		twin := r.rows[name]
		of, isTwin := twin.record.TwinOf()
		if !isTwin {
			cells = append(cells, name)
			continue
		}
		if once, ok := r.rows[rowName(of)]; ok {
			size := of.Axis("size")
			r.twins[size] = append(r.twins[size], [2]float64{twin.median("ns/op"), once.median("ns/op")})
		}
	}
	r.names = cells
	return r
}

func (r *run) add(rec results.Record) {
	name := rowName(rec)
	one, seen := r.rows[name]
	if !seen {
		one = row{rec, map[string][]float64{}}
		r.rows[name] = one
		r.names = append(r.names, name)
	}
	for _, v := range rec.Values {
		one.samples[v.Unit] = append(one.samples[v.Unit], v.V)
	}
}

// median is the median of a unit's samples; 0 of none.
func (r row) median(unit string) float64 {
	if len(r.samples[unit]) == 0 {
		return 0
	}
	return summary(r.samples[unit]).Center
}

// summary is benchstat's: the median and its 95 % interval.
func summary(samples []float64) benchmath.Summary {
	return benchmath.AssumeNothing.Summary(sampleOf(samples), .95)
}

func sampleOf(values []float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
}

// noise is the factor below which times of a size differ by chance in this run:
// of the size itself, else the largest of all sizes, else 1.
func (r *run) noise(size string) float64 {
	if f, ok := stat.NoiseFloor(r.twins[size]); ok {
		return f
	}
	most := 1.0
	for _, pairs := range r.twins {
		if f, ok := stat.NoiseFloor(pairs); ok {
			most = max(most, f)
		}
	}
	return most
}

// busy reports whether other work disturbed more than one in twenty samples, so
// that CPU time is compared instead of the wall clock's.
func (r *run) busy() bool {
	samples, disturbed := 0, 0
	for _, one := range r.rows {
		for _, d := range one.samples["disturbed"] {
			samples++
			if d > 0 {
				disturbed++
			}
		}
	}
	return stat.Busy(samples, disturbed)
}

// cpu identifies the CPU as far as times depend on it: brand, family, model,
// stepping, and the caches.
func (r *run) cpu() string {
	var parts []string
	for _, key := range []string{"cpu", "cpu-id", "cache-l1d", "cache-l2", "cache-l3"} {
		v, _ := r.set.Config(key)
		parts = append(parts, v)
	}
	return strings.Join(parts, ", ")
}

// config is a configuration value on which all files of the run agree, or "?".
func (r *run) config(key string) string {
	v, _ := r.set.Config(key)
	return cmp.Or(v, "?")
}

// labels names the folders by their last part, or by whole paths where two would
// have the same name.
func labels(sets []*results.Set) []string {
	out := make([]string, len(sets))
	for i, s := range sets {
		out[i] = filepath.Base(s.Dir)
	}
	for i, l := range out {
		if slices.Index(out, l) != i {
			for j, s := range sets {
				out[j] = s.Dir
			}
			break
		}
	}
	for i, l := range out {
		if slices.Index(out, l) != i {
			out[i] = fmt.Sprintf("%s (%d)", l, i+1)
		}
	}
	return out
}
