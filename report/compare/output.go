package compare

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"filterbench/report/format"
	"filterbench/report/table"
)

// Formats are the forms in which a comparison can be written.
var Formats = []string{"text", "md", "csv", "json"}

// Write writes the comparison in one of the Formats.
func (c *Comparison) Write(w io.Writer, form string) error {
	switch form {
	case "csv":
		return c.writeCSV(w)
	case "json":
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(c.document())
	}
	tables := c.show()
	var b strings.Builder
	if form == "md" {
		fmt.Fprintf(&b, "# %s\n\n%s\n\n", strings.Join(c.Runs, " against "), c.Conclusion())
	} else {
		fmt.Fprintf(&b, "%s\n%s\n\n", strings.Join(c.Runs, " against "), c.Conclusion())
	}
	for _, n := range c.Notes {
		fmt.Fprintf(&b, "- %s\n", n)
	}
	b.WriteString("\n")
	for _, t := range tables {
		if form == "md" {
			b.WriteString(t.Markdown())
		} else {
			fmt.Fprintf(&b, "%s\n%s\n%s\n", t.Title, t.Note, t.Text())
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Conclusion is the comparison in a line.
func (c *Comparison) Conclusion() string {
	switch {
	case c.Counted.Differs != "":
		return "COUNTS DIFFER, which no CPU may make them: " + c.Counted.Differs
	case c.Unlike != "" && c.Counted.Compared == 0:
		return c.Unlike + ", so neither times nor counts compare."
	case c.Unlike != "":
		return fmt.Sprintf("%s counted records are equal; %s, so times do not compare.", format.Count(float64(c.Counted.Compared)), c.Unlike)
	}
	tally := map[Verdict]int{}
	for _, t := range c.Tables {
		for _, r := range t.Rows {
			if t.Unit == c.Clock {
				for _, cell := range r.Cells[1:] {
					tally[cell.Verdict]++
				}
			}
		}
	}
	s := fmt.Sprintf("Of %d times (%s): %d worse, %d better, %d without a change that was seen", tally[Worse]+tally[Better]+tally[Unchanged]+tally[TooFew], c.Clock,
		tally[Worse], tally[Better], tally[Unchanged])
	if n := tally[TooFew]; n > 0 {
		s += fmt.Sprintf(", %d with too few samples to tell", n)
	}
	return s + fmt.Sprintf("; %s counted records are equal.", format.Count(float64(c.Counted.Compared)))
}

// show are the tables for people: the samples of each unit, or the shapes where times do
// not compare.
func (c *Comparison) show() (tables []table.Table) {
	if c.Unlike != "" {
		return c.shapeTables()
	}
	for _, t := range c.Tables {
		if other := map[string]string{"ns/op": "cpu-ns/op", "cpu-ns/op": "ns/op"}[t.Unit]; other == c.Clock {
			continue // it says the same by a clock that is trusted less
		}
		tables = append(tables, c.unitTable(t))
	}
	return tables
}

// unitTable shows one unit of one kind of record, with what became of each cell.
func (c *Comparison) unitTable(t Table) table.Table {
	out := table.Table{
		Title:   t.Experiment + ", " + t.Unit,
		Note:    "Median and how far its 95% interval reaches; p after Benjamini and Hochberg. ~ is no change seen, which is not the same as none.",
		Columns: []table.Column{{Name: "cell"}},
	}
	for k, label := range c.Runs {
		out.Columns = append(out.Columns, table.Heads("#"+label, "#n")...)
		if k > 0 {
			out.Columns = append(out.Columns, table.Heads("#change", "verdict", "#p")...)
		}
	}
	for _, r := range t.Rows {
		_, name, _ := strings.Cut(r.Name, "/")
		row := []string{name}
		for k, cell := range r.Cells {
			row = append(row, cell.text(), strconv.Itoa(cell.N))
			if k > 0 {
				row = append(row, cell.change(), string(cell.Verdict), cell.p())
			}
		}
		out.Rows = append(out.Rows, row)
	}
	last := []string{fmt.Sprintf("geometric mean of the %d cells that all have", t.Common)}
	for k := range c.Runs {
		last = append(last, "", "")
		if k > 0 {
			last = append(last, percentChange(t.Geomean[k]), "", "")
		}
	}
	out.Rows = append(out.Rows, last)
	return out
}

// text is the median with the reach of its interval.
func (c Cell) text() string {
	if c.N == 0 {
		return "missing"
	}
	reach := max(c.Hi-c.Mid, c.Mid-c.Lo) / math.Abs(c.Mid)
	if math.IsInf(reach, 0) || math.IsNaN(reach) {
		return format.Fixed(c.Mid, 4)
	}
	return format.Fixed(c.Mid, 4) + " ±" + strconv.FormatFloat(math.Ceil(100*reach), 'f', 0, 64) + "%"
}

func (c Cell) change() string {
	if c.N == 0 || c.Verdict == TooFew {
		return "–"
	}
	return percentChange(c.Ratio)
}

func percentChange(ratio float64) string {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return "–"
	}
	return fmt.Sprintf("%+.1f%%", 100*(ratio-1))
}

func (c Cell) p() string {
	if c.N == 0 || c.Verdict == None || c.Verdict == TooFew {
		return "–"
	}
	return format.Fixed(c.Adjusted, 2)
}

// shapeTables are a table for each way of asking: what of each filter is a
// property of it rather than of the clock.
func (c *Comparison) shapeTables() (tables []table.Table) {
	shapes := c.Shapes()
	var groups []string
	for _, s := range shapes {
		if !slices.Contains(groups, s.Group) {
			groups = append(groups, s.Group)
		}
	}
	for _, g := range groups {
		t := table.Table{
			Title: "Lookups, " + g,
			Note:  "ns for one lookup; multiple of the machine's own line read; rank among these filters; speed-up over bloom.",
		}
		t.Columns = table.Heads("filter")
		for _, label := range c.Runs {
			t.Columns = append(t.Columns, table.Heads("#"+label+" ns", "#× limit", "#rank", "#× bloom")...)
		}
		for _, s := range shapes {
			if s.Group != g {
				continue
			}
			row := []string{s.Filter}
			for _, p := range s.Places {
				row = append(row, format.Fixed(p.Ns, 3), orDash(p.XLimit), strconv.Itoa(p.Rank), orDash(p.Speedup))
			}
			t.Rows = append(t.Rows, row)
		}
		tables = append(tables, t)
	}
	return tables
}

func orDash(v float64) string {
	if v == 0 {
		return "–"
	}
	return format.Fixed(v, 3)
}

// writeCSV writes one flat table: a line for each cell and run.
func (c *Comparison) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"experiment", "unit", "cell", "run", "n", "median", "lo", "hi", "ratio", "p", "p_adjusted", "verdict"})
	number := func(v float64) string {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	for _, t := range c.Tables {
		for _, r := range t.Rows {
			for k, cell := range r.Cells {
				if cell.N == 0 {
					continue
				}
				line := []string{t.Experiment, t.Unit, r.Name, c.Runs[k], strconv.Itoa(cell.N), number(cell.Mid), number(cell.Lo), number(cell.Hi)}
				tests := []string{"", "", "", ""}
				if k > 0 {
					tests[0] = number(cell.Ratio)
				}
				if cell.Verdict != None && cell.Verdict != TooFew {
					tests[1], tests[2] = number(cell.P), number(cell.Adjusted)
				}
				tests[3] = string(cell.Verdict)
				out.Write(append(line, tests...))
			}
		}
	}
	out.Flush()
	return out.Error()
}
