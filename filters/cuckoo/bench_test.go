package cuckoo

import (
	"fmt"
	"testing"
)

var benchShapes = []shape{
	{slots: 4, fpBits: 8}, {slots: 4, fpBits: 12}, {slots: 4, fpBits: 16}, {slots: 4, fpBits: 13},
	{slots: 2, fpBits: 12}, {slots: 8, fpBits: 8}, {slots: 8, fpBits: 12}, {slots: 4, fpBits: 24},
	{slots: 4, fpBits: 13, sorted: true}, {slots: 4, fpBits: 20, sorted: true},
}

// Lookups in tables inside the cache, at 80 % of the slots.
func BenchmarkLookup(b *testing.B) {
	for _, s := range benchShapes {
		s.buckets = 1 << 16 / s.slots
		f, _ := newFilter(s, false)
		in, absent := hashes(int(f.Slots()*8/10), 1), hashes(1<<16, 2)
		f.AddHashes(in)
		out := make([]uint64, 1<<10)
		for name, ask := range map[string][]uint64{"present": in, "absent": absent} {
			b.Run(fmt.Sprintf("b=%d/f=%d/sorted=%v/%s/batch", s.slots, s.fpBits, s.sorted, name), func(b *testing.B) {
				for b.Loop() {
					f.ContainsHashes(ask, out)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(ask)), "ns/key")
			})
			b.Run(fmt.Sprintf("b=%d/f=%d/sorted=%v/%s/single", s.slots, s.fpBits, s.sorted, name), func(b *testing.B) {
				for b.Loop() {
					f.CountHashes(ask)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(ask)), "ns/key")
			})
		}
	}
}

// Adds up to 80 % of the slots of an empty table.
func BenchmarkAdd(b *testing.B) {
	for _, s := range benchShapes {
		s.buckets = 1 << 16 / s.slots
		f, _ := newFilter(s, false)
		in := hashes(int(f.Slots()*8/10), 1)
		b.Run(fmt.Sprintf("b=%d/f=%d/sorted=%v", s.slots, s.fpBits, s.sorted), func(b *testing.B) {
			for b.Loop() {
				clear(f.data)
				f.n = 0
				f.AddHashes(in)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(in)), "ns/key")
		})
	}
}
