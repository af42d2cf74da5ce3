package bloom

import (
	"fmt"

	"filterbench/filters"
)

// Merge adds the keys of another filter of the same m, k and options.
func (f *Filter) Merge(other filters.Filter) error {
	o, ok := other.(*Filter)
	if !ok {
		return fmt.Errorf("%w: a Bloom filter and %T", filters.ErrMismatch, other)
	}
	if o.bits.M != f.bits.M || o.k != f.k || o.mod != f.mod || o.step != f.step {
		return fmt.Errorf("%w: Bloom filters of %s and of %s", filters.ErrMismatch, f.geometry(), o.geometry())
	}
	f.bits.Or(&o.bits)
	f.n += o.n
	return nil
}

func (f *Filter) geometry() string {
	index := indexes[0]
	if f.mod {
		index = indexes[1]
	}
	return fmt.Sprintf("m=%d k=%d index=%s step=%s", f.bits.M, f.k, index, steps[f.step])
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
