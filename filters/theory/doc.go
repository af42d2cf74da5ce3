// Package theory holds the closed forms of approximate-membership filters:
// how large they must be, how often they err, and how far two filters of the
// same design lie apart. Every function is pure and names its source.
//
// n counts keys, m bits, k probes (bits that a key sets and a lookup tests), p
// is a false-positive rate (FPR) between 0 and 1, never percent. Models take
// the hash to be uniform and the probes to be independent; where a real scheme
// departs from that, its own package says so.
//
// Sizes and probe counts come out the same on every CPU. What decides them is
// either math/big or float64 arithmetic whose products are rounded explicitly,
// because some CPUs fuse a multiplication with the addition behind it and
// libm's functions differ in their last bit.
package theory
