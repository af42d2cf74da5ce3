// Package chart draws the report's charts: a small declarative model of one
// chart, and its rendering as SVG and PNG through gonum/plot.
//
// A Chart is plain data, so that what a picture will show can be tested
// without looking at pixels. Rendering the same Chart gives the same bytes.
package chart

import (
	"fmt"
	"math"
	"slices"
)

// Chart is one picture: a title that states the finding, a subtitle that
// states the method, one panel.
type Chart struct {
	Name     string // names its files: "fpr" gives fpr.svg and fpr.png
	Title    string // what the data say
	Subtitle string // how they were measured
	Caption  string // how to read the picture, for the page around it
	X, Y     Axis
	Series   []Series // later ones are drawn over earlier ones
	Marks    []Mark
	Region   *Region
	// Tiles are the cells of a map, row by row from left to right, under all else.
	Tiles []Tile
	// Rows, if set, makes the vertical axis one of categories, first on top.
	// A point's Y is then its row (0 is the first), and its interval is
	// horizontal.
	Rows []string
	// Notes, if set, are written to the right of the rows, one for each.
	Notes []string
	// Minor says that the chart is a further one of its kind, which a page may
	// fold away.
	Minor bool
	// Dodge sets the series a little apart where the intervals of points at
	// one X would hide each other.
	Dodge bool
}

// Axis is a horizontal or vertical axis.
type Axis struct {
	Label string
	Log   bool
	Ticks Ticks // nil is Number
	// Min and Max widen the range that the data need; both 0 is no wish.
	Min, Max float64
	Zero     bool // a linear axis that starts at 0, or holds it
}

// Series is one filter's line, points or bars.
type Series struct {
	Name   string // the direct label; "" draws none
	Style  Style
	Points []Point
	Curve  []XY // theory, drawn as a line without markers
	Join   bool // join the points by a line
	Bar    bool // draw points as bars from 0 (charts with Rows only)
}

// XY is a place in the units of the axes.
type XY struct{ X, Y float64 }

// Point is a measured value with its 95 % interval.
type Point struct {
	X, Y float64
	// Lo and Hi are the ends of the interval: along Y, or along X in a chart
	// with Rows. Both 0 or not finite is no interval.
	Lo, Hi float64
	// Bound says that nothing was counted: the value is the upper end of what
	// the truth may be. It is drawn open, with an arrow down.
	Bound bool
	Label string // written beside the point
}

// Mark is a line across the panel with its name: dashed, or, if it was measured,
// solid, with the name at the foot.
type Mark struct {
	At         float64
	Name       string
	Horizontal bool
	// Short replaces Name where there is no room for it.
	Short string
	// Measured is of vertical marks only.
	Measured bool
}

// Region is a shaded area below a curve.
type Region struct {
	Name  string
	Curve []XY // its upper edge, from left to right
}

// interval reports whether the point has one that can be drawn.
func (p Point) interval() bool {
	return !p.Bound && finite(p.Lo) && finite(p.Hi) && p.Hi > p.Lo
}

// Empty reports whether the chart has nothing to draw.
func (c *Chart) Empty() bool {
	for _, s := range c.Series {
		if len(s.Points)+len(s.Curve) > 0 {
			return false
		}
	}
	return len(c.Tiles) == 0
}

// Clean takes out what cannot be drawn, such as NaN, infinities, and zeros on
// a logarithmic axis, and returns a line for each series that lost something.
func (c *Chart) Clean() (warnings []string) {
	series := make([]Series, 0, len(c.Series))
	for _, s := range c.Series {
		points := make([]Point, 0, len(s.Points))
		for _, p := range s.Points {
			if !c.drawable(p.X, p.Y) {
				continue
			}
			if p.interval() && !c.across().holds(p.Hi) {
				p.Lo, p.Hi = 0, 0
			}
			points = append(points, p)
		}
		curve := make([]XY, 0, len(s.Curve))
		for _, p := range s.Curve {
			if c.drawable(p.X, p.Y) {
				curve = append(curve, p)
			}
		}
		if lost := len(s.Points) + len(s.Curve) - len(points) - len(curve); lost > 0 {
			warnings = append(warnings, fmt.Sprintf("chart %s: %s: left out %d of %d values that are not finite%s",
				c.Name, s.Name, lost, len(s.Points)+len(s.Curve), c.orPositive()))
		}
		s.Points, s.Curve = points, curve
		if len(points)+len(curve) > 0 {
			series = append(series, s)
		}
	}
	c.Series = series
	c.Tiles = c.drawableTiles()
	c.Marks = slices.DeleteFunc(slices.Clone(c.Marks), func(m Mark) bool {
		if m.Horizontal {
			return !c.Y.holds(m.At)
		}
		return !c.X.holds(m.At)
	})
	return warnings
}

// across is the axis along which intervals lie.
func (c *Chart) across() Axis {
	if c.Rows != nil {
		return c.X
	}
	return c.Y
}

func (c *Chart) orPositive() string {
	if c.X.Log || c.Y.Log {
		return " or not above 0 on a logarithmic axis"
	}
	return ""
}

func (c *Chart) drawable(x, y float64) bool {
	return c.X.holds(x) && c.Y.holds(y)
}

// least is the smallest value on a logarithmic axis: below it floats lose
// their digits, and powers of ten and two become 0.
const least = 1e-300

// holds reports whether the axis can show the value.
func (a Axis) holds(v float64) bool { return finite(v) && (!a.Log || v >= least) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
