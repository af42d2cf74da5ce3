package compare

import (
	"cmp"
	"slices"
	"strings"
)

// Shape is what a filter is beside the others of its machine, whatever that
// machine's clock: lookups of one size asked in one way.
type Shape struct {
	Group  string // size, api, mode and hits
	Filter string
	Places []Place // one for each run
}

// Place is a filter's place in one run. Without Ns the run lacks it.
type Place struct {
	Ns, XLimit float64
	Rank, Of   int     // among the filters of the group that all runs have, from 1
	Speedup    float64 // over bloom; 0 where there is none
}

// Shapes are the lookups that all runs have, by group.
func (c *Comparison) Shapes() (all []Shape) {
	ns, limit := c.table("Lookup", c.Clock), c.table("Lookup", "x-limit")
	if ns == nil {
		return nil
	}
	var groups []string
	byGroup := map[string][]Row{}
	for _, r := range ns.Rows {
		if slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.N == 0 }) {
			continue
		}
		g := groupOf(r.Name)
		if byGroup[g] == nil {
			groups = append(groups, g)
		}
		byGroup[g] = append(byGroup[g], r)
	}
	for _, g := range groups {
		all = append(all, shapesOf(g, byGroup[g], limit)...)
	}
	return all
}

func shapesOf(group string, rows []Row, limit *Table) []Shape {
	shapes := make([]Shape, len(rows))
	for i, r := range rows {
		shapes[i] = Shape{Group: group, Filter: axisOf(r.Name, "filter"), Places: make([]Place, len(r.Cells))}
	}
	for k := range rows[0].Cells {
		order := make([]int, len(rows))
		for i := range order {
			order[i] = i
		}
		mid := func(i int) float64 { return rows[i].Cells[k].Mid }
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(mid(a), mid(b)) })
		bloom := slices.IndexFunc(shapes, func(s Shape) bool { return family(s.Filter) == "bloom" })
		for rank, i := range order {
			p := Place{Ns: mid(i), Rank: rank + 1, Of: len(rows)}
			if bloom >= 0 {
				p.Speedup = mid(bloom) / mid(i)
			}
			if limit != nil {
				p.XLimit = limit.mid(rows[i].Name, k)
			}
			shapes[i].Places[k] = p
		}
	}
	return shapes
}

func (t *Table) mid(name string, run int) float64 {
	i := slices.IndexFunc(t.Rows, func(r Row) bool { return r.Name == name })
	if i < 0 {
		return 0
	}
	return t.Rows[i].Cells[run].Mid
}

func (c *Comparison) table(experiment, unit string) *Table {
	for i := range c.Tables {
		if c.Tables[i].Experiment == experiment && c.Tables[i].Unit == unit {
			return &c.Tables[i]
		}
	}
	return nil
}

// groupOf is what lookups that compare have in common.
func groupOf(name string) string {
	var parts []string
	for _, key := range []string{"size", "api", "mode", "hits"} {
		parts = append(parts, key+"="+axisOf(name, key))
	}
	return strings.Join(parts, " ")
}

// axisOf is the value of an axis of a row's name.
func axisOf(name, key string) string {
	for _, part := range strings.Split(name, "/")[1:] {
		if k, v, _ := strings.Cut(part, "="); k == key {
			return v
		}
	}
	return ""
}

func family(spec string) string {
	f, _, _ := strings.Cut(spec, ":")
	return f
}

// Mean is the last run's geometric mean ratio to the base in a unit of one kind of
// record, and over how many cells.
func (c *Comparison) Mean(kind, unit string) (ratio float64, cells int) {
	t := c.table(kind, unit)
	if t == nil || t.Common == 0 {
		return 0, 0
	}
	return t.Geomean[len(t.Geomean)-1], t.Common
}
