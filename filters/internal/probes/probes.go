// Package probes computes where the bits or counters of a key are, from one
// 64-bit hash.
package probes

import "filterbench/filters/hashing"

// Walk is the sequence of a key's positions by double hashing. All kinds of
// steps share one recurrence, x += y, y += z, z += c: the kind decides what is
// zero.
type Walk struct{ X, Y, Z, C uint64 }

// Enhanced begins the walk of a hash with a step that grows: enhanced double
// hashing (Dillinger and Manolios, FMCAD 2004). The first position is the hash,
// the first step a second mix of it.
func Enhanced(hash uint64) Walk { return EnhancedFrom(hash, hashing.Mix(hash)) }

// EnhancedFrom is Enhanced of two words. The paper adds 1, 2, 3, ... to the
// step; here, where 1 would be lost below one position, it is multiples of the
// golden section.
func EnhancedFrom(h1, h2 uint64) Walk {
	return Walk{X: h1, Y: h2, Z: hashing.Golden, C: hashing.Golden}
}

// At is the walk's position among m. The words are fractions of the array, 2^64
// to the whole (Lemire 2019).
func (w Walk) At(m uint64) uint64 { return hashing.Reduce(w.X, m) }

// Next is the walk one step on. It is a value, not a method that changes w, so
// that the compiler keeps the words in registers.
func (w Walk) Next() Walk { return Walk{w.X + w.Y, w.Y + w.Z, w.Z + w.C, w.C} }

// EnhancedExcess bounds what enhanced double hashing adds to the false-positive
// rate of n keys over m positions, absolute. Two walks that coincide in their
// first two positions, with chance 1/m^2, have their words so close that they
// may coincide in all; the other half is for those that do in all but a few
// (Kirsch and Mitzenmacher, ESA 2006, section 4, have the order; the constant is
// held against simulation by the tests of package bloom).
func EnhancedExcess(n, m uint64) float64 { return 2 * float64(n) / float64(m) / float64(m) }
