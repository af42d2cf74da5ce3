package claims

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Columns heads the cells that Row.Cells returns.
var Columns = []string{"ID", "Verdict", "Measured [95 %]", "Truth", "Claim", "Why"}

// Cells is the row as text, in the order of Columns.
func (r Row) Cells() []string {
	return []string{r.ID, r.Verdict(), r.Measured, r.Truth, r.Claim, r.Why}
}

// Verdict is the status, and the one established if that is another.
func (r Row) Verdict() string {
	if r.Differs {
		return r.Status.String() + ", not " + r.Want.String()
	}
	return r.Status.String()
}

// Summary counts the verdicts in one line.
func Summary(rows []Row) string {
	var n [Note + 1]int
	differ, total := 0, 0
	for _, r := range rows {
		if r.ID == goldenTitle {
			continue
		}
		total++
		n[r.Status]++
		if r.Differs {
			differ++
		}
	}
	s := fmt.Sprintf("%d claims: %d hold, %d hold with conditions, %d are wrong, %d were not measured, %d are notes",
		total, n[Holds], n[Conditions], n[Wrong], n[NotMeasured], n[Note])
	if differ > 0 {
		s += fmt.Sprintf("; %d differ from what was established", differ)
	}
	return s
}

// WriteText writes the rows for a terminal: two lines for each that has a
// verdict, then those without one, by the reason that they share.
func WriteText(w io.Writer, rows []Row) error {
	var lines [][]string // of four columns and the claim
	var reasons []string
	unmeasured := map[string][]string{}
	lines = append(lines, Columns[:5])
	for _, r := range rows {
		if r.Status == NotMeasured {
			if unmeasured[r.Why] == nil {
				reasons = append(reasons, r.Why)
			}
			unmeasured[r.Why] = append(unmeasured[r.Why], r.ID)
			continue
		}
		lines = append(lines, r.Cells()[:5])
		if r.Why != "" {
			lines = append(lines, []string{"", "", r.Why})
		}
	}
	var b strings.Builder
	writeAligned(&b, lines)
	if len(reasons) > 0 {
		fmt.Fprintf(&b, "\n%s\n", NotMeasured)
	}
	for _, why := range reasons {
		fmt.Fprintf(&b, "  %s: %s\n", strings.Join(unmeasured[why], " "), why)
	}
	fmt.Fprintf(&b, "\n%s\n", Summary(rows))
	_, err := io.WriteString(w, b.String())
	return err
}

// writeAligned pads all cells but a line's last.
func writeAligned(b *strings.Builder, lines [][]string) {
	var widths [5]int
	for _, line := range lines {
		for i, cell := range line[:len(line)-1] {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range lines {
		for i, cell := range line {
			b.WriteString(cell)
			if i < len(line)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
			}
		}
		b.WriteByte('\n')
	}
}

// WriteMarkdown writes the rows as a table in Markdown.
func WriteMarkdown(w io.Writer, rows []Row) error {
	line := func(cells []string) error {
		_, err := fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
		return err
	}
	rule := make([]string, len(Columns))
	for i := range rule {
		rule[i] = "---"
	}
	if err := line(Columns); err != nil {
		return err
	}
	if err := line(rule); err != nil {
		return err
	}
	escape := strings.NewReplacer("|", `\|`, "*", `\*`, "<", "&lt;", "\n", " ")
	for _, r := range rows {
		cells := r.Cells()
		for i := range cells {
			cells[i] = escape.Replace(cells[i])
		}
		if err := line(cells); err != nil {
			return err
		}
	}
	return nil
}
