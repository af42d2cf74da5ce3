package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"filterbench/results"
)

// What a query costs behind a filter: the lookup, and for absent keys the share
// of them that is not ruled out times the access that is then wasted. A present
// key's access is none of the filter's doing and left out.
//
// Source: Lang, Neumann, Kemper and Boncz, Performance-optimal filtering: Bloom
// overtakes cuckoo at high throughput, PVLDB 12(5), 2019, section 2.

// load is what a filter is wanted for.
type load struct {
	n     float64 // keys
	miss  float64 // ns of a wasted access
	share float64 // of the queries whose key is present, 0 to 1
}

// design is a filter at one number of bits per key: its rate, and the times of
// its lookups by size, of absent keys and of present ones.
type design struct {
	rate
	absent, present speed
}

// bytes is its size with n keys.
func (d design) bytes(n float64) float64 { return n * d.alloc / 8 }

// speed is the times of one kind of lookup, by size.
type speed []timing

// at is the time of a lookup in a filter of the given bytes. Between two sizes it
// is read off a line through them, both axes logarithmic. Outside of them it is
// not measured: for larger filters the line goes on, unless it falls, and smaller
// ones take the time of the smallest.
func (s speed) at(bytes float64) (ns median, noise float64, measured bool) {
	i, found := slices.BinarySearchFunc(s, bytes, func(t timing, b float64) int { return cmp.Compare(t.size, b) })
	last := len(s) - 1
	switch {
	case found:
		return s[i].ns, s[i].floor.factor, true
	case i == 0 || last == 0:
		return s[0].ns, s[0].floor.factor, false
	case i > last && s[last].ns.mid <= s[last-1].ns.mid:
		return s[last].ns, s[last].floor.factor, false
	}
	j := min(i, last)
	a, b := s[j-1], s[j]
	t := math.Log(bytes/a.size) / math.Log(b.size/a.size)
	return median{along(a.ns.mid, b.ns.mid, t), along(a.ns.lo, b.ns.lo, t), along(a.ns.hi, b.ns.hi, t)},
		max(a.floor.factor, b.floor.factor), i <= last
}

// along is t times the way from a to b on a logarithmic axis. An end that is not
// known leaves none.
func along(a, b, t float64) float64 {
	if !(a > 0 && b > 0) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return a + b // NaN, or infinite on the side where one is
	}
	return math.Exp((1-t)*math.Log(a) + t*math.Log(b))
}

// cost is what a query costs with a design, in ns.
type cost struct {
	design
	load
	lookup, wasted median
	noise          float64 // factor by which two times of one lookup differ
	measured       bool    // at such a size
	assumed        bool    // present keys were not timed, and are taken for absent ones
}

func (d design) cost(l load) cost {
	c := cost{design: d, load: l}
	c.lookup, c.noise, c.measured = d.absent.at(d.bytes(l.n))
	if l.share > 0 {
		times := d.present
		if c.assumed = len(times) == 0; c.assumed {
			times = d.absent
		}
		present, noise, measured := times.at(d.bytes(l.n))
		c.lookup = median{l.mixed(c.lookup.mid, present.mid), l.mixed(c.lookup.lo, present.lo), l.mixed(c.lookup.hi, present.hi)}
		c.noise, c.measured = max(c.noise, noise), c.measured && measured
	}
	w := (1 - l.share) * l.miss
	c.wasted = median{w * d.p, w * d.lo, w * d.hi}
	if d.zero() { // the rate is at most this
		c.wasted = median{w * d.hi, 0, w * d.hi}
	}
	return c
}

// mixed is the mean over absent and present keys.
func (l load) mixed(absent, present float64) float64 {
	return (1-l.share)*absent + l.share*present
}

// total is the cost with its 95 % interval. Times and rates are measured
// independently, so that the distances of their ends add up as squares.
//
// Source: Zou and Donner, Construction of confidence limits about effect
// measures, Statistics in Medicine 27(10), 2008.
func (c cost) total() median {
	mid := c.lookup.mid + c.wasted.mid
	return median{mid,
		mid - math.Hypot(c.lookup.mid-c.lookup.lo, c.wasted.mid-c.wasted.lo),
		mid + math.Hypot(c.lookup.hi-c.lookup.mid, c.wasted.hi-c.wasted.mid)}
}

// cheaper reports whether the measurements tell that a costs less than b: the
// interval of the difference is above 0, the difference more than the noise of
// the times, and neither is taken from another size or from other keys.
func cheaper(a, b cost) bool {
	d := dearer(a, b)
	noise := (max(a.noise, b.noise) - 1) * max(a.lookup.mid, b.lookup.mid)
	return a.measured && b.measured && !a.assumed && !b.assumed && d.lo > 0 && d.mid > noise
}

// dearer is by how much b costs more than a, with its interval.
func dearer(a, b cost) median {
	x, y := a.total(), b.total()
	mid := y.mid - x.mid
	return median{mid, mid - math.Hypot(y.mid-y.lo, x.hi-x.mid), mid + math.Hypot(y.hi-y.mid, x.mid-x.lo)}
}

// without is what a query costs with no filter at all: every absent key's access
// is wasted.
func (l load) without() float64 { return (1 - l.share) * l.miss }

// pays reports whether the measurements tell that the design is worth asking.
func (c cost) pays() bool { return c.total().hi < c.without() && c.measured && !c.assumed }

// designs joins rates and times: every size in bits per key of every filter
// whose hashes can be given, of which absent keys were timed in batches. The
// rates are those of random keys, at the number of them that [keysOfRates] says. No
// filter has the advantage of more bits than the others were measured with.
func designs(set *results.Set) (all []design) {
	cells, _ := rates(set.Records("fpr"))
	times, _ := timings(set.Records("lookup"))
	times = ranked(times)
	absent, present := speeds(times, "0"), speeds(times, "100")
	usable := func(r rate) bool {
		return r.keys == "random" && len(absent[r.filter]) > 0 && r.alloc > 0 && r.alloc < math.MaxFloat64 && r.p < 1
	}
	cells = slices.DeleteFunc(slices.Clone(cells), func(r rate) bool { return !usable(r) })
	n := keysOfRates(cells)
	for _, r := range cells {
		if r.n == n[r.filter] {
			all = append(all, design{r, absent[r.filter], present[r.filter]})
		}
	}
	limit := commonBits(all)
	return slices.DeleteFunc(all, func(d design) bool { return d.asked() > limit })
}

// keysOfRates is, for each filter, the number of keys with which it was measured at
// most sizes in bits per key, and the largest where there are several such.
func keysOfRates(cells []rate) map[string]float64 {
	type at struct {
		filter string
		n      float64
	}
	sizes, most := map[at]map[string]bool{}, map[string]int{}
	key := func(r rate) at { return at{r.filter, r.n} }
	for _, r := range cells {
		if sizes[key(r)] == nil {
			sizes[key(r)] = map[string]bool{}
		}
		sizes[key(r)][r.bits] = true // of several seeds
		most[r.filter] = max(most[r.filter], len(sizes[key(r)]))
	}
	n := map[string]float64{}
	for _, r := range cells {
		if len(sizes[key(r)]) == most[r.filter] {
			n[r.filter] = max(n[r.filter], r.n)
		}
	}
	return n
}

// asked is the bits per key asked for, of which a little more or less may have
// been allocated.
func (d design) asked() float64 {
	if v, err := strconv.ParseFloat(d.bits, 64); err == nil {
		return v
	}
	return d.alloc
}

// commonBits are the most bits per key that every filter was measured with that
// was measured with several; those that come in one size set no limit.
func commonBits(all []design) float64 {
	const several = 3
	most, sizes := map[string]float64{}, map[string]int{}
	for _, d := range all {
		most[d.filter] = max(most[d.filter], d.asked())
		sizes[d.filter]++
	}
	limit := math.Inf(1)
	for f, b := range most {
		if sizes[f] >= several {
			limit = min(limit, b)
		}
	}
	return limit
}

// speeds are the times of batches at a share of present keys, by filter.
func speeds(times []timing, hits string) map[string]speed {
	all := map[string]speed{}
	for _, t := range lookups(times, "hash", "batch", hits) {
		all[t.filter] = append(all[t.filter], t)
	}
	return all
}

// cheapest are the costs of the best design of each filter, the least first.
func cheapest(all []design, l load) (best []cost) {
	index := map[string]int{}
	for _, d := range all {
		c := d.cost(l)
		i, seen := index[d.filter]
		switch {
		case !(c.total().mid < math.MaxFloat64):
		case !seen:
			index[d.filter] = len(best)
			best = append(best, c)
		case c.total().mid < best[i].total().mid:
			best[i] = c
		}
	}
	slices.SortStableFunc(best, func(a, b cost) int { return cmp.Compare(a.total().mid, b.total().mid) })
	return best
}
