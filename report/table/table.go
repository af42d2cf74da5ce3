// Package table is the one model of the report's tables, from which both
// their forms are made: Markdown here, HTML in the page.
package table

import (
	"strings"
	"unicode/utf8"
)

// Table is a table whose cells are text, ready to be shown.
type Table struct {
	Name    string // names it within the page
	Title   string
	Note    string // what the columns mean, or why there are no rows
	Columns []Column
	Rows    [][]string // each as long as Columns
}

// Column is the head of a column.
type Column struct {
	Name   string
	Number bool // aligned to the right
}

// Markdown is the table as GitHub's Markdown, columns aligned in the source.
// Text that Markdown or HTML would take for markup is escaped.
func (t Table) Markdown() string {
	var b strings.Builder
	b.WriteString("## " + escape(t.Title) + "\n\n")
	if t.Note != "" {
		b.WriteString(escape(t.Note) + "\n\n")
	}
	if len(t.Rows) == 0 {
		return b.String()
	}
	width := make([]int, len(t.Columns))
	head := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = escape(c.Name)
		width[i] = max(3, utf8.RuneCountInString(head[i]))
	}
	rows := make([][]string, len(t.Rows))
	for r, row := range t.Rows {
		rows[r] = make([]string, len(t.Columns))
		for i, cell := range row {
			rows[r][i] = escape(cell)
			width[i] = max(width[i], utf8.RuneCountInString(rows[r][i]))
		}
	}
	t.line(&b, head, width)
	for i, c := range t.Columns {
		if c.Number {
			b.WriteString("| " + strings.Repeat("-", width[i]-1) + ": ")
		} else {
			b.WriteString("| " + strings.Repeat("-", width[i]) + " ")
		}
	}
	b.WriteString("|\n")
	for _, row := range rows {
		t.line(&b, row, width)
	}
	b.WriteString("\n")
	return b.String()
}

func (t Table) line(b *strings.Builder, cells []string, width []int) {
	for i, cell := range cells {
		pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
		if t.Columns[i].Number {
			cell = pad + cell
		} else {
			cell += pad
		}
		b.WriteString("| " + cell + " ")
	}
	b.WriteString("|\n")
}

var escaper = strings.NewReplacer(
	"\n", " ", "\r", " ",
	"\\", "\\\\", "|", "\\|", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]",
	"&", "&amp;", "<", "&lt;", ">", "&gt;",
)

func escape(s string) string { return escaper.Replace(s) }
