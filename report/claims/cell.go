package claims

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"filterbench/results"
)

// Cell describes the records that a claim reads. A record matches if it has
// the name and every axis listed; axes that are not listed may be anything, so
// that a cell takes in all seeds.
type Cell struct {
	Name string
	// Axes holds the values wanted. Numbers compare as numbers. The axis
	// "filter" is a spec of which only the family and the options named need
	// agree; "*" is any value.
	Axes map[string]string
	// Full marks a cell that only the full profile measures.
	Full bool
}

// String is the cell written as a record's name, axes in alphabetical order.
func (c Cell) String() string {
	var b strings.Builder
	b.WriteString(c.Name)
	for _, key := range slices.Sorted(maps.Keys(c.Axes)) {
		fmt.Fprintf(&b, "/%s=%s", key, c.Axes[key])
	}
	return b.String()
}

// Match reports whether a record is one of the cell's.
func (c Cell) Match(r results.Record) bool {
	if r.Name != c.Name {
		return false
	}
	for key, want := range c.Axes {
		if !matchAxis(key, want, r.Axis(key)) {
			return false
		}
	}
	return true
}

// MatchName is Match for a full name, such as a planned one.
func (c Cell) MatchName(full string) bool {
	parts := strings.Split(full, "/")
	r := results.Record{Name: parts[0]}
	for _, part := range parts[1:] {
		if key, value, ok := strings.Cut(part, "="); ok {
			r.Axes = append(r.Axes, results.Axis{Key: key, Value: value})
		}
	}
	return c.Match(r)
}

func matchAxis(key, want, got string) bool {
	switch {
	case got == "":
		return false
	case want == "*" || want == got:
		return true
	case key == "filter":
		return matchSpec(want, got)
	}
	w, err1 := strconv.ParseFloat(want, 64)
	g, err2 := strconv.ParseFloat(got, 64)
	return err1 == nil && err2 == nil && w == g
}

// matchSpec reports whether got is of want's family and has all its options.
func matchSpec(want, got string) bool {
	wantFamily, wantOptions, _ := strings.Cut(want, ":")
	gotFamily, gotOptions, _ := strings.Cut(got, ":")
	if wantFamily != gotFamily {
		return false
	}
	if wantOptions == "" {
		return true
	}
	have := strings.Split(gotOptions, ",")
	for _, o := range strings.Split(wantOptions, ",") {
		if !slices.Contains(have, o) {
			return false
		}
	}
	return true
}

// with is the cell with further axes, from alternating keys and values.
func (c Cell) with(pairs ...string) Cell {
	c.Axes = maps.Clone(c.Axes)
	for i := 0; i < len(pairs); i += 2 {
		c.Axes[pairs[i]] = pairs[i+1]
	}
	return c
}

// cell makes a cell from alternating keys and values.
func cell(name string, pairs ...string) Cell {
	return Cell{Name: name, Axes: map[string]string{}}.with(pairs...)
}

var errNoRecord = errors.New("no record")

// find returns the records of a cell, in their order. None is an error that
// names the cell.
func find(s *results.Set, c Cell) ([]results.Record, error) {
	var found []results.Record
	for _, f := range s.Files {
		for _, r := range f.Records {
			if c.Match(r) {
				found = append(found, r)
			}
		}
	}
	if found == nil {
		return nil, fmt.Errorf("%w %s", errNoRecord, c)
	}
	return found, nil
}

// number returns a value that must be there and lie between lo and hi.
func number(r results.Record, unit string, lo, hi float64) (float64, error) {
	v, ok := r.Value(unit)
	if !ok {
		return 0, fault(r, "the unit %s is missing", unit)
	}
	if !(lo <= v && v <= hi) {
		return 0, fault(r, "%s is %v; %v to %v is possible", unit, v, lo, hi)
	}
	return v, nil
}

// count returns a value that must be a whole number from lo to hi.
func count(r results.Record, unit string, lo, hi float64) (float64, error) {
	v, err := number(r, unit, lo, hi)
	if err == nil && v != float64(uint64(v)) {
		return 0, fault(r, "%s is %v; it is a whole number", unit, v)
	}
	return v, err
}

// axisNumber returns an axis that must be a whole number from 1 to most.
func axisNumber(r results.Record, key string, most uint64) (uint64, error) {
	v, err := strconv.ParseUint(r.Axis(key), 10, 64)
	if err != nil || v == 0 || v > most {
		return 0, fault(r, "axis %s is %q; a whole number from 1 to %d is needed", key, r.Axis(key), most)
	}
	return v, nil
}
