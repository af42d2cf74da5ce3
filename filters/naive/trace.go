package naive

// Memory is the array of bits.
func (f *Filter) Memory() []uint64 { return f.bits.Words }

// LookupLines appends the line of each probe up to the first zero.
func (f *Filter) LookupLines(lines []uint64, key []byte) []uint64 {
	return f.bits.LookupLines(lines, f.k, f.positions(key))
}

// AddLines adds the key, and appends the line of each of its bits.
func (f *Filter) AddLines(lines []uint64, key []byte) ([]uint64, error) {
	f.n++
	return f.bits.AddLines(lines, f.k, f.positions(key)), nil
}

func (f *Filter) positions(key []byte) func() uint64 {
	i := -1
	return func() uint64 {
		i++
		return Position(key, i, f.bits.M)
	}
}
