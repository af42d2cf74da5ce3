package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
)

// goal is what a family's batches are meant to reach: at most or at least so many
// times something that was timed in the same rounds.
type goal struct {
	what    string
	against string
	most    float64 // or 0
	least   float64 // or 0
	measure func(k kernelWorld) (reached, bool)
}

// reached is what a goal's family has reached.
type reached struct {
	median
	// bound is the most that anything can reach, by the limit on the same pages: how
	// many line reads the peer takes; 0 for goals that are multiples of the limit.
	bound float64
}

const (
	inL2   = 256 << 10
	pastL2 = 16 << 20
	inDRAM = 256 << 20
)

const (
	lineRead = "line read"
	goPeer   = "the fastest Go peer"
	goCuckoo = "the fastest Go cuckoo, hashing included"
)

// goals are the project's own.
var goals = slices.Concat(
	limitGoals("blocked", "absent", 1.5, inL2), limitGoals("splitblock", "absent", 1.5, inL2),
	limitGoals("blocked", "absent", 1.15, pastL2, inDRAM), limitGoals("splitblock", "absent", 1.15, pastL2, inDRAM),
	[]goal{
		peerGoal("blocked", "hash", inL2, 3, "parquet-go", "peer-parquet"),
		peerGoal("splitblock", "hash", inL2, 3, "parquet-go", "peer-parquet"),
		peerGoal("blocked", "hash", inDRAM, 3.5, goPeer, "peer-parquet", "peer-blobloom"),
		peerGoal("splitblock", "hash", inDRAM, 3.5, goPeer, "peer-parquet", "peer-blobloom"),
	},
	limitGoals("bloom", "absent", 2.6, inDRAM),
	limitGoals("cuckoo", "absent", 2.3, inDRAM),
	[]goal{peerGoal("cuckoo", "key", pastL2, 4, goCuckoo, "peer-seiflotfy", "peer-linvon"),
		peerGoal("cuckoo", "key", inDRAM, 4, "seiflotfy, hashing included", "peer-seiflotfy")},
	limitGoals("quotient", "absent", 3, inDRAM),
	limitGoals("counting", "absent", 2.8, inDRAM),
	limitGoals("blocked", "add", 1.5, inDRAM),
)

func limitGoals(family, op string, most float64, sizes ...float64) (all []goal) {
	for _, size := range sizes {
		all = append(all, goal{
			what: fmt.Sprintf("%s, %s, %s", family, opNames[op], format.Bytes(size)), against: lineRead, most: most,
			measure: func(k kernelWorld) (reached, bool) {
				c, ok := k.find(family, "hash", op, size, k.pages)
				return reached{median: c.xLimit}, ok
			},
		})
	}
	return all
}

var opNames = map[string]string{"absent": "lookups of absent keys", "present": "lookups of present keys", "single": "one by one", "add": "adds"}

// peerGoal compares with the fastest of some peers, on equal pages: theirs are
// those of Go's heap.
func peerGoal(family, api string, size, least float64, against string, peers ...string) goal {
	return goal{
		what: fmt.Sprintf("%s, %s, %s", family, opNames["absent"], format.Bytes(size)), against: against, least: least,
		measure: func(k kernelWorld) (best reached, ok bool) {
			ours, have := k.find(family, api, "absent", size, k.heapPages)
			for _, p := range peers {
				peer, there := k.find(p, api, "absent", size, k.heapPages)
				if !there || !have {
					return reached{}, false // the fastest may be the one that is missing
				}
				if x, paired := peer.over(ours); paired && (!ok || x.mid < best.mid) {
					best, ok = reached{x, peer.xLimit.mid}, true
				}
			}
			return best, ok
		},
	}
}

// kernelWorld is the cells by which goals are judged.
type kernelWorld struct {
	cells []opsCell
	// The pages that filters have by default, and those that equal Go's heap, in
	// the order in which they are looked for.
	pages, heapPages []string
}

func newKernelWorld(set *results.Set) kernelWorld {
	k := kernelWorld{pages: []string{"huge", "heap", "small"}, heapPages: []string{"heap", "small"}}
	k.cells, _ = opsCells(set.Records("kernels"), "Kernel")
	if thp, _ := set.Config("thp"); thp == "always" { // the heap has huge pages, too
		k.heapPages = []string{"heap", "huge"}
	}
	return k
}

// find returns the family's cell at 10 bits per key, or what it has.
func (k kernelWorld) find(family_, api, op string, size float64, pages []string) (c opsCell, ok bool) {
	for _, p := range pages {
		for _, c := range k.cells {
			if family(c.filter) == family_ && c.api == api && c.op == op && c.size == size && c.pages == p {
				return c, true
			}
		}
	}
	return c, false
}

// Targets is what batches are meant to reach, and what they reached by the
// records of the kernels experiment: a goal is met where the whole interval is on
// its side.
func Targets(set *results.Set) table.Table {
	t := table.Table{
		Name: "targets", Title: "Targets",
		Note: "Ratios of CPU time where the system tells it, of pairs in the same round; equal bytes, 10 bits per key (counting: 10 counters, quotient: at 90% load), one thread. Met or missed where the whole " +
			"95% interval is on one side; where the limit itself is no farther from a peer than that, nothing can reach it. Figures that others published for other machines are not compared with: that would compare the machines.",
		Columns: []table.Column{text("what"), text("against"), number("target"), number("measured"), number("95% interval"), text("verdict")},
	}
	k := newKernelWorld(set)
	if len(k.cells) == 0 {
		return t
	}
	for _, g := range goals {
		x, ok := g.measure(k)
		row := []string{g.what, g.against, g.target(), dash, dash, g.verdict(x, ok)}
		if ok {
			row[3], row[4] = format.Fixed(x.mid, 3)+"×", x.interval()
		}
		t.Rows = append(t.Rows, row)
	}
	t.Rows = append(t.Rows, k.records()...)
	return t
}

func (g goal) target() string {
	if g.most > 0 {
		return "≤ " + format.Short(g.most) + "×"
	}
	return "≥ " + format.Short(g.least) + "×"
}

func (g goal) verdict(x reached, ok bool) string {
	switch {
	case !ok:
		return "not measured"
	case math.IsInf(x.lo, 0) || math.IsInf(x.hi, 0):
		return "too few rounds"
	case g.most > 0 && x.hi <= g.most, g.least > 0 && x.lo >= g.least:
		return "met"
	case g.least > 0 && x.hi < g.least && x.bound > 0 && x.bound < g.least:
		return "missed; the limit is at " + format.Fixed(x.bound, 3) + "×"
	case g.most > 0 && x.lo > g.most, g.least > 0 && x.hi < g.least:
		return "missed"
	}
	return "not told apart"
}

// records are rows without a target: a million keys at 12 bits, of which the
// literature has figures for other machines.
func (k kernelWorld) records() (rows [][]string) {
	for _, c := range k.cells {
		if c.Axis("n") != "1000000" || c.Axis("bits") != "12" {
			continue
		}
		ns := medianOf(c.times())
		what := fmt.Sprintf("%s, 1M keys at 12 bits, %s: %s ns", family(c.filter), opNames[c.op], format.Fixed(ns.mid, 3))
		rows = append(rows, []string{strings.TrimSpace(what), lineRead, dash, format.Fixed(c.xLimit.mid, 3) + "×", c.xLimit.interval(), "no target"})
	}
	return rows
}
