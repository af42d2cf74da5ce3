package exact

import (
	"bytes"
	"slices"

	"filterbench/filters"
)

// Array describes the sorted array to the registry.
var Array = &filters.Family{
	Name:        "array",
	Summary:     "an exact sorted array of the keys with binary search: the other baseline of the texts",
	Source:      "Knuth, The Art of Computer Programming 3, section 6.2.1",
	KeyedOnly:   true,
	Static:      true,
	Exact:       true,
	NanosPerKey: 200,
	ForBits: func(_ filters.Spec, n uint64, _ float64) (filters.Design, error) {
		return exactDesign(n, func() (filters.Keyed, error) { return &SortedArray{}, nil }), nil
	},
	ForFPR: func(_ filters.Spec, n uint64, _ float64) (filters.Design, error) {
		return exactDesign(n, func() (filters.Keyed, error) { return &SortedArray{}, nil }), nil
	},
}

// SortedArray is an exact set of keys, their bytes in one buffer in sorted
// order and 4 bytes a key to find them.
type SortedArray struct {
	keys filters.Keys
	n    uint64
}

// Len is the number of keys added, repeats included.
func (a *SortedArray) Len() uint64 { return a.n }

// SizeBits is the buffer and the index.
func (a *SortedArray) SizeBits() uint64 { return 8 * uint64(a.keys.Bytes()+4*a.keys.Len()) }

// Add fails: the array is sorted once, by AddKeys.
func (a *SortedArray) Add([]byte) error { return filters.ErrStatic }

// AddKeys sorts the keys into the array, which must be empty; repeats are kept
// once.
func (a *SortedArray) AddKeys(keys *filters.Keys) (int, error) {
	if a.n > 0 {
		return 0, filters.ErrStatic
	}
	order := make([]uint32, keys.Len())
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(i, j uint32) int { return bytes.Compare(keys.At(int(i)), keys.At(int(j))) })
	order = slices.CompactFunc(order, func(i, j uint32) bool { return bytes.Equal(keys.At(int(i)), keys.At(int(j))) })
	total := 0
	for _, i := range order {
		total += len(keys.At(int(i)))
	}
	a.keys.Grow(len(order), total)
	for _, i := range order {
		a.keys.Append(keys.At(int(i)))
	}
	a.n = uint64(keys.Len())
	return keys.Len(), nil
}

// Contains reports whether the key was added.
func (a *SortedArray) Contains(key []byte) bool {
	lo, hi := 0, a.keys.Len()
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		switch bytes.Compare(a.keys.At(mid), key) {
		case 0:
			return true
		case -1:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return false
}

// ContainsKeys looks up all keys.
func (a *SortedArray) ContainsKeys(keys *filters.Keys, out []uint64) int {
	return containsKeys(a, keys, out)
}

// CountKeys counts the keys that are there.
func (a *SortedArray) CountKeys(keys *filters.Keys) (hits int) {
	for i := range keys.Len() {
		if a.Contains(keys.At(i)) {
			hits++
		}
	}
	return hits
}
