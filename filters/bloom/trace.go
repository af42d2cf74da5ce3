package bloom

import "filterbench/filters/hashing"

// Memory is the array of bits.
func (f *Filter) Memory() []uint64 { return f.bits.Words }

// LookupLines appends the line of each probe up to the first zero, as batches
// read them. (Lookups of single keys read up to two more.)
func (f *Filter) LookupLines(lines []uint64, hash uint64) []uint64 {
	return f.bits.LookupLines(lines, f.k, f.positions(hash))
}

// AddLines adds the key, and appends the line of each of its bits.
func (f *Filter) AddLines(lines []uint64, hash uint64) ([]uint64, error) {
	f.n++
	return f.bits.AddLines(lines, f.k, f.positions(hash)), nil
}

// positions gives the positions of a key, one at each call.
func (f *Filter) positions(hash uint64) func() uint64 {
	if f.step == independent {
		i := uint64(0)
		return func() uint64 {
			at := f.reduce(hashing.Mix(hash + i*hashing.Golden))
			i++
			return at
		}
	}
	w := f.start(hash)
	return func() uint64 { return f.next(&w) }
}
