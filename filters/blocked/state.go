package blocked

import (
	"fmt"

	"filterbench/filters"
	"filterbench/filters/internal/state"
)

// Merge adds the keys of another filter of the same blocks and k.
func (f *Filter) Merge(other filters.Filter) error {
	o, ok := other.(*Filter)
	if !ok {
		return fmt.Errorf("%w: a blocked filter and %T", filters.ErrMismatch, other)
	}
	if o.blocks != f.blocks || o.log2 != f.log2 || o.k != f.k {
		return fmt.Errorf("%w: blocked filters of %s and of %s", filters.ErrMismatch, f.geometry(), o.geometry())
	}
	for i, w := range o.words {
		f.words[i] |= w
	}
	f.n += o.n
	return nil
}

func (f *Filter) geometry() string {
	return fmt.Sprintf("%d blocks of %d bytes, k=%d", f.blocks, 8<<f.log2, f.k)
}

// bytes is the size of all blocks, without the padding behind them.
func (f *Filter) bytes() uint64 { return f.blocks << (f.log2 + 3) }

// AppendState appends the number of keys, 8 bytes, and the blocks.
func (f *Filter) AppendState(dst []byte) []byte {
	return state.Append(dst, f.n, f.words, f.bytes())
}

// LoadState sets the filter to what AppendState wrote.
func (f *Filter) LoadState(snapshot []byte) error {
	n, array, err := state.Split(snapshot, f.bytes())
	if err != nil {
		return err
	}
	if err := array.CheckBits(n, 8*f.bytes(), f.k); err != nil {
		return err
	}
	array.CopyTo(f.words)
	f.n = n
	return nil
}
