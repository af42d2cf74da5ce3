// Package exact holds the structures that the texts compare filters against:
// a hash set and a sorted array. They never err, and they keep the keys.
package exact

import "filterbench/filters"

// Set describes the hash set to the registry.
var Set = &filters.Family{
	Name:        "set",
	Summary:     "an exact hash set, Go's map[string]struct{}: the baseline of the texts",
	Source:      "the Go runtime's Swiss-table map (since Go 1.24)",
	KeyedOnly:   true,
	Exact:       true,
	NanosPerKey: 18,
	ForBits: func(_ filters.Spec, n uint64, _ float64) (filters.Design, error) {
		return exactDesign(n, func() (filters.Keyed, error) { return NewSet(n), nil }), nil
	},
	ForFPR: func(_ filters.Spec, n uint64, _ float64) (filters.Design, error) {
		return exactDesign(n, func() (filters.Keyed, error) { return NewSet(n), nil }), nil
	},
}

func exactDesign(n uint64, make func() (filters.Keyed, error)) filters.Design {
	return filters.Design{
		N: n,
		Model: filters.Model{
			FPR:  func(uint64) float64 { return 0 },
			SD:   func(uint64) float64 { return 0 },
			MinN: 1,
			Why:  "it keeps the keys",
		},
		NewKeyed: make,
	}
}

// HashSet is an exact set of keys.
type HashSet struct {
	keys  map[string]struct{}
	n     uint64
	bytes uint64 // of the distinct keys
}

// NewSet makes an empty set with room for n keys.
func NewSet(n uint64) *HashSet {
	return &HashSet{keys: make(map[string]struct{}, min(n, 1<<32))}
}

// Len is the number of keys added, repeats included.
func (s *HashSet) Len() uint64 { return s.n }

// SizeBits estimates what the runtime allocated: a slot of 24 bytes (a string
// header, and padding behind the empty value) and a control byte each, the
// slots a power of two and at most 7/8 full, and the bytes of the keys. The
// runtime does not tell; the memory experiment measures it instead.
func (s *HashSet) SizeBits() uint64 {
	slots := uint64(8)
	for slots*7/8 < uint64(len(s.keys)) {
		slots *= 2
	}
	return 8 * (slots*25 + s.bytes)
}

// Add inserts a copy of the key.
func (s *HashSet) Add(key []byte) error {
	s.n++
	if _, ok := s.keys[string(key)]; !ok {
		s.keys[string(key)] = struct{}{}
		s.bytes += uint64(len(key))
	}
	return nil
}

// Contains reports whether the key was added.
func (s *HashSet) Contains(key []byte) bool {
	_, ok := s.keys[string(key)]
	return ok
}

// AddKeys adds all keys.
func (s *HashSet) AddKeys(keys *filters.Keys) (int, error) {
	for i := range keys.Len() {
		s.Add(keys.At(i))
	}
	return keys.Len(), nil
}

// ContainsKeys looks up all keys.
func (s *HashSet) ContainsKeys(keys *filters.Keys, out []uint64) int {
	return containsKeys(s, keys, out)
}

// CountKeys counts the keys that are there.
func (s *HashSet) CountKeys(keys *filters.Keys) (hits int) {
	for i := range keys.Len() {
		if s.Contains(keys.At(i)) {
			hits++
		}
	}
	return hits
}

// containsKeys answers a batch with one lookup after the other.
func containsKeys[T interface{ Contains([]byte) bool }](t T, keys *filters.Keys, out []uint64) (hits int) {
	clear(out[:filters.BitsetLen(keys.Len())])
	for i := range keys.Len() {
		if t.Contains(keys.At(i)) {
			out[i/64] |= 1 << (i % 64)
			hits++
		}
	}
	return hits
}
