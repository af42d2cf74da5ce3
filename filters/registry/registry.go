// Package registry is the table of filters. To add one, write its package and
// put its family here: every experiment, chart and the conformance suite then
// take it up.
package registry

import (
	"fmt"
	"strings"

	"filterbench/filters"
	"filterbench/filters/blocked"
	"filterbench/filters/bloom"
	"filterbench/filters/counting"
	"filterbench/filters/cuckoo"
	"filterbench/filters/exact"
	"filterbench/filters/guava"
	"filterbench/filters/leveldb"
	"filterbench/filters/naive"
	"filterbench/filters/peers"
	"filterbench/filters/quotient"
	"filterbench/filters/rocksdb"
	"filterbench/filters/splitblock"
)

// Families are all filters, in the order in which lists and charts show them.
var Families = append([]*filters.Family{
	naive.Family,
	bloom.Family,
	blocked.Family,
	splitblock.Family,
	counting.Family,
	cuckoo.Family,
	quotient.Family,
	leveldb.Family,
	guava.Family,
	rocksdb.Family,
	exact.Set,
	exact.Array,
}, peers.Families...)

// defaults are the specs that run when the user names none. Both block sizes
// run everywhere, so that machines with different lines compare.
var defaults = []string{
	"naive", "bloom", "blocked:block=64", "blocked:block=128", "splitblock", "counting",
	"cuckoo", "cuckoo:semisort=yes", "quotient",
	"leveldb", "guava", "rocksdb",
	"peer-parquet", "peer-blobloom", "peer-bitsandblooms", "peer-holiman",
	"peer-xor8", "peer-fuse8", "peer-seiflotfy", "peer-linvon",
	"set", "array",
}

// Parse reads one spec. A peer may be written peer/NAME, too.
func Parse(text string) (filters.Spec, error) {
	return filters.ParseSpec(Families, strings.Replace(text, "peer/", "peer-", 1))
}

// Unmarshal reads a filter that filters.Marshal wrote. It returns its design and
// the seed of its hash too.
func Unmarshal(image []byte) (d filters.Design, f filters.Keyed, seed uint64, err error) {
	return filters.Unmarshal(Families, image)
}

// Must reads a spec that is known to be right; it panics on an error.
func Must(text string) filters.Spec {
	s, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return s
}

// Defaults are the specs that run when the user names none.
func Defaults() []filters.Spec {
	specs := make([]filters.Spec, len(defaults))
	for i, text := range defaults {
		specs[i] = Must(text)
	}
	return specs
}

// ParseList reads specs separated by spaces or semicolons, or by commas that
// do not stand inside a spec's options: "naive,bloom:k=6,step=odd blocked".
// Repeats are an error: a result would be measured twice under one name.
func ParseList(text string) ([]filters.Spec, error) {
	var specs []filters.Spec
	seen := map[string]bool{}
	for _, one := range splitList(text) {
		s, err := Parse(one)
		if err != nil {
			return nil, err
		}
		if seen[s.String()] {
			return nil, fmt.Errorf("filter %s is named twice", s)
		}
		seen[s.String()] = true
		specs = append(specs, s)
	}
	if len(specs) == 0 {
		return nil, fmt.Errorf("no filter named; there are: %s", strings.Join(Names(), ", "))
	}
	return specs, nil
}

// splitList cuts a list into specs. A comma begins a new spec unless what
// follows is an option, name=value.
func splitList(text string) []string {
	var out []string
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ';' || r == '\n' || r == '\t' }) {
		for _, part := range strings.Split(field, ",") {
			name, _, _ := strings.Cut(part, ":")
			if len(out) > 0 && strings.Contains(name, "=") {
				out[len(out)-1] += "," + part
				continue
			}
			if part != "" {
				out = append(out, part)
			}
		}
	}
	return out
}

// Names lists the families.
func Names() []string {
	names := make([]string, len(Families))
	for i, f := range Families {
		names[i] = f.Name
	}
	return names
}
