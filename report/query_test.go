package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"filterbench/report/chart"
	"filterbench/results"
)

const cuckooSpec = "cuckoo:b=4,f=auto,semisort=no,load=auto"

// querySet is synthetic results of hitmix, latency, threads and scan, shaped as a
// real run's are.
func querySet() *results.Set {
	var mix, calls, threads, scan []results.Record
	for _, f := range []struct {
		spec string
		rate float64
		ns   [3]float64 // at 0, 50 and 100 % present keys
	}{{bloomSpec, .01, [3]float64{19, 32, 24}}, {blockedSpec, .011, [3]float64{8, 8, 8}}, {cuckooSpec, .0146, [3]float64{20, 20, 20}}} {
		for _, zipf := range []int{0, 1} {
			for _, hits := range []float64{0, .1, 1, 10, 50, 100} {
				const asked = 262144
				present := math.Round(asked * hits / 100)
				fp := math.Round(f.rate * (asked - present))
				spread := 1 + 2*float64(zipf) // between filters
				r := rec("Precision", "filter", f.spec, "bits", 9.585, "n", 10000, "keys", "random", "zipf", zipf, "hits", hits)
				mix = append(mix, with(r, "present", present, "tp", present, "queries", asked-present, "fp", fp, "fp-sq", math.Ceil(fp*fp/32*spread), "filters", 32))
			}
		}
		for round := range 10 {
			noise := 1 + .01*float64(round%3)
			for i, hits := range []int{0, 50, 100} {
				r := rec("HitMix", "filter", f.spec, "size", "2MiB", "api", "hash", "mode", "single", "hits", hits, "zipf", 0)
				mix = append(mix, with(r, "ns/op", f.ns[i]*noise, "cpu-ns/op", f.ns[i]*noise, "model-lines", 2))
			}
			for _, batch := range []int{1, 64} {
				r := rec("Latency", "filter", f.spec, "size", "2MiB", "api", "hash", "batch", batch, "chain", map[int]int{1: 32, 64: 1}[batch], "hits", 0)
				ns := f.ns[0] * float64(batch) * noise
				calls = append(calls, with(r, "p50-ns", ns, "p95-ns", 1.2*ns, "p99-ns", 2*ns, "p99.9-ns", 10*ns, "disturbed", 0))
			}
			for _, op := range []string{"lookup", "add"} {
				for n, speed := range map[int]float64{1: 1, 2: 1.6} {
					r := rec("Threads", "filter", f.spec, "size", "4MiB", "op", op, "threads", n)
					threads = append(threads, with(r, "ns/op", f.ns[0]*noise/speed, "efficiency", speed/float64(n), "disturbed", 0))
				}
			}
		}
	}
	for round := range 10 {
		noise := 1 + .01*float64(round%3)
		calls = append(calls, with(rec("Clock", "size", "2MiB", "hits", 0), "p50-ns", 25*noise, "p95-ns", 30*noise, "p99-ns", 40*noise, "p99.9-ns", 90*noise))
		for _, n := range []float64{10, 1000} {
			for f, ns := range map[string]float64{"linear": n, "array": 20 * math.Log2(n), "set": 20, bloomSpec: 15} {
				scan = append(scan, with(rec("Scan", "filter", f, "hits", 0, "keys", "random", "n", n), "ns/op", ns*noise, "positives", 1))
			}
		}
	}
	scan = append(scan,
		with(rec("Cages", "filter", bloomSpec, "bits", 9.585, "n", 1000, "hits", 0), "opened", 8e6, "opened-filtered", 8e4, "asked", 8000, "positives", 80, "filters", 8),
		with(rec("Range", "filter", bloomSpec, "bits", 9.585, "n", 100000, "length", 100), "ranges", 3000, "ranges-maybe", 1900, "fp", 3000, "queries", 300000),
		with(rec("Dictionary", "filter", bloomSpec, "bits", 9.585, "n", 1000, "universe", 1000000), "candidates", 11030, "fp", 10030, "queries", 999000),
		with(rec("Dictionary", "filter", bloomSpec, "bits", 9.585, "n", 100000, "universe", 1000000), "candidates", 109036, "fp", 9036, "queries", 900000))
	return &results.Set{Files: []results.File{{Experiment: "hitmix", Records: mix}, {Experiment: "latency", Records: calls}, {Experiment: "threads", Records: threads}, {Experiment: "scan", Records: scan}}}
}

// Titles say what the records do, on both sides of their lines.
func TestTitlesOfQueries(t *testing.T) {
	is := func(kind, f string) func(*results.Record) bool {
		return func(r *results.Record) bool { return r.Name == kind && (f == "" || family(r.Axis("filter")) == f) }
	}
	scaled := func(which func(*results.Record) bool, by float64, units ...string) func(*results.Record) bool {
		return func(r *results.Record) bool {
			if which(r) {
				scale(r, by, units...)
			}
			return true
		}
	}
	keep := func(which func(*results.Record) bool) func(*results.Record) bool { return which }
	all := func(*results.Record) bool { return true }
	for _, c := range []struct {
		name, chart string
		doctor      func(*results.Record) bool
		want, not   string
	}{
		{"few are right", "precision", all, "Where 1% of the keys are present 50% of bloom's positives are right, where half are 99%", ""},
		{"most are right", "precision", func(r *results.Record) bool {
			if is("Precision", "bloom")(r) {
				fp, _ := r.Value("fp")
				setUnit(r, "fp", math.Round(fp/100))
				setUnit(r, "fp-sq", math.Ceil(fp*fp/1e4))
			}
			return true
		}, "99% of bloom's positives are right", "50%"},
		{"no share of 1 %", "precision", func(r *results.Record) bool { return r.Axis("hits") != "1" }, "What a positive is worth", "are right"},
		{"a lottery", "precision-zipf", all, "chance decides the rate: it is known to ±", ""},
		{"guessed branches", "hitmix", all, "At 2 MiB bloom takes 1.3 times as long where half", ""},
		{"nothing to guess", "hitmix", keep(func(r *results.Record) bool { return !is("HitMix", "bloom")(r) }), "no filter takes longer where half of the keys are present than where all or none are", "bloom"},
		{"chains", "latency", all, "At 2 MiB one chain of 32 lookups in a thousand takes", "one lookup"},
		{"by themselves", "latency-batch-64", all, "At 2 MiB one batch of 64 in a thousand takes", "chain"},
		{"one has a tail", "latency", scaled(is("Latency", "cuckoo"), 3, "p99.9-ns"), "takes cuckoo 30 times its median, ", ""},
		{"chains are compared with chains", "latency", func(r *results.Record) bool {
			if is("Latency", "blocked")(r) && r.Axis("batch") == "1" {
				r.Axes[4].Value = "1"
				scale(r, 50, "p99.9-ns")
			}
			return true
		}, "one chain of 32 lookups in a thousand takes", "blocked"},
		{"threads help", "threads", all, "At 4 MiB 2 threads look up 1.6 times as much in bloom as one", "no more"},
		{"threads do not help", "threads", func(r *results.Record) bool {
			if r.Name == "Threads" && r.Axis("threads") == "2" {
				scale(r, .625, "efficiency")
			}
			return true
		}, "2 threads look up no more", "times"},
		{"threads add", "threads-add", all, "2 threads add 1.6 times as much", "look up"},
		{"one CPU", "threads", func(r *results.Record) bool { return r.Axis("threads") != "2" }, "One CPU", "times"},
		{"a long scan", "scan", all, "Among 1,000 keys a scan takes 67 times as long as bloom", "faster"},
		{"a fast scan", "scan", scaled(is("Scan", "linear"), .001, "ns/op"), "Even among 1,000 keys a scan is faster than bloom", "takes"},
		{"no telling", "scan", scaled(is("Scan", "linear"), .015, "ns/op"), "cannot be told apart", "faster"},
		{"candidates", "scan-candidates", all, "bloom of 1,000 keys leaves 11,030 candidates", ""},
	} {
		got := titles(doctor(querySet(), c.doctor))[c.chart]
		if !strings.Contains(got, c.want) || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%s: title %q, want %q and no %q in it", c.name, got, c.want, c.not)
		}
	}
}

func setUnit(r *results.Record, unit string, v float64) {
	for i := range r.Values {
		if r.Values[i].Unit == unit {
			r.Values[i].V = v
		}
	}
}

// The first chart of an experiment is not folded away, the others are.
func TestQueryChartsAreFolded(t *testing.T) {
	var major []string
	for _, c := range analyse(querySet()).charts() {
		if !c.Minor {
			major = append(major, c.Name)
		}
	}
	slices.Sort(major)
	if want := []string{"latency", "precision", "scan", "threads"}; !slices.Equal(major, want) {
		t.Errorf("charts %v, want %v", major, want)
	}
}

// Whatever one axis or value is, or whichever is missing, the report is made.
func TestHostileQueries(t *testing.T) {
	set := querySet()
	try := func(what string, change func(r *results.Record)) {
		for kind := range map[string]bool{"Precision": true, "HitMix": true, "Latency": true, "Clock": true, "Threads": true, "Scan": true, "Dictionary": true, "Cages": true, "Range": true} {
			done := 0
			hostile := doctor(set, func(r *results.Record) bool {
				if done++; r.Name == kind && done%3 > 0 {
					change(r)
				}
				return true
			})
			r := analyse(hostile)
			for _, c := range r.charts() {
				if strings.Contains(c.Title, "NaN") || strings.Contains(c.Title, "Inf") {
					t.Errorf("%s of %s: title %q", what, kind, c.Title)
				}
				if _, err := c.SVG(chart.Wide); err != nil {
					t.Errorf("%s of %s: %s: %v", what, kind, c.Name, err)
				}
			}
		}
	}
	for _, v := range []float64{0, -1, 1e300, math.NaN(), math.Inf(1), math.Inf(-1)} {
		try(fmt.Sprint("values ", v), func(r *results.Record) {
			for i := range r.Values {
				r.Values[i].V = v
			}
		})
	}
	for _, text := range []string{"", "x", "-1", "NaN", "1e300"} {
		try("axes "+text, func(r *results.Record) {
			for i := range r.Axes {
				r.Axes[i].Value = text
			}
		})
	}
	try("no values", func(r *results.Record) { r.Values = nil })
	try("no axes", func(r *results.Record) { r.Axes = nil })
}
