package splitblock

import (
	"fmt"

	"filterbench/filters"
	"filterbench/filters/internal/state"
)

// Merge adds the keys of another filter of as many blocks.
func (f *Filter) Merge(other filters.Filter) error {
	o, ok := other.(*Filter)
	if !ok {
		return fmt.Errorf("%w: a split-block filter and %T", filters.ErrMismatch, other)
	}
	if o.blocks != f.blocks {
		return fmt.Errorf("%w: split-block filters of %d and of %d blocks", filters.ErrMismatch, f.blocks, o.blocks)
	}
	for i, w := range o.words {
		f.words[i] |= w
	}
	f.n += o.n
	return nil
}

// Bitmap is the filter as a Parquet file stores it, without the header: the
// blocks, and in each the lanes, little-endian.
func (f *Filter) Bitmap() []byte { return f.AppendState(nil)[8:] }

// AppendState appends the number of keys, 8 bytes, and the bitmap.
func (f *Filter) AppendState(dst []byte) []byte {
	return state.Append(dst, f.n, f.words, f.blocks*blockBytes)
}

// LoadState sets the filter to what AppendState wrote, or to a number of keys
// and the bitmap of another writer of the format.
func (f *Filter) LoadState(snapshot []byte) error {
	n, array, err := state.Split(snapshot, f.blocks*blockBytes)
	if err != nil {
		return err
	}
	if err := array.CheckBits(n, f.blocks*blockBits, lanes); err != nil {
		return err
	}
	for i := 0; i < array.Len(); i += blockWords {
		used := 0
		for _, w := range []uint64{array.At(i), array.At(i + 1), array.At(i + 2), array.At(i + 3)} {
			used += min(1, int(w&0xffffffff)) + min(1, int(w>>32))
		}
		if used != 0 && used != lanes {
			return fmt.Errorf("block %d has bits in %d lanes; a key sets one in all %d", i/blockWords, used, lanes)
		}
	}
	array.CopyTo(f.words)
	f.n = n
	return nil
}
