//go:build !linux

package counters

// Counter counts nothing on this system.
type Counter struct{}

// Open says that there are no counters.
func Open() (*Counter, error) { return nil, &unavailable{"not on this system"} }

// Count is never called, as there is no Counter.
func (c *Counter) Count(do func()) (Counts, error) { return Counts{}, ErrNone }

// Close does nothing.
func (c *Counter) Close() {}
