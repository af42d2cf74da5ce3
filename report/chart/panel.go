package chart

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panel draws the inside of a chart: it is the one plotter of its plot.
type panel struct {
	*Chart
	size  Size
	right vg.Length   // room for labels on the right of the axes
	aside []vg.Length // by which each series is moved to the right
}

// plot makes the axes, and the plotter that fills them.
func (c *Chart) plot(size Size) (*plot.Plot, *panel) {
	p := plot.New()
	p.BackgroundColor = nil
	s := &panel{Chart: c, size: size}
	s.right = s.margin()
	width := float64(size.width() - 2*margin - s.right)

	x, y := c.ranges()
	setAxis(&p.X, c.X, x, func(ticks Ticks, min, max float64) []plot.Tick { return c.X.fitted(ticks, min, max, width) })
	p.X.Label.Text = c.X.Label
	p.X.Label.TextStyle = label(textSize, false, ink)
	p.X.Label.TextStyle.XAlign, p.X.Label.TextStyle.YAlign = draw.XCenter, draw.YBottom
	p.X.Label.Padding = 4
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XCenter, draw.YTop
	if c.Rows == nil {
		setAxis(&p.Y, c.Y, y, func(ticks Ticks, min, max float64) []plot.Tick { return ticks(min, max, int(panelHigh)/28) })
	} else {
		ticks := make(plot.ConstantTicks, len(c.Rows))
		for i, name := range c.Rows {
			ticks[i] = plot.Tick{Value: float64(i), Label: fit(name, label(tickSize, false, ink), size.width()*.4)}
		}
		setAxis(&p.Y, Axis{}, [2]float64{-.5, float64(len(c.Rows)) - .5}, nil)
		p.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
		p.Y.Tick.Marker = ticks
		p.Y.Tick.Length = 0
	}
	p.Y.Tick.Label.XAlign, p.Y.Tick.Label.YAlign = draw.XRight, draw.YCenter
	s.dodge()
	p.Add(s)
	return p, s
}

// dodge decides how far aside each series is drawn: not at all, unless the
// chart wants it and intervals at one X overlap.
func (s *panel) dodge() {
	s.aside = make([]vg.Length, len(s.Series))
	if !s.Dodge || !s.crowded() {
		return
	}
	const step = 2 // points
	marked := 0
	for _, r := range s.Series {
		if r.Style.Glyph != NoGlyph {
			marked++
		}
	}
	at := -vg.Length(marked-1) / 2 * step
	for i, r := range s.Series {
		if r.Style.Glyph != NoGlyph {
			s.aside[i] = at
			at += step
		}
	}
}

// crowded reports whether intervals of two series overlap at one X.
func (s *panel) crowded() bool {
	at := map[float64][]Point{}
	for _, r := range s.Series {
		if r.Style.Glyph == NoGlyph {
			continue
		}
		for _, p := range r.Points {
			for _, q := range at[p.X] {
				if p.interval() && q.interval() && p.Lo < q.Hi && q.Lo < p.Hi {
					return true
				}
			}
			at[p.X] = append(at[p.X], p)
		}
	}
	return false
}

// fitted places as many labels along a horizontal axis as its width takes.
func (a Axis) fitted(ticks Ticks, min, max, width float64) (placed []plot.Tick) {
	const gap = 8 // points between labels
	sty := label(tickSize, false, ink)
	fits := func() bool {
		end := math.Inf(-1)
		for _, t := range placed {
			if t.IsMinor() {
				continue
			}
			mid, half := width*a.share(t.Value, min, max), float64(sty.Width(t.Label))/2
			if mid-half < end+gap {
				return false
			}
			end = mid + half
		}
		return true
	}
	for n := 12; n >= 2; n-- {
		if placed = ticks(min, max, n); fits() {
			break
		}
	}
	return placed
}

// share is how far along the axis from min to max a value lies, from 0 to 1.
func (a Axis) share(v, min, max float64) float64 {
	if a.Log {
		return math.Log(v/min) / math.Log(max/min)
	}
	return (v - min) / (max - min)
}

// setAxis gives an axis its look, its range and the placing of its ticks.
func setAxis(a *plot.Axis, want Axis, span [2]float64, placed func(t Ticks, min, max float64) []plot.Tick) {
	a.Min, a.Max = span[0], span[1]
	a.Padding = 0
	a.Width = .6
	a.Color = ink
	a.Tick.Width, a.Tick.Color = .6, ink
	a.Tick.Length = 4
	a.Tick.Label = label(tickSize, false, ink)
	if want.Log {
		a.Scale = plot.LogScale{}
	}
	ticks := want.Ticks
	if ticks == nil {
		ticks = Number
	}
	a.Tick.Marker = plot.TickerFunc(func(min, max float64) []plot.Tick {
		return slices.DeleteFunc(placed(ticks, min, max), func(t plot.Tick) bool { return !want.holds(t.Value) })
	})
}

// ranges are what the axes must span: all points with their intervals, all
// curves and horizontal marks, and the wishes of the axes, with some air.
func (c *Chart) ranges() (x, y [2]float64) {
	xs, ys := newSpan(c.X), newSpan(c.Y)
	ys.fixed = true
	for _, s := range c.Series {
		for _, p := range s.Points {
			xs.add(p.X)
			ys.add(p.Y)
			if p.interval() && c.Rows != nil {
				xs.add(p.Lo, p.Hi)
			} else if p.interval() {
				ys.add(p.Lo, p.Hi)
			}
		}
		for _, p := range s.Curve {
			xs.add(p.X)
			ys.add(p.Y)
		}
		if s.Bar {
			xs.add(0)
			xs.fixed = true
		}
	}
	for _, m := range c.Marks {
		if m.Horizontal {
			ys.add(m.At)
		}
	}
	for _, t := range c.Tiles {
		xs.add(t.From.X, t.To.X)
		ys.add(t.From.Y, t.To.Y)
	}
	if len(c.Tiles) > 0 { // a map fills its panel
		return [2]float64{xs.lo, xs.hi}, [2]float64{ys.lo, ys.hi}
	}
	return xs.padded(), ys.padded()
}

// span is a range that grows with what is added.
type span struct {
	Axis
	lo, hi float64
	fixed  bool // 0 stays the end of the axis if it is
}

func newSpan(a Axis) *span {
	s := &span{Axis: a, lo: math.Inf(1), hi: math.Inf(-1)}
	if a.Min != 0 || a.Max != 0 {
		s.add(a.Min, a.Max)
	}
	if a.Zero {
		s.add(0)
	}
	return s
}

func (s *span) add(vs ...float64) {
	for _, v := range vs {
		if s.holds(v) {
			s.lo, s.hi = min(s.lo, v), max(s.hi, v)
		}
	}
}

// padded adds air around the data, also where they are one value or none.
func (s *span) padded() [2]float64 {
	lo, hi := s.lo, s.hi
	if lo > hi {
		lo, hi = 1, 1
	}
	if s.Log {
		f := math.Pow(hi/lo, .04)
		if !(f > 1.0001) {
			f = 2
		}
		lo, hi = max(lo/f, least), min(hi*f, math.MaxFloat64)
	} else {
		d := .03 * (hi - lo)
		if !(d > 1e-9*math.Abs(hi)) {
			d = max(.1*math.Abs(hi), .5)
		}
		if lo != 0 || !s.fixed {
			lo -= d
		}
		hi += d
	}
	return [2]float64{lo, hi}
}

// needsKey says that some row holds several series with names, so that the
// rows' own do not tell them.
func (c *Chart) needsKey() bool {
	owner := map[int]int{}
	for i, s := range c.Series {
		if s.Name == "" {
			continue
		}
		for _, p := range s.Points {
			row := int(math.Round(p.Y))
			if j, taken := owner[row]; c.Rows != nil && taken && i != j {
				return true
			}
			owner[row] = i
		}
	}
	return false
}

// levels is the most heights at which points of one row lie.
func (c *Chart) levels() (most int) {
	seen := map[float64]bool{}
	count := map[int]int{}
	for _, s := range c.Series {
		for _, p := range s.Points {
			if row := int(math.Round(p.Y)); !seen[p.Y] {
				seen[p.Y] = true
				count[row]++
				most = max(most, count[row])
			}
		}
	}
	return most
}

// margin is the room on the right that the labels of lines, or the notes and
// the values at rows, need.
func (s *panel) margin() (w vg.Length) {
	for _, note := range s.Notes {
		w = max(w, label(tickSize, false, ink).Width(note)+labelAway)
	}
	for _, r := range s.Series {
		switch {
		case s.Rows != nil:
			for _, p := range r.Points {
				w = max(w, label(textSize, false, ink).Width(p.Label)+8)
			}
		case s.endsRight(r):
			w = max(w, label(textSize, false, ink).Width(s.short(r.Name))+labelAway+labelGlyph+2)
		}
	}
	return max(w, 8)
}

// short cuts a name that would take too much of the picture.
func (s *panel) short(name string) string {
	return fit(name, label(textSize, false, ink), s.size.width()*.3)
}

// end is where a series ends on the right; ok is false if it has no line or
// point.
func (r *Series) end() (at XY, ok bool) {
	at.X = math.Inf(-1)
	for _, p := range r.Points {
		if p.X >= at.X {
			at, ok = XY{p.X, p.Y}, true
		}
	}
	for _, p := range r.Curve { // the end of a theory line is steadier
		if p.X >= at.X {
			at, ok = p, true
		}
	}
	return at, ok
}

// endsRight says that the series ends near the right edge of the panel, so
// that its label stands outside.
func (s *panel) endsRight(r Series) bool {
	at, ok := r.end()
	if !ok || r.Name == "" {
		return false
	}
	x, _ := s.ranges()
	return s.X.share(at.X, x[0], x[1]) > .9
}
