// Package peers measures filters that others have published for Go beside the
// filters of this program. Each adapter leaves the peer as it is: its sizing,
// its rounding of the number of probes, its locks, its faults. What it adds is
// the loop over a batch of keys, so that the calls to the peer are direct ones.
//
// A peer allocates its memory on Go's heap by itself. SizeBits counts the arrays
// that it asks for, and a test holds that against the growth of the heap.
package peers

import (
	"fmt"
	"math"

	"filterbench/filters"
	"filterbench/filters/memory"
)

// Families are the peers, in the order in which lists show them.
var Families = []*filters.Family{
	Parquet, Blobloom, BitsAndBlooms, Holiman, Xor8, Fuse8, Seiflotfy, Linvon,
}

// account is what every adapter knows of its peer.
type account struct {
	n    uint64 // keys accepted
	bits uint64 // allocated
}

// Len is the number of keys accepted.
func (a *account) Len() uint64 { return a.n }

// SizeBits is the size of the arrays that the peer allocated.
func (a *account) SizeBits() uint64 { return a.bits }

// bit is 1 for true: without a branch, which mixed queries would mispredict.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// hashed completes the design of a peer that takes hashes. bits is what make
// will allocate.
func hashed(d filters.Design, bits uint64, make func() (filters.Hashed, error)) filters.Design {
	d.SizeBits = bits
	d.NewHashed = func() (filters.Hashed, error) {
		if err := memory.Check(bits / 8); err != nil {
			return nil, err
		}
		return make()
	}
	return d
}

// keyed is hashed for a peer that takes the bytes of keys.
func keyed(d filters.Design, bits uint64, make func() (filters.Keyed, error)) filters.Design {
	d.SizeBits = bits
	d.NewKeyed = func() (filters.Keyed, error) {
		if err := memory.Check(bits / 8); err != nil {
			return nil, err
		}
		return make()
	}
	return d
}

// maxBits bounds the size of a peer that computes sizes in 64 bits.
const maxBits = 1 << 56

// tooLarge says that a size is beyond what a peer can address.
func tooLarge(bits, most float64) error {
	return fmt.Errorf("%.4g bits are needed; this filter can address %.4g", bits, most)
}

// needs says that a size is not the one, or the least, that a peer has.
func needs(bits, n uint64, asked float64) error {
	return fmt.Errorf("it takes %.3f bits per key for %d keys, or more; %v were asked for", math.Ceil(1000*float64(bits)/float64(n))/1000, n, asked)
}
