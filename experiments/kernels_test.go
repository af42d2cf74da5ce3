package experiments

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"filterbench/filters"
	"filterbench/filters/registry"
)

// BenchmarkKernels times batches of hashes beside the line read of equal memory,
// in turns, so that what disturbs one disturbs both: ns/key and x-limit are
// medians of many short samples, each after an untimed one.
//
//	go test ./experiments -run - -bench 'Kernels/size=16MiB/filter=blocked'
func BenchmarkKernels(b *testing.B) {
	hashes := randomHashes(1<<22, 1)
	for _, size := range []uint64{16 << 10, 256 << 10, 1 << 20, 16 << 20, 256 << 20} {
		b.Run("size="+sizeName(size), func(b *testing.B) {
			limits, err := newLimits(size, hashes)
			if err != nil {
				b.Skip(err)
			}
			defer limits.block.Free()
			for _, spec := range []string{
				"blocked:block=64", "blocked:block=128", "splitblock", "bloom", "counting", "rocksdb", "cuckoo",
				"blocked:block=64,kernel=portable", "splitblock:kernel=portable", "bloom:kernel=portable",
				"quotient", "quotient:layout=flags", "quotient:kernel=portable", // load 91 % and 75 %
				"peer-parquet", "peer-blobloom",
			} {
				b.Run("filter="+spec, func(b *testing.B) { benchmarkKernel(b, spec, limits) })
			}
		})
	}
}

func benchmarkKernel(b *testing.B, spec string, limits *limits) {
	d, err := designOfSize(registry.Must(spec), limits.memory.Bytes())
	if err != nil {
		b.Skip(err)
	}
	full, present := emptyFilter(b, d), randomHashes(int(d.N), 2)
	if _, err := full.AddHashes(present); err != nil {
		b.Fatal(err)
	}
	out := make([]uint64, filters.BitsetLen(len(limits.hashes)))
	for _, op := range []struct {
		name   string
		hashes []uint64
		pass   func(hashes []uint64)
	}{
		{"absent", limits.hashes, func(h []uint64) { full.ContainsHashes(h, out) }},
		{"present", present, func(h []uint64) { full.ContainsHashes(h, out) }},
		{"single", limits.hashes, func(h []uint64) { full.CountHashes(h) }},
		{"add", present, nil},
	} {
		b.Run("op="+op.name, func(b *testing.B) {
			ready := func(int) {}
			if op.pass == nil {
				f := emptyFilter(b, d)
				ready = func(keys int) { // for so many: a full filter would refuse them
					if f.Len()+uint64(keys) > d.N {
						f = emptyFilter(b, d)
					}
				}
				op.pass = func(h []uint64) { f.AddHashes(h) }
			}
			compareWithLimit(b, limits, op.hashes, ready, op.pass)
		})
	}
}

// compareWithLimit samples pass and the line read in turns, over equally many
// hashes each, and reports the medians. The two are half of the list apart, or one
// would read hashes that the other left in the cache. Outside of the timer, ready is
// told how many hashes pass is going to have.
func compareWithLimit(b *testing.B, limits *limits, hashes []uint64, ready func(int), pass func([]uint64)) {
	sample := min(1<<15, len(hashes))
	next := func(from []uint64, start int) []uint64 {
		return from[start%(len(from)-sample+1):][:sample]
	}
	timed := func(from []uint64, start int, pass func([]uint64)) float64 {
		ready(sample)
		pass(next(from, start))
		batch := next(from, start+sample)
		ready(sample)
		began := time.Now()
		pass(batch)
		return float64(time.Since(began).Nanoseconds()) / float64(sample)
	}
	read := func(h []uint64) { limits.readers[0].Sum(limits.memory, h) }
	var ns, ratios []float64
	for round := 0; b.Loop(); round++ {
		limit := timed(limits.hashes, 2*round*sample, read)
		took := timed(hashes, 2*round*sample+len(hashes)/2, pass)
		ns, ratios = append(ns, took), append(ratios, took/limit)
	}
	b.ReportMetric(median(ns), "ns/key")
	b.ReportMetric(slices.Min(ns), "least-ns/key")
	b.ReportMetric(median(ratios), "x-limit")
}

func emptyFilter(b *testing.B, d filters.Design) filters.Hashed {
	b.Helper()
	if d.NewHashed == nil {
		b.Skip("keyed only")
	}
	f, err := d.NewHashed()
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { filters.Free(f) })
	return f
}

func randomHashes(n int, seed uint64) []uint64 {
	rng := rand.New(rand.NewPCG(seed, 7))
	out := make([]uint64, n)
	for i := range out {
		out[i] = rng.Uint64()
	}
	return out
}
