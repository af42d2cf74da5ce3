package counting

import (
	"filterbench/filters"
	"filterbench/filters/internal/probes"
)

// Memory is the counters.
func (f *Filter) Memory() []uint64 { return f.words }

// LookupLines appends the line of each counter up to the first that is zero.
func (f *Filter) LookupLines(lines []uint64, hash uint64) []uint64 {
	w := probes.Enhanced(hash)
	for range f.k {
		word, shift := f.locate(w.At(f.m))
		lines = append(lines, word*8/filters.LineBytes)
		if f.words[word]>>shift&f.max == 0 {
			break
		}
		w = w.Next()
	}
	return lines
}

// AddLines adds the key, and appends the line of each of its counters.
func (f *Filter) AddLines(lines []uint64, hash uint64) ([]uint64, error) {
	w := probes.Enhanced(hash)
	for range f.k {
		word, _ := f.locate(w.At(f.m))
		lines = append(lines, word*8/filters.LineBytes)
		w = w.Next()
	}
	return lines, f.AddHash(hash)
}
