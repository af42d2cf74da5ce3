package filters

import "fmt"

// Design is a filter on paper: sized, with every parameter resolved and its
// cost and error known, but with nothing allocated.
type Design struct {
	Spec Spec
	N    uint64 // keys it is sized for
	// What it was sized by: bits per key, or a false-positive rate; the other
	// is 0.
	AskedBits, AskedFPR float64
	// Params are resolved by the sizing: m (bits of the array, before padding),
	// k (probes), f (fingerprint bits), ...
	Params []Param
	// SizeBits is what the filter will allocate for N keys, padding included;
	// 0 where it depends on the keys (set, array).
	SizeBits uint64
	Model    Model
	// Lines is the expected number of distinct lines of 64 bytes that a lookup
	// reads, for a key that is present and one that is absent.
	Lines func(present bool) float64
	// NewHashed makes the empty filter; nil for families that are keyed only,
	// which have NewKeyed instead. They fail if the memory is not to be had.
	NewHashed func() (Hashed, error)
	NewKeyed  func() (Keyed, error)
}

// Param is a resolved parameter of a design, such as k=7.
type Param struct {
	Name  string
	Value uint64
}

// Param returns the named parameter.
func (d Design) Param(name string) (value uint64, ok bool) {
	for _, p := range d.Params {
		if p.Name == name {
			return p.Value, true
		}
	}
	return 0, false
}

// BitsPerKey is SizeBits over N.
func (d Design) BitsPerKey() float64 { return float64(d.SizeBits) / float64(d.N) }

// String is the spec with its resolved parameters, such as
// "blocked:block=64,k=auto m=9600000 k=6".
func (d Design) String() string {
	s := d.Spec.String()
	for _, p := range d.Params {
		s += fmt.Sprintf(" %s=%d", p.Name, p.Value)
	}
	return s
}

// Keyed makes the filter over the bytes of keys; a hashed family hashes them
// with its hash function and the seed.
func (d Design) Keyed(seed uint64) (Keyed, error) {
	if d.NewKeyed != nil {
		return d.NewKeyed()
	}
	f, err := d.NewHashed()
	if err != nil {
		return nil, err
	}
	return WithHash(f, d.Spec.Family.Hash, seed), nil
}

// Model is what theory says of a design's false-positive rate.
type Model struct {
	// FPR is the expected rate after n keys, over keys, hashes and filters;
	// nil where the family is exact or has no model.
	FPR func(n uint64) float64
	// SD is the standard deviation of the rate between filters that hold
	// different keys, absolute.
	SD func(n uint64) float64
	// MinN and MaxN bound the number of keys for which the model is meant to
	// hold; MaxN 0 is no bound. Tolerance is the relative error that the
	// formula itself admits there, beside chance: 0 where it is exact.
	MinN, MaxN uint64
	Tolerance  float64
	// Why says where bounds and tolerance come from, one line.
	Why string
}

// Holds reports whether the model is meant to hold after n keys.
func (m Model) Holds(n uint64) bool {
	return m.FPR != nil && n >= m.MinN && (m.MaxN == 0 || n <= m.MaxN)
}
