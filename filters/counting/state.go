package counting

import (
	"fmt"

	"filterbench/filters"
	"filterbench/filters/internal/state"
)

// Merge adds the keys of another filter of the same counters and k. A sum that
// is too large for its counter is stuck, as it would be after adding the keys.
func (f *Filter) Merge(other filters.Filter) error {
	o, ok := other.(*Filter)
	if !ok {
		return fmt.Errorf("%w: a counting filter and %T", filters.ErrMismatch, other)
	}
	if o.m != f.m || o.k != f.k || o.width != f.width {
		return fmt.Errorf("%w: counting filters of m=%d k=%d with %d bits and of m=%d k=%d with %d bits",
			filters.ErrMismatch, f.m, f.k, 1<<f.width, o.m, o.k, 1<<o.width)
	}
	for i, w := range o.words {
		var sums uint64
		for shift := uint(0); shift < 64; shift += 1 << f.width {
			sums |= min(f.max, f.words[i]>>shift&f.max+w>>shift&f.max) << shift
		}
		f.words[i] = sums
	}
	f.n += o.n
	return nil
}

// AppendState appends the number of keys, 8 bytes, and the counters: counter i
// of 4 bits is in byte i/2, the even ones in the low half.
func (f *Filter) AppendState(dst []byte) []byte {
	return state.Append(dst, f.n, f.words, arrayBytes(f.m, f.width))
}

// LoadState sets the filter to what AppendState wrote.
func (f *Filter) LoadState(snapshot []byte) error {
	n, array, err := state.Split(snapshot, arrayBytes(f.m, f.width))
	if err != nil {
		return err
	}
	if err := f.checkCounters(n, array); err != nil {
		return err
	}
	array.CopyTo(f.words)
	f.n = n
	return nil
}

// checkCounters says why no filter of n keys can have the counters, or nil.
// While none is stuck they add up to k for each key, whatever was deleted.
func (f *Filter) checkCounters(n uint64, array state.Words) error {
	var sum, stuck uint64
	for i := range array.Len() {
		for w := array.At(i); w != 0; w >>= 1 << f.width {
			if sum += w & f.max; w&f.max == f.max {
				stuck++
			}
		}
	}
	end, shift := f.locate(f.m)
	switch {
	case end < uint64(array.Len()) && array.At(int(end))>>shift != 0:
		return fmt.Errorf("counters are set behind the last, counter %d", f.m-1)
	case stuck == 0 && (sum%uint64(f.k) != 0 || sum/uint64(f.k) != n):
		return fmt.Errorf("the counters add up to %d after %d keys with %d each", sum, n, f.k)
	}
	return nil
}
