package blocked

import (
	"testing"

	"filterbench/filters"
	"filterbench/filters/filtertest"
)

func TestLines(t *testing.T) {
	for _, text := range []string{"blocked:block=64", "blocked:block=128"} {
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
		filtertest.Lines(t, d, f, f.words, func(hash uint64) (read []uint64) {
			block, g := f.locate(hash)
			for range f.k {
				at := g >> (26 - f.log2)
				read = append(read, block<<f.log2+uint64(at>>6))
				g *= step
			}
			return read
		})
	}
}
