package results

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// CountedBytes returns the part of a file that the seed decides: two runs of
// one seed agree on it byte for byte, whatever the CPU, the number of threads
// and the weather. That is the lines of the records, sorted and without
// repeats, reduced to their exact units. Left out are the configuration,
// whatever was measured, records with the axis "sampled", and theory's values
// (model-*), whose last digit depends on how a CPU rounds exp and log.
func CountedBytes(f File) []byte {
	var lines []string
	for _, r := range f.Records {
		if line := r.countedLine(); line != "" {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return []byte(strings.Join(slices.Compact(lines), ""))
}

// countedLine is the record's line reduced to what is counted, or "".
func (r Record) countedLine() string {
	if r.Axis("sampled") != "" {
		return ""
	}
	all := len(r.Values)
	r.Values = slices.DeleteFunc(slices.Clone(r.Values), func(v Value) bool {
		u, _ := UnitOf(v.Unit)
		return !u.Exact
	})
	if len(r.Values) < all {
		r.Iters = 1 // how often a timed loop runs is not counted
	}
	r.Values = slices.DeleteFunc(r.Values, func(v Value) bool { return strings.HasPrefix(v.Unit, "model-") })
	if len(r.Values) == 0 {
		return ""
	}
	var b bytes.Buffer
	benchfmt.NewWriter(&b).Write(r.benchfmt())
	return b.String()
}
