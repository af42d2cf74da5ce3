package chart

import (
	"bytes"
	"fmt"
	"image/color"
	"strings"

	"golang.org/x/image/font"
	"gonum.org/v1/plot"
	gfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Size is the width that a chart is laid out for.
type Size int

// The sizes of charts. Both have the same content and the same size of text.
const (
	Wide   Size = iota // a page, a README
	Narrow             // a phone held upright
)

// dpi of PNG files: sharp at the size of a README on a dense screen.
const dpi = 160

// ErrEmpty is returned when a chart has nothing that can be drawn.
var ErrEmpty = fmt.Errorf("chart has no data")

// SVG renders the chart. Text stays text; the fonts are named, not embedded.
func (c Chart) SVG(size Size) ([]byte, error) {
	c.Clean()
	w, h := c.extent(size)
	canvas := vgsvg.NewWith(vgsvg.UseWH(w, h))
	if err := c.draw(draw.New(canvas), size); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("chart %s: %w", c.Name, err)
	}
	return finishSVG(b.Bytes(), c.Title), nil
}

// PNG renders the chart for a page.
func (c Chart) PNG() ([]byte, error) {
	c.Clean()
	w, h := c.extent(Wide)
	canvas := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(paper))
	if err := c.draw(draw.New(canvas), Wide); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&b); err != nil {
		return nil, fmt.Errorf("chart %s: %w", c.Name, err)
	}
	return b.Bytes(), nil
}

const (
	margin    = vg.Length(10)
	lineGap   = vg.Length(1.25) // line height over font size
	titleSize = vg.Length(13)
	subSize   = vg.Length(9)
	textSize  = vg.Length(9.5)
	tickSize  = vg.Length(9)
	panelHigh = vg.Length(285) // axis labels included
)

func (s Size) width() vg.Length {
	if s == Narrow {
		return 315
	}
	return 580
}

// extent is the size of the picture: the panel has a fixed height, and what
// is written above it adds to that.
func (c *Chart) extent(size Size) (w, h vg.Length) {
	w = size.width()
	return w, c.header(size).height() + c.panelHeight() + 2*margin
}

func (c *Chart) panelHeight() vg.Length {
	if c.Rows == nil {
		return panelHigh
	}
	row := vg.Length(17)
	if levels := c.levels(); levels > 1 {
		row = max(row, 9+4.8*vg.Length(levels))
	}
	return row*vg.Length(len(c.Rows)) + 38
}

// header is the text above the panel.
type header struct {
	title, subtitle []string
	key             [][]int // lines of series, for charts whose series cannot be labelled directly
	axis            string
	marks           bool
}

func (c *Chart) header(size Size) header {
	room := size.width() - 2*margin
	h := header{
		title:    wrap(c.Title, label(titleSize, true, ink), room),
		subtitle: wrap(c.Subtitle, label(subSize, false, muted), room),
		axis:     c.Y.Label,
	}
	for _, m := range c.Marks {
		h.marks = h.marks || !m.Horizontal && m.Name != ""
	}
	if c.needsKey() {
		h.key = c.keyLines(room)
	}
	return h
}

func (h header) height() vg.Length {
	y := titleSize*lineGap*vg.Length(len(h.title)) + subSize*lineGap*vg.Length(len(h.subtitle)) + 12
	y += vg.Length(len(h.key)) * textSize * 1.4
	if h.axis != "" {
		y += textSize * lineGap
	}
	if h.marks {
		y += textSize * lineGap
	}
	return y
}

// draw lays the chart, which is clean, out on the canvas.
func (c Chart) draw(dc draw.Canvas, size Size) error {
	if c.Empty() {
		return fmt.Errorf("chart %s: %w", c.Name, ErrEmpty)
	}
	dc.SetColor(paper)
	dc.Fill(dc.Rectangle.Path())

	h := c.header(size)
	inner := draw.Crop(dc, margin, -margin, margin, -margin)
	y := inner.Max.Y
	line := func(txt string, sty text.Style, size vg.Length) {
		dc.FillText(sty, vg.Point{X: inner.Min.X, Y: y}, txt)
		y -= size * lineGap
	}
	top := func(s text.Style) text.Style { s.YAlign = draw.YTop; return s }
	for _, t := range h.title {
		line(t, top(label(titleSize, true, ink)), titleSize)
	}
	y -= 1
	for _, t := range h.subtitle {
		line(t, top(label(subSize, false, muted)), subSize)
	}
	y -= 5
	for _, ids := range h.key {
		c.drawKey(&dc, ids, vg.Point{X: inner.Min.X, Y: y})
		y -= textSize * 1.4
	}
	if h.axis != "" {
		line(h.axis, top(label(textSize, false, ink)), textSize)
	}
	p, s := c.plot(size)
	panel := inner
	panel.Max.Y = inner.Max.Y - h.height()
	panel.Max.X -= s.right
	p.Draw(panel)
	return nil
}

// label is text in Liberation Sans.
func label(size vg.Length, bold bool, c color.Color) text.Style {
	f := gfont.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	if bold {
		f.Weight = font.WeightBold
	}
	return text.Style{Color: c, Font: f, Handler: plot.DefaultTextHandler}
}

// wrap breaks txt into lines of at most the given width. A word that is
// longer than a line is cut.
func wrap(txt string, sty text.Style, width vg.Length) (lines []string) {
	line := ""
	for _, word := range strings.Fields(txt) {
		word = fit(word, sty, width)
		switch {
		case line == "":
			line = word
		case sty.Width(line+" "+word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// fit shortens txt to the given width, by an ellipsis at its end.
func fit(txt string, sty text.Style, width vg.Length) string {
	if sty.Width(txt) <= width {
		return txt
	}
	r := []rune(txt)
	for len(r) > 1 && sty.Width(string(r)+"…") > width {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}
