package quotient

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"filterbench/filters"
	"filterbench/filters/machine"
	"filterbench/filters/simd"
)

// BenchmarkAdd fills tables in batches and says what an add takes at some loads,
// from the 4096 before each, and on the whole way up to the last.
func BenchmarkAdd(b *testing.B) {
	const batch = 4096
	for _, slots := range []uint64{1 << 17, 1 << 20, 1 << 24, 220 << 20} {
		hashes := randomHashes(slots*91/100, 9)
		for _, layout := range layouts {
			for _, avx2 := range []bool{true, false} {
				if avx2 && simd.Kernel() != simd.AVX2 {
					continue
				}
				name := fmt.Sprintf("size=%s/layout=%s/avx2=%v", machine.FormatBytes(slots*9/8), layout, avx2)
				b.Run(name, func(b *testing.B) {
					loads := []uint64{50, 75, 91}
					if layout == "flags" {
						loads = loads[:2]
					}
					at := make(map[uint64][]float64)
					var all []float64
					for b.Loop() {
						f := newWith(b, layout, slots, 7, avx2)
						began := time.Now()
						from := uint64(0)
						for _, load := range loads {
							to := slots * load / 100
							f.AddHashes(hashes[from : to-batch])
							last := time.Now()
							f.AddHashes(hashes[to-batch : to])
							at[load] = append(at[load], float64(time.Since(last).Nanoseconds())/batch)
							from = to
						}
						all = append(all, float64(time.Since(began).Nanoseconds())/float64(from))
						filters.Free(f)
					}
					median := func(s []float64) float64 { slices.Sort(s); return s[len(s)/2] }
					for _, load := range loads {
						b.ReportMetric(median(at[load]), fmt.Sprintf("ns/add-at-%d%%", load))
					}
					b.ReportMetric(median(all), "ns/add")
				})
			}
		}
	}
}
