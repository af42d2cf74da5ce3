package table

import "testing"

func TestText(t *testing.T) {
	got := Table{
		Columns: []Column{{Name: "filter"}, {Name: "bits", Number: true}, {Name: "note"}},
		Rows:    [][]string{{"bloom", "9.585", ""}, {"鍵", "10", "wide"}},
	}.Text()
	want := "filter   bits  note\nbloom   9.585\n鍵          10  wide\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
