package workloads

import (
	_ "embed"
	"strings"

	"filterbench/filters"
)

// wordList is Debian's wamerican list; words/README.md says where it is from.
//
//go:embed words/american-english
var wordList string

func openWords(name, _ string, _, seed uint64) (Source, error) {
	keys := &filters.Keys{}
	stats, err := readLines(keys, strings.NewReader(wordList), "words")
	if err != nil {
		return nil, err
	}
	return split(name, name, keys, stats, seed)
}
