package report

import (
	"fmt"
	"math"
	"slices"

	"filterbench/report/format"
)

// fprTitle states what the points say of the texts' claim, or else which
// filter needs the least space.
func fprTitle(shown []sweep, names namer) string {
	for _, s := range shown {
		if slices.ContainsFunc(s.points, func(r rate) bool { return r.contradicts > 0 }) {
			return "Records contradict themselves: " + findingOf(shown, names)
		}
	}
	return findingOf(shown, names)
}

func findingOf(shown []sweep, names namer) string {
	title, subject := headlineTitle(shown, names)
	if title == "" {
		return leastTitle(shown, names)
	}
	ref := bitsFor(subject.points, headlineRate)
	if !ref.ok {
		return title
	}
	for _, s := range shown {
		if family(s.filter) != "blocked" {
			continue
		}
		if b := bitsFor(s.points, headlineRate); b.ok {
			return title + "; blocking " + costs(b.mid-ref.mid)
		}
	}
	return title
}

// headlineTitle judges the point at 9.585 bits per key.
func headlineTitle(shown []sweep, names namer) (title string, subject sweep) {
	for _, f := range []string{"bloom", "naive"} {
		for _, s := range shown {
			i := slices.IndexFunc(s.points, func(r rate) bool { return r.bits == headlineAsk })
			if family(s.filter) != f || i < 0 {
				continue
			}
			return sentence(names.name(s.filter)) + " at 9.6 bits per key gives " + verdictOnPercent(s.points[i]), s
		}
	}
	return "", sweep{}
}

// verdictOnPercent says "1%" where the interval reaches to within a twentieth
// of it, and otherwise what was measured instead.
func verdictOnPercent(p rate) string {
	switch {
	case p.zero():
		return "less than " + format.Percent(p.hi, 2) + ", not 1%"
	case p.hi > 1.5*p.lo:
		return format.PercentInterval(p.lo, p.hi)
	case p.lo <= 1.05*headlineRate && p.hi >= .95*headlineRate:
		return "1%"
	}
	return format.Percent(p.p, 2) + ", not 1%"
}

func costs(bits float64) string {
	switch {
	case math.Abs(bits) < .05:
		return "costs nothing"
	case bits < 0:
		return fmt.Sprintf("saves %.1f bits", -bits)
	}
	return fmt.Sprintf("costs %.1f bits", bits)
}

// leastTitle names the filter that needs the least space for 1 %.
func leastTitle(shown []sweep, names namer) string {
	best, least := "", math.Inf(1)
	for _, s := range shown {
		if b := bitsFor(s.points, headlineRate); b.ok && b.mid < least {
			best, least = names.name(s.filter), b.mid
		}
	}
	if best == "" {
		return "False-positive rate against bits per key"
	}
	title := fmt.Sprintf("%s needs %.1f bits per key for 1%%", sentence(best), least)
	if len(shown) > 1 {
		title += ", the least of these"
	}
	return title
}

// minorTitle says what the filters that a further chart is about take more or
// less than Bloom's: the least and the most of them. They are compared at 1 %,
// those of one size at the rate of that.
func minorTitle(shown []sweep, t theme, names namer) string {
	i := slices.IndexFunc(shown, func(s sweep) bool { return family(s.filter) == "bloom" })
	if i < 0 {
		return leastTitle(shown, names)
	}
	var found []versus
	for _, s := range shown {
		if c, ok := compare(s, shown[i]); ok && slices.Contains(t.subject, s.filter) {
			c.name = names.name(s.filter)
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		return leastTitle(shown, names)
	}
	least := slices.MinFunc(found, func(a, b versus) int { return compareFloat(a.factor, b.factor) })
	most := slices.MaxFunc(found, func(a, b versus) int { return compareFloat(a.factor, b.factor) })
	amount, than := least.words()
	title := fmt.Sprintf("%s takes %s bits per key %s bloom at %s", sentence(least.name), amount, than, least.at())
	if least.name != most.name {
		amount, _ = most.words()
		title += ", " + most.name + " " + amount
		if least.rate != most.rate {
			title += " at " + most.at()
		}
	}
	return title
}

// versus is how many times the bits of Bloom's filter another takes at a
// rate.
type versus struct {
	name         string
	factor, rate float64
}

func compare(s, bloom sweep) (c versus, ok bool) {
	c.rate = headlineRate
	need := bitsFor(s.points, c.rate)
	if s.designs {
		c.rate = s.points[0].p
		need = estimate{mid: s.points[0].alloc, ok: !s.points[0].zero()}
	}
	ref := bitsFor(bloom.points, c.rate)
	c.factor = need.mid / ref.mid
	return c, need.ok && ref.ok
}

func (c versus) at() string { return format.Digits(100*c.rate, 2) + "%" }

// words say so: "22% fewer", than, or "as many", as.
func (c versus) words() (amount, than string) {
	switch {
	case c.factor >= 2:
		return times(c.factor) + " times as many", "as"
	case c.factor > 1.005:
		return format.Percent(c.factor-1, 2) + " more", "than"
	case c.factor < .995:
		return format.Percent(1-c.factor, 2) + " fewer", "than"
	}
	return "as many", "as"
}
