package chart

import (
	"math"
	"strings"
	"testing"
)

// tiled is a map of 4 x 3 tiles: b holds the right half of its lower rows.
func tiled() Chart {
	c := Chart{Name: "map", Title: "A map", X: Axis{Label: "keys", Log: true, Ticks: Counts}, Y: Axis{Label: "cost", Log: true, Ticks: Nanoseconds}}
	for y := range 3 {
		for x := range 4 {
			name := "bloom"
			if x > 1 && y < 2 {
				name = "cuckoo"
			}
			corner := func(x, y int) XY { return XY{math.Pow(10, float64(x)), math.Pow(10, float64(y))} }
			c.Tiles = append(c.Tiles, Tile{From: corner(x, y), To: corner(x+1, y+1), Name: name, Style: StyleOf(name), Text: "7", Faint: x == 0})
		}
	}
	return c
}

func TestTilesAreNamedOnceAndFillThePanel(t *testing.T) {
	c := tiled()
	for _, size := range []Size{Wide, Narrow} {
		svg := string(render(t, c, size))
		for _, name := range []string{">bloom<", ">cuckoo<"} {
			if n := strings.Count(svg, name); n != 1 {
				t.Errorf("size %d: %s is written %d times", size, name, n)
			}
		}
		if n := strings.Count(svg, ">7<"); n != 12-2-2 { // each name lies on the two in the middle of its row
			t.Errorf("size %d: %d tiles have their text, want 8", size, n)
		}
	}
	if x, y := c.ranges(); x != [2]float64{1, 1e4} || y != [2]float64{1, 1e3} {
		t.Errorf("axes from %v and %v", x, y)
	}
}

func TestTilesOfADarkPageHaveColours(t *testing.T) {
	dark := DarkCSS()
	for _, part := range strings.Split(string(Themed(render(t, tiled(), Wide))), "var(--c")[1:] {
		if hex := part[:6]; !strings.Contains(dark, "--c"+hex+":#") {
			t.Errorf("colour %s has no dark twin", hex)
		}
	}
}

func TestHostileTilesAreLeftOut(t *testing.T) {
	c := tiled()
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		c.Tiles = append(c.Tiles, Tile{From: XY{v, 1}, To: XY{2, 2}}, Tile{From: XY{1, 1}, To: XY{2, v}}, Tile{From: XY{5, 1}, To: XY{2, 2}})
	}
	c.Clean()
	if len(c.Tiles) != 12 {
		t.Errorf("%d tiles are left, want 12", len(c.Tiles))
	}
	c.Tiles = nil
	if !c.Empty() {
		t.Error("a map without tiles is not empty")
	}
}

func TestFillsDiffer(t *testing.T) {
	families := []string{"bloom", "blocked", "peer-blobloom", "splitblock", "rocksdb", "cuckoo", "peer-linvon"}
	seen := map[string]string{}
	for i, s := range Fills(families) {
		if other, taken := seen[hexOf(s.Color)]; taken {
			t.Errorf("%s and %s have one colour", families[i], other)
		}
		seen[hexOf(s.Color)] = families[i]
	}
}
