package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// table prints aligned columns: words to the left, numbers to the right.
type table struct {
	head []string
	rows [][]string
}

func newTable(head ...string) *table { return &table{head: head} }

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(w io.Writer) error {
	width := make([]int, len(t.head))
	right := make([]bool, len(t.head))
	for c, h := range t.head {
		width[c] = utf8.RuneCountInString(h)
		right[c] = len(t.rows) > 0
		for _, row := range t.rows {
			width[c] = max(width[c], utf8.RuneCountInString(row[c]))
			right[c] = right[c] && isNumber(row[c])
		}
	}
	for _, row := range append([][]string{t.head}, t.rows...) {
		var line strings.Builder
		for c, cell := range row {
			pad := strings.Repeat(" ", width[c]-utf8.RuneCountInString(cell))
			if c > 0 {
				line.WriteString("  ")
			}
			if right[c] {
				line.WriteString(pad + cell)
			} else {
				line.WriteString(cell + pad)
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// isNumber says that a cell is read by its digits: it begins with one, or
// stands for one that is not there.
func isNumber(cell string) bool {
	return cell == "-" || cell == "" || cell[0] >= '0' && cell[0] <= '9' || cell[0] == '<'
}
