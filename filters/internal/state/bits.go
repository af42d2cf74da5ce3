package state

import (
	"fmt"
	"math/bits"
)

// CheckBits says why no Bloom filter of m bits that took n keys, each of which
// set from 1 to k bits, can look like this, or nil.
func (w Words) CheckBits(n, m uint64, k int) error {
	ones := uint64(0)
	for i := range w.Len() {
		ones += uint64(bits.OnesCount64(w.At(i)))
	}
	switch {
	case m%64 != 0 && w.At(w.Len()-1)>>(m%64) != 0:
		return fmt.Errorf("bits are set behind the last, bit %d", m-1)
	case n > 0 && ones == 0, (ones+uint64(k)-1)/uint64(k) > n:
		return fmt.Errorf("%d bits are set after %d keys of at most %d bits", ones, n, k)
	}
	return nil
}
