package claims

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"filterbench/results"
)

// world is a results folder in the making, in which every claim comes out as
// established. The rates are those of the exact formulas, computed by an
// independent program; tests doctor them.
type world struct{ results.Set }

// newWorld builds the records that the claims need, one for each cell.
func newWorld() *world {
	w := &world{}
	w.add("fpr", append(fprRecords(), designRecords()...)...)
	w.add("textbook", textbookRecords()...)
	w.add("memory", memoryRecords()...)
	w.add("lookup", append(lookupRecords(), overtakingRecords()...)...)
	w.add("insert", insertRecords()...)
	w.add("overload", overloadRecords()...)
	w.add("touch", touchRecords()...)
	w.add("delete", deleteRecords()...)
	w.add("steps", stepsRecords()...)
	w.add("lsm", lsmRecords()...)
	w.add("frontcoding", frontRecords()...)
	w.add("hash", hashRecords()...)
	w.add("hitmix", queryRecords()...)
	w.add("scan", scanRecords()...)
	return w
}

func (w *world) add(experiment string, records ...results.Record) {
	w.Files = append(w.Files, results.File{Experiment: experiment, Records: records})
}

// each visits the records of a cell, which must be some.
func (w *world) each(c Cell, visit func(r *results.Record)) {
	found := false
	for f := range w.Files {
		for i := range w.Files[f].Records {
			if r := &w.Files[f].Records[i]; c.Match(*r) {
				found = true
				visit(r)
			}
		}
	}
	if !found {
		panic("no record " + c.String())
	}
}

// set changes a value of a cell's records, and the axis m with the size.
func (w *world) set(c Cell, unit string, v float64) {
	w.each(c, func(r *results.Record) {
		setValue(r, unit, v)
		if n, err := strconv.ParseFloat(r.Axis("n"), 64); err == nil && unit == "bits/key" && r.Axis("m") != "" {
			setAxis(r, "m", fmt.Sprintf("%.0f", math.Floor(v*n)))
		}
	})
}

func setValue(r *results.Record, unit string, v float64) {
	for i := range r.Values {
		if r.Values[i].Unit == unit {
			r.Values[i].V = v
			return
		}
	}
	panic(r.FullName() + " has no " + unit)
}

// rate gives a cell another rate, and all values that follow from it.
func (w *world) rate(c Cell, p float64) {
	w.each(c, func(r *results.Record) {
		queries, _ := r.Value("queries")
		filters, _ := r.Value("filters")
		hits := math.Round(p * queries)
		setValue(r, "fp", hits)
		setValue(r, "fpr", hits/queries)
		setValue(r, "fp-sq", hits*hits/filters)
	})
}

// drop removes the records of a cell.
func (w *world) drop(c Cell) {
	for f := range w.Files {
		var kept []results.Record
		for _, r := range w.Files[f].Records {
			if !c.Match(r) {
				kept = append(kept, r)
			}
		}
		w.Files[f].Records = kept
	}
}

// rec makes a record from "key=value" axes and alternating units and values.
func rec(name, axes string, values ...any) results.Record {
	r := results.Record{Name: name, Iters: 1}
	for _, a := range strings.Fields(axes) {
		key, value, _ := strings.Cut(a, "=")
		r.Axes = append(r.Axes, results.Axis{Key: key, Value: value})
	}
	for i := 0; i < len(values); i += 2 {
		v, ok := values[i+1].(float64)
		if !ok {
			v = float64(values[i+1].(int))
		}
		r.Values = append(r.Values, results.Value{Unit: values[i].(string), V: v})
	}
	return r
}

// fpr makes an FPR record; filters are all alike.
func fpr(axes string, p, queries, filters, bits float64) results.Record {
	hits := math.Round(p * queries)
	return rec("FPR", axes, "fpr", hits/queries, "fp", hits, "queries", queries,
		"filters", filters, "fp-sq", hits*hits/filters, "fn", 0, "bits/key", bits, "refused", 0, "model-sd", 0.0012*p)
}

const bloomSpec = "filter=bloom:index=range,step=enhanced,k=auto"

func fprRecords() (all []results.Record) {
	for _, c := range []struct {
		bits float64
		k    int
		p    float64
	}{
		{4, 3, 1.468917e-01}, {5, 3, 9.184888e-02}, {6, 4, 5.605670e-02}, {7, 5, 3.465787e-02},
		{8, 6, 2.157716e-02}, {9, 6, 1.327215e-02}, {9.585, 7, 1.003952e-02}, {9.593, 7, 9.999785e-03},
		{10, 7, 8.193729e-03}, {11, 8, 5.086416e-03}, {12, 8, 3.142353e-03}, {13, 9, 1.938414e-03},
		{14, 10, 1.201167e-03}, {15, 10, 7.439929e-04}, {16, 11, 4.587113e-04}, {17, 12, 2.839068e-04},
		{18, 12, 1.761499e-04}, {19, 13, 1.085678e-04}, {20, 14, 6.713719e-05},
	} {
		for seed := 1; seed <= 2; seed++ { // two of them, so that pooling is at work
			axes := fmt.Sprintf("%s bits=%v n=1000000 keys=random seed=%d m=%.0f k=%d", bloomSpec, c.bits, seed, c.bits*1e6, c.k)
			all = append(all, fpr(axes, c.p, 1e6, 1, c.bits))
		}
	}
	for _, c := range []struct {
		bits, k int
		p       float64
	}{
		{8, 5, 2.326338e-02}, {9, 6, 1.485741e-02}, {10, 6, 9.664748e-03},
		{12, 8, 4.134917e-03}, {16, 9, 8.439133e-04}, {20, 11, 1.978318e-04},
	} {
		axes := fmt.Sprintf("filter=blocked:block=64,k=auto bits=%d n=1000000 keys=random seed=1 m=%d k=%d", c.bits, c.bits*1e6, c.k)
		all = append(all, fpr(axes, c.p, 2e6, 1, float64(c.bits)))
	}
	for bits, ps := range map[int][]float64{
		10: {9.43098e-03, 8.43627e-03, 8.19379e-03, 8.45556e-03, 9.12710e-03},
		15: {8.52274e-04, 7.74864e-04, 7.44001e-04, 7.46856e-04, 7.77523e-04},
	} {
		for i, p := range ps {
			k := map[int]int{10: 5, 15: 8}[bits] + i
			axes := fmt.Sprintf("filter=bloom:index=range,step=enhanced,k=%d bits=%d n=100000 keys=random seed=1 m=%d k=%d", k, bits, bits*1e5, k)
			all = append(all, fpr(axes, p, 4e6, 1, float64(bits)))
		}
	}
	small := "filter=bloom:index=range,step=independent,k=auto bits=9.585 keys=random seed=1 "
	return append(all,
		fpr(small+"n=10 m=96 k=7", 0.010888081, 2e7, 20000, 51.2),
		fpr(small+"n=1000 m=9585 k=7", 0.010048565, 2e6, 200, 9.728),
		fpr(bloomSpec+" bits=14.3775876 n=5000000 keys=url seed=1 m=71887938 k=10", 0.00100002515, 1.54e6, 1, 14.378),
		fpr(bloomSpec+" bits=9.585059 n=1000000 keys=random seed=1 m=9585059 k=7", 0.01003924, 1.7e8, 100, 9.586),
		fpr("filter=naive bits=10 n=10000 keys=random seed=1 m=100000 k=7", 0.0082, 1e5, 10, 10.01),
	)
}

func textbookRecords() []results.Record {
	filter := func(p, sha, first string, m, k, set, fp, many, calls int) results.Record {
		return rec("Textbook", fmt.Sprintf("part=filter p=%s n=10000 sha256=%s first=%s", p, sha, first),
			"m", m, "k", k, "bits-set", set, "fp-10000", fp, "fp-1000000", many, "fn", 0, "md5-calls", calls)
	}
	positions := func(key string, pos ...any) results.Record {
		var values []any
		for i, p := range pos {
			values = append(values, fmt.Sprintf("pos-%d", i), p)
		}
		return rec("Textbook", "part=positions key="+key+" p=0.01 n=10000", values...)
	}
	all := []results.Record{
		filter("0.05", "2913307224263aa16d1dc9758ac6a88e5d20ec8ae05b516bd07318cbffe44b30", "0+1+6+33+34+73+76+82",
			62353, 4, 29609, 475, 50653, 17805),
		filter("0.01", "4cbbc964b71656f71d99a3ea4d1105ba1f3c06d82005df3991c93508ad8e5546", "70+296+304+366+395+597+604+721",
			95851, 7, 49690, 114, 10007, 20801),
		filter("0.001", "df05a61a369b1e7bd376ee81a77aed58e4e390cb828aff752edb549bc5446113", "5515+7026+8565+9102",
			143776, 10, 72104, 4, 1016, 20174),
		positions("key0", 86596, 63495, 13170, 57413, 87040, 53217, 44839),
		positions("ghost0", 77441, 31826, 10379, 44193, 56631, 95579, 8255),
	}
	for i, reads := range []int{97, 110, 111, 107, 103, 85, 99, 103, 85, 104} {
		all = append(all, rec("Textbook", fmt.Sprintf("part=lsm table=%d", i), "probes", 10000, "reads", reads))
	}
	return append(all,
		rec("Textbook", "part=lsm table=all", "queries", 10000, "probes", 100000, "reads", 1004, "queries-with-reads", 967),
		rec("Textbook", "part=lsm-present", "queries", 10000, "maybe", 10904, "true", 10000, "false", 904))
}

func memoryRecords() []results.Record {
	all := []results.Record{
		rec("Memory", bloomSpec+" bits=9.585 n=1000000 keys=bytes20", "alloc-B", 1198208, "heap-B", 1200000, "key-B", 20000000),
		rec("Memory", "filter=counting:counter=4,k=auto bits=38.4 n=1000000 keys=bytes20", "alloc-B", 4800512, "heap-B", 4800760, "key-B", 20000000),
		rec("Memory", "filter=set bits=9.585 n=1000000 keys=bytes20", "alloc-B", 79900000, "heap-B", 79900000, "key-B", 20000000),
	}
	for _, size := range []int{8, 12, 16, 77} {
		all = append(all, rec("Memory", fmt.Sprintf("filter=array bits=9.585 n=100000 keys=bytes%d", size),
			"alloc-B", (size+4)*100000, "heap-B", (size+4)*100000, "key-B", size*100000))
	}
	return all
}

func lookupRecords() (all []results.Record) {
	// ns/op by size, as on a machine with a slow memory.
	cell := func(axes string, small, large float64) {
		for round := range 10 {
			noise := 1 + 0.01*float64(round%3)
			all = append(all, rec("Lookup", "size=16KiB "+axes, "ns/op", small*noise), rec("Lookup", "size=16MiB "+axes, "ns/op", large*noise))
		}
	}
	plain := bloomSpec + " api=hash bits=10 k=7 "
	blocked := "filter=blocked:block=64,k=auto api=hash bits=10 k=6 "
	cell(plain+"mode=single hits=0", 8, 60)
	cell(plain+"mode=single hits=100", 12, 150)
	cell(plain+"mode=batch hits=0", 8, 30)
	cell(plain+"mode=batch hits=100", 12, 60)
	cell(blocked+"mode=batch hits=0", 5, 12)
	cell(blocked+"mode=batch hits=100", 5, 12)
	for range 10 {
		all = append(all, rec("Limit", "kind=dependent-read size=16MiB", "ns/op", 90.0))
	}
	return all
}
