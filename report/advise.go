package report

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"filterbench/report/format"
	"filterbench/results"
)

// Wish is what a filter is wanted for.
type Wish struct {
	Keys     float64 // that it will hold
	MissCost float64 // ns of the access that a false positive wastes
	HitShare float64 // of the queries whose key is present, from 0 to 1
	MaxBits  float64 // bits per key at most; 0 is no limit
	// Know says of a filter, by its spec, whether it will do, and what else
	// there is to know of it, in a few words; nil is all will do.
	Know func(filter string) (will bool, note string)
}

// Advice is the cheapest filters for a wish, the best first, by measurements.
type Advice struct {
	Keys       float64 `json:"keys"`
	MissCostNS float64 `json:"miss_cost_ns"`
	HitShare   float64 `json:"hit_share"`
	MaxBits    float64 `json:"max_bits,omitempty"`
	WithoutNS  float64 `json:"without_filter_ns"` // what a query wastes with no filter
	Pays       bool    `json:"filter_pays"`       // the first costs less than that
	Sure       bool    `json:"sure"`              // the measurements tell the first from the others
	Certainty  string  `json:"certainty"`         // how sure the order is, and why
	Choices    []Pick  `json:"choices"`           // three at most
	Compared   int     `json:"filters_compared"`
	MostBits   float64 `json:"most_bits_compared"` // per key
}

// Pick is a filter with what it costs; intervals are of 95 %.
type Pick struct {
	Filter       string     `json:"filter"`
	BitsPerKey   float64    `json:"bits_per_key"` // as allocated
	Bytes        float64    `json:"bytes"`
	FPR          float64    `json:"fpr"`
	FPRInterval  [2]float64 `json:"fpr_interval"`
	LookupNS     float64    `json:"lookup_ns"` // over absent and present keys
	WastedNS     float64    `json:"wasted_ns"` // accesses, a query
	TotalNS      float64    `json:"total_ns"`
	TotalBetween [2]float64 `json:"total_interval_ns"`
	Extrapolated bool       `json:"extrapolated"` // to a size that was not timed
	Reasons      []string   `json:"reasons"`
	Note         string     `json:"note,omitempty"`
}

// Advise names the three cheapest filters for a wish, by the times and rates of
// a results folder. Times are of batches with the hashes given. It is an error
// where the wish is none, or where the results have no such filter.
func Advise(set *results.Set, w Wish) (Advice, error) {
	if err := w.check(); err != nil {
		return Advice{}, err
	}
	all := designs(set)
	if len(all) == 0 {
		return Advice{}, errors.New("these results have no filter with both rates (fpr.txt) and times of batches by hash (lookup.txt); `runbench run fpr lookup` measures them")
	}
	l := load{n: w.Keys, miss: w.MissCost, share: w.HitShare}
	a := Advice{Keys: w.Keys, MissCostNS: w.MissCost, HitShare: w.HitShare, MaxBits: w.MaxBits, WithoutNS: l.without()}
	notes := map[string]string{}
	willDo := slices.DeleteFunc(all, func(d design) bool {
		if a.MostBits = max(a.MostBits, d.asked()); w.MaxBits > 0 && min(d.alloc, d.asked()) > w.MaxBits {
			return true
		}
		if w.Know == nil {
			return false
		}
		will, note := w.Know(d.filter)
		notes[d.filter] = note
		return !will
	})
	costs := cheapest(willDo, l)
	if len(costs) == 0 {
		return Advice{}, errors.New("no filter measured does what is asked; allow more bits per key, or do without deletes")
	}
	a.Compared = len(costs)
	names := newNamer(distinct(costs, func(c cost) string { return c.filter }))
	for i, c := range costs[:min(3, len(costs))] {
		p := c.pick(notes[c.filter])
		p.Reasons = c.reasons(costs, i, a, names)
		a.Choices = append(a.Choices, p)
	}
	a.Pays = costs[0].total().mid < a.WithoutNS
	a.Sure, a.Certainty = certainty(costs, names)
	return a, nil
}

func (w Wish) check() error {
	switch {
	case !(w.Keys >= 1 && w.Keys <= 1<<40):
		return fmt.Errorf("%v keys; allowed: 1 to 2^40", w.Keys)
	case !(w.MissCost > 0 && w.MissCost <= math.MaxFloat32):
		return fmt.Errorf("a wasted access of %v ns; it must be above 0", w.MissCost)
	case !(w.HitShare >= 0 && w.HitShare <= 1):
		return fmt.Errorf("a hit share of %v; allowed: 0 to 1", w.HitShare)
	case !(w.MaxBits >= 0):
		return fmt.Errorf("at most %v bits per key; it must be above 0", w.MaxBits)
	}
	return nil
}

func (c cost) pick(note string) Pick {
	t := c.total()
	return Pick{
		Filter: c.filter, BitsPerKey: c.alloc, Bytes: c.bytes(c.n),
		FPR: c.p, FPRInterval: [2]float64{c.lo, c.hi},
		LookupNS: c.lookup.mid, WastedNS: c.wasted.mid, TotalNS: t.mid,
		TotalBetween: [2]float64{finite(t.lo, 0), finite(t.hi, math.MaxFloat64)},
		Extrapolated: !c.measured, Note: note,
	}
}

// finite is v, or what stands for an end that is not known: JSON has no infinity.
func finite(v, otherwise float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return otherwise
	}
	return v
}

// reasons say what makes a filter's cost, and what sets it apart from the first,
// or the first from the second.
func (c cost) reasons(costs []cost, i int, a Advice, names namer) (why []string) {
	share := c.wasted.mid / c.total().mid
	switch {
	case !(share >= .005):
		why = append(why, "nearly all of its cost is the lookup")
	default:
		why = append(why, fmt.Sprintf("%s of its cost is wasted accesses (%s of absent keys)", format.Percent(share, 2), format.Percent(c.p, 2)))
	}
	if share >= .1 && c.asked() >= a.MostBits {
		why = append(why, "it has the most bits that were compared; more would pay")
	}
	other := 0
	if i == 0 {
		other = 1
	}
	if other < len(costs) {
		o := costs[other]
		why = append(why, fmt.Sprintf("against %s: lookups %s, wasted accesses %s", names.name(o.filter),
			moreOrLess(c.lookup.mid-o.lookup.mid), moreOrLess(c.wasted.mid-o.wasted.mid)))
	}
	if c.assumed {
		why = append(why, "its lookups of present keys were not timed and are taken for those of absent ones")
	}
	if !c.measured {
		why = append(why, fmt.Sprintf("extrapolated: no filter of %s was timed", format.BytesDigits(c.bytes(c.n), 3)))
	}
	return why
}

// moreOrLess is a difference of times in words.
func moreOrLess(ns float64) string {
	switch {
	case math.Abs(ns) < .005:
		return "alike"
	case ns < 0:
		return format.Nanoseconds(-ns) + " less"
	}
	return format.Nanoseconds(ns) + " more"
}

// certainty says whether the measurements tell the first from those behind it.
func certainty(costs []cost, names namer) (sure bool, text string) {
	if len(costs) < 2 {
		return false, "there is nothing to compare it with"
	}
	best := costs[0]
	d := dearer(best, costs[1])
	by := fmt.Sprintf("%s costs %s more than %s", names.name(costs[1].filter), format.Nanoseconds(d.mid), names.name(best.filter))
	if !math.IsInf(d.lo, 0) && !math.IsInf(d.hi, 0) {
		by += fmt.Sprintf(" (95%% interval %s to %s)", format.Nanoseconds(d.lo), format.Nanoseconds(d.hi))
	}
	close := 0 // that are not told from the best
	for _, c := range costs[1:] {
		if !cheaper(best, c) {
			close++
		}
	}
	switch {
	case !best.measured || !costs[1].measured:
		return false, "not sure, since it is extrapolated: " + by
	case best.assumed || costs[1].assumed:
		return false, "not sure, since present keys were not timed: " + by
	case close > 0:
		return false, fmt.Sprintf("not sure (filters not told apart from the first: %d): %s", close, by)
	}
	return true, "sure: " + by
}
