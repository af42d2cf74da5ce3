package peers

import (
	"fmt"
	"math/bits"

	"filterbench/filters"
	"filterbench/filters/theory"

	"github.com/linvon/cuckoo-filter"
)

// Linvon is the cuckoo filter of linvon. It keeps the last key that finds no
// room, and then refuses all.
var Linvon = &filters.Family{
	Name:    "peer-linvon",
	Summary: "linvon's cuckoo filter: 4 fingerprints to a bucket, semi-sorted or not, a power of two of buckets, random kicks",
	Source:  "github.com/linvon/cuckoo-filter v0.4.0; Fan, Andersen, Kaminsky and Mitzenmacher, CoNEXT 2014, section 5.2",
	Options: []filters.Option{
		{Name: "table", Default: "packed", Values: []string{"packed", "single"}, Help: "packed saves a bit a slot by sorting buckets, beside 136 KiB of code tables for each filter; single does not"},
	},
	KeyedOnly:   true,
	Sampled:     true,
	NanosPerKey: 55,
	ForBits: func(s filters.Spec, n uint64, bits float64) (filters.Design, error) {
		t := linvonTables[s.Option("table")]
		buckets := bucketsFor(n, linvonRoom)
		if size := t.bits(buckets, t.minBits); float64(size) > float64(n)*bits {
			return filters.Design{}, needs(size, n, bits)
		}
		f := t.minBits
		for f < maxTagBits && float64(t.bits(buckets, f+1)) <= float64(n)*bits {
			f++
		}
		return t.design(n, buckets, f)
	},
	ForFPR: func(s filters.Spec, n uint64, p float64) (filters.Design, error) {
		t := linvonTables[s.Option("table")]
		buckets := bucketsFor(n, linvonRoom)
		for f := t.minBits; f <= maxTagBits; f++ {
			if theory.CuckooExact(n, buckets, f) <= p {
				return t.design(n, buckets, f)
			}
		}
		return filters.Design{}, fmt.Errorf("no fingerprint of up to %d bits gives a rate of %v", maxTagBits, p)
	},
}

// linvonTable is one of the peer's two layouts.
type linvonTable struct {
	kind    uint
	minBits int
	saved   int    // bits a slot
	extra   uint64 // bytes beside the slots
}

var linvonTables = map[string]linvonTable{
	// With less than 5 bits neither table fills to the peer's own bound.
	"single": {kind: cuckoo.TableTypeSingle, minBits: 5},
	// 7 bytes behind the table, and two tables of codes: 3876 sorted buckets of
	// 2 bytes, and 2^16 unsorted ones.
	"packed": {kind: cuckoo.TableTypePacked, minBits: 5, saved: 1, extra: 7 + 2*3876 + 2<<16},
}

// maxTagBits is where a fingerprint has all of the half of the hash that is not
// the bucket.
const maxTagBits = 32

// linvonRoom is the peer's own bound on the load.
func linvonRoom(buckets uint64) uint64 { return uint64(0.96 * float64(slotsPerBucket*buckets)) }

func (t linvonTable) bits(buckets uint64, f int) uint64 {
	return 8 * ((uint64(slotsPerBucket*(f-t.saved))*buckets+7)/8 + t.extra)
}

func (t linvonTable) design(n, buckets uint64, f int) (filters.Design, error) {
	if buckets > 1<<32 {
		return filters.Design{}, tooLarge(float64(slotsPerBucket*f)*float64(buckets), float64(slotsPerBucket*f)*(1<<32))
	}
	size := t.bits(buckets, f)
	d := filters.Design{
		N:      n,
		Params: []filters.Param{{Name: "m", Value: size}, {Name: "f", Value: uint64(f)}, {Name: "b", Value: slotsPerBucket}},
		Model:  cuckooModel(buckets, f, linvonRoom(buckets)),
		Lines:  func(bool) float64 { return 2 }, // it reads both buckets before it compares
	}
	return keyed(d, size, func() (filters.Keyed, error) {
		return &linvonFilter{account{bits: size}, cuckoo.NewFilter(slotsPerBucket, uint(f), uint(n), t.kind)}, nil
	}), nil
}

type linvonFilter struct {
	account
	filter *cuckoo.Filter
}

func (f *linvonFilter) Add(key []byte) error {
	if !f.filter.Add(key) {
		return filters.ErrFull
	}
	f.n++
	return nil
}

func (f *linvonFilter) Contains(key []byte) bool { return f.filter.Contain(key) }

func (f *linvonFilter) AddKeys(keys *filters.Keys) (taken int, err error) {
	for i := range keys.Len() {
		if !f.filter.Add(keys.At(i)) {
			return i, filters.ErrFull
		}
		f.n++
	}
	return keys.Len(), nil
}

func (f *linvonFilter) ContainsKeys(keys *filters.Keys, out []uint64) (hits int) {
	for from := 0; from < keys.Len(); from += 64 {
		var word uint64
		for i := range min(64, keys.Len()-from) {
			word |= bit(f.filter.Contain(keys.At(from+i))) << i
		}
		out[from/64] = word
		hits += bits.OnesCount64(word)
	}
	return hits
}

func (f *linvonFilter) CountKeys(keys *filters.Keys) (hits int) {
	for i := range keys.Len() {
		hits += int(bit(f.filter.Contain(keys.At(i))))
	}
	return hits
}
