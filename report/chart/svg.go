package chart

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"math"
	"regexp"
	"slices"
)

// vgsvg names the font alone; where it is missing browsers would take a serif
// one. The others have the same widths, or nearly.
const fontFamily = "'Liberation Sans',Arial,Helvetica,sans-serif"

var (
	svgHead  = regexp.MustCompile(`(?s)^.*?<svg `)
	svgStyle = regexp.MustCompile(`style="[^"]*"`)
	svgColor = regexp.MustCompile(`(fill|stroke):(#[0-9A-F]{6})`)
)

// finishSVG names fallback fonts and gives the picture an accessible name.
// Text cannot be mistaken for a style, since in text every quote is escaped.
func finishSVG(svg []byte, title string) []byte {
	head := fmt.Sprintf(`<svg role="img" aria-label="%s" `, html.EscapeString(title))
	svg = svgHead.ReplaceAllLiteral(svg, []byte(head))
	return svgStyle.ReplaceAllFunc(svg, func(s []byte) []byte {
		return bytes.Replace(s, []byte("font-family:Liberation Sans"), []byte("font-family:"+fontFamily), 1)
	})
}

// Themed makes the colours of a rendered SVG follow the page that it is put
// into: each becomes a CSS variable, with the colour itself for want of one.
// CSS gives the variables their values.
func Themed(svg []byte) []byte {
	return svgStyle.ReplaceAllFunc(svg, func(s []byte) []byte {
		return svgColor.ReplaceAllFunc(s, func(m []byte) []byte {
			kind, hex, _ := bytes.Cut(m, []byte(":"))
			return fmt.Appendf(nil, "%s:var(--c%s,%s)", kind, hex[1:], hex)
		})
	})
}

// DarkCSS is the declarations of the variables for a dark page: neutral
// colours are turned over, series and their names are made lighter until they
// read on the dark paper.
func DarkCSS() string {
	var b bytes.Buffer
	dark := func(light, c color.NRGBA) {
		fmt.Fprintf(&b, "--c%s:#%s;", hexOf(light), hexOf(c))
	}
	dark(paper, darkPaper)
	dark(ink, rgb(0xE8EAED))
	dark(muted, rgb(0xA9AEB4))
	dark(major, rgb(0x3F4347))
	dark(minor, rgb(0x2B2E31))
	dark(shade, rgb(0x26303A))
	dark(Gray, rgb(0x9AA0A6))
	for _, c := range slices.Concat(palette, ramp) {
		// Lines need less contrast than letters do, and stay apart better.
		text := (Style{Color: c}).text()
		if text != c {
			dark(c, lighten(c, 3.2))
		}
		dark(text, lighten(c, 4.5))
	}
	for _, c := range append([]color.NRGBA{Gray, ink}, palette...) {
		for _, share := range []float64{fullTint, faintTint} {
			dark(tint(c, paper, share), tint(c, darkPaper, .75*share)) // light letters must read on it
		}
	}
	return b.String()
}

var darkPaper = rgb(0x1B1D1F)

// lighten mixes white into c until it has the contrast on the dark paper.
func lighten(c color.NRGBA, contrast float64) color.NRGBA {
	for luminance(c) < contrast*(luminance(darkPaper)+.05)-.05 {
		mix := func(v uint8) uint8 { return uint8(float64(v) + .05*(255-float64(v)) + .5) }
		c.R, c.G, c.B = mix(c.R), mix(c.G), mix(c.B)
	}
	return c
}

func hexOf(c color.NRGBA) string { return fmt.Sprintf("%02X%02X%02X", c.R, c.G, c.B) }

// contrast is WCAG 2's contrast ratio of c on white paper.
func contrast(c color.NRGBA) float64 { return 1.05 / (luminance(c) + .05) }

// luminance is WCAG 2's relative luminance, from 0 to 1.
func luminance(c color.NRGBA) float64 {
	lin := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= .04045 {
			return s / 12.92
		}
		return math.Pow((s+.055)/1.055, 2.4)
	}
	return .2126*lin(c.R) + .7152*lin(c.G) + .0722*lin(c.B)
}
