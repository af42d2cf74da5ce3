package filters

import (
	"errors"
	"fmt"
)

// ErrMismatch is returned by a merge of filters that do not fit together. The
// receiver is as it was.
var ErrMismatch = errors.New("the filters do not fit together")

// Merge adds the keys of from to into, keyed filters or hashed ones, if into is
// a Merger. Filters made by WithHash must have the same hash and seed: the bits
// of a key that was hashed otherwise mean nothing here.
func Merge(into, from Filter) error {
	a, aKeyed := into.(*hashedKeys)
	b, bKeyed := from.(*hashedKeys)
	switch {
	case aKeyed != bKeyed:
		return fmt.Errorf("%w: one takes keys, the other hashes", ErrMismatch)
	case aKeyed && (a.hash != b.hash || a.seed != b.seed):
		return fmt.Errorf("%w: keys hashed by %s with seed %d, and by %s with seed %d", ErrMismatch, a.hash, a.seed, b.hash, b.seed)
	case aKeyed:
		into, from = a.Hashed, b.Hashed
	}
	m, ok := into.(Merger)
	if !ok {
		return fmt.Errorf("%w: %T cannot be merged", ErrMismatch, into)
	}
	return m.Merge(from)
}
