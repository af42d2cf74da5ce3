package peers

import (
	"fmt"
	"math"
	"math/bits"

	"filterbench/filters"
	"filterbench/filters/theory"

	"github.com/seiflotfy/cuckoofilter"
)

// Seiflotfy is the cuckoo filter of seiflotfy. An add to a full filter is
// refused, but it has put the new key in the place of another one, which is
// lost. So it is sized with some slots to spare.
var Seiflotfy = &filters.Family{
	Name:        "peer-seiflotfy",
	Summary:     "seiflotfy's cuckoo filter: 8-bit fingerprints, 4 to a bucket, a power of two of buckets, random kicks",
	Source:      "github.com/seiflotfy/cuckoofilter (2024-07-15); Fan, Andersen, Kaminsky and Mitzenmacher, CoNEXT 2014",
	KeyedOnly:   true,
	Sampled:     true,
	NanosPerKey: 20,
	ForBits: func(_ filters.Spec, n uint64, bits float64) (filters.Design, error) {
		buckets := bucketsFor(n, seiflotfyRoom)
		if size := 32 * buckets; float64(size) > float64(n)*bits {
			return filters.Design{}, needs(size, n, bits)
		}
		for float64(2*32*buckets) <= float64(n)*bits {
			buckets *= 2
		}
		return seiflotfyDesign(n, buckets)
	},
	ForFPR: func(_ filters.Spec, n uint64, p float64) (filters.Design, error) {
		buckets := bucketsFor(n, seiflotfyRoom)
		for theory.CuckooExact(n, buckets, 8) > p {
			if 32*buckets > filters.MaxBitsPerKey*n {
				return filters.Design{}, fmt.Errorf("no size up to %d bits per key gives a rate of %v with 8-bit fingerprints", filters.MaxBitsPerKey, p)
			}
			buckets *= 2
		}
		return seiflotfyDesign(n, buckets)
	},
}

// seiflotfyRoom is how many keys go into a number of buckets with nothing
// refused: 95.5 % of the slots, as for a million keys in 2^20, less what they
// vary by in small filters.
func seiflotfyRoom(buckets uint64) uint64 {
	slots := float64(slotsPerBucket * buckets)
	return uint64(max(1, 0.955*slots-1.25*math.Sqrt(slots)))
}

func seiflotfyDesign(n, buckets uint64) (filters.Design, error) {
	if buckets > 1<<32 {
		return filters.Design{}, tooLarge(32*float64(buckets), 32<<32)
	}
	d := filters.Design{
		N:      n,
		Params: []filters.Param{{Name: "m", Value: 32 * buckets}, {Name: "f", Value: 8}, {Name: "b", Value: slotsPerBucket}},
		Model:  cuckooModel(buckets, 8, seiflotfyRoom(buckets)),
		Lines:  seiflotfyLines(n, buckets),
	}
	return keyed(d, 32*buckets, func() (filters.Keyed, error) {
		return &seiflotfyFilter{account{bits: 32 * buckets}, cuckoo.NewFilter(uint(slotsPerBucket * buckets))}, nil
	}), nil
}

// seiflotfyLines is two buckets for an absent key. A present one is found in its
// first bucket unless that was full, or it was kicked on: about half of the load
// to the 4th power of them (measured, see TestSecondBuckets).
func seiflotfyLines(n, buckets uint64) func(present bool) float64 {
	load := min(1, float64(n)/float64(slotsPerBucket*buckets))
	return func(present bool) float64 {
		if present {
			return 1 + load*load*load*load/2
		}
		return 2
	}
}

type seiflotfyFilter struct {
	account
	filter *cuckoo.Filter
}

func (f *seiflotfyFilter) Add(key []byte) error {
	if !f.filter.Insert(key) {
		return filters.ErrFull
	}
	f.n++
	return nil
}

func (f *seiflotfyFilter) Contains(key []byte) bool { return f.filter.Lookup(key) }

func (f *seiflotfyFilter) AddKeys(keys *filters.Keys) (taken int, err error) {
	for i := range keys.Len() {
		if !f.filter.Insert(keys.At(i)) {
			return i, filters.ErrFull
		}
		f.n++
	}
	return keys.Len(), nil
}

func (f *seiflotfyFilter) ContainsKeys(keys *filters.Keys, out []uint64) (hits int) {
	for from := 0; from < keys.Len(); from += 64 {
		var word uint64
		for i := range min(64, keys.Len()-from) {
			word |= bit(f.filter.Lookup(keys.At(from+i))) << i
		}
		out[from/64] = word
		hits += bits.OnesCount64(word)
	}
	return hits
}

func (f *seiflotfyFilter) CountKeys(keys *filters.Keys) (hits int) {
	for i := range keys.Len() {
		hits += int(bit(f.filter.Lookup(keys.At(i))))
	}
	return hits
}
