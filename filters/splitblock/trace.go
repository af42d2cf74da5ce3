package splitblock

import "filterbench/filters"

// Memory is the blocks.
func (f *Filter) Memory() []uint64 { return f.words }

// LookupLines appends the line of the block once for each of its four words,
// which hold two lanes each. All are read, whatever the first says.
func (f *Filter) LookupLines(lines []uint64, hash uint64) []uint64 {
	block := hash >> 32 * f.blocks >> 32
	for range blockWords {
		lines = append(lines, block*blockBytes/filters.LineBytes)
	}
	return lines
}

// AddLines adds the key, and appends the line of each word that it changes.
func (f *Filter) AddLines(lines []uint64, hash uint64) ([]uint64, error) {
	lines = f.LookupLines(lines, hash)
	return lines, f.AddHash(hash)
}
