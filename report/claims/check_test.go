package claims

import (
	"math"
	"strings"
	"testing"

	"filterbench/filters/theory"
	"filterbench/results"
)

// withModel gives a cell's records, of a Bloom filter, the model that a run
// writes.
func withModel(w *world, c Cell) {
	w.each(c, func(r *results.Record) {
		one, err := readRate(*r)
		if err != nil {
			panic(err)
		}
		r.Values = append(r.Values, results.Value{Unit: "model-fpr", V: theory.BloomExact(one.n, one.m, one.k)})
		setValue(r, "model-sd", theory.BloomSD(one.n, one.m, one.k))
	})
}

// Numbers of the headline's records edited one by one: none bears the claim
// out afterwards, and the status says so. Whoever edits the rate alone turns
// the verdict.
func TestEditedRecordsBearNothingOut(t *testing.T) {
	at := bloomAt("9.593")
	times := func(by float64, units ...string) func(r *results.Record) {
		return func(r *results.Record) {
			for _, unit := range units {
				v, _ := r.Value(unit)
				setValue(r, unit, v*by)
			}
		}
	}
	axis := func(key, value string) func(r *results.Record) {
		return func(r *results.Record) { setAxis(r, key, value) }
	}
	for name, x := range map[string]struct {
		edit   func(r *results.Record)
		status Status
		reason string
	}{
		"nothing":              {func(*results.Record) {}, Holds, ""},
		"fpr, far":             {times(2, "fpr"), Wrong, ""},
		"fpr, a little":        {times(1.001, "fpr"), NotMeasured, "fpr is"},
		"queries down":         {times(.5, "queries"), NotMeasured, "fpr is"},
		"queries up":           {times(100, "queries"), NotMeasured, "fpr is"},
		"fp":                   {times(2, "fp"), NotMeasured, "fp-sq is"},
		"fp-sq":                {times(2, "fp-sq"), NotMeasured, "fp-sq is"},
		"fp and its square":    {func(r *results.Record) { times(2, "fp")(r); times(4, "fp-sq")(r) }, NotMeasured, "fpr is"},
		"m":                    {axis("m", "9500000"), NotMeasured, "but m is 9500000"},
		"m, inside a page":     {axis("m", "9592999"), NotMeasured, "model-fpr is"},
		"k":                    {axis("k", "6"), NotMeasured, "model-fpr is"},
		"bits/key below m/n":   {times(.99, "bits/key"), NotMeasured, "bits/key are"},
		"bits/key above":       {times(1.01, "bits/key"), NotMeasured, "bits/key are"},
		"bits/key, m together": {func(r *results.Record) { times(.5, "bits/key")(r); setAxis(r, "m", "4796500") }, NotMeasured, "model-fpr is"},
		"model":                {times(1.00001, "model-fpr"), NotMeasured, "model-fpr is"},
		"model's sd":           {times(100, "model-sd"), NotMeasured, "model-sd is"},
	} {
		w := newWorld()
		withModel(w, at)
		w.each(at, x.edit)
		rows, exit := Validate(&w.Set)
		v := verdict(t, "A05", &w.Set)
		if v.Status != x.status || v.Fault != (x.reason != "") || !strings.Contains(v.Reason, x.reason) {
			t.Errorf("%s: %v (%s), want %v (%s)", name, v.Status, v.Reason, x.status, x.reason)
		}
		if want := map[bool]int{true: Agrees, false: Differs}[name == "nothing"]; exit != want {
			t.Errorf("%s: exit %d, want %d", name, exit, want)
		}
		if row := rowOf(t, rows, "A05"); row.Status != x.status {
			t.Errorf("%s: row %v", name, row)
		}
	}
}

// A model is compared only where the formula is the family's.
func TestCheckModel(t *testing.T) {
	r := fpr("filter=blocked n=1000000 keys=random seed=1 m=9593000 k=7", 0.01, 1e6, 1, 9.593)
	r.Values = append(r.Values, results.Value{Unit: "model-fpr", V: .5})
	if err := Check(r); err != nil {
		t.Errorf("blocked: %v", err)
	}
	setAxis(&r, "filter", "naive")
	if err := Check(r); err == nil || !strings.Contains(err.Error(), "model-fpr is 0.5") {
		t.Errorf("naive: %v", err)
	}
	r = fpr("filter=bloom n=1000000 keys=random seed=1 m=9593000 k=7", 0.01, 1e6, 1, 9.594)
	r.Values = append(r.Values, results.Value{Unit: "model-fpr", V: theory.BloomExact(1000000, 9593000, 7)})
	setValue(&r, "model-sd", theory.BloomSD(1000000, 9593000, 7))
	if err := Check(r); err != nil {
		t.Errorf("as measured: %v", err)
	}
	setAxis(&r, "n", "999999")
	if err := Check(r); err == nil || !strings.Contains(err.Error(), "model-fpr is") {
		t.Errorf("n: %v", err)
	}
	setAxis(&r, "k", "1000000000") // not computed
	if err := Check(r); err != nil {
		t.Errorf("k without bounds: %v", err)
	}
}

// The fewer queries count: an edit never makes an interval narrower.
func TestAtRate(t *testing.T) {
	for _, x := range []struct{ fpr, fp, queries, hits, asked float64 }{
		{.01, 100, 1e4, 100, 1e4},  // nothing edited
		{.01, 100, 1e6, 100, 1e4},  // queries up
		{.01, 100, 5e3, 50, 5e3},   // queries down
		{.02, 100, 1e4, 100, 5e3},  // fpr up
		{.005, 100, 1e4, 50, 1e4},  // fpr down
		{0, 100, 1e4, 0, 1e4},      // fpr of nothing
		{.01, 0, 1e4, 100, 1e4},    // fp of nothing
		{1, 1e-9, 1e4, 1, 1},       // never no queries
		{1e-300, 5, 1e4, 0, 1e4},   // the quotient is huge
		{.5, math.Inf(1), 4, 2, 4}, // or infinite
	} {
		if hits, asked := AtRate(x.fpr, x.fp, x.queries); hits != x.hits || asked != x.asked {
			t.Errorf("AtRate(%v, %v, %v) = %v of %v, want %v of %v", x.fpr, x.fp, x.queries, hits, asked, x.hits, x.asked)
		}
	}
}
