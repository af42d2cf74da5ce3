// Package results is the store between the experiments, which write it, and
// the report, which reads it: benchfmt files, one for each experiment, that
// benchstat and every other x/perf tool read too. SCHEMA.md beside this file
// lists every record, axis and unit.
package results

import (
	"slices"
	"strings"
)

// Record is one line of a results file: what was measured (the name and its
// axes), over how many operations, and the values with their units.
type Record struct {
	Name   string // experiment, in upper camel case: "FPR"
	Axes   []Axis // in the order in which the name shows them
	Iters  int    // operations in the sample, at least 1
	Values []Value
}

// Axis is one /key=value of a record's name. Neither part is empty or holds a
// slash or white space.
type Axis struct{ Key, Value string }

// Value is a number with its unit as it was written ("ns/op", not the
// "sec/op" that x/perf makes of it).
type Value struct {
	Unit string
	V    float64
}

// FullName is the benchmark name without the word Benchmark, such as
// "FPR/filter=blocked:block=64,k=auto/bits=10/n=1000000".
func (r Record) FullName() string {
	var b strings.Builder
	b.WriteString(r.Name)
	for _, a := range r.Axes {
		b.WriteString("/" + a.Key + "=" + a.Value)
	}
	return b.String()
}

// Axis returns the value of an axis, or "" if the record has none of that key.
func (r Record) Axis(key string) string {
	for _, a := range r.Axes {
		if a.Key == key {
			return a.Value
		}
	}
	return ""
}

// Value returns the value with the given unit.
func (r Record) Value(unit string) (v float64, ok bool) {
	for _, x := range r.Values {
		if x.Unit == unit {
			return x.V, true
		}
	}
	return 0, false
}

// TwinOf is the record that a Twin times once more, under the name of a Lookup; not
// ok of any other record.
func (r Record) TwinOf() (of Record, ok bool) {
	if r.Name != "Twin" {
		return r, false
	}
	r.Name = "Lookup"
	r.Axes = slices.DeleteFunc(slices.Clone(r.Axes), func(a Axis) bool { return a.Key == "twin" })
	return r, true
}
