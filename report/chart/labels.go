package chart

import (
	"math"
	"sort"

	"gonum.org/v1/plot/vg"
)

// spread moves the wanted places of labels along a line so that neighbours
// are at least gap apart and all lie from lo to hi, with the least sum of
// squared moves. Equal wishes keep their order. If they do not all fit, they
// stay gap apart and run over hi.
//
// Less i*gap, the places only have to be in order, which is isotonic
// regression: neighbours that are out of order are pooled at their mean.
func spread(want []float64, gap, lo, hi float64) []float64 {
	n := len(want)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return want[order[a]] < want[order[b]] })

	type pool struct {
		sum   float64
		count int
	}
	mean := func(p pool) float64 { return p.sum / float64(p.count) }
	var pools []pool
	for i, w := range order {
		pools = append(pools, pool{want[w] - float64(i)*gap, 1})
		for k := len(pools) - 1; k > 0 && mean(pools[k]) < mean(pools[k-1]); k-- {
			pools[k-1].sum += pools[k].sum
			pools[k-1].count += pools[k].count
			pools = pools[:k]
		}
	}
	top := max(lo, hi-float64(n-1)*gap)
	out := make([]float64, n)
	i := 0
	for _, p := range pools {
		v := min(max(mean(p), lo), top)
		for range p.count {
			out[order[i]] = v + float64(i)*gap
			i++
		}
	}
	return out
}

// obstacles is what a label inside the panel should not cover.
type obstacles struct {
	segments [][2]vg.Point
	boxes    []vg.Rectangle
}

func (o *obstacles) line(pts []vg.Point) {
	for i := 1; i < len(pts); i++ {
		o.segments = append(o.segments, [2]vg.Point{pts[i-1], pts[i]})
	}
}

// cost grows with what the box covers.
func (o *obstacles) cost(box vg.Rectangle) (cost float64) {
	for _, s := range o.segments {
		cost += 10 * overlap(box, s[0], s[1])
	}
	for _, b := range o.boxes {
		if b.Min.X < box.Max.X && b.Max.X > box.Min.X && b.Min.Y < box.Max.Y && b.Max.Y > box.Min.Y {
			cost += 100
		}
	}
	return cost
}

// overlap is the length of the segment inside of the box, in box heights.
func overlap(box vg.Rectangle, a, b vg.Point) float64 {
	t0, t1 := 0.0, 1.0
	clip := func(p, d, lo, hi float64) bool {
		if d == 0 {
			return p >= lo && p <= hi
		}
		u, v := (lo-p)/d, (hi-p)/d
		t0, t1 = max(t0, min(u, v)), min(t1, max(u, v))
		return t0 < t1
	}
	dx, dy := float64(b.X-a.X), float64(b.Y-a.Y)
	if !clip(float64(a.X), dx, float64(box.Min.X), float64(box.Max.X)) ||
		!clip(float64(a.Y), dy, float64(box.Min.Y), float64(box.Max.Y)) {
		return 0
	}
	return (t1 - t0) * math.Hypot(dx, dy) / float64(box.Max.Y-box.Min.Y)
}

// place finds room for a label of width w and height h near the point at:
// beside, above or below it, inside of the panel, over as few lines as
// possible. The box that it returns is now an obstacle, too.
func (o *obstacles) place(at vg.Point, w, h vg.Length, panel vg.Rectangle) vg.Rectangle {
	const away = 6
	best, least := vg.Rectangle{}, math.Inf(1)
	try := func(x, y vg.Length, penalty float64) {
		x = min(max(x, panel.Min.X+2), panel.Max.X-w)
		y = min(max(y, panel.Min.Y+2), panel.Max.Y-h)
		box := vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + w, Y: y + h}}
		if c := o.cost(box) + penalty; c < least {
			best, least = box, c
		}
	}
	for d := vg.Length(0); d <= 3*h; d += h / 4 { // further away costs more
		p := float64(d / h)
		for _, dy := range []vg.Length{0, d, -d} {
			try(at.X+away+d/2, at.Y-h/2+dy, p)
		}
		for _, dx := range []vg.Length{-w / 2, -w, 0} {
			try(at.X+dx, at.Y+away/2+2+d, p+.5)
			try(at.X+dx, at.Y-away/2-2-h-d, p+.5)
		}
		try(at.X-away-w-d/2, at.Y-h/2, p+1)
	}
	o.boxes = append(o.boxes, best)
	return best
}
