package claims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"filterbench/filters/theory"
	"filterbench/results"
)

// insertRecords are tables as they fill up, as an independent simulation has
// them, and adds that get slower.
func insertRecords() (all []results.Record) {
	for i, load := range []int{75, 90, 95} {
		keys := math.Floor(1048576 * float64(load) / 100)
		all = append(all,
			rec("Fill", fmt.Sprintf("filter=cuckoo:b=4,f=16,semisort=no,load=100 slots=1048576 keys=random seed=1 buckets=262144 f=16 load=%d", load),
				"adds", 52429, "accepted", keys, "refused", 0, "fn", 0, "kicks", []float64{21000, 160000, 580000}[i], "kicks-max", 100, "bits/key", 16*1048576/keys),
			rec("Fill", fmt.Sprintf("filter=quotient:layout=flags,load=95,slots=pow2 slots=1048576 keys=random seed=1 r=13 load=%d", load),
				"adds", 52429, "accepted", keys, "refused", 0, "fn", 0, "clusters", 292631, "cluster-max", []float64{251, 968, 5117}[i], "bits/key", 16.03*1048576/keys))
	}
	for _, c := range []struct {
		b, f int
		load float64
	}{{2, 16, .866}, {4, 16, .959}, {8, 16, .989}, {4, 2, .26}, {4, 3, .70}, {4, 4, .942}} {
		for seed := range 4 {
			load := c.load + []float64{-.002, .001, .002, -.001}[seed]
			all = append(all, rec("Refusal", fmt.Sprintf("filter=cuckoo:b=%d,f=%d,semisort=no,load=100 slots=1048576 keys=random seed=%d", c.b, c.f, seed+1),
				"first-load", load, "accepted", math.Round(load*1048576)))
		}
	}
	for round := range 10 {
		noise := 1 + 0.01*float64(round%3)
		for load, ns := range map[int]float64{50: 60, 90: 500, 95: 1500} {
			all = append(all, rec("Add", fmt.Sprintf("filter=quotient:layout=flags,load=95,slots=pow2 n=131072 load=%d adds=1024 keys=random", load), "ns/op", ns*noise, "cpu-ns/op", ns*noise))
		}
	}
	return all
}

// overloadRecords have the exact rates, and the probes of a naive filter.
func overloadRecords() (all []results.Record) {
	add := func(filter, p, times string, rate, queries, keys float64, more ...any) {
		hits := math.Round(rate * queries)
		values := []any{"fpr", hits / queries, "fp", hits, "queries", queries, "filters", 1, "fp-sq", hits * hits, "accepted", keys, "refused", 0}
		all = append(all, rec("Overload", fmt.Sprintf("filter=%s p=%s n=10000 times=%s keys=random", filter, p, times), append(values, more...)...))
	}
	plain := "bloom:index=range,step=enhanced,k=auto"
	add(plain, "0.01", "1", .01, 1e6, 10000)
	add(plain, "0.01", "1.05", .0125806, 1e6, 10500)
	add(plain, "0.01", "5", .831411, 1000, 50000)
	add(plain, "0.001", "1", .001, 3.3e6, 10000)
	add(plain, "0.001", "1.05", .00139724, 3.3e6, 10500)
	add("naive", "0.01", "1", .01004, 1e4, 10000, "probed", 10000, "absent-probes", 20600, "present-probes", 70000)
	add("naive", "0.01", "5", .83189, 100, 50000, "probed", 10000, "absent-probes", 64700, "present-probes", 70000)
	return all
}

// doctoredLoads are doctored results of the claims on loads.
var doctoredLoads = []doctored{
	{"B13", func(w *world) { w.set(cuckooFill, "fn", 1) }, Holds},
	{"B13", func(w *world) { w.set(cuckooFill.with("load", "90"), "fn", 700) }, Holds},
	{"B17a", func(w *world) { w.set(flagsFill, "bits/key", 16.03/.75+20/.75) }, Holds},
	{"B17a", func(w *world) {
		w.each(flagsFill, func(r *results.Record) { setAxis(r, "slots", "4") })
		w.set(flagsFill, "accepted", 3)
	}, Holds},
	{"B17b", func(w *world) { w.set(flagsFill, "cluster-max", 2100) }, Wrong},
	{"B17b", func(w *world) { w.set(flagsFill, "cluster-max", 700000) }, Wrong},
	{"C25", func(w *world) { w.set(overloaded("naive", "0.01", "1"), "present-probes", 22000) }, Holds},
	{"C25", func(w *world) { w.set(overloaded("naive", "0.01", "5"), "absent-probes", 20700) }, Wrong},
	{"C25", func(w *world) { w.rate(overloaded("naive", "0.01", "5"), .01) }, Wrong},
	{"C30", func(w *world) { w.set(refusalOf(4, 16), "first-load", 1) }, Wrong},
	{"C30", func(w *world) { w.set(refusalOf(4, 16).with("seed", "*"), "first-load", 1) }, Wrong},
	{"C31", func(w *world) { w.set(overloaded(plainFilter, "0.01", "5"), "refused", 1) }, Wrong},
	{"C31", func(w *world) { w.set(overloaded(plainFilter, "0.01", "5"), "refused", 40000) }, Wrong},
	{"P09", func(w *world) { w.set(refusalOf(4, 16), "first-load", .94) }, Wrong},
	{"P09", func(w *world) { w.set(refusalOf(2, 16), "first-load", .89) }, Wrong},
	{"P11", func(w *world) { w.set(refusalOf(4, 3), "first-load", .96) }, Wrong},
	{"P11", func(w *world) { w.set(refusalOf(4, 16), "first-load", .2) }, Wrong},
	{"P14", func(w *world) { w.set(addsTo("95"), "ns/op", 40) }, Wrong},
	{"P14", func(w *world) { w.set(addsTo("50"), "ns/op", 2000) }, Wrong},
	{"P21", func(w *world) { w.rate(overloaded(plainFilter, "0.01", "1.05"), .0110) }, Wrong},
	{"P21", func(w *world) { w.rate(overloaded(plainFilter, "0.001", "1.05"), .0020) }, Wrong},
}

// The rise of the rate with the keys, over filters whose bits are drawn one by one.
func TestRiseSD(t *testing.T) {
	const n, p, filters = 2000, 0.01, 400
	m, k := theory.BloomBitsForAtMost(n, p)
	rng := rand.New(rand.NewPCG(1, 2))
	var sum, squares float64
	for range filters {
		bits, set := make([]bool, m), 0
		var before float64
		for i := range int(n*fewMoreTimes) * k {
			if i == n*k {
				before = float64(set)
			}
			if at := rng.Uint64N(m); !bits[at] {
				bits[at], set = true, set+1
			}
		}
		rise := float64(k) * math.Log(float64(set)/before)
		sum, squares = sum+rise, squares+rise*rise
	}
	variance := (squares - sum*sum/filters) / (filters - 1)
	// The estimate of a variance over 400 has a standard error of 7 %: five of them.
	if ratio := variance / math.Pow(riseSD(n, p), 2); math.Abs(ratio-1) > 5*math.Sqrt(2./(filters-1)) {
		t.Errorf("the variance over %d filters is %.3f of what theory says", filters, ratio)
	}
}
