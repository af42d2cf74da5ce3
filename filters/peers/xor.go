package peers

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"filterbench/filters"
	"filterbench/filters/memory"
	"filterbench/filters/theory"

	"github.com/FastFilter/xorfilter"
)

const xorSource = "github.com/FastFilter/xorfilter (2026-01-20); Graf and Lemire, "

// Xor8 is the xor filter of FastFilter.
var Xor8 = &filters.Family{
	Name:        "peer-xor8",
	Summary:     "FastFilter's static xor filter: three 8-bit fingerprints a lookup, 9.84 bits per key, 0.39 %",
	Source:      xorSource + "Xor filters, ACM JEA 25 (2020)",
	Static:      true,
	NanosPerKey: 5,
	ForBits:     func(_ filters.Spec, n uint64, bits float64) (filters.Design, error) { return xor8.forBits(n, bits) },
	ForFPR:      func(_ filters.Spec, n uint64, p float64) (filters.Design, error) { return xor8.forFPR(n, p) },
}

// Fuse8 is the binary fuse filter of FastFilter.
var Fuse8 = &filters.Family{
	Name:        "peer-fuse8",
	Summary:     "FastFilter's static binary fuse filter: three 8-bit fingerprints close together, 9.04 bits per key, 0.39 %",
	Source:      xorSource + "Binary fuse filters: fast and smaller than xor filters, ACM JEA 27 (2022)",
	Static:      true,
	NanosPerKey: 5,
	ForBits:     func(_ filters.Spec, n uint64, bits float64) (filters.Design, error) { return fuse8.forBits(n, bits) },
	ForFPR:      func(_ filters.Spec, n uint64, p float64) (filters.Design, error) { return fuse8.forFPR(n, p) },
}

// static is a kind of filter whose size follows from the number of keys.
type static struct {
	slots func(n uint64) uint64 // 8-bit fingerprints for n distinct keys
	make  func() filters.Hashed
}

var (
	xor8 = static{
		slots: func(n uint64) uint64 { return (32 + uint64(math.Ceil(1.23*float64(n)))) / 3 * 3 },
		make:  func() filters.Hashed { return new(xor8Filter) },
	}
	fuse8 = static{
		slots: func(n uint64) uint64 { return theory.FuseSlots(n, 3) },
		make:  func() filters.Hashed { return new(fuse8Filter) },
	}
)

const fingerprintBits = 8

func (s static) forBits(n uint64, bits float64) (filters.Design, error) {
	if size := fingerprintBits * s.slots(n); float64(size) > float64(n)*bits {
		return filters.Design{}, needs(size, n, bits)
	}
	return s.design(n)
}

func (s static) forFPR(n uint64, p float64) (filters.Design, error) {
	if least := theory.XorFPR(fingerprintBits); p < least {
		return filters.Design{}, fmt.Errorf("a rate of %v is asked for; with 8-bit fingerprints it is %v", p, least)
	}
	return s.design(n)
}

func (s static) design(n uint64) (filters.Design, error) {
	slots := s.slots(n)
	if slots > math.MaxUint32 {
		return filters.Design{}, tooLarge(float64(fingerprintBits*slots), fingerprintBits*math.MaxUint32)
	}
	d := filters.Design{
		N:      n,
		Params: []filters.Param{{Name: "m", Value: fingerprintBits * slots}, {Name: "f", Value: fingerprintBits}},
		Model: filters.Model{
			FPR: func(n uint64) float64 {
				if n == 0 {
					return 0
				}
				return theory.XorFPR(fingerprintBits)
			},
			SD:   func(uint64) float64 { return 0 }, // whatever the slots hold, a query's fingerprint is uniform
			MinN: 1,
			Why:  "a query's fingerprint is uniform, and independent of its slots",
		},
		Lines: func(bool) float64 { return 3 },
	}
	return hashed(d, fingerprintBits*slots, func() (filters.Hashed, error) { return s.make(), nil }), nil
}

// distinct is the sorted hashes without repeats, ready for a filter that is
// built once: repeats make the peers retry, and sort the caller's keys.
// Building takes about 64 bytes a key.
func (a *account) distinct(hashes []uint64) ([]uint64, error) {
	if a.n > 0 {
		return nil, filters.ErrStatic
	}
	if err := memory.Check(64 * uint64(len(hashes))); err != nil {
		return nil, err
	}
	keys := slices.Clone(hashes)
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// built accounts for what was built.
func (a *account) built(hashes, slots int) (int, error) {
	a.n, a.bits = uint64(hashes), fingerprintBits*uint64(slots)
	return hashes, nil
}

// xor8Filter has no filter as long as it is empty.
type xor8Filter struct {
	account
	filter *xorfilter.Xor8
}

func (f *xor8Filter) AddHash(uint64) error { return filters.ErrStatic }

func (f *xor8Filter) ContainsHash(hash uint64) bool {
	return f.filter != nil && f.filter.Contains(hash)
}

func (f *xor8Filter) AddHashes(hashes []uint64) (int, error) {
	keys, err := f.distinct(hashes)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	if f.filter, err = xorfilter.Populate(keys); err != nil {
		return 0, err
	}
	return f.built(len(hashes), len(f.filter.Fingerprints))
}

func (f *xor8Filter) ContainsHashes(hashes []uint64, out []uint64) (hits int) {
	clear(out[:filters.BitsetLen(len(hashes))])
	if f.filter == nil {
		return 0
	}
	for from := 0; from < len(hashes); from += 64 {
		var word uint64
		for i, h := range hashes[from:min(from+64, len(hashes))] {
			word |= bit(f.filter.Contains(h)) << i
		}
		out[from/64] = word
		hits += bits.OnesCount64(word)
	}
	return hits
}

func (f *xor8Filter) CountHashes(hashes []uint64) (hits int) {
	if f.filter == nil {
		return 0
	}
	for _, h := range hashes {
		hits += int(bit(f.filter.Contains(h)))
	}
	return hits
}

// fuse8Filter has no filter as long as it is empty: one built from no keys says
// "maybe" to every 256th query.
type fuse8Filter struct {
	account
	filter *xorfilter.BinaryFuse8
}

func (f *fuse8Filter) AddHash(uint64) error { return filters.ErrStatic }

func (f *fuse8Filter) ContainsHash(hash uint64) bool {
	return f.filter != nil && f.filter.Contains(hash)
}

func (f *fuse8Filter) AddHashes(hashes []uint64) (int, error) {
	keys, err := f.distinct(hashes)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	if f.filter, err = xorfilter.PopulateBinaryFuse8(keys); err != nil {
		return 0, err
	}
	return f.built(len(hashes), len(f.filter.Fingerprints))
}

func (f *fuse8Filter) ContainsHashes(hashes []uint64, out []uint64) (hits int) {
	clear(out[:filters.BitsetLen(len(hashes))])
	if f.filter == nil {
		return 0
	}
	for from := 0; from < len(hashes); from += 64 {
		var word uint64
		for i, h := range hashes[from:min(from+64, len(hashes))] {
			word |= bit(f.filter.Contains(h)) << i
		}
		out[from/64] = word
		hits += bits.OnesCount64(word)
	}
	return hits
}

func (f *fuse8Filter) CountHashes(hashes []uint64) (hits int) {
	if f.filter == nil {
		return 0
	}
	for _, h := range hashes {
		hits += int(bit(f.filter.Contains(h)))
	}
	return hits
}
