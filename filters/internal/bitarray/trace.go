package bitarray

import "filterbench/filters"

const lineBits = 8 * filters.LineBytes

// LookupLines appends the lines of a lookup in a Bloom filter: those of the
// positions, which at gives one after the other, up to the first bit that is 0.
func (a *Array) LookupLines(lines []uint64, k int, at func() uint64) []uint64 {
	for range k {
		i := at()
		lines = append(lines, i/lineBits)
		if !a.Get(i) {
			break
		}
	}
	return lines
}

// AddLines sets the bits of k positions, and appends their lines.
func (a *Array) AddLines(lines []uint64, k int, at func() uint64) []uint64 {
	for range k {
		i := at()
		lines = append(lines, i/lineBits)
		a.Set(i)
	}
	return lines
}
