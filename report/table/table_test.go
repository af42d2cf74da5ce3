package table

import (
	"strings"
	"testing"
)

func TestMarkdownAligns(t *testing.T) {
	got := Table{
		Title:   "Two | columns",
		Note:    "A note.",
		Columns: []Column{{Name: "filter"}, {Name: "FPR", Number: true}},
		Rows:    [][]string{{"bloom", "1.00%"}, {"a|b<i>", "–"}},
	}.Markdown()
	want := `## Two \| columns

A note.

| filter        |   FPR |
| ------------- | ----: |
| bloom         | 1.00% |
| a\|b&lt;i&gt; |     – |

`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestMarkdownKeepsMarkupOut(t *testing.T) {
	hostile := "<script>alert(1)</script> | [x](javascript:1) `a` *b*\n# head"
	got := Table{Title: "t", Columns: []Column{{Name: hostile}}, Rows: [][]string{{hostile}}}.Markdown()
	for _, bad := range []string{"<script", "[x](", "\n# head", " `a`"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q came through:\n%s", bad, got)
		}
	}
	for i, line := range strings.Split(strings.TrimSpace(got), "\n")[2:] {
		if n := strings.Count(line, "|") - strings.Count(line, `\|`); n != 2 {
			t.Errorf("line %d has %d cell borders, want 2: %s", i, n, line)
		}
	}
}

func TestMarkdownWithoutRows(t *testing.T) {
	if got := (Table{Title: "None", Note: "not measured", Columns: []Column{{Name: "a"}}}).Markdown(); got != "## None\n\nnot measured\n\n" {
		t.Errorf("got %q", got)
	}
}
