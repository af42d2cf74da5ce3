package chart

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Tile is a rectangle of a map: the place that something holds in the plane of
// the axes.
type Tile struct {
	From, To XY     // its lower left and its upper right corner
	Name     string // what holds it; tiles of one name look the same
	Style    Style  // only its colour counts
	Text     string // written in the tile, short
	Faint    bool   // not measured, drawn lighter
}

// Fills gives each of the names of a map's tiles a colour of its own: that of
// the family, or, where that is taken, one that is not, as far as there are.
func Fills(families []string) []Style {
	out := make([]Style, len(families))
	taken := map[color.NRGBA]bool{}
	for i, f := range families {
		out[i] = StyleOf(f)
		for _, c := range palette {
			if !taken[out[i].Color] {
				break
			}
			if !taken[c] {
				out[i].Color = c
			}
		}
		taken[out[i].Color] = true
	}
	return out
}

// The shares of a colour in the ground of a tile: letters must read on it.
const (
	fullTint  = .55
	faintTint = .22
)

// tint is a share of c on a ground.
func tint(c, ground color.NRGBA, share float64) color.NRGBA {
	mix := func(a, b uint8) uint8 { return uint8(share*float64(a) + (1-share)*float64(b) + .5) }
	return color.NRGBA{R: mix(c.R, ground.R), G: mix(c.G, ground.G), B: mix(c.B, ground.B), A: 0xFF}
}

func (t Tile) fill() color.NRGBA {
	if t.Faint {
		return tint(t.Style.Color, paper, faintTint)
	}
	return tint(t.Style.Color, paper, fullTint)
}

// drawableTiles are the tiles whose corners the axes can show.
func (c *Chart) drawableTiles() (kept []Tile) {
	for _, t := range c.Tiles {
		if c.drawable(t.From.X, t.From.Y) && c.drawable(t.To.X, t.To.Y) && t.From.X < t.To.X && t.From.Y < t.To.Y {
			kept = append(kept, t)
		}
	}
	return kept
}

// drawTiles draws a map: the tiles with lines between those of different names,
// each name once, in its longest row, and the texts of the others.
func (s *panel) drawTiles(c *draw.Canvas, at place) {
	boxes := make([]vg.Rectangle, len(s.Tiles))
	for i, t := range s.Tiles {
		boxes[i] = vg.Rectangle{Min: at(t.From.X, t.From.Y), Max: at(t.To.X, t.To.Y)}
		c.SetColor(t.fill())
		c.Fill(boxes[i].Path())
	}
	s.drawBorders(c, boxes)
	named := s.drawNames(c, boxes)
	sty := label(tickSize, false, ink)
	sty.XAlign = draw.XCenter
	for i, t := range s.Tiles {
		b := boxes[i]
		if !named[i] && sty.Width(t.Text) <= b.Max.X-b.Min.X {
			centred(c, b, t.Text, false)
		}
	}
}

// drawBorders draws a line wherever tiles of different names meet.
func (s *panel) drawBorders(c *draw.Canvas, boxes []vg.Rectangle) {
	line := draw.LineStyle{Color: muted, Width: .9}
	for i, a := range s.Tiles {
		for j, b := range s.Tiles {
			switch p, q := boxes[i], boxes[j]; {
			case a.Name == b.Name:
			case a.To.X == b.From.X && a.From.Y < b.To.Y && b.From.Y < a.To.Y:
				c.StrokeLine2(line, p.Max.X, max(p.Min.Y, q.Min.Y), p.Max.X, min(p.Max.Y, q.Max.Y))
			case a.To.Y == b.From.Y && a.From.X < b.To.X && b.From.X < a.To.X:
				c.StrokeLine2(line, max(p.Min.X, q.Min.X), p.Max.Y, min(p.Max.X, q.Max.X), p.Max.Y)
			}
		}
	}
}

// drawNames writes each name in the middle of the longest run of its tiles in one
// row and reports the tiles whose text it takes the place of. A name that is longer than
// its longest run is cut; one of which nothing would be left is not written.
func (s *panel) drawNames(c *draw.Canvas, boxes []vg.Rectangle) map[int]bool {
	named := map[int]bool{}
	for _, run := range s.longestRuns() {
		first, last := run[0], run[len(run)-1]
		box := vg.Rectangle{Min: boxes[first].Min, Max: boxes[last].Max}
		name := fit(s.Tiles[first].Name, label(tickSize, true, ink), box.Max.X-box.Min.X-4)
		if len([]rune(name)) < 5 && name != s.Tiles[first].Name {
			continue
		}
		centred(c, box, name, true)
		mid, half := (box.Min.X+box.Max.X)/2, label(tickSize, true, ink).Width(name)/2
		for _, i := range run {
			named[i] = boxes[i].Min.X < mid+half+2 && boxes[i].Max.X > mid-half-2
		}
	}
	return named
}

// centred writes txt in the middle of a box.
func centred(c *draw.Canvas, b vg.Rectangle, txt string, bold bool) {
	sty := label(tickSize, bold, ink)
	mid := vg.Point{X: (b.Min.X+b.Max.X)/2 - sty.Width(txt)/2, Y: (b.Min.Y + b.Max.Y) / 2}
	beside(c, sty, mid, txt)
}

// longestRuns are, for each name, the tiles of its longest row in order, in order
// of the names' first tiles. Of equal ones the middle one is taken: it lies
// where the region is.
func (s *panel) longestRuns() (runs [][]int) {
	var names []string
	all := map[string][][]int{}
	for i, t := range s.Tiles {
		if i > 0 {
			if b := s.Tiles[i-1]; b.Name == t.Name && b.To.X == t.From.X && b.From.Y == t.From.Y {
				last := len(all[t.Name]) - 1
				all[t.Name][last] = append(all[t.Name][last], i)
				continue
			}
		}
		if all[t.Name] == nil {
			names = append(names, t.Name)
		}
		all[t.Name] = append(all[t.Name], []int{i})
	}
	for _, n := range names {
		most := 0
		for _, r := range all[n] {
			most = max(most, len(r))
		}
		var longest [][]int
		for _, r := range all[n] {
			if len(r) == most {
				longest = append(longest, r)
			}
		}
		runs = append(runs, longest[len(longest)/2])
	}
	return runs
}
