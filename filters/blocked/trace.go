package blocked

// Memory is the blocks.
func (f *Filter) Memory() []uint64 { return f.words }

// LookupLines appends the line of each probe: one line k times, or two of a
// block of 128 bytes. All are read, whatever the first says.
func (f *Filter) LookupLines(lines []uint64, hash uint64) []uint64 {
	block, g := f.locate(hash)
	first := block << f.log2 >> 3
	for range f.k {
		line := first
		if f.log2 == 4 {
			line += uint64(g >> 31) // the half of the block
		}
		lines = append(lines, line)
		g *= step
	}
	return lines
}

// AddLines adds the key, and appends the line of each of its bits.
func (f *Filter) AddLines(lines []uint64, hash uint64) ([]uint64, error) {
	lines = f.LookupLines(lines, hash)
	return lines, f.AddHash(hash)
}
