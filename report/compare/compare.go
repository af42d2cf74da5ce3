package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"filterbench/results"
	"filterbench/results/stat"

	"golang.org/x/perf/benchmath"
)

// The exit statuses of a comparison.
const (
	NoChange      = 0
	Regression    = 1 // or a count that differs
	NotComparable = 2
)

// Comparison is what two runs or more have in common, and how they differ.
type Comparison struct {
	Runs    []string // labels, the base first
	OneCPU  bool
	Unlike  string // why only shapes compare, as "the CPUs differ"; "" if times do
	Clock   string // the unit by which times are judged
	Tables  []Table
	Counted Counted
	Notes   []string
	Code    int
}

// Table is one unit of one experiment.
type Table struct {
	Experiment, Unit string
	Higher           bool // more is better
	Rows             []Row
	Geomean          []float64 // of each run's ratio to the base, over the rows that all have; NaN of none
	Common           int       // rows that all runs have
}

// Row is one cell.
type Row struct {
	Name  string
	Cells []Cell // one for each run
}

// Cell is a run's samples of a row.
type Cell struct {
	N           int // samples; 0 where the run lacks the row
	Mid, Lo, Hi float64
	Ratio       float64 // to the base
	P, Adjusted float64 // p-value, and after Benjamini and Hochberg
	Noise       float64 // factor that is noise
	Verdict     Verdict
	samples     []float64
}

// Verdict is what became of a comparison of times.
type Verdict string

// The verdicts. Unchanged means only that no change was seen.
const (
	None      Verdict = ""
	Better    Verdict = "better"
	Worse     Verdict = "worse"
	Unchanged Verdict = "~"
	TooFew    Verdict = "too few samples"
)

// Options of a comparison.
type Options struct {
	// Threshold is the least relative change that counts, such as 0.05.
	Threshold float64
}

// leastSamples is the least number of samples on each side with which a rank
// test can come out below 0.05.
const leastSamples = 4

// level is the rate of false discoveries that is accepted.
const level = 0.05

// Compare compares runs with the first. It fails where there is nothing to
// compare; what differs is in the comparison.
func Compare(sets []*results.Set, o Options) (*Comparison, error) {
	if len(sets) < 2 {
		return nil, errors.New("a comparison takes two results folders or more")
	}
	runs := make([]*run, len(sets))
	c := &Comparison{Runs: labels(sets), OneCPU: true}
	for i, s := range sets {
		runs[i] = newRun(c.Runs[i], s)
		c.OneCPU = c.OneCPU && runs[i].cpu() == runs[0].cpu()
	}
	profile := func(r *run) bool { return r.config("profile") != runs[0].config("profile") }
	switch {
	case !c.OneCPU:
		c.Unlike = "the CPUs differ"
	case slices.ContainsFunc(runs, profile): // other streams, of other lengths
		c.Unlike = "the profiles differ"
	}
	c.Clock = clock(runs)
	c.Counted = counted(runs)
	c.tables(runs)
	if len(c.Tables) == 0 && c.Counted.Compared == 0 {
		return nil, fmt.Errorf("%s have no cell in common", strings.Join(c.Runs, " and "))
	}
	if c.Unlike == "" {
		c.judge(runs, o)
	}
	c.notes(runs)
	if c.Counted.Differs != "" {
		c.Code = Regression
	}
	return c, nil
}

// clock is the unit by which times are judged: the thread's CPU time where a run
// was disturbed and all tell it, else the wall clock.
func clock(runs []*run) string {
	busy, known := false, true
	for _, r := range runs {
		busy = busy || r.busy()
		for _, one := range r.rows {
			known = known && (len(one.samples["ns/op"]) == 0 || len(one.samples["cpu-ns/op"]) > 0)
		}
	}
	if busy && known {
		return "cpu-ns/op"
	}
	return "ns/op"
}

// tables makes a table of each measured unit with a direction, of the rows that
// the base and another run have.
func (c *Comparison) tables(runs []*run) {
	for _, u := range results.Units() {
		if u.Exact || u.Better == "" || u.Name == "disturbed" {
			continue
		}
		byExperiment := map[string]*Table{}
		var order []string
		for _, name := range runs[0].names {
			row, experiment := rowOf(runs, name, u.Name), runs[0].rows[name].record.Name
			if row == nil {
				continue
			}
			t := byExperiment[experiment]
			if t == nil {
				t = &Table{Experiment: experiment, Unit: u.Name, Higher: u.Better == "higher"}
				byExperiment[experiment] = t
				order = append(order, experiment)
			}
			t.Rows = append(t.Rows, *row)
		}
		for _, e := range order {
			byExperiment[e].geomean(len(runs))
			c.Tables = append(c.Tables, *byExperiment[e])
		}
	}
}

// rowOf is the row of a unit, or nil if less than two runs, or not the base, have
// it.
func rowOf(runs []*run, name, unit string) *Row {
	row, have := &Row{Name: name}, 0
	for _, r := range runs {
		samples := r.rows[name].samples[unit]
		cell := Cell{N: len(samples), samples: samples}
		if cell.N > 0 {
			have++
			s := summary(samples)
			cell.Mid, cell.Lo, cell.Hi = s.Center, s.Lo, s.Hi
			cell.Noise = r.noise(r.rows[name].record.Axis("size"))
		}
		if base := row.base(); base.N > 0 && cell.N > 0 {
			cell.Ratio = cell.Mid / base.Mid
		}
		row.Cells = append(row.Cells, cell)
	}
	if have < 2 || row.Cells[0].N == 0 {
		return nil
	}
	return row
}

func (r *Row) base() Cell {
	if len(r.Cells) == 0 {
		return Cell{}
	}
	return r.Cells[0]
}

// judge decides for each table of times of one CPU which rows changed. Only the
// clock's table makes a regression: the others say the same in other units.
func (c *Comparison) judge(runs []*run, o Options) {
	for i := range c.Tables {
		t := &c.Tables[i]
		for k := 1; k < len(runs); k++ {
			t.judge(k, o)
			for _, r := range t.Rows {
				if t.Unit == c.Clock && r.Cells[k].Verdict == Worse {
					c.Code = Regression
				}
			}
		}
	}
}

// judge compares run k with the base.
func (t *Table) judge(k int, o Options) {
	var p []float64
	var tested []*Row
	for i := range t.Rows {
		row := &t.Rows[i]
		base, cell := row.Cells[0], &row.Cells[k]
		switch {
		case cell.N == 0:
		case min(base.N, cell.N) < leastSamples:
			cell.Verdict = TooFew
		default:
			cell.P = compare(base.samples, cell.samples)
			p = append(p, cell.P)
			tested = append(tested, row)
		}
	}
	for i, adjusted := range stat.BenjaminiHochberg(p) {
		cell := &tested[i].Cells[k]
		cell.Adjusted = adjusted
		cell.Verdict = cell.verdict(t.Higher, max(tested[i].Cells[0].Noise, cell.Noise, 1+o.Threshold))
	}
}

// compare is the p-value of a rank test of two samples: Mann and Whitney's, as
// benchstat's.
func compare(a, b []float64) float64 {
	return benchmath.AssumeNothing.Compare(sampleOf(a), sampleOf(b)).P
}

// verdict says whether the change is one: significant, and by more than a factor.
func (c Cell) verdict(higher bool, least float64) Verdict {
	worse, better := c.Ratio >= least, c.Ratio <= 1/least
	if higher {
		worse, better = better, worse
	}
	switch {
	case c.Adjusted > level:
	case worse:
		return Worse
	case better:
		return Better
	}
	return Unchanged
}
