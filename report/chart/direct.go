package chart

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawLabels writes the names of the series at their ends: on the right of
// the panel for lines that reach so far, beside the end for the others.
func (s *panel) drawLabels(c *draw.Canvas, at place) {
	var right []Series
	var ends []vg.Point
	obs := s.obstacles(at)
	for i, r := range s.Series {
		end, ok := r.end()
		if !ok || r.Name == "" {
			continue
		}
		at := s.dodged(at, i)
		if s.endsRight(r) {
			right = append(right, r)
			ends = append(ends, at(end.X, end.Y))
			continue
		}
		sty := label(textSize, false, r.Style.text())
		name := s.short(r.Name)
		box := obs.place(at(end.X, end.Y), sty.Width(name), sty.Height(name), c.Rectangle)
		beside(c, sty, vg.Point{X: box.Min.X, Y: (box.Min.Y + box.Max.Y) / 2}, name)
	}
	wish := make([]float64, len(ends))
	for i, e := range ends {
		wish[i] = float64(e.Y)
	}
	const gap = float64(textSize * lineGap)
	for i, y := range spread(wish, gap, float64(c.Min.Y)+gap/2, float64(c.Max.Y)-gap/2) {
		s.drawRight(c, right[i], ends[i], vg.Length(y))
	}
}

// drawRight writes a name at height y on the right of the panel, and ties it
// to the end of its line if it had to move.
func (s *panel) drawRight(c *draw.Canvas, r Series, end vg.Point, y vg.Length) {
	mark := vg.Point{X: c.Max.X + labelAway, Y: y}
	if math.Abs(float64(y-end.Y)) > 1 || end.X < c.Max.X-labelAway {
		tie := draw.LineStyle{Color: r.Style.Color, Width: .5}
		c.StrokeLines(tie, []vg.Point{{X: end.X + glyphSize, Y: end.Y}, {X: mark.X - glyphSize - 1.5, Y: y}})
	}
	text := mark.X - 2
	if r.Style.Glyph != NoGlyph {
		r.Style.Glyph.draw(c, mark, r.Style.Color, r.Style.Dash == Dashed)
		text = mark.X + labelGlyph
	}
	beside(c, label(textSize, false, r.Style.text()), vg.Point{X: text, Y: y}, s.short(r.Name))
}

// obstacles are the lines and markers of all series.
func (s *panel) obstacles(at place) *obstacles {
	var o obstacles
	for i, r := range s.Series {
		at := s.dodged(at, i)
		o.line(s.path(r, at))
		var curve []vg.Point
		for _, q := range r.Curve {
			curve = append(curve, at(q.X, q.Y))
		}
		o.line(curve)
		for _, p := range r.Points {
			q := at(p.X, p.Y)
			d := vg.Point{X: glyphSize, Y: glyphSize}
			o.boxes = append(o.boxes, vg.Rectangle{Min: q.Sub(d), Max: q.Add(d)})
			if p.interval() && s.Y.holds(p.Lo) {
				o.line([]vg.Point{at(p.X, p.Lo), at(p.X, p.Hi)})
			}
		}
	}
	return &o
}

// keyLines breaks the series' names into lines of the given width.
func (c *Chart) keyLines(room vg.Length) (lines [][]int) {
	left := vg.Length(0)
	for i, s := range c.Series {
		if s.Name == "" {
			continue
		}
		w := c.keyWidth(i)
		if len(lines) == 0 || left < w {
			lines = append(lines, nil)
			left = room
		}
		last := len(lines) - 1
		lines[last] = append(lines[last], i)
		left -= w
	}
	return lines
}

func (c *Chart) keyWidth(i int) vg.Length {
	return label(textSize, false, ink).Width(c.Series[i].Name) + labelGlyph + 16
}

// drawKey writes one line of the key: markers with names.
func (c *Chart) drawKey(dc *draw.Canvas, ids []int, at vg.Point) {
	for _, i := range ids {
		r := c.Series[i]
		mid := at.Y - textSize*.6
		r.Style.Glyph.draw(dc, vg.Point{X: at.X + glyphSize, Y: mid}, r.Style.Color, r.Style.Dash == Dashed)
		beside(dc, label(textSize, false, r.Style.text()), vg.Point{X: at.X + glyphSize + labelGlyph, Y: mid}, r.Name)
		at.X += c.keyWidth(i)
	}
}
