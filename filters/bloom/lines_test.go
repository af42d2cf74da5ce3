package bloom

import (
	"testing"

	"filterbench/filters"
	"filterbench/filters/filtertest"
)

func TestLines(t *testing.T) {
	for _, text := range []string{"bloom", "bloom:index=mod,step=odd"} {
		spec, err := filters.ParseSpec([]*filters.Family{Family}, text)
		if err != nil {
			t.Fatal(err)
		}
		d, err := spec.ForBits(50_000, 10)
		if err != nil {
			t.Fatal(err)
		}
		h, err := d.NewHashed()
		if err != nil {
			t.Fatal(err)
		}
		f := h.(*Filter)
		defer f.Free()
		filtertest.Lines(t, d, f, f.bits.Words, func(hash uint64) (read []uint64) {
			w := f.start(hash)
			for range f.k {
				at := f.next(&w)
				read = append(read, at/64)
				if !f.bits.Get(at) {
					break
				}
			}
			return read
		})
	}
}
