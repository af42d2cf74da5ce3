package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func sample() Chart {
	c := Chart{
		Name: "sample", Title: "Bloom at 9.6 bits per key gives 1%", Subtitle: "points: measured; lines: theory",
		X: Axis{Label: "bits per key"}, Y: Axis{Label: "rate", Log: true, Ticks: Percent},
		Marks:  []Mark{{At: 9.585, Name: "9.585"}, {At: .01, Horizontal: true}},
		Region: &Region{Name: "no filter can be here", Curve: []XY{{4, .0625}, {20, 1e-6}}},
	}
	for _, f := range []string{"bloom", "blocked", "cuckoo"} {
		s := Series{Name: f, Style: StyleOf(f)}
		for b := 4.0; b <= 20; b++ {
			p := math.Exp(-.48 * b)
			s.Points = append(s.Points, Point{X: b, Y: p, Lo: p * .95, Hi: p * 1.05})
			s.Curve = append(s.Curve, XY{b, p})
		}
		c.Series = append(c.Series, s)
	}
	return c
}

func render(t *testing.T, c Chart, size Size) []byte {
	t.Helper()
	svg, err := c.SVG(size)
	if err != nil {
		t.Fatal(err)
	}
	return svg
}

func TestSameBytes(t *testing.T) {
	c := sample()
	for _, size := range []Size{Wide, Narrow} {
		if !bytes.Equal(render(t, c, size), render(t, c, size)) {
			t.Errorf("size %d: two renderings of one chart differ", size)
		}
	}
	a, err := c.PNG()
	if err != nil {
		t.Fatal(err)
	}
	b, err := c.PNG()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Error("two PNGs of one chart differ")
	}
	img, err := png.Decode(bytes.NewReader(a))
	if err != nil {
		t.Fatal(err)
	}
	if w := img.Bounds().Dx(); w < 1000 {
		t.Errorf("PNG is %d pixels wide, too few for a dense screen", w)
	}
}

// texts returns the text elements of an SVG with their places, y downwards.
func texts(t *testing.T, svg []byte) (all []svgText) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("SVG is not well-formed: %v", err)
		}
		start, ok := tok.(xml.StartElement)
		if !ok || start.Name.Local != "text" {
			continue
		}
		one := svgText{}
		for _, a := range start.Attr {
			switch a.Name.Local {
			case "x":
				one.x, _ = strconv.ParseFloat(a.Value, 64)
			case "y":
				one.y, _ = strconv.ParseFloat(a.Value, 64)
			case "transform":
				one.turned = a.Value != "scale(1, -1)"
			}
		}
		var content struct {
			Text string `xml:",chardata"`
		}
		if err := d.DecodeElement(&content, &start); err != nil {
			t.Fatal(err)
		}
		one.text = content.Text
		all = append(all, one)
	}
}

type svgText struct {
	x, y   float64
	text   string
	turned bool
}

// Eight lines that end in one point: their labels must stand apart, inside the
// picture, in the order of the series.
func TestLabelsNeverOverlap(t *testing.T) {
	for _, size := range []Size{Wide, Narrow} {
		c := Chart{Name: "c", Title: "t", X: Axis{Label: "x"}, Y: Axis{Label: "y", Log: true, Ticks: Decimal}}
		for i := range 8 {
			s := Series{Name: "series-" + strconv.Itoa(i), Style: StyleOf(strconv.Itoa(i)), Join: true}
			s.Points = []Point{{X: 1, Y: float64(1 + i)}, {X: 2, Y: 5}}
			c.Series = append(c.Series, s)
		}
		w, h := c.extent(size)
		last := math.Inf(-1)
		found := 0
		for _, s := range texts(t, render(t, c, size)) {
			if !strings.HasPrefix(s.text, "series-") {
				continue
			}
			found++
			if y := -s.y; !(y > 0 && y < float64(h)) || s.x > float64(w)-20 {
				t.Errorf("size %d: label %q at %v, %v is outside of %v x %v", size, s.text, s.x, y, w, h)
			}
			if math.Abs(s.y-last) < float64(textSize) {
				t.Errorf("size %d: label %q is %v from the one before, less than its height", size, s.text, math.Abs(s.y-last))
			}
			last = s.y
		}
		if found != 8 {
			t.Errorf("size %d: found %d of 8 labels", size, found)
		}
	}
}

func TestSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Float64Range(-50, 350), 1, 12).Draw(t, "want")
		const gap, lo, hi = 10, 0, 300
		got := spread(want, gap, lo, hi)
		for i := range got {
			if got[i] < lo-1e-9 || got[i] > hi+1e-9 {
				t.Fatalf("%v: label %d at %v is outside of %v..%v", want, i, got[i], lo, hi)
			}
			free := want[i] >= lo && want[i] <= hi
			for j := range got {
				if i == j {
					continue
				}
				if math.Abs(got[i]-got[j]) < gap-1e-9 {
					t.Fatalf("%v: labels %d and %d are %v apart", want, i, j, math.Abs(got[i]-got[j]))
				}
				if want[i] < want[j] && got[i] > got[j] {
					t.Fatalf("%v: labels %d and %d changed their order", want, i, j)
				}
				free = free && math.Abs(want[i]-want[j]) >= 12*gap
			}
			if free && math.Abs(got[i]-want[i]) > 1e-9 && want[i] >= 12*gap && want[i] <= hi-12*gap {
				t.Fatalf("%v: label %d had room and moved to %v", want, i, got[i])
			}
		}
	})
}

// Too many labels for the height run over its end, but stay apart.
func TestSpreadTooMany(t *testing.T) {
	got := spread(make([]float64, 5), 10, 0, 20)
	for i, v := range got {
		if v != float64(10*i) {
			t.Errorf("label %d at %v, want %d", i, v, 10*i)
		}
	}
}

func TestCleanTakesOutWhatCannotBeDrawn(t *testing.T) {
	c := sample()
	c.Series[0].Points = append(c.Series[0].Points,
		Point{X: 1, Y: 0}, Point{X: 2, Y: math.NaN()}, Point{X: 3, Y: math.Inf(1)}, Point{X: math.Inf(-1), Y: 1}, Point{X: 5, Y: -1})
	c.Series[1].Curve = []XY{{1, 0}}
	c.Series[1].Points = nil
	warnings := c.Clean()
	if len(warnings) != 2 || !strings.Contains(warnings[0], "bloom") || !strings.Contains(warnings[0], "5 of 39") {
		t.Errorf("warnings %q, want two, the first of bloom's 5 of 39 values", warnings)
	}
	if len(c.Series) != 2 || len(c.Series[0].Points) != 17 {
		t.Errorf("%d series left, %d points in the first; want 2, and 17", len(c.Series), len(c.Series[0].Points))
	}
	if again := c.Clean(); again != nil {
		t.Errorf("a clean chart gave warnings %q", again)
	}
}

func TestEmptyChart(t *testing.T) {
	for _, c := range []Chart{{Name: "none"}, {Name: "nan", Series: []Series{{Points: []Point{{X: math.NaN()}}}}}} {
		if _, err := c.SVG(Wide); !errors.Is(err, ErrEmpty) {
			t.Errorf("chart %s: error %v, want ErrEmpty", c.Name, err)
		}
	}
}

// Whatever the values, a chart is drawn or refused: never a panic.
func TestAnyValuesDraw(t *testing.T) {
	value := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{
		0, math.NaN(), math.Inf(1), math.Inf(-1), 1, 1, 5e-324, math.MaxFloat64, -math.MaxFloat64, 1e16, 1e16 + 2}))
	rapid.Check(t, func(t *rapid.T) {
		c := Chart{Name: "any", Title: rapid.String().Draw(t, "title"), X: Axis{Log: rapid.Bool().Draw(t, "xlog")}, Y: Axis{Log: rapid.Bool().Draw(t, "ylog")}}
		c.X.Ticks = rapid.SampledFrom([]Ticks{nil, Bytes, Decimal, Percent, Times}).Draw(t, "ticks")
		if !c.X.Log {
			c.X.Ticks = nil
		}
		if c.Y.Log {
			c.Y.Ticks = Percent
		}
		if rapid.Bool().Draw(t, "rows") {
			c.Rows, c.Y = []string{"a", "b"}, Axis{}
		}
		for range rapid.IntRange(0, 3).Draw(t, "series") {
			s := Series{Name: rapid.String().Draw(t, "name"), Style: StyleOf("bloom"), Join: rapid.Bool().Draw(t, "join"), Bar: c.Rows != nil && !c.X.Log}
			for range rapid.IntRange(0, 4).Draw(t, "points") {
				s.Points = append(s.Points, Point{X: value.Draw(t, "x"), Y: value.Draw(t, "y"), Lo: value.Draw(t, "lo"), Hi: value.Draw(t, "hi"), Bound: rapid.Bool().Draw(t, "bound")})
				s.Curve = append(s.Curve, XY{value.Draw(t, "cx"), value.Draw(t, "cy")})
			}
			c.Series = append(c.Series, s)
		}
		c.Marks = []Mark{{At: value.Draw(t, "mark"), Name: "m"}, {At: value.Draw(t, "hmark"), Horizontal: true}}
		if _, err := c.SVG(Narrow); err != nil && !errors.Is(err, ErrEmpty) {
			t.Fatal(err)
		}
	})
}

func TestOnePoint(t *testing.T) {
	c := Chart{Name: "one", Title: "t", X: Axis{Log: true, Ticks: Bytes}, Y: Axis{Log: true, Ticks: Percent},
		Series: []Series{{Name: "bloom", Style: StyleOf("bloom"), Join: true, Points: []Point{{X: 1024, Y: .01}}}}}
	svg := string(render(t, c, Wide))
	for _, want := range []string{">1 KiB<", ">1%<", ">bloom<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the chart of one point lacks %s", want)
		}
	}
}

// An upper bound is an open marker with an arrow, and no part of the line.
func TestBoundIsOpen(t *testing.T) {
	c := sample()
	c.Series = c.Series[:1]
	c.Series[0].Join, c.Series[0].Curve = true, nil
	filled := strings.Count(string(render(t, c, Wide)), `style="fill:#0072B2"`)
	c.Series[0].Points[16].Bound = true
	svg := string(render(t, c, Wide))
	if got := strings.Count(svg, `style="fill:#0072B2"`); got != filled-1 {
		t.Errorf("%d filled markers, want %d", got, filled-1)
	}
	if !strings.Contains(svg, "fill:none;stroke:#0072B2;stroke-width:1.1") {
		t.Error("no open marker")
	}
}

func TestHostileText(t *testing.T) {
	c := sample()
	hostile := `"><script>alert(1)</script><img src=x onerror="a"> fill:#333333 style="fill:#0072B2"`
	c.Title, c.Subtitle, c.Series[0].Name = hostile, hostile, hostile
	c.Marks[0].Name, c.X.Label, c.Y.Label, c.Region.Name = hostile, hostile, hostile, hostile
	for _, svg := range [][]byte{render(t, c, Wide), Themed(render(t, c, Narrow))} {
		d := xml.NewDecoder(bytes.NewReader(svg))
		for {
			tok, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("not well-formed: %v", err)
			}
			if e, ok := tok.(xml.StartElement); ok {
				switch e.Name.Local {
				case "svg", "g", "path", "text":
				default:
					t.Errorf("element %s in the SVG", e.Name.Local)
				}
			}
		}
	}
}

func TestThemedFollowsThePage(t *testing.T) {
	themed := string(Themed(render(t, sample(), Wide)))
	if strings.Contains(themed, "fill:#") || strings.Contains(themed, "stroke:#") {
		t.Error("a colour is left that no page can change")
	}
	dark := DarkCSS()
	for _, part := range strings.Split(themed, "var(--c")[1:] {
		if hex := part[:6]; !strings.Contains(dark, "--c"+hex+":#") {
			t.Errorf("colour %s has no dark twin", hex)
		}
	}
}

func TestTitleWraps(t *testing.T) {
	c := sample()
	c.Title = strings.Repeat("word ", 40) + strings.Repeat("long", 100)
	w, _ := c.extent(Narrow)
	sty := label(titleSize, true, ink)
	h := c.header(Narrow)
	if len(h.title) < 3 {
		t.Errorf("a title of 41 words has %d lines", len(h.title))
	}
	for _, line := range h.title {
		if sty.Width(line) > w-2*margin {
			t.Errorf("line %q is wider than the picture", line)
		}
	}
}
