package zz

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"os"
	"strings"
	"filterbench/experiments/limit"
	"filterbench/filters/memory"
	"filterbench/filters"
	"filterbench/filters/registry"
)

type fn struct{name string; f func(h []uint64)}

func TestYY(t *testing.T) {
	hashes := make([]uint64, 1<<22)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	out := make([]uint64, 1<<20)
	specs := strings.Fields(os.Getenv("SPECS"))
	ops := os.Getenv("OPS")
	for _, size := range []uint64{16 << 10, 256 << 10, 512<<10, 16 << 20, 256 << 20} {
		if s := os.Getenv("SIZES"); s != "" && !strings.Contains(s, fmt.Sprint(size>>10)+",") { continue }
		b, _ := memory.Alloc(size)
		m, _ := limit.New(b.Words())
		hs := hashes
		if size <= 1<<20 { hs = hashes[:1<<20] }
		fs := []fn{
			{"lim0", func(h []uint64) { limit.Reader{Path:"asm"}.Sum(m, h) }},
			{"lim24", func(h []uint64) { limit.Reader{Path:"asm", Distance:24}.Sum(m, h) }},
		}
		for _, spec := range specs {
			d, err := registry.Must(spec).ForBits(size*8/10, 10)
			if err != nil { t.Fatal(err) }
			f, err := d.NewHashed()
			if err != nil { t.Fatal(err) }
			in := make([]uint64, d.N)
			r2 := rand.New(rand.NewPCG(7, 2))
			for i := range in { in[i] = r2.Uint64() }
			f.AddHashes(in)
			ins := in[:min(len(in), 1<<22)]
			if strings.Contains(ops, "c") { fs = append(fs, fn{spec, func(h []uint64) { f.ContainsHashes(h, out) }}) }
			if strings.Contains(ops, "p") { fs = append(fs, fn{spec + "/hit", func(h []uint64) { 
				i := int(h[0] % uint64(max(1,len(ins)-len(h)))) ; f.ContainsHashes(ins[i:min(len(ins), i+len(h))], out) }}) }
			if strings.Contains(ops, "1") { fs = append(fs, fn{spec + "/single", func(h []uint64) { f.CountHashes(h) }}) }
			if strings.Contains(ops, "a") { fs = append(fs, fn{spec + "/add", func(h []uint64) { f.AddHashes(h) }}) }
			defer filters.Free(f)
		}
		chunk := 1 << 13
		at := 0
		samples := make([][]float64, len(fs))
		for round := 0; round < 800; round++ {
			for i, r := range fs {
				at = (at + chunk) % len(hs)
				h := hs[at : at+chunk]
				t0 := time.Now()
				r.f(h)
				samples[i] = append(samples[i], float64(time.Since(t0).Nanoseconds())/float64(chunk))
			}
		}
		fmt.Printf("%9d %s:\n", size, b.Pages())
		q := func(x []float64, p float64) float64 { y := slices.Clone(x); slices.Sort(y); return y[int(p*float64(len(y)-1))] }
		lim := make([]float64, len(samples[0]))
		for i := range lim { lim[i] = min(samples[0][i], samples[1][i]) }
		for i, r := range fs {
			ratio := make([]float64, len(lim))
			for j := range ratio { ratio[j] = samples[i][j]/lim[j] }
			x := samples[i]
			fmt.Printf("   %-45s min %6.2f p10 %6.2f med %6.2f   ratio of min %.2f p10 %.2f med %.2f, med ratio %.2f\n", r.name, q(x, 0), q(x, .1), q(x, .5), q(x,0)/q(lim,0), q(x,.1)/q(lim,.1), q(x,.5)/q(lim,.5), q(ratio, .5))
		}
		b.Free()
	}
}
