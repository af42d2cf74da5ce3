package table

import (
	"strings"
	"unicode/utf8"
)

// Heads makes columns of their names; "#" in front marks one of numbers.
func Heads(names ...string) []Column {
	columns := make([]Column, len(names))
	for i, name := range names {
		columns[i].Name, columns[i].Number = strings.CutPrefix(name, "#")
	}
	return columns
}

// Text is the table for a terminal: columns aligned, two spaces apart, with
// neither title nor note.
func (t Table) Text() string {
	head := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = c.Name
	}
	lines := append([][]string{head}, t.Rows...)
	width := make([]int, len(t.Columns))
	for _, line := range lines {
		for i, cell := range line {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		var row strings.Builder
		for i, cell := range line {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				row.WriteString("  ")
			}
			if t.Columns[i].Number {
				row.WriteString(pad + cell)
			} else {
				row.WriteString(cell + pad)
			}
		}
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	return b.String()
}
