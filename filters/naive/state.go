package naive

import (
	"fmt"

	"filterbench/filters"
)

// Merge adds the keys of another filter of the same m and k.
func (f *Filter) Merge(other filters.Filter) error {
	o, ok := other.(*Filter)
	if !ok {
		return fmt.Errorf("%w: a naive filter and %T", filters.ErrMismatch, other)
	}
	if o.bits.M != f.bits.M || o.k != f.k {
		return fmt.Errorf("%w: naive filters of m=%d k=%d and of m=%d k=%d", filters.ErrMismatch, f.bits.M, f.k, o.bits.M, o.k)
	}
	f.bits.Or(&o.bits)
	f.n += o.n
	return nil
}

// AppendState appends the number of keys, 8 bytes, and the bitmap.
func (f *Filter) AppendState(dst []byte) []byte { return f.bits.AppendState(dst, f.n) }

// LoadState sets the filter to what AppendState wrote.
func (f *Filter) LoadState(state []byte) error {
	n, err := f.bits.LoadState(state, f.k)
	if err != nil {
		return err
	}
	f.n = n
	return nil
}
