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

// Dash is the pattern of a line.
type Dash int

// The patterns of lines.
const (
	Solid Dash = iota
	Dashed
	Dotted
)

// The qualitative palette of Okabe and Ito, "Color Universal Design" (2008),
// without its yellow and black, and the wine of Tol's muted scheme (2021), which
// is darker than all of them: safe for colour-blind readers.
var palette = []color.NRGBA{blue, vermilion, green, purple, orange, sky, wine}

var (
	blue      = rgb(0x0072B2)
	vermilion = rgb(0xD55E00)
	green     = rgb(0x009E73)
	purple    = rgb(0xCC79A7)
	orange    = rgb(0xE69F00)
	sky       = rgb(0x56B4E9)
	wine      = rgb(0x882255)
)

// ramp is ordered from light to dark, so that series that are steps of one number
// read as such, also without its hue (after Brewer's YlGnBu).
var ramp = []color.NRGBA{rgb(0x7BC8B4), rgb(0x41A6C4), rgb(0x1D7FC0), rgb(0x225EA8), rgb(0x0C2C84)}

// Ordered is the look of step i of n, 5 at most.
func Ordered(i, n int) Style {
	return Style{Color: ramp[i*(len(ramp)-1)/max(1, n-1)], Glyph: []Glyph{Inverted, Diamond, Circle, Square, Triangle}[i%len(ramp)]}
}

// The neutral colours.
var (
	paper = rgb(0xFFFFFF)
	ink   = rgb(0x333333) // titles, axes
	muted = rgb(0x5F6368) // subtitles, names of marks
	major = rgb(0xD9D9D9) // grid at labelled ticks
	minor = rgb(0xEEEEEE) // grid between them
	shade = rgb(0xECEFF1) // regions
	// Ink is for what is apart from the families.
	Ink = ink
	// Gray is for limits and other references that are no filter.
	Gray = rgb(0x7A7A7A)
)

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xFF}
}

// known gives the families looks of which no two are the same. The colour tells
// the design: another implementation of one has its colour, too, with open
// markers and a dashed line. So families that are shown together (the report's
// themes) differ in colour or, being of one design, in shape and filling.
var known = map[string]Style{
	"naive":      {Color: purple, Glyph: Diamond},
	"bloom":      {Color: blue, Glyph: Circle},
	"blocked":    {Color: vermilion, Glyph: Square},
	"splitblock": {Color: orange, Glyph: Inverted},
	"counting":   {Color: wine, Glyph: Cross},
	"cuckoo":     {Color: green, Glyph: Triangle},
	"quotient":   {Color: sky, Glyph: Pentagon},
	// Systems.
	"leveldb": {Color: purple, Glyph: Star},
	"guava":   {Color: green, Glyph: Diamond},
	"rocksdb": {Color: orange, Glyph: Pentagon},
	// Peers of a design that is here, too.
	"peer-bitsandblooms": {Color: blue, Glyph: Diamond, Dash: Dashed},
	"peer-holiman":       {Color: blue, Glyph: Star, Dash: Dashed},
	"peer-blobloom":      {Color: vermilion, Glyph: Square, Dash: Dashed},
	"peer-parquet":       {Color: orange, Glyph: Inverted, Dash: Dashed},
	"peer-seiflotfy":     {Color: green, Glyph: Triangle, Dash: Dashed},
	"peer-linvon":        {Color: green, Glyph: Square, Dash: Dashed},
	// Static peers, of designs of their own.
	"peer-xor8":  {Color: purple, Glyph: Cross, Dash: Dashed},
	"peer-fuse8": {Color: wine, Glyph: Star, Dash: Dashed},
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
// apart that would look the same: by the marker, filled or open, and the line.
func Styles(specs []string) []Style {
	taken := map[Style]bool{}
	out := make([]Style, len(specs))
	give := func(i int, s Style) {
		for range 2 * glyphs {
			if !taken[s] {
				break
			}
			s.Glyph = s.Glyph%Glyph(glyphs) + 1
			s.Dash = Dashed
		}
		taken[s] = true
		out[i] = s
	}
	var variants []int
	families := map[string]bool{}
	for i, spec := range specs { // a family's first spec comes before variants of others
		family, _, _ := strings.Cut(spec, ":")
		if families[family] {
			variants = append(variants, i)
			continue
		}
		families[family] = true
		give(i, StyleOf(family))
	}
	for _, i := range variants {
		family, _, _ := strings.Cut(specs[i], ":")
		give(i, StyleOf(family))
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

// Numbered is the look of series number i of those that are no filters: the
// first seven differ in colour, all in their marker or line too.
func Numbered(i int) Style {
	s := Style{Color: palette[i%len(palette)], Glyph: Glyph(1 + i%glyphs)}
	if i >= len(palette) {
		s.Dash = Dashed
	}
	return s
}
