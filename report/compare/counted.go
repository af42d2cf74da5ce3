package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"filterbench/results"
)

// Counted says whether what was counted is equal in all runs, as it must be for
// one seed and profile on every CPU: a difference is a broken kernel, or a hash
// or rounding that is not portable.
type Counted struct {
	Compared int    // records
	Differs  string // the first that differs, with both; "" of none
	Note     string // why counts were not compared
}

// decidesCounts is what of the configuration decides the counts.
var decidesCounts = []string{"seed", "profile"}

func counted(runs []*run) (c Counted) {
	base := runs[0]
	for _, other := range runs[1:] {
		if differs := slices.IndexFunc(decidesCounts, func(key string) bool { return base.config(key) != other.config(key) }); differs >= 0 {
			key := decidesCounts[differs]
			c.Note = fmt.Sprintf("%s has the %s %s, %s the %s %s: their counts need not be equal, and are not compared",
				base.label, key, base.config(key), other.label, key, other.config(key))
			continue
		}
		n, differs := equalCounts(base, other)
		c.Compared += n
		if c.Differs == "" {
			c.Differs = differs
		}
	}
	return c
}

// equalCounts compares the counted records that both runs have.
func equalCounts(a, b *run) (compared int, differs string) {
	for _, f := range a.set.Files {
		theirs := map[string]string{}
		for _, g := range b.set.Files {
			if g.Experiment == f.Experiment {
				theirs = countedLines(g)
			}
		}
		for _, line := range strings.Split(countedText(f), "\n") {
			name, values, _ := strings.Cut(line, " ")
			other, ok := theirs[name]
			if !ok || name == "" {
				continue
			}
			compared++
			if values != other && differs == "" {
				differs = fmt.Sprintf("%s.txt: %s: %s has %s, %s has %s",
					f.Experiment, strings.TrimPrefix(name, "Benchmark"), a.label, values, b.label, other)
			}
		}
	}
	return compared, differs
}

func countedText(f results.File) string { return string(results.CountedBytes(f)) }

func countedLines(f results.File) map[string]string {
	lines := map[string]string{}
	for _, line := range strings.Split(countedText(f), "\n") {
		name, values, _ := strings.Cut(line, " ")
		lines[name] = values
	}
	return lines
}

// geomean is each run's geometric mean ratio to the base over the rows that all
// runs have: means over different rows do not compare.
func (t *Table) geomean(runs int) {
	sums := make([]float64, runs)
	t.Common = 0
	for _, r := range t.Rows {
		all := true
		for _, c := range r.Cells {
			all = all && c.N > 0 && c.Mid > 0
		}
		if !all {
			continue
		}
		t.Common++
		for k, c := range r.Cells[1:] {
			sums[k+1] += math.Log(c.Ratio)
		}
	}
	t.Geomean = make([]float64, runs)
	for k := range sums {
		t.Geomean[k] = math.Exp(sums[k] / float64(t.Common)) // NaN of no row
	}
}

// notes say what the tables leave out.
func (c *Comparison) notes(runs []*run) {
	add := func(format string, args ...any) { c.Notes = append(c.Notes, fmt.Sprintf(format, args...)) }
	if c.Unlike == "" {
		add("One CPU (%s): times compare, by %s.", runs[0].cpu(), c.Clock)
	} else {
		add("%s: no time is called better or worse; compare multiples of each machine's own limit, ranks, and speed-ups over bloom.",
			strings.ToUpper(c.Unlike[:1])+c.Unlike[1:])
	}
	for _, other := range runs[1:] {
		missing, extra := lacking(runs[0], other), lacking(other, runs[0])
		if len(missing) > 0 {
			add("%s lacks %d of the %d cells of %s, such as %s.", other.label, len(missing), len(runs[0].names), runs[0].label, missing[0])
		}
		if len(extra) > 0 {
			add("%s has %d cells that %s lacks, such as %s.", other.label, len(extra), runs[0].label, extra[0])
		}
		for _, key := range []string{"profile", "go", "goamd64", "pages", "simd"} {
			if x, y := runs[0].config(key), other.config(key); x != y {
				add("%s differs: %s in %s, %s in %s.", key, x, runs[0].label, y, other.label)
			}
		}
	}
	if c.Counted.Note != "" {
		c.Notes = append(c.Notes, c.Counted.Note+".")
	}
}

// lacking are the rows of a that b does not have.
func lacking(a, b *run) (names []string) {
	for _, name := range a.names {
		if _, ok := b.rows[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}
