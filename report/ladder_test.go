package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"filterbench/results"
)

// ladderWorld is made-up records of a ladder with the given caches.
func ladderWorld(f func(size float64) float64, config ...results.ConfigLine) *results.Set {
	rng := rand.New(rand.NewPCG(11, 12))
	var records []results.Record
	sizes, ns := ladderOf(1, 0, 1, f)
	for range 10 {
		for i, size := range sizes {
			for _, pages := range []string{"small", "huge"} {
				t := ns[i] * math.Exp(.03*rng.NormFloat64())
				if pages == "small" {
					t *= 1 + math.Log2(size/4096)/20 // which looks like a step where it is none
				}
				axes := []any{"size", strconv.FormatFloat(size, 'f', 0, 64), "pages", pages}
				for kind, part := range map[string]float64{"dependent-read": 1, "line-read": .2} {
					r := rec("Limit", append([]any{"kind", kind}, axes...)...)
					records = append(records, with(r, "ns/op", 1.05*part*t, "cpu-ns/op", part*t, "disturbed", 0))
				}
			}
		}
	}
	return &results.Set{Files: []results.File{{Experiment: "ladder", Config: config, Records: records}}}
}

var cpuStates = []results.ConfigLine{{Key: "cache-l1d", Value: "49152"}, {Key: "cache-l2", Value: "2097152"}, {Key: "cache-l3", Value: "314572800"}}

func TestLadderTitle(t *testing.T) {
	server := caches([]float64{46 << 10, 1.5 * (1 << 20), 24 << 20}, []float64{2, 6, 45, 130})
	for _, c := range []struct {
		name string
		set  *results.Set
		want string
	}{
		{"three", ladderWorld(server, cpuStates...), "; the CPU states 48 KiB, 2 MiB and 300 MiB"},
		{"nothing stated", ladderWorld(server), "In effect the caches end at 4"},
		{"one", ladderWorld(caches([]float64{64 << 10}, []float64{2, 90})), "In effect the cache ends at "},
		{"none", ladderWorld(func(float64) float64 { return 80 }), "No cache shows an end up to 1 GiB"},
	} {
		if got := titles(c.set)["ladder"]; !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	table := kneeTable(kneesOf(first(timings(ladderWorld(server).Records("ladder")))), stated(ladderWorld(server, cpuStates...)))
	var near []string
	for _, row := range table.Rows {
		near = append(near, row[5])
	}
	if !slices.Equal(near, []string{"L1d 48 KiB", "L2 2 MiB", "L3 300 MiB"}) {
		t.Errorf("nearest to the knees: %q", near)
	}
}

func first[A, B any](a A, _ B) A { return a }

// The throughput chart shows where caches end in effect beside where the CPU says.
func TestThroughputShowsKnees(t *testing.T) {
	set := synthetic()
	count := func(set *results.Set) (stated, measured int) {
		for _, c := range analyse(set).charts() {
			if c.Name == "throughput" {
				for _, m := range c.Marks {
					if m.Measured {
						measured++
					} else {
						stated++
					}
				}
			}
		}
		return stated, measured
	}
	if s, m := count(set); s != 3 || m != 0 {
		t.Errorf("without a ladder %d marks are stated and %d measured", s, m)
	}
	ladder := ladderWorld(caches([]float64{32 << 10, 512 << 10, 4 << 20}, []float64{2, 6, 45, 130})).Files[0]
	ladder.Config = set.Files[0].Config
	set.Files = append(set.Files, ladder)
	if s, m := count(set); s != 3 || m != 3 {
		t.Errorf("with a ladder %d marks are stated and %d measured", s, m)
	}
}

// Records without sizes or times, and sizes that come twice, give fewer points and
// no panic.
func TestHostileLadder(t *testing.T) {
	set := ladderWorld(caches([]float64{32 << 10}, []float64{2, 60}))
	for i := range set.Files[0].Records {
		r := &set.Files[0].Records[i]
		switch i % 7 {
		case 0:
			r.Axes = r.Axes[:1]
		case 1:
			r.Values = nil
		case 2:
			scale(r, 0, "ns/op")
		case 3:
			r.Axes[1].Value = "8192 B"
		case 4:
			r.Axes[0].Value = "none"
		}
	}
	if c := readLadder(set); c.unusable == 0 {
		t.Error("nothing was left out")
	}
	analyse(set)
}
