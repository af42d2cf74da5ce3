package report

import (
	"flag"
	"testing"
)

var pictures = flag.String("pictures", "", "write the report of the synthetic records to this folder, to be looked at")

func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("for looking at: go test -run TestPictures -pictures DIR")
	}
	s, err := Write(synthetic(), *pictures)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(s.Headline)
	for _, w := range s.Warnings {
		t.Log(w)
	}
}
