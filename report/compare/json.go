package compare

import "math"

// document is the comparison as JSON: null where there is no number.
type document struct {
	Runs       []string    `json:"runs"`
	OneCPU     bool        `json:"one_cpu"`
	Clock      string      `json:"clock"`
	Conclusion string      `json:"conclusion"`
	Exit       int         `json:"exit"`
	Notes      []string    `json:"notes"`
	Counted    countedJSON `json:"counted"`
	Tables     []tableJSON `json:"tables"`
	Shapes     []shapeJSON `json:"shapes,omitempty"`
}

type countedJSON struct {
	Compared int    `json:"compared"`
	Differs  string `json:"differs,omitempty"`
}

type tableJSON struct {
	Experiment string     `json:"experiment"`
	Unit       string     `json:"unit"`
	Common     int        `json:"common"`
	Geomean    []*float64 `json:"geomean"`
	Rows       []rowJSON  `json:"rows"`
}

type rowJSON struct {
	Cell string     `json:"cell"`
	Runs []cellJSON `json:"runs"`
}

type cellJSON struct {
	N        int      `json:"n"`
	Median   *float64 `json:"median"`
	Lo       *float64 `json:"lo"`
	Hi       *float64 `json:"hi"`
	Ratio    *float64 `json:"ratio"`
	P        *float64 `json:"p"`
	Adjusted *float64 `json:"p_adjusted"`
	Verdict  Verdict  `json:"verdict,omitempty"`
}

type shapeJSON struct {
	Group  string      `json:"group"`
	Filter string      `json:"filter"`
	Runs   []placeJSON `json:"runs"`
}

type placeJSON struct {
	Ns      *float64 `json:"ns"`
	XLimit  *float64 `json:"x_limit"`
	Rank    int      `json:"rank"`
	Of      int      `json:"of"`
	Speedup *float64 `json:"speedup"`
}

// number is nil for what is none.
func number(v float64, ok bool) *float64 {
	if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func (c *Comparison) document() document {
	d := document{
		Runs: c.Runs, OneCPU: c.OneCPU, Clock: c.Clock, Conclusion: c.Conclusion(), Exit: c.Code, Notes: c.Notes,
		Counted: countedJSON{c.Counted.Compared, c.Counted.Differs},
	}
	for _, t := range c.Tables {
		j := tableJSON{Experiment: t.Experiment, Unit: t.Unit, Common: t.Common}
		for k, g := range t.Geomean {
			j.Geomean = append(j.Geomean, number(g, k > 0))
		}
		for _, r := range t.Rows {
			row := rowJSON{Cell: r.Name}
			for k, cell := range r.Cells {
				row.Runs = append(row.Runs, cell.json(k > 0))
			}
			j.Rows = append(j.Rows, row)
		}
		d.Tables = append(d.Tables, j)
	}
	if c.Unlike != "" {
		for _, s := range c.Shapes() {
			j := shapeJSON{Group: s.Group, Filter: s.Filter}
			for _, p := range s.Places {
				j.Runs = append(j.Runs, placeJSON{number(p.Ns, true), number(p.XLimit, p.XLimit > 0), p.Rank, p.Of, number(p.Speedup, p.Speedup > 0)})
			}
			d.Shapes = append(d.Shapes, j)
		}
	}
	return d
}

func (c Cell) json(compared bool) cellJSON {
	have := c.N > 0
	tested := have && c.Verdict != None && c.Verdict != TooFew
	return cellJSON{
		N: c.N, Median: number(c.Mid, have), Lo: number(c.Lo, have), Hi: number(c.Hi, have),
		Ratio: number(c.Ratio, have && compared), P: number(c.P, tested), Adjusted: number(c.Adjusted, tested), Verdict: c.Verdict,
	}
}
