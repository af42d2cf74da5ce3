package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Glyph is the shape of a marker.
type Glyph int

// The markers, told apart by shape as well as by colour.
const (
	NoGlyph Glyph = iota
	Circle
	Square
	Triangle
	Diamond
	Inverted // triangle, point down
	Pentagon
	Star
	Cross
	// Tick is a thin upright line, for strips of many values that lie close
	// together; series of a chart are not given it.
	Tick
	glyphs = int(Cross)
)

const glyphSize = vg.Length(2.7)

// draw puts a marker at q, filled or open.
func (g Glyph) draw(c *draw.Canvas, q vg.Point, clr color.Color, open bool) {
	path := g.path(q)
	if path == nil {
		return
	}
	if open {
		c.SetColor(paper)
		c.Fill(path)
		c.SetLineStyle(draw.LineStyle{Color: clr, Width: 1.1})
		c.Stroke(path)
		return
	}
	c.SetColor(clr)
	c.Fill(path)
}

// path is the outline of a marker.
func (g Glyph) path(q vg.Point) (p vg.Path) {
	if g == Circle {
		p.Move(vg.Point{X: q.X + glyphSize, Y: q.Y})
		p.Arc(q, glyphSize, 0, 2*math.Pi)
		p.Close()
		return p
	}
	for i, v := range g.corners() {
		v = q.Add(v.Scale(glyphSize))
		if i == 0 {
			p.Move(v)
		} else {
			p.Line(v)
		}
	}
	if p != nil {
		p.Close()
	}
	return p
}

// corners are those of the shape as far as it has some, around the origin, sized
// to look as big as a circle of radius 1.
func (g Glyph) corners() []vg.Point {
	switch g {
	case Square:
		return star(4, .25, 1.3)
	case Triangle:
		return star(3, 0, 1.35)
	case Diamond:
		return star(4, 0, 1.35)
	case Inverted:
		return star(3, 1, 1.35)
	case Pentagon:
		return star(5, 0, 1.2)
	case Star:
		return star(10, 0, 1.5, .7)
	case Cross:
		const w, r = .42, 1.35
		return []vg.Point{{X: w, Y: r}, {X: w, Y: w}, {X: r, Y: w}, {X: r, Y: -w}, {X: w, Y: -w}, {X: w, Y: -r},
			{X: -w, Y: -r}, {X: -w, Y: -w}, {X: -r, Y: -w}, {X: -r, Y: w}, {X: -w, Y: w}, {X: -w, Y: r}}
	case Tick:
		const w, r = .2, 1.7
		return []vg.Point{{X: w, Y: r}, {X: w, Y: -r}, {X: -w, Y: -r}, {X: -w, Y: r}}
	}
	return nil
}

// star has n corners at the radii given, in turn; the first is on top, or turned
// to the left by so many half turns.
func star(n int, turn float64, radii ...float64) []vg.Point {
	corners := make([]vg.Point, n)
	for i := range corners {
		a := math.Pi*(.5+turn) + 2*math.Pi*float64(i)/float64(n)
		r := radii[i%len(radii)]
		corners[i] = vg.Point{X: vg.Length(r * math.Cos(a)), Y: vg.Length(r * math.Sin(a))}
	}
	return corners
}
