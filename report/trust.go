package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
)

// differs is the factor from which on two runs must order a pair alike.
const differs = 1.2

// Agreement is how far two runs order alike what they timed.
type Agreement struct {
	Clock       string // "wall" or "CPU"
	Pairs       int    // pairs of one group that differ by more than a fifth in either run
	Alike       int    // of these, ordered alike by both
	Contradicts []string
}

// Share is the share of pairs that are ordered alike; NaN of none.
func (a Agreement) Share() float64 { return float64(a.Alike) / float64(a.Pairs) }

// Trust compares the order of lookups of two runs of one machine, by both clocks:
// pairs of filters of one size that were asked in the same way.
func Trust(a, b *results.Set) []Agreement {
	first, _ := timings(a.Records("lookup"))
	second, _ := timings(b.Records("lookup"))
	pairs := inBoth(first, second)
	var all []Agreement
	for _, c := range []struct {
		name string
		of   func(t timing) float64
	}{
		{"wall", func(t timing) float64 { return t.ns.mid }},
		{"CPU", func(t timing) float64 { return t.cpu.mid }},
	} {
		g := Agreement{Clock: c.name}
		for i, p := range pairs {
			for _, q := range pairs[:i] {
				if q[0].group() == p[0].group() {
					g.count(p, q, c.of)
				}
			}
		}
		if g.Pairs > 0 {
			all = append(all, g)
		}
	}
	return all
}

// inBoth are the lookups that both runs have.
func inBoth(first, second []timing) (pairs [][2]timing) {
	for _, f := range first {
		i := slices.IndexFunc(second, func(s timing) bool {
			return f.name == "Lookup" && s.name == f.name && s.group() == f.group() && s.filter == f.filter
		})
		if i >= 0 {
			pairs = append(pairs, [2]timing{f, second[i]})
		}
	}
	return pairs
}

// group is what lookups that compare have in common.
func (t timing) group() string { return fmt.Sprint(t.size, t.api, t.mode, t.hits, t.keys, t.bits) }

// count takes up one pair of filters, p and q, each timed by both runs.
func (g *Agreement) count(p, q [2]timing, of func(timing) float64) {
	first, second := math.Log(of(p[0])/of(q[0])), math.Log(of(p[1])/of(q[1]))
	if math.IsNaN(first+second) || max(math.Abs(first), math.Abs(second)) <= math.Log(differs) {
		return
	}
	g.Pairs++
	if first*second > 0 {
		g.Alike++
		return
	}
	g.Contradicts = append(g.Contradicts, fmt.Sprintf("%s against %s at %s, api=%s mode=%s hits=%s: %s times as long, then %s",
		p[0].filter, q[0].filter, p[0].sizeName(), p[0].api, p[0].mode, p[0].hits,
		format.Fixed(math.Exp(first), 3), format.Fixed(math.Exp(second), 3)))
}

// WriteTrust prints how far two runs order their lookups alike, what they
// contradict each other in, and the noise floor of each. It fails if they have
// no pairs.
func WriteTrust(w io.Writer, a, b *results.Set) error {
	all := Trust(a, b)
	if len(all) == 0 {
		return fmt.Errorf("%s and %s have no lookups in common that differ by more than a fifth", a.Dir, b.Dir)
	}
	t := table.Table{Columns: []table.Column{text("clock"), number("pairs that differ by > 20 %"), number("ordered alike"), number("share"), number("goal")}}
	for _, g := range all {
		t.Rows = append(t.Rows, []string{g.Clock, format.Count(float64(g.Pairs)), format.Count(float64(g.Alike)), format.Percent(g.Share(), 4), "99%"})
	}
	if _, err := io.WriteString(w, t.Text()); err != nil {
		return err
	}
	const most = 10
	for _, g := range all {
		for _, c := range g.Contradicts[:min(most, len(g.Contradicts))] {
			fmt.Fprintf(w, "%s: %s\n", g.Clock, c)
		}
	}
	for _, set := range []*results.Set{a, b} {
		cells, _ := timings(set.Records("lookup"))
		samples, disturbed := interrupted(cells)
		fmt.Fprintf(w, "\n%s: %d of %d samples disturbed\n", set.Dir, disturbed, samples)
		if _, err := io.WriteString(w, noiseTable(cells).Text()); err != nil {
			return err
		}
	}
	return nil
}
