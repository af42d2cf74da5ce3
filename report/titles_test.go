package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/results"
)

// titles are the charts' titles by their names.
func titles(set *results.Set) map[string]string {
	found := map[string]string{}
	for _, c := range analyse(set).charts() {
		found[c.Name] = c.Title
	}
	return found
}

func TestTitlesFollowTheData(t *testing.T) {
	bloomAt := func(bits string) func(r *results.Record) bool {
		return func(r *results.Record) bool {
			return r.Name == "FPR" && r.Axis("filter") == bloomSpec && r.Axis("bits") == bits && r.Axis("n") == "1000000"
		}
	}
	lookupOf := func(f string) func(r *results.Record) bool {
		return func(r *results.Record) bool { return r.Name == "Lookup" && r.Axis("filter") == f }
	}
	rate := func(which func(*results.Record) bool, by float64) func(r *results.Record) bool {
		return func(r *results.Record) bool {
			if which(r) {
				scaleRate(r, by)
			}
			return true
		}
	}
	value := func(which func(*results.Record) bool, by float64, units ...string) func(r *results.Record) bool {
		return func(r *results.Record) bool {
			if which(r) {
				scale(r, by, units...)
			}
			return true
		}
	}
	for _, c := range []struct {
		name, chart string
		doctor      func(r *results.Record) bool
		want, not   string
	}{
		{"as measured", "fpr", func(*results.Record) bool { return true }, "Bloom at 9.6 bits per key gives 1%; blocking costs 0.3 bits", "not 1%"},
		{"twice the rate", "fpr", rate(bloomAt("9.585"), 2), "gives 2.0%, not 1%", "gives 1%"},
		{"half the rate", "fpr", rate(bloomAt("9.585"), .5), "gives 0.50%, not 1%", "gives 1%"},
		{"just inside", "fpr", rate(bloomAt("9.585"), 1.04), "gives 1%", "not 1%"},
		{"just outside", "fpr", rate(bloomAt("9.585"), 1.12), "gives 1.1%, not 1%", "gives 1%;"},
		{"few queries", "fpr", func(r *results.Record) bool {
			if bloomAt("9.585")(r) {
				scale(r, .001, "queries")
				scaleRate(r, .001)
			}
			return true
		}, "per key gives 0.", "gives 1%"},
		// One seed of five thrice as wrong, of as many queries as its fp then come
		// from, a third: 5/(4+1/3) = 1.154 times the rate; t(4) over the seeds'
		// residuals is 0.493 times it.
		{"fpr edited by hand", "fpr", value(func(r *results.Record) bool {
			return bloomAt("9.585")(r) && r.Axis("seed") == "1"
		}, 3, "fpr"), "Records contradict themselves: Bloom at 9.6 bits per key gives 0.6", "gives 1%"},
		{"count edited by hand", "fpr", func(r *results.Record) bool {
			if bloomAt("9.585")(r) {
				scale(r, 3, "fp")
				scale(r, 9, "fp-sq")
			}
			return true
		}, "Records contradict themselves", ""},
		// What cannot be is not drawn, and the next design is judged.
		{"count that cannot be", "fpr", value(bloomAt("9.585"), 3, "fp"), "Naive at 9.6 bits per key gives 1%", "Bloom at"},
		{"blocks for free", "fpr", rate(func(r *results.Record) bool { return r.Axis("filter") == blockedSpec && r.Name == "FPR" }, .5), "blocking saves ", "costs"},
		{"no Bloom filter", "fpr", func(r *results.Record) bool {
			return r.Axis("filter") != bloomSpec && r.Axis("filter") != "naive"
		}, "needs ", "Bloom at"},
		{"all agree", "fpr-model", func(*results.Record) bool { return true }, "All 175 measured rates agree with theory", ""},
		{"keys make no difference", "fpr-ratio", func(*results.Record) bool { return true }, "The rates are theory's for 8 kinds of keys, and for 1k to 1M of them", "miss"},
		{"one kind of keys", "fpr-ratio", rate(func(r *results.Record) bool {
			return r.Name == "FPR" && r.Axis("filter") == bloomSpec && r.Axis("keys") == "url"
		}, .6), "1 of 65 measured rates miss theory, worst bloom at 10 bits, 100k url keys: 0.", "The rates"},
		{"one drifts with n", "fpr-model", rate(func(r *results.Record) bool {
			return r.Name == "FPR" && r.Axis("filter") == blockedSpec && r.Axis("keys") == "sequential"
		}, 1.5), "1 of 175 measured rates miss theory, worst blocked 512-bit at 10 bits, 100k sequential keys: 1.", "All"},
		{"as timed", "throughput", func(*results.Record) bool { return true }, "At 256 MiB blocked 512-bit answers 4.", "equally"},
		{"Bloom faster", "throughput", value(lookupOf(bloomSpec), .1, "ns/op"), "At 256 MiB bloom answers 2.", "equally"},
		{"no difference", "throughput", value(lookupOf(bloomSpec), 14./62, "ns/op"), "At 256 MiB blocked 512-bit and bloom cannot be told apart in these rounds", "answers"},
		{"present keys dear", "hits", func(*results.Record) bool { return true }, "bloom 2.2 times", ""},
		{"present keys cheap", "hits", value(func(r *results.Record) bool {
			return lookupOf(bloomSpec)(r) && r.Axis("hits") == "100"
		}, .25, "ns/op"), "bloom 0.5", "bloom 2.2"},
		{"map is large", "memory", func(*results.Record) bool { return true }, "A Go map takes 66.6 times the memory of bloom", ""},
		{"map is small", "memory", value(func(r *results.Record) bool { return r.Axis("filter") == "set" }, .01, "heap-B"), "A Go map takes less memory than bloom: 0.67 times", "66.6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := titles(doctor(synthetic(), c.doctor))[c.chart]
			if !strings.Contains(got, c.want) {
				t.Errorf("title %q, want %q in it", got, c.want)
			}
			if c.not != "" && strings.Contains(got, c.not) {
				t.Errorf("title %q, want no %q in it", got, c.not)
			}
		})
	}
}

// many is synthetic results of all registered filters: rates as of a Bloom
// filter of so many times the bits, and two filters of one size.
func many() *results.Set {
	set := &results.Set{Files: []results.File{{Experiment: "fpr"}}}
	add := func(spec string, bits, p float64) {
		const queries = 1e7
		hits := math.Round(queries * p)
		r := rec("FPR", "filter", spec, "bits", bits, "n", 1_000_000, "keys", "random", "seed", 1)
		set.Files[0].Records = append(set.Files[0].Records, with(r, "fpr", hits/queries, "fp", hits, "queries", queries,
			"filters", 1, "fp-sq", hits*hits, "fn", 0, "bits/key", bits, "model-fpr", p, "model-sd", 0, "model-tol", 0))
	}
	times := map[string]float64{"naive": 1, "bloom": 1, "blocked": 1.04, "counting": 4, "guava": 1, "leveldb": 1.11, "rocksdb": 1.04}
	for _, spec := range registered {
		switch family(spec) {
		case "set", "array":
		case "peer-fuse8":
			add(spec, 9.04, 1./256)
		case "peer-seiflotfy":
			add(spec, 8.39, .03)
			add(spec, 16.8, .015)
		default:
			f := times[family(spec)]
			if f == 0 {
				f = 1.2
			}
			for bits := 4.0; bits <= 20; bits++ {
				add(spec, bits*f, bloomModel(1_000_000, bits))
			}
		}
	}
	return set
}

func TestTitlesOfManyFilters(t *testing.T) {
	// Bloom's bits for 1/256 are log2(256)/ln 2 = 11.54; for 1 % with 7 probes 9.593.
	want := map[string]string{
		"fpr":                    "needs 9.6 bits per key for 1%", // there is no point at 9.585 bits to judge
		"fpr-systems":            "Guava takes as many bits per key as bloom at 1%, leveldb 11% more",
		"fpr-peers-bits":         "takes 20% more bits per key than bloom at 1%",
		"fpr-peers-fingerprints": "Peer-fuse8 takes 22% fewer bits per key than bloom at 0.39%, peer-",
		"fpr-counting":           "Counting takes 4.0 times as many bits per key as bloom at 1%",
		"space":                  "Peer-fuse8 keeps to 1% with 9.04 bits per key, 36% over the bound; bloom takes 9.59",
	}
	got := titles(many())
	for name, title := range want {
		if !strings.Contains(got[name], title) {
			t.Errorf("%s: %q, want %q", name, got[name], title)
		}
	}
	noFuse := doctor(many(), func(r *results.Record) bool { return r.Axis("filter") != "peer-fuse8" })
	if got := titles(noFuse)["space"]; !strings.HasPrefix(got, "No filter here needs fewer bits for 1% than bloom: 9.5") {
		t.Errorf("without the filter that needs least: %q", got)
	}
	above := doctor(many(), func(r *results.Record) bool {
		if r.Axis("filter") == "peer-fuse8" {
			scaleRate(r, 3)
		}
		return true
	})
	if got := titles(above)["space"]; strings.Contains(got, "fuse8") {
		t.Errorf("a filter above 1%% keeps to it: %q", got)
	}
}

// The chart's dots are the table's numbers, in the table's order, and filters of
// one size have a point at their own.
func TestSpaceChartAgreesWithTable(t *testing.T) {
	cells, _ := rates(many().Records("fpr"))
	c, table := spaceCharts(cells)[0], spaceTable(cells)
	if len(c.Rows) != len(table.Rows) {
		t.Fatalf("%d rows in the chart, %d in the table", len(c.Rows), len(table.Rows))
	}
	const bounds = "4.32 5.06 6.64 9.97 13.3" // log2(1/p), by hand
	if got := strings.Join(table.Rows[len(table.Rows)-1][2:7], " "); got != bounds {
		t.Errorf("bounds %s, want %s", got, bounds)
	}
	for i := range c.Rows {
		row := table.Rows[(i+len(table.Rows)-1)%len(table.Rows)] // the bound is the chart's first
		if c.Rows[i] != row[0] {
			t.Errorf("row %d is %q in the chart and %q in the table", i, c.Rows[i], row[0])
		}
		for j := range targets {
			if got := dots(c.Series[j], i); !slices.Equal(got, []string{row[2+j]}) && (got != nil || row[2+j] != dash) {
				t.Errorf("%s at %v: %q in the chart, %s in the table", row[0], targets[j], got, row[2+j])
			}
		}
		for _, x := range dots(c.Series[len(targets)], i) {
			if !strings.Contains(row[7], x+" at ") {
				t.Errorf("%s: the chart has it at %s, the table %q", row[0], x, row[7])
			}
		}
		if note := strings.TrimSuffix(c.Notes[i], "×"); note != row[8] && i > 0 {
			t.Errorf("%s: overhead %s in the chart, %s in the table", row[0], note, row[8])
		}
	}
}

// dots are the places of a series in a row, as the table writes them.
func dots(s chart.Series, row int) (xs []string) {
	for _, p := range s.Points {
		if p.Y == float64(row) {
			xs = append(xs, format.Fixed(p.X, 3))
		}
	}
	return xs
}

// Further charts are folded away, in the page and among the findings.
func TestMinorChartsAreFolded(t *testing.T) {
	r := analyse(many())
	page := pageOf(t, many())
	minor := 0
	for _, c := range r.charts() {
		folded := strings.Contains(page, fmt.Sprintf(`</summary>
<figure id="chart-%s">`, c.Name))
		if folded != c.Minor || slices.Contains(r.summary().Findings, c.Title) == c.Minor {
			t.Errorf("chart %s: minor %v, folded %v", c.Name, c.Minor, folded)
		}
		if c.Minor {
			minor++
		}
	}
	if minor < 5 {
		t.Errorf("%d charts are folded away", minor)
	}
}
