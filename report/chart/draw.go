package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	lineWidth  = vg.Length(1.4)
	thinWidth  = vg.Length(.8)
	labelAway  = vg.Length(7) // from the axes to a label's glyph
	labelGlyph = vg.Length(6) // from a label's glyph to its text
)

// Plot draws everything inside the axes, and the labels around them. It is
// called by gonum/plot.
func (s *panel) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	at := func(x, y float64) vg.Point { return vg.Point{X: tx(x), Y: ty(y)} }
	s.drawRegion(&c, at)
	s.drawTiles(&c, at)
	if len(s.Tiles) == 0 { // a map is its own grid
		s.drawGrid(&c, p, at)
	}
	s.drawRegionName(&c)
	s.drawMarks(&c, p, at)
	for i, r := range s.Series {
		s.drawLines(&c, r, s.dodged(at, i))
	}
	for i, r := range s.Series {
		for _, pt := range r.Points {
			s.drawPoint(&c, r, pt, s.dodged(at, i))
		}
	}
	if s.Rows == nil {
		s.drawLabels(&c, at)
	}
	for i, note := range s.Notes {
		y := at(p.X.Max, float64(i)).Y
		beside(&c, label(tickSize, false, muted), vg.Point{X: c.Max.X + labelAway, Y: y}, note)
	}
}

type place func(x, y float64) vg.Point

// dodged moves the places of series i aside.
func (s *panel) dodged(at place, i int) place {
	return func(x, y float64) vg.Point { return at(x, y).Add(vg.Point{X: s.aside[i]}) }
}

func (s *panel) drawRegion(c *draw.Canvas, at place) {
	if s.Region == nil || len(s.Region.Curve) < 2 {
		return
	}
	var pts []vg.Point
	for _, q := range s.Region.Curve {
		if s.drawable(q.X, q.Y) {
			pts = append(pts, at(q.X, q.Y))
		}
	}
	if len(pts) < 2 {
		return
	}
	floor := c.Min.Y
	for _, q := range pts {
		floor = min(floor, q.Y)
	}
	pts = append(pts, vg.Point{X: pts[len(pts)-1].X, Y: floor}, vg.Point{X: pts[0].X, Y: floor})
	c.FillPolygon(shade, c.ClipPolygonXY(pts))
}

// drawRegionName writes the region's name in its lower left corner.
func (s *panel) drawRegionName(c *draw.Canvas) {
	if s.Region == nil {
		return
	}
	sty := label(tickSize, false, muted)
	lines := wrap(s.Region.Name, sty, (c.Max.X-c.Min.X)*.4)
	for i, l := range lines {
		at := vg.Point{X: c.Min.X + 6, Y: c.Min.Y + 9 + vg.Length(len(lines)-1-i)*tickSize*lineGap}
		w := sty.Width(l)
		box := vg.Rectangle{Min: at.Add(vg.Point{X: -2, Y: -tickSize * .6}), Max: at.Add(vg.Point{X: w + 2, Y: tickSize * .6})}
		c.SetColor(shade) // so that no grid line strikes it through
		c.Fill(box.Path())
		beside(c, sty, at, l)
	}
}

// beside writes txt to the right of a point, its small letters centered on
// it: what looks level with a marker.
func beside(c *draw.Canvas, sty text.Style, at vg.Point, txt string) {
	sty.YAlign = draw.YBottom
	c.FillText(sty, vg.Point{X: at.X, Y: at.Y - sty.Font.Size*.43}, txt)
}

func (s *panel) drawGrid(c *draw.Canvas, p *plot.Plot, at place) {
	xs := p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max)
	ys := p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max)
	for _, minors := range []bool{true, false} {
		sty := draw.LineStyle{Color: major, Width: .6}
		if minors {
			sty = draw.LineStyle{Color: minor, Width: .5}
		}
		for _, t := range xs {
			if x := at(t.Value, p.Y.Min).X; t.IsMinor() == minors && c.ContainsX(x) && x > c.Min.X+1 {
				c.StrokeLine2(sty, x, c.Min.Y, x, c.Max.Y)
			}
		}
		for _, t := range ys {
			v := t.Value
			if s.Rows != nil {
				v += .5 // between rows
			}
			if y := at(p.X.Min, v).Y; t.IsMinor() == minors && c.ContainsY(y) && y > c.Min.Y+1 {
				c.StrokeLine2(sty, c.Min.X, y, c.Max.X, y)
			}
		}
	}
}

// drawMarks draws the lines. The names of dashed vertical ones stand in a row
// above the panel, from left to right, where no data can be; those of measured
// ones at its foot.
func (s *panel) drawMarks(c *draw.Canvas, p *plot.Plot, at place) {
	dashed := draw.LineStyle{Color: muted, Width: .8, Dashes: []vg.Length{4, 3}}
	solid := draw.LineStyle{Color: muted, Width: .8}
	sty := label(tickSize, false, muted)
	above, foot := c.Min.X-20, c.Min.X
	for _, m := range s.Marks {
		if m.Horizontal {
			y := at(p.X.Min, m.At).Y
			c.StrokeLine2(dashed, c.Min.X, y, c.Max.X, y)
			c.FillText(sty, vg.Point{X: c.Min.X + 4, Y: y + 2.5}, m.Name)
			continue
		}
		if !(m.At >= p.X.Min && m.At <= p.X.Max) {
			continue
		}
		x := at(m.At, p.Y.Min).X
		if m.Measured {
			c.StrokeLine2(solid, x, c.Min.Y, x, c.Max.Y)
			foot = drawName(c, sty, m, x+3, c.Max.X, foot, c.Min.Y+4, paper)
			continue
		}
		c.StrokeLine2(dashed, x, c.Min.Y, x, c.Max.Y+2)
		above = drawName(c, sty, m, x-sty.Width(m.Name)/2, c.Max.X+s.right, above, c.Max.Y+5, nil)
	}
}

// drawName writes the name of a mark from x on, or left of that where the edge is
// near, but not on what is free only from there on, over a ground of its own if
// there is one. It returns what is free then.
func drawName(c *draw.Canvas, sty text.Style, m Mark, x, edge, free, y vg.Length, ground color.Color) vg.Length {
	for _, name := range []string{m.Name, m.Short} {
		w := sty.Width(name)
		left := min(x, edge-w)
		if name == "" || left < free && name != m.Short {
			continue
		}
		left = max(left, free)
		if ground != nil {
			c.SetColor(ground)
			c.Fill(vg.Rectangle{Min: vg.Point{X: left - 1, Y: y - 1}, Max: vg.Point{X: left + w + 1, Y: y + tickSize}}.Path())
		}
		c.FillText(sty, vg.Point{X: left, Y: y}, name)
		return left + w + 6
	}
	return free
}

func (s *panel) drawLines(c *draw.Canvas, r Series, at place) {
	sty := r.Style.line()
	if line := s.path(r, at); len(line) > 1 {
		c.StrokeLines(sty, line)
	}
	if len(r.Curve) > 1 {
		pts := make([]vg.Point, len(r.Curve))
		for i, q := range r.Curve {
			pts[i] = at(q.X, q.Y)
		}
		c.StrokeLines(sty, pts)
	}
}

// path is the line that joins a series' points; upper bounds are no part of it.
func (s *panel) path(r Series, at place) (pts []vg.Point) {
	for _, p := range r.Points {
		if r.Join && !p.Bound {
			pts = append(pts, at(p.X, p.Y))
		}
	}
	return pts
}

func (s Style) line() draw.LineStyle {
	l := draw.LineStyle{Color: s.Color, Width: lineWidth}
	if s.Thin {
		l.Width = thinWidth
	}
	switch s.Dash {
	case Dashed:
		l.Dashes = []vg.Length{5, 2.5}
	case Dotted:
		l.Dashes = []vg.Length{1.2, 2.4}
	}
	return l
}

func (s *panel) drawPoint(c *draw.Canvas, r Series, p Point, at place) {
	q := at(p.X, p.Y)
	if r.Bar {
		zero := at(0, p.Y).X
		h := (at(p.X, p.Y).Y - at(p.X, p.Y+1).Y) * .31
		c.FillPolygon(r.Style.Color, []vg.Point{{X: zero, Y: q.Y - h}, {X: q.X, Y: q.Y - h}, {X: q.X, Y: q.Y + h}, {X: zero, Y: q.Y + h}})
	}
	if p.interval() && (r.Bar || r.Style.Glyph != NoGlyph) {
		sty := draw.LineStyle{Color: r.Style.Color, Width: .9}
		if r.Bar {
			sty.Color = ink
		}
		s.drawInterval(c, sty, p, at)
	}
	if p.Bound {
		s.drawBound(c, r.Style.Color, q)
	}
	if !r.Bar {
		r.Style.Glyph.draw(c, q, r.Style.Color, p.Bound || r.Style.Dash == Dashed)
	}
	if p.Label != "" {
		end := q.X
		if p.interval() {
			end = max(end, at(p.Hi, p.Y).X)
		}
		s.drawValue(c, vg.Point{X: end + 5, Y: q.Y}, p.Label)
	}
}

// drawValue writes the label of a point, with no line behind it.
func (s *panel) drawValue(c *draw.Canvas, at vg.Point, txt string) {
	sty := label(textSize, false, ink)
	box := vg.Rectangle{Min: at.Add(vg.Point{X: -1, Y: -textSize * .5}), Max: at.Add(vg.Point{X: sty.Width(txt) + 1, Y: textSize * .5})}
	c.SetColor(paper)
	c.Fill(box.Path())
	beside(c, sty, at, txt)
}

func (s *panel) drawInterval(c *draw.Canvas, sty draw.LineStyle, p Point, at place) {
	const cap = 2.2
	if s.Rows != nil {
		y, a, b := at(p.X, p.Y).Y, c.Min.X, at(p.Hi, p.Y).X
		if s.X.holds(p.Lo) {
			a = at(p.Lo, p.Y).X
			c.StrokeLine2(sty, a, y-cap, a, y+cap)
		}
		c.StrokeLine2(sty, a, y, b, y)
		c.StrokeLine2(sty, b, y-cap, b, y+cap)
		return
	}
	x, b := at(p.X, p.Y).X, at(p.X, p.Hi).Y
	a := c.Min.Y // an interval down to 0 leaves a logarithmic axis
	if s.Y.holds(p.Lo) {
		a = at(p.X, p.Lo).Y
		c.StrokeLine2(sty, x-cap, a, x+cap, a)
	}
	c.StrokeLine2(sty, x, a, x, b)
	c.StrokeLine2(sty, x-cap, b, x+cap, b)
}

// drawBound draws an arrow towards smaller values.
func (s *panel) drawBound(c *draw.Canvas, clr color.Color, q vg.Point) {
	sty := draw.LineStyle{Color: clr, Width: .9}
	dir := vg.Point{Y: -1}
	if s.Rows != nil {
		dir = vg.Point{X: -1}
	}
	tip := q.Add(dir.Scale(12))
	side := vg.Point{X: dir.Y, Y: dir.X}
	c.StrokeLines(sty, []vg.Point{q, tip})
	c.StrokeLines(sty, []vg.Point{tip.Sub(dir.Scale(3)).Add(side.Scale(2)), tip, tip.Sub(dir.Scale(3)).Sub(side.Scale(2))})
}
