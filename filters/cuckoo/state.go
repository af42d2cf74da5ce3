package cuckoo

import (
	"bytes"
	"fmt"

	"filterbench/filters"
)

// Merge adds the fingerprints of another filter of the same buckets. Where they
// come to lie depends on the order of adds, what the filter answers does not.
// It takes as much memory again as the filter has, to undo what does not fit.
func (f *Filter) Merge(other filters.Filter) error {
	o, ok := other.(*Filter)
	switch {
	case !ok:
		return fmt.Errorf("%w: a cuckoo filter and %T", filters.ErrMismatch, other)
	case o.shape != f.shape:
		return fmt.Errorf("%w: cuckoo filters of %v and of %v", filters.ErrMismatch, f.shape, o.shape)
	case o.n > f.Slots()-f.n:
		return filters.ErrFull
	}
	before, data := *f, bytes.Clone(f.data)
	from := o.table
	if o == f {
		from.data = data
	}
	for bucket := range from.buckets {
		for slot := range from.slots {
			fp := from.get(bucket, slot)
			if fp == 0 {
				continue
			}
			if err := f.insert(bucket, fp, bucket*from.slots+slot); err != nil {
				*f = before
				copy(f.data, data)
				return err
			}
		}
	}
	return nil
}

func (s shape) String() string {
	kind := ""
	if s.sorted {
		kind = "semi-sorted "
	}
	return fmt.Sprintf("%d %sbuckets of %d with %d bits", s.buckets, kind, s.slots, s.fpBits)
}

// stateBytes is the size of the buckets without what loads reach behind them.
func (s shape) stateBytes() int { return int((s.bits() + 7) / 8) }

// AppendState appends the bytes of the buckets.
func (f *Filter) AppendState(dst []byte) []byte {
	return append(dst, f.data[:f.stateBytes()]...)
}

// LoadState sets an empty filter to what AppendState wrote. The number of keys
// is that of fingerprints.
func (f *Filter) LoadState(state []byte) error {
	switch {
	case f.n != 0:
		return fmt.Errorf("cuckoo filter: a state can be loaded by an empty filter only; this one has %d keys", f.n)
	case len(state) != f.stateBytes():
		return fmt.Errorf("cuckoo filter: a state of %d bytes; one of %v has %d", len(state), f.shape, f.stateBytes())
	case f.bits()%8 != 0 && state[len(state)-1]>>(f.bits()%8) != 0:
		return fmt.Errorf("cuckoo filter: bits are set behind the last bucket")
	}
	copy(f.data, state)
	n, err := f.count()
	if err != nil {
		clear(f.data)
		return err
	}
	f.n = n
	return nil
}

// count is the number of fingerprints, or an error where a bucket is not one
// that this package writes.
func (t *table) count() (n uint64, err error) {
	for bucket := range t.buckets {
		if t.sorted && !t.validSorted(bucket*t.perBucket) {
			return 0, fmt.Errorf("cuckoo filter: the semi-sorted bucket %d is not in order", bucket)
		}
		for slot := range t.slots {
			if t.get(bucket, slot) != 0 {
				n++
			}
		}
	}
	return n, nil
}
