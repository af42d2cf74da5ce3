// Package counters reads the CPU's own counts of cache misses, where the kernel
// gives them to a program. Virtual machines mostly have none.
package counters

import (
	"errors"
	"sync"
)

// Counts are what the hardware counted of one thread in user mode.
type Counts struct {
	L1Misses   uint64 // loads that missed the first data cache
	LastMisses uint64 // accesses that missed the last cache
}

// ErrNone says that there are no counters; errors wrap it with the reason.
var ErrNone = errors.New("no hardware counters")

// probed is whether this process can count, found out once.
var probed = sync.OnceValue(func() error {
	c, err := Open()
	if err == nil {
		c.Close()
	}
	return err
})

// Available says why nothing can be counted, or nil.
func Available() error { return probed() }

// Describe is one line for the results' configuration: "available", or
// "unavailable (no such file or directory)".
func Describe() string {
	err := Available()
	if err == nil {
		return "available"
	}
	var why *unavailable
	if errors.As(err, &why) {
		return "unavailable (" + why.reason + ")"
	}
	return "unavailable (" + err.Error() + ")"
}

// unavailable is ErrNone with its reason.
type unavailable struct{ reason string }

func (e *unavailable) Error() string        { return ErrNone.Error() + ": " + e.reason }
func (e *unavailable) Is(target error) bool { return target == ErrNone }
