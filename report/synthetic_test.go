package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"

	"filterbench/filters/theory"
	"filterbench/results"
)

// Synthetic records, shaped as a real run's are, but made up here: counts
// drawn from theory, times from a staircase over cache sizes. They are for
// tests only and say nothing about any machine.

// synthetic is a whole results folder, a copy each time.
func synthetic() *results.Set {
	return doctor(made(), func(*results.Record) bool { return true })
}

var made = sync.OnceValue(func() *results.Set {
	config := []results.ConfigLine{
		{Key: "schema", Value: "1"}, {Key: "profile", Value: "quick"}, {Key: "seed", Value: "1"},
		{Key: "date", Value: "2026-11-30T12:00:00Z"}, {Key: "commit", Value: "0123456789abcdef"},
		{Key: "go", Value: "go1.26.8"}, {Key: "goos", Value: "linux"}, {Key: "goarch", Value: "amd64"},
		{Key: "cpu", Value: "Synthetic CPU"}, {Key: "cpus", Value: "2"},
		{Key: "cache-l1d", Value: "32768"}, {Key: "cache-l2", Value: "524288"}, {Key: "cache-l3", Value: "33554432"},
		{Key: "cache-source", Value: "l1d sysfs, l2 sysfs, l3 sysfs"}, {Key: "cache-line", Value: "64"},
	}
	return &results.Set{Files: []results.File{
		{Experiment: "fpr", Config: config, Records: synthFPR()},
		{Experiment: "lookup", Config: config, Records: synthLookup()},
		{Experiment: "memory", Config: config, Records: synthMemory()},
		{Experiment: "textbook", Config: config, Records: synthTextbook()},
	}}
})

func rec(name string, axes ...any) results.Record {
	r := results.Record{Name: name, Iters: 1}
	for i := 0; i < len(axes); i += 2 {
		r.Axes = append(r.Axes, results.Axis{Key: axes[i].(string), Value: fmt.Sprint(axes[i+1])})
	}
	return r
}

func with(r results.Record, values ...any) results.Record {
	for i := 0; i < len(values); i += 2 {
		v, err := strconv.ParseFloat(fmt.Sprint(values[i+1]), 64)
		if err != nil {
			panic(err)
		}
		r.Values = append(r.Values, results.Value{Unit: values[i].(string), V: v})
	}
	return r
}

const (
	bloomSpec      = "bloom:index=range,step=enhanced,k=auto"
	blockedSpec    = "blocked:block=64,k=auto"
	blocked128Spec = "blocked:block=128,k=auto"
)

// synthModels are rates that theory gives at n keys and bits a key, also for
// families to come; 0 is not feasible.
var synthModels = []struct {
	spec string
	fpr  func(n uint64, bits float64) float64
}{
	{"naive", bloomModel},
	{bloomSpec, bloomModel},
	{blockedSpec, blockedModel(512)},
	{blocked128Spec, blockedModel(1024)},
	{"cuckoo:b=4,f=auto", func(_ uint64, bits float64) float64 {
		if bits < 6 {
			return 0
		}
		f := math.Floor(bits * .95)
		return 1 - math.Pow(1-1/(math.Exp2(f)-1), 8*.95)
	}},
	{"quotient:r=auto", func(_ uint64, bits float64) float64 {
		if bits < 6 {
			return 0
		}
		return -math.Expm1(-.95 * math.Exp2(-math.Floor(bits*.95-2.125)))
	}},
}

func bloomModel(n uint64, bits float64) float64 {
	m := uint64(float64(n) * bits)
	return theory.BloomExact(n, m, theory.BloomBestProbes(n, m))
}

func blockedModel(blockBits int) func(n uint64, bits float64) float64 {
	return func(n uint64, bits float64) float64 {
		blocks := uint64(float64(n)*bits)/uint64(blockBits) + 1
		return theory.BlockedFPR(n, blocks, blockBits, theory.BlockedBestProbes(n, blocks, blockBits))
	}
}

func synthFPR() (records []results.Record) {
	rng := rand.New(rand.NewPCG(1, 2))
	cell := func(spec string, model float64, bits float64, n uint64, keys string, seed int, filters float64) {
		queries := math.Ceil(min(2e6, 1537*(1-model)/model))
		sd := model * .39 * math.Sqrt(1e3/float64(n)) * .1
		if spec == "naive" || spec == bloomSpec {
			m := uint64(bits * float64(n))
			sd = theory.BloomSD(n, m, theory.BloomBestProbes(n, m))
		}
		fp, squares := 0.0, 0.0
		for range int(filters) {
			each := queries / filters
			x := math.Round(each*(model+sd*rng.NormFloat64()) + math.Sqrt(each*model*(1-model))*rng.NormFloat64())
			x = max(0, x)
			fp, squares = fp+x, squares+x*x
		}
		queries = math.Floor(queries/filters) * filters
		m := uint64(bits * float64(n))
		r := rec("FPR", "filter", spec, "bits", bits, "n", n, "keys", keys, "seed", seed, "m", m, "k", theory.BloomBestProbes(n, m))
		records = append(records, with(r, "fpr", fp/queries, "fp", fp, "queries", queries, "filters", filters, "fp-sq", squares,
			"fn", 0, "bits/key", bits, "refused", 0, "overlap", 0, "model-fpr", model, "model-sd", sd, "model-tol", 0))
	}
	for _, m := range synthModels {
		n := uint64(1_000_000)
		if m.spec == "naive" {
			n /= 100
		}
		for _, bits := range []float64{4, 5, 6, 7, 8, 9, 9.585, 9.593, 9.617, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20} {
			seeds := 1
			switch bits {
			case 9.585, 9.593, 10, 15, 20:
				seeds = 5
			}
			if p := m.fpr(n, bits); p > 0 {
				for seed := range seeds {
					cell(m.spec, p, bits, n, "random", seed+1, 1)
				}
			}
		}
		for _, n := range []uint64{1_000, 10_000, 100_000} {
			if m.spec == "naive" && n == 10_000 {
				continue
			}
			cell(m.spec, m.fpr(n, 10), 10, n, "random", 1, max(1, 1e5/float64(n)))
		}
		for _, keys := range []string{"textbook", "sequential", "strided", "url", "uuidv4", "uuidv7", "words"} {
			n := uint64(100_000)
			if m.spec == "naive" {
				n = 10_000
			}
			cell(m.spec, m.fpr(n, 10), 10, n, keys, 1, max(1, 1e5/float64(n)))
		}
	}
	return records
}

// synthTimes are ns for a lookup in L1, L2, L3 and DRAM.
var synthTimes = []struct {
	spec string
	ns   [4]float64
	hit  float64 // factor of a present key
}{
	{"naive", [4]float64{330, 340, 360, 420}, 3.4},
	{bloomSpec, [4]float64{9, 11, 19, 62}, 2.2},
	{blockedSpec, [4]float64{2.6, 3.0, 4.7, 14}, 1.03},
	{blocked128Spec, [4]float64{3.0, 3.5, 5.9, 19}, 1.05},
	{"cuckoo:b=4,f=auto", [4]float64{4.2, 5.2, 9.4, 31}, .9},
	{"set", [4]float64{14, 22, 45, 160}, 1.2},
	{"array", [4]float64{40, 70, 150, 480}, 1},
}

func synthLookup() (records []results.Record) {
	rng := rand.New(rand.NewPCG(3, 4))
	sizes := []string{"16KiB", "256KiB", "2MiB", "16MiB", "64MiB", "256MiB"}
	level := []float64{0, 1, 2, 2.3, 2.9, 3}
	at := func(ns [4]float64, l float64) float64 {
		i := min(int(l), 2)
		return ns[i] * math.Pow(ns[i+1]/ns[i], l-float64(i))
	}
	noise := func() float64 { return math.Exp(math.Abs(rng.NormFloat64()) * .03) }
	for round := range 10 {
		_ = round
		for i, size := range sizes {
			limit := at([4]float64{1.1, 1.3, 2.4, 9.5}, level[i])
			for _, path := range []string{"asm", "go"} {
				r := rec("Limit", "kind", "line-read", "size", size, "path", path, "distance", 16, "pages", "huge")
				f := noise()
				if path == "go" {
					f *= 1.1
				}
				records = append(records, with(r, "ns/op", limit*f, "cpu-ns/op", limit*f))
			}
			dep := at([4]float64{1.6, 4.5, 19, 170}, level[i])
			records = append(records, with(rec("Limit", "kind", "dependent-read", "size", size, "pages", "huge"), "ns/op", dep*noise(), "cpu-ns/op", dep))
			for _, f := range synthTimes {
				exact := f.spec == "naive" || f.spec == "set" || f.spec == "array"
				for _, api := range []string{"hash", "key"} {
					for _, hits := range []int{0, 50, 95, 100} {
						if exact && (api == "hash" || i > 2) || api == "key" && hits != 0 {
							continue
						}
						ns := at(f.ns, level[i]) * (1 + (f.hit-1)*float64(hits)/100) * noise()
						if api == "key" && !exact {
							ns += 7
						}
						r := rec("Lookup", "filter", f.spec, "size", size, "api", api, "mode", "batch", "hits", hits,
							"keys", "random", "bits", 10, "n", 12345, "m", 123450, "k", 7, "pages", "huge")
						records = append(records, with(r, "ns/op", ns, "cpu-ns/op", ns*.99, "x-limit", ns/limit, "positives", 1000))
					}
				}
			}
		}
	}
	return records
}

func synthMemory() (records []results.Record) {
	add := func(spec, keys string, n, alloc, key, heap float64) {
		r := rec("Memory", "filter", spec, "bits", 9.585, "n", int(n), "keys", keys)
		records = append(records, with(r, "alloc-B", alloc, "heap-B", heap, "key-B", key*n, "heap-bits/key", 8*heap/n))
	}
	for _, f := range []string{"naive", bloomSpec, blockedSpec, blocked128Spec} {
		add(f, "bytes20", 1e6, 1198133, 20, 1200128)
	}
	for i, key := range []float64{20, 8, 12, 16, 77} {
		n := 1e6
		if i > 0 {
			n = 1e5
		}
		add("set", fmt.Sprintf("bytes%v", key), n, (60+key)*n, key, (59.9+key)*n)
		add("array", fmt.Sprintf("bytes%v", key), n, (16+key)*n, key, (16+key)*n)
	}
	return records
}

func synthTextbook() []results.Record {
	return []results.Record{
		with(rec("Textbook", "part", "filter", "p", .01, "n", 10000, "sha256", "4cbbc964b71656f71d99a3ea4d1105ba1f3c06d82005df3991c93508ad8e5546",
			"first", "70+296+304+366+395+597+604+721"),
			"m", 95851, "k", 7, "bits-set", 49690, "fp-10000", 114, "fp-1000000", 10007, "fn", 0, "md5-calls", 20801),
		with(rec("Textbook", "part", "positions", "key", "key0", "p", .01, "n", 10000),
			"pos-0", 86596, "pos-1", 63495, "pos-2", 13170, "pos-3", 57413, "pos-4", 87040, "pos-5", 53217, "pos-6", 44839),
		with(rec("Textbook", "part", "lsm", "table", "all"), "probes", 100000, "reads", 1004, "queries", 10000, "queries-with-reads", 967),
		with(rec("Textbook", "part", "lsm-present"), "queries", 10000, "maybe", 10904, "true", 10000, "false", 904),
	}
}
