package claims

import (
	"math"
	"slices"
	"strings"
	"testing"

	"filterbench/results"
)

// doctored are results on the other side of a claim's line.
type doctored struct {
	id     string
	doctor func(w *world)
	want   Status
}

var doctoredResults = []doctored{
	{"A02", func(w *world) { w.set(blockedAt("12"), "fn", 1) }, Wrong},
	{"A02", func(w *world) { w.set(program("0.01"), "fn", 1) }, Wrong},
	{"A03", func(w *world) { w.set(positionsKey0, "pos-3", 57414) }, Wrong},
	{"A05", func(w *world) { w.rate(bloomAt("9.585"), 0.0112) }, Wrong},
	{"A05", func(w *world) { w.rate(bloomAt("9.593"), 0.0088) }, Wrong},
	{"A05", func(w *world) { w.rate(bloomAt("9.585"), 0) }, Wrong},
	{"A06", func(w *world) { w.set(bloomAt("9.585"), "bits/key", 10.1) }, Wrong},
	{"A08", func(w *world) { w.rate(small("10"), 0.009966) }, Holds},
	{"A08", func(w *world) { w.rate(small("10"), 0.0095) }, Wrong},
	{"A08", func(w *world) { w.rate(small("1000"), 0.0109) }, Wrong},
	{"A09", func(w *world) { w.rate(probesAt("10", 6), 0.0075) }, Wrong},
	{"A09", func(w *world) { w.rate(probesAt("15", 12), 0.0006) }, Wrong},
	{"A10", func(w *world) { w.rate(bloomAt("10"), 0.0092) }, Wrong},
	{"A11", func(w *world) { w.rate(bloomAt("15"), 0.0003) }, Holds},
	{"A16", func(w *world) { w.set(program("0.01"), "k", 6) }, Wrong},
	{"A17", func(w *world) { w.set(program("0.01"), "fp-1000000", 11200) }, Wrong},
	{"A18", func(w *world) { w.set(program("0.01"), "fn", 1) }, Wrong},
	{"A19", func(w *world) { w.set(lsmAll, "probes", 10000) }, Holds},
	{"A20", func(w *world) { w.set(program("0.01"), "md5-calls", 70001) }, Wrong},
	{"A21", func(w *world) { w.rate(bloomAt("12"), 0.0045) }, Wrong},
	{"A22", func(w *world) { w.set(lsmAll, "queries-with-reads", 99); w.set(lsmAll, "reads", 100) }, Holds},
	{"A22", func(w *world) { w.set(lsmAll, "reads", 10000) }, Wrong},
	{"A25", func(w *world) { w.set(program("0.001"), "k", 9) }, Wrong},
	{"A25", func(w *world) { w.set(program("0.05"), "fp-1000000", 54000) }, Wrong},
	{"A26", func(w *world) { w.set(lsmPresent, "maybe", 11100); w.set(lsmPresent, "false", 1100) }, Wrong},
	{"A28", func(w *world) { w.set(program("0.01"), "md5-calls", 70000) }, Wrong},
	{"B01", func(w *world) { w.set(filterMemory(), "alloc-B", 800000) }, Holds},
	{"B01", func(w *world) { w.set(filterMemory(), "alloc-B", 9e6) }, Wrong},
	{"B02", func(w *world) { w.set(naiveFilter, "fn", 3) }, Wrong},
	{"B06", func(w *world) {
		w.rate(bloomAt("9.585"), 0.0097)
		w.rate(fiveMillion, 0.00095)
		w.more(fiveMillion, 10)
		w.more(bloomAt("9.585"), 4)
	}, Holds},
	{"B06", func(w *world) { w.rate(fiveMillion, 0.0012) }, Wrong},
	{"B07a", func(w *world) { w.rate(bloomAt("9.585"), 0.0112) }, Wrong},
	{"B08", func(w *world) { w.rate(probesAt("10", 6), 0.0075) }, Wrong},
	{"B19", func(w *world) { w.set(bloomAt("20"), "bits/key", 4.01) }, Holds},
	{"B20b", func(w *world) { w.set(dependentRead, "ns/op", 20) }, Holds},
	{"B21", func(w *world) { w.set(slowLookup.with("size", largeSize), "ns/op", 12) }, Conditions},
	{"B21", func(w *world) { w.set(slowLookup.with("size", largeSize), "ns/op", 7) }, Wrong},
	{"B22", func(w *world) {
		w.rate(blockedAt("16"), 0.0006)
		w.rate(blockedAt("20"), 0.00008)
		for _, c := range blockedCells() {
			w.more(c, 20)
		}
	}, Holds},
	{"B22", func(w *world) { w.rate(blockedAt("10"), 0.0140) }, Wrong},
	{"B23", func(w *world) { w.set(cell("Lookup", "filter", "blocked"), "ns/op", 2) }, Holds},
	{"B23", func(w *world) { w.set(cell("Lookup", "filter", "blocked"), "ns/op", 100) }, Wrong},
	{"C04", func(w *world) { w.set(program("0.01"), "bits-set", 49674+5*88) }, Wrong},
	{"C05", func(w *world) { w.rate(small("10"), 0.009966) }, Holds},
	{"C06a", func(w *world) { w.rate(bloomAt("9.585"), 0.0110) }, Wrong},
	{"C06b", func(w *world) { w.rate(bloomAt("9.585059"), 0.00998) }, Holds},
	{"C07", func(w *world) { w.set(bloomAt("9.585"), "bits/key", 9.12) }, Holds},
	{"C07", func(w *world) { w.set(bloomAt("9.585"), "bits/key", 8) }, Wrong},
	{"C08", func(w *world) { w.rate(bloomAt("9.593"), 0.0112) }, Wrong},
	{"C09", func(w *world) { w.rate(bloomAt("9.585"), 0.02) }, Wrong},
	{"C10a", func(w *world) { w.set(filterMemory(), "alloc-B", 1.17e6) }, Holds},
	{"C10b", func(w *world) { w.set(memoryOf("set", "bytes20"), "heap-B", 20.1e6) }, Wrong},
	{"C11", func(w *world) { w.rate(bloomAt("9.585"), 0.0110) }, Wrong},
	{"C12", func(w *world) { w.rate(probesAt("10", 8), 0.0075) }, Wrong},
	{"C17", func(w *world) { w.rate(bloomAt("15"), 0.000303) }, Holds},
	{"C18", func(w *world) {
		w.rate(bloomAt("15"), 0.0003)
		w.rate(bloomAt("20"), 0.00001)
		w.more(bloomAt("20"), 20)
	}, Holds},
	{"C19a", func(w *world) { w.rate(bloomAt("20"), 0.0003) }, Holds},
	{"C19b", func(w *world) { w.rate(bloomAt("15"), 0.0060) }, Wrong},
	{"C32", func(w *world) { w.set(bloomAt("8"), "fn", 1) }, Wrong},
	{"C33", func(w *world) { w.rate(fiveMillion, 0.0012) }, Wrong},
	{"P01", func(w *world) { w.rate(bloomAt("10"), 0.0005) }, Wrong},
	{"P02", func(w *world) { w.rate(bloomAt("10"), 0.0063) }, Wrong},
	{"P03", func(w *world) { w.rate(small("10"), 0.009966) }, Wrong},
	{"P06", func(w *world) { w.rate(blockedAt("10"), 0.0125) }, Wrong},
}

// more asks a cell so many times as many queries, at its rate.
func (w *world) more(c Cell, times float64) {
	w.each(c, func(r *results.Record) {
		for unit, by := range map[string]float64{"fp": times, "queries": times, "fp-sq": times * times} {
			v, _ := r.Value(unit)
			setValue(r, unit, v*by)
		}
	})
}

func TestDoctoredResultsCrossTheLine(t *testing.T) {
	crossed := map[string]bool{}
	for i, d := range slices.Concat(doctoredResults, doctoredDesigns, doctoredLines, doctoredDeletes, doctoredQueries, doctoredCosts, doctoredLoads, doctoredTrees, doctoredFronts) {
		w := newWorld()
		d.doctor(w)
		v := verdict(t, d.id, &w.Set)
		if v.Status != d.want {
			t.Errorf("case %d, %s: %v (%s), want %v", i, d.id, v.Status, v.Reason, d.want)
		}
		if d.want == v.Want {
			t.Errorf("case %d, %s does not cross the line", i, d.id)
		}
		crossed[d.id] = true
	}
	for _, c := range implemented() {
		// That something cannot be beaten is not shown by any results.
		if !crossed[c.ID] && c.ID != "B07b" {
			t.Errorf("%s has no doctored results", c.ID)
		}
	}
}

func TestBeatenOnlyByWhatWasMeasured(t *testing.T) {
	fuse, sorted := fuseOf("1000000"), cell("FPR", "filter", "cuckoo:semisort=yes")
	for name, doctor := range map[string]func(w *world){
		"none":      func(w *world) { w.drop(fuse) },
		"too often": func(w *world) { w.rate(fuse, 0.0102) },
		"too large": func(w *world) { w.set(fuse, "bits/key", 9.56) },
	} {
		w := newWorld()
		doctor(w)
		w.drop(sorted) // which beats it, too
		w.drop(fuseOf("100000"))
		if v := verdict(t, "B07b", &w.Set); v.Status != NotMeasured || v.Fault {
			t.Errorf("%s: %v (%s)", name, v.Status, v.Reason)
		}
	}
}

func TestTooFewQueriesDecideNothing(t *testing.T) {
	for _, x := range []struct {
		id     string
		cell   Cell
		times  float64
		reason string
	}{
		{"A05", bloomAt("9.585"), 0.005, "152,122 needed"},
		{"A10", bloomAt("10"), 0.005, "too few queries: 10,000"},
		{"C33", fiveMillion, 0.01, "too few queries"},
		{"C06b", bloomAt("9.585059"), 0.01, "58,138,714 needed, over 10 filters"},
		{"A08", small("10"), 0.0005, "too few queries"},
		{"P03", small("10"), 0.0005, "too few queries"},
		{"A09", probesAt("10", 7), 0.001, "too few queries"},
		{"C19a", bloomAt("20"), 0.02, "too few queries"},
		{"P02", bloomAt("10"), 0.001, "too few queries"},
		{"P06", blockedAt("10"), 0.001, "too few queries"},
		{"A13", cuckooAt(8, false), 0.0005, "too few queries"},
		{"C14", cell("FPR", "filter", "leveldb"), 0.0005, "0 are shown to be below 1% and 0 above"},
		{"P07", splitBlockCells()[1], 0.0005, "too few queries"},
		{"P08", cuckooAt(8, false), 0.0005, "too few queries"},
		{"P13", flagsAt("75"), 0.005, "too few queries"},
		{"P16", xorMillion, 0.005, "too few queries"},
		{"P17", fuseOf("1000000"), 0.005, "too few queries"},
	} {
		w := newWorld()
		w.each(x.cell, func(r *results.Record) {
			queries, _ := r.Value("queries")
			setValue(r, "queries", math.Round(queries*x.times))
		})
		p := map[string]float64{"A05": 0.01, "A10": 0.0082, "C33": 0.001, "C06b": 0.010039, "A08": 0.0105, "P03": 0.0105,
			"A09": 0.0082, "A13": 0.03, "C14": 0.01, "P07": 0.01, "P08": 0.029, "P13": 0.0058, "P16": 0.0039, "P17": 0.0039, "C19a": 0.00015, "P02": 0.0082, "P06": 0.0097}[x.id]
		w.rate(x.cell, p)
		v := verdict(t, x.id, &w.Set)
		if v.Status != NotMeasured || !strings.Contains(v.Reason, x.reason) || v.Fault {
			t.Errorf("%s: %v (%s)", x.id, v.Status, v.Reason)
		}
	}
}
