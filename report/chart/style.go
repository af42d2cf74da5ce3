package chart

import (
	"hash/fnv"
	"image/color"
	"strings"
)

// Style is how a series looks. It follows from the filter's family, so that a
// family looks the same in every chart.
type Style struct {
	Color color.NRGBA
	Glyph Glyph
	Dash  Dash
	Thin  bool
}

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
	glyphs = int(Pentagon)
)

// Dash is the pattern of a line.
type Dash int

// The patterns of lines.
const (
	Solid Dash = iota
	Dashed
	Dotted
)

// The qualitative palette of Okabe and Ito, "Color Universal Design" (2008),
// without its yellow and black: safe for colour-blind readers.
var palette = []color.NRGBA{
	rgb(0x0072B2), rgb(0xD55E00), rgb(0x009E73), rgb(0xCC79A7), rgb(0xE69F00), rgb(0x56B4E9),
}

// The neutral colours.
var (
	paper = rgb(0xFFFFFF)
	ink   = rgb(0x333333) // titles, axes
	muted = rgb(0x5F6368) // subtitles, names of marks
	major = rgb(0xD9D9D9) // grid at labelled ticks
	minor = rgb(0xEEEEEE) // grid between them
	shade = rgb(0xECEFF1) // regions
	// Gray is for limits and other references that are no filter.
	Gray = rgb(0x7A7A7A)
)

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xFF}
}

// known gives the best-known families looks that differ in both colour and
// shape.
var known = map[string]Style{
	"bloom":      {Color: palette[0], Glyph: Circle},
	"blocked":    {Color: palette[1], Glyph: Square},
	"cuckoo":     {Color: palette[2], Glyph: Triangle},
	"naive":      {Color: palette[3], Glyph: Diamond},
	"splitblock": {Color: palette[4], Glyph: Inverted},
	"quotient":   {Color: palette[5], Glyph: Pentagon},
	// The exact structures, against which filters are compared.
	"set":   {Color: ink, Glyph: Square},
	"array": {Color: ink, Glyph: Triangle, Dash: Dashed},
}

// StyleOf is the look of a filter family. A family that is not among the
// well-known ones gets a look from its name.
func StyleOf(family string) Style {
	if s, ok := known[family]; ok {
		return s
	}
	h := fnv.New32a()
	h.Write([]byte(family))
	v := h.Sum32()
	return Style{Color: palette[v%uint32(len(palette))], Glyph: Glyph(1 + v>>8%uint32(glyphs))}
}

// Styles gives each of the specs the look of its family, and tells those
// apart that would look the same: by the marker, then by the line.
func Styles(specs []string) []Style {
	type look struct {
		c color.NRGBA
		g Glyph
	}
	taken := map[look]bool{}
	out := make([]Style, len(specs))
	for i, spec := range specs {
		family, _, _ := strings.Cut(spec, ":")
		s := StyleOf(family)
		for range glyphs {
			if !taken[look{s.Color, s.Glyph}] {
				break
			}
			s.Glyph = s.Glyph%Glyph(glyphs) + 1
			s.Dash = Dashed
		}
		taken[look{s.Color, s.Glyph}] = true
		out[i] = s
	}
	return out
}

// text is the colour in which the name of a series is written: the series'
// own, darkened until it reads on white (WCAG contrast of 4.5 at least).
func (s Style) text() color.NRGBA {
	c := s.Color
	for contrast(c) < 4.5 {
		c.R, c.G, c.B = uint8(float64(c.R)*.95), uint8(float64(c.G)*.95), uint8(float64(c.B)*.95)
	}
	return c
}
