package rocksdb

// Memory is the filter's lines.
func (f *Filter) Memory() []uint64 { return f.words }

// LookupLines appends the key's line once for each probe. All are read, whatever
// the first says.
func (f *Filter) LookupLines(lines []uint64, hash uint64) []uint64 {
	line := uint64(uint32(hash)) * uint64(f.lines) >> 32
	for range f.k {
		lines = append(lines, line)
	}
	return lines
}

// AddLines adds the key, and appends its line once for each of its bits.
func (f *Filter) AddLines(lines []uint64, hash uint64) ([]uint64, error) {
	lines = f.LookupLines(lines, hash)
	return lines, f.AddHash(hash)
}
