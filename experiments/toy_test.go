package experiments

import (
	"encoding/binary"

	"filterbench/filters"
)

// numbers is a workload whose present key i is the number i, and whose absent
// key i is i above all of them.
type numbers struct{ present, absent uint64 }

const absentFrom = 1 << 40

func (numbers) Name() string            { return "numbers" }
func (s numbers) Limits() (p, a uint64) { return s.present, s.absent }
func (numbers) Present(dst *filters.Keys, from, to uint64) {
	for i := from; i < to; i++ {
		dst.AppendUint64(i)
	}
}
func (numbers) Absent(dst *filters.Keys, from, to uint64) {
	for i := from; i < to; i++ {
		dst.AppendUint64(absentFrom + i)
	}
}

// toy is a filter over such numbers whose every answer is known: it refuses
// keys, loses others, and is wrong about some that it was not given.
type toy struct {
	refuses, loses, confuses func(key uint64) bool // nil for none
	keys                     map[uint64]bool
	added                    uint64
}

func toyFamily(static bool, f toy) *filters.Family {
	return &filters.Family{Name: "toy", Static: static, NanosPerKey: 1,
		ForBits: func(_ filters.Spec, n uint64, bits float64) (filters.Design, error) {
			return filters.Design{
				N: n, SizeBits: filters.RoundedBits(n, bits), Params: []filters.Param{{Name: "m", Value: filters.RoundedBits(n, bits)}},
				NewKeyed: func() (filters.Keyed, error) {
					one := f
					one.keys = map[uint64]bool{}
					return &one, nil
				},
			}, nil
		}}
}

func toyDesign(n uint64, static bool, f toy) filters.Design {
	spec, err := filters.ParseSpec([]*filters.Family{toyFamily(static, f)}, "toy")
	if err != nil {
		panic(err)
	}
	d, err := spec.ForBits(n, 10)
	if err != nil {
		panic(err)
	}
	return d
}

func does(f func(uint64) bool, key uint64) bool { return f != nil && f(key) }

func (f *toy) Len() uint64      { return f.added }
func (f *toy) SizeBits() uint64 { return 1 << 20 }

func (f *toy) Add(key []byte) error {
	i := binary.LittleEndian.Uint64(key)
	if does(f.refuses, i) {
		return filters.ErrFull
	}
	f.added++
	if !does(f.loses, i) {
		f.keys[i] = true
	}
	return nil
}

func (f *toy) Contains(key []byte) bool {
	i := binary.LittleEndian.Uint64(key)
	return f.keys[i] || does(f.confuses, i)
}

func (f *toy) AddKeys(keys *filters.Keys) (int, error) {
	for i := range keys.Len() {
		if err := f.Add(keys.At(i)); err != nil {
			return i, err
		}
	}
	return keys.Len(), nil
}

func (f *toy) ContainsKeys(keys *filters.Keys, out []uint64) (hits int) {
	clear(out[:filters.BitsetLen(keys.Len())])
	for i := range keys.Len() {
		if f.Contains(keys.At(i)) {
			out[i/64] |= 1 << (i % 64)
			hits++
		}
	}
	return hits
}

func (f *toy) CountKeys(keys *filters.Keys) (hits int) {
	for i := range keys.Len() {
		if f.Contains(keys.At(i)) {
			hits++
		}
	}
	return hits
}
