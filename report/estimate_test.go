package report

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"filterbench/report/chart"
	"filterbench/results"
	"filterbench/results/stat"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %v, want %v ± %v", what, got, want, tol)
	}
}

func fprRecord(seed int, values ...any) results.Record {
	return with(rec("FPR", "filter", "bloom", "bits", "9.585", "n", 1000000, "keys", "random", "seed", seed), values...)
}

// Wilson's interval of 114 in 10,000 by hand: centre (0.0114 + z²/20000) /
// (1 + z²/10000) = 0.0115876, half-width 0.0020888.
func TestRatesPoolSeeds(t *testing.T) {
	cells, bad := rates([]results.Record{
		fprRecord(1, "fp", 50, "queries", 4000, "fpr", .0125, "filters", 1, "fp-sq", 2500, "bits/key", 9.58, "model-fpr", .01, "model-sd", 0, "model-tol", 0),
		fprRecord(2, "fp", 64, "queries", 6000, "fpr", 64./6000, "filters", 1, "fp-sq", 4096, "bits/key", 9.59, "model-fpr", .01, "model-sd", 0, "model-tol", 0),
	})
	if len(cells) != 1 || bad != 0 {
		t.Fatalf("%d cells, %d bad records; want 1 and 0", len(cells), bad)
	}
	c := cells[0]
	near(t, "rate", c.p, .0114, 1e-15)
	near(t, "bits", c.alloc, 9.586, 1e-12)
	near(t, "model", c.model, .01, 1e-15)
	// Two filters that agree as well as chance lets them: no narrower than Wilson.
	if c.lo > .009499+1e-6 || c.hi < .013676-1e-6 {
		t.Errorf("interval %v to %v is narrower than 0.009499 to 0.013676", c.lo, c.hi)
	}
	one := fprRecord(1, "fp", 114, "queries", 10000, "fpr", .0114, "filters", 1, "fp-sq", 114*114)
	cells, _ = rates([]results.Record{one})
	near(t, "lower end", cells[0].lo, .009499, 1e-6)
	near(t, "upper end", cells[0].hi, .013676, 1e-6)
	if !math.IsNaN(cells[0].model) || cells[0].held() {
		t.Error("a record without a model has one")
	}
}

// Field case: 0 of 10⁵ is not 0 but at most -ln(0.05)/10⁵ = 3.0e-5.
func TestNothingCountedIsABound(t *testing.T) {
	cells, _ := rates([]results.Record{fprRecord(1, "fp", 0, "queries", 100000, "fpr", 0, "filters", 1, "fp-sq", 0, "bits/key", 25)})
	p := ratePoint(25, cells[0])
	if !p.Bound || p.Lo != 0 || p.Hi != 0 {
		t.Errorf("point %+v, want an open bound", p)
	}
	near(t, "bound", p.Y, -math.Log(.05)/1e5, 1e-9)
	row := fprTable(cells).Rows[0]
	if got := strings.Join(row, " "); !strings.Contains(got, "below 0.0030%") || strings.Contains(got, "Inf") || strings.Contains(got, "NaN") {
		t.Errorf("row %q", got)
	}
}

func TestUnusableRecords(t *testing.T) {
	cells, bad := rates([]results.Record{
		fprRecord(1, "fp", 5),
		fprRecord(2, "fp", 5, "queries", 4, "filters", 1),
		fprRecord(3, "fp", -1, "queries", 4, "filters", 1),
		with(rec("FPR", "filter", "bloom", "bits", "10", "n", "many", "keys", "random"), "fp", 1, "queries", 4),
		with(rec("FPR", "bits", "10", "n", "10", "keys", "random"), "fp", 1, "queries", 4),
	})
	if len(cells) != 0 || bad != 5 {
		t.Errorf("%d cells and %d bad records, want 0 and 5", len(cells), bad)
	}
}

// On exp(-b ln²2) the rate is 1 % at exactly 9.585 bits.
func TestBitsFor(t *testing.T) {
	var points []rate
	for _, b := range []float64{4, 6, 8, 9, 10, 11, 12, 16, 20} {
		p := math.Exp(-b * math.Ln2 * math.Ln2)
		r := rate{alloc: b, p: p}
		r.Hits = uint64(1000 + b)
		points = append(points, r)
	}
	got := bitsFor(points, .01)
	if !got.ok {
		t.Fatal("no bits for 1 %")
	}
	near(t, "bits for 1 %", got.mid, 9.58506, 1e-5)
	for _, target := range []float64{.5, 1e-6} {
		if b := bitsFor(points, target); b.ok {
			t.Errorf("%v bits for %v, beyond what was measured", b.mid, target)
		}
	}
	if bitsFor(nil, .01).ok {
		t.Error("bits from no points")
	}
	// Steps wider than the window use the points on either side, but not across
	// more than a factor of ten.
	for _, c := range []struct {
		above, below float64
		ok           bool
	}{{.03, .0011, true}, {.09, .009, true}, {.05, .02, false}, {.2, .009, false}} {
		two := []rate{{alloc: 8, p: c.above}, {alloc: 11, p: c.below}}
		two[0].Hits, two[1].Hits = 1000, 1000
		got := bitsFor(two, .01)
		if got.ok != c.ok {
			t.Errorf("between %v and %v: ok is %v", c.above, c.below, got.ok)
		}
		want := 8 + 3*math.Log(c.above/.01)/math.Log(c.above/c.below)
		if c.ok {
			near(t, "bits between two points", got.mid, want, 1e-9)
		}
	}
}

// Of counts drawn from a known curve 95 % of the intervals hold the true bits:
// of 400, 380 +- 4.4, so that 5 standard deviations are 358 to 400.
func TestBitsForCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const runs, queries = 400, 200_000
	inside := 0
	for range runs {
		var points []rate
		for b := 6.0; b <= 14; b++ {
			p := math.Exp(-b * math.Ln2 * math.Ln2)
			hits := math.Round(queries*p + math.Sqrt(queries*p*(1-p))*rng.NormFloat64())
			r := rate{alloc: b}
			r.Sample = stat.Sample{Hits: uint64(hits), HitsSq: hits * hits, Queries: queries, Filters: 1}
			r.estimate()
			points = append(points, r)
		}
		if e := bitsFor(points, .01); e.ok && e.lo <= 9.58506 && e.hi >= 9.58506 {
			inside++
		}
	}
	if inside < 358 {
		t.Errorf("%d of %d intervals hold the true value", inside, runs)
	}
}

// The order statistics of ten samples that enclose the median with 95 %
// confidence are the second and the ninth (binomial tails 11/1024 each).
func TestMedianInterval(t *testing.T) {
	m := medianOf([]float64{10, 1, 9, 2, 8, 3, 7, 4, 6, 5})
	if m.mid != 5.5 || m.lo != 2 || m.hi != 9 {
		t.Errorf("median %+v, want 5.5 from 2 to 9", m)
	}
	if m := medianOf([]float64{1, 2, 3}); !math.IsInf(m.hi, 1) || m.interval() != dash {
		t.Errorf("median of three %+v has an interval", m)
	}
}

func TestSweepsTakeEachFiltersOwn(t *testing.T) {
	cells, _ := rates(synthFPR())
	keys, n, all := sweeps(cells)
	if keys != "random" || n != 1e6 || len(all) != len(synthModels) {
		t.Fatalf("%d sweeps of %s, n = %v; want %d of random, n = 1e6", len(all), keys, n, len(synthModels))
	}
	for _, s := range all {
		if want := map[bool]float64{true: 1e4, false: 1e6}[s.filter == "naive"]; s.n != want {
			t.Errorf("%s: n = %v, want %v", s.filter, s.n, want)
		}
	}
	if c := fprCharts(cells)[0]; !strings.Contains(c.Series[0].Name, "n = 10k") || strings.Contains(c.Series[1].Name, "n =") {
		t.Errorf("series %q and %q: only the one of another n should say so", c.Series[0].Name, c.Series[1].Name)
	}
}

func TestNames(t *testing.T) {
	n := newNamer([]string{"naive", bloomSpec, "bloom:index=mod,step=enhanced,k=auto", blockedSpec, blocked128Spec})
	for spec, want := range map[string]string{
		"naive": "naive", bloomSpec: "bloom range", blockedSpec: "blocked 512-bit", blocked128Spec: "blocked 1024-bit", "unknown:x=1": "unknown:x=1",
	} {
		if got := n.name(spec); got != want {
			t.Errorf("%s: name %q, want %q", spec, got, want)
		}
	}
}

func TestLevelsOnlyIfKnown(t *testing.T) {
	set := synthetic()
	if got := levels(set); len(got) != 3 || got[1] != (chart.Mark{At: 524288, Name: "L2 512 KiB", Short: "L2"}) {
		t.Errorf("marks %+v", got)
	}
	for i := range set.Files {
		set.Files[i].Config = []results.ConfigLine{{Key: "cache-l1d", Value: "0"}, {Key: "cache-l2", Value: "-1"}, {Key: "cache-l3", Value: "unknown"}}
	}
	if got := levels(set); got != nil {
		t.Errorf("unknown sizes give marks %+v", got)
	}
}
