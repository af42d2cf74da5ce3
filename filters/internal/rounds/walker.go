package rounds

import (
	"filterbench/filters/hashing"
	"filterbench/filters/internal/probes"
)

// Walker is how keys walk through m fields, k of them each, by double hashing.
type Walker struct {
	words *uint64 // the fields
	m, k  uint64
	width uint64 // log2 of the bits in a field
	most  uint64 // the largest value of a field, at which it is stuck
	// All kinds of steps share one form: the step is a second mix of the hash, made
	// odd in units of 2^shift where low is 1, and z and c are its changes, as in
	// probes.Walk.
	shift, low, z, c uint64
}

// NewWalker walks with constant steps through m fields of 2^width bits.
func NewWalker(m uint64, k int, width uint) Walker {
	return Walker{m: m, k: uint64(k), width: uint64(width), most: 1<<(1<<width) - 1}
}

// Odd makes the steps odd in units of 2^shift.
func (w Walker) Odd(shift uint) Walker {
	w.shift, w.low = uint64(shift), 1
	return w
}

// Enhanced lets the steps grow, as probes.Enhanced does.
func (w Walker) Enhanced() Walker {
	e := probes.EnhancedFrom(0, 0)
	w.z, w.c = e.Z, e.C
	return w
}

// Start begins the walk of two words, the hash and its mix.
func (w *Walker) Start(h1, h2 uint64) probes.Walk {
	return probes.Walk{X: h1, Y: w.odd(h2), Z: w.z, C: w.c}
}

// odd makes a step odd where that is asked for.
func (w *Walker) odd(h2 uint64) uint64 { return (h2>>(w.shift&63) | w.low) << (w.shift & 63) }

// step is the first step of a hash.
func (w *Walker) step(hash uint64) uint64 { return w.odd(hashing.Mix(hash)) }

// field is where the field at a position begins, in bits.
func (w *Walker) field(at uint64) uint64 { return at << (w.width & 63) }
