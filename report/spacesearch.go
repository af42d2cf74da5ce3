package report

import (
	"fmt"
	"math"
	"slices"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"

	"gonum.org/v1/gonum/stat/distuv"
)

// Where the space experiment ran, what it found by searching takes the place of
// what could be read off between the points of the fpr experiment.

func readSpace(set *results.Set) content {
	found, bad := searches(set.Records("space"))
	return content{unusable: bad, charts: searchCharts(found), tables: []table.Table{searchTable(found)}}
}

// searched reports whether the set has sizes that were searched for.
func searched(set *results.Set) bool {
	found, _ := searches(set.Records("space"))
	return len(found) > 0
}

// search is the size at which a filter keeps to a rate.
type search struct {
	filter       string
	keys         string
	p, n         float64
	bits, sd     float64 // mean and standard deviation over the filters
	filters, fpr float64
	lo, hi       float64 // Student's interval for the mean
}

func searches(records []results.Record) (all []search, unusable int) {
	for _, c := range cellsOf(records, "Space") {
		p, ok1 := c.number("p")
		n, ok2 := c.number("n")
		s := search{filter: c.Axis("filter"), keys: c.Axis("keys"), p: p, n: n, bits: c.first("bits/key"), sd: c.first("bits-sd"), filters: c.first("filters"), fpr: c.first("fpr")}
		if !ok1 || !ok2 || s.filter == "" || !(p > 0 && p < 1) || !(n >= 1) || !(s.bits > 0 && s.bits < 1e6) || !(s.sd >= 0) || !(s.filters >= 1 && s.filters < maxCount) {
			unusable++
			continue
		}
		s.lo, s.hi = math.NaN(), math.NaN()
		if s.filters >= 2 {
			half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: s.filters - 1}.Quantile((1+level)/2) * s.sd / math.Sqrt(s.filters)
			s.lo, s.hi = s.bits-half, s.bits+half
		}
		all = append(all, s)
	}
	return all, unusable
}

// searchRows are the searches as rows of the chart of equal rates: a filter that
// has one size for all rates comes in no other, and has its own rate.
func searchRows(found []search) (keys string, n float64, rows []spaceRow) {
	for _, f := range distinct(found, func(s search) string { return s.filter }) {
		of := slices.DeleteFunc(slices.Clone(found), func(s search) bool { return s.filter != f })
		row := spaceRow{filter: f, n: of[0].n, bits: make([]estimate, len(targets)), overhead: math.Inf(1)}
		keys, n = of[0].keys, of[0].n
		if oneSize(of) {
			last := of[len(of)-1] // the most queries
			d := rate{filter: f, alloc: last.bits, p: last.fpr, lo: last.fpr, hi: last.fpr}
			d.Hits = 1 // it has a rate
			row.designs = []rate{d}
			if o := d.overhead(); o >= 0 {
				row.overhead = o
			}
		} else {
			for _, s := range of {
				if i := slices.Index(targets, s.p); i >= 0 {
					row.bits[i] = estimate{s.bits, s.lo, s.hi, true}
				}
				if s.p == headlineRate {
					row.overhead = s.bits / math.Log2(1/s.p)
				}
			}
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b spaceRow) int { return compareFloat(a.overhead, b.overhead) })
	return keys, n, rows
}

// oneSize reports whether a filter has the same size at several rates, and errs far
// less than the first of them allow.
func oneSize(of []search) bool {
	const far = 0.5
	for _, s := range of {
		if s.sd > 0 || s.bits != of[0].bits {
			return false
		}
	}
	return len(of) > 1 && of[0].fpr < far*of[0].p && of[0].fpr > 0
}

func searchCharts(found []search) []chart.Chart {
	keys, n, rows := searchRows(found)
	return spaceChart(rows, fmt.Sprintf("n = %s %s keys; the least size that keeps to the rate, mean over %s filters, 95%% interval; right: over the bound, at 1%% or its only rate",
		format.Compact(n), keys, searchedFilters(found)))
}

func searchedFilters(found []search) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, s := range found {
		lo, hi = min(lo, s.filters), max(hi, s.filters)
	}
	return span(lo, hi)
}

// searchTable has the field's columns: bits per item, what is optimal, and what is
// wasted over that.
func searchTable(found []search) table.Table {
	found = slices.Clone(found)
	t := table.Table{Name: "space", Title: "Bits per key at equal FPR",
		Note: "The least size at which the filter keeps to the rate, searched for with each of several filters by itself: mean, standard deviation and Student's 95% interval. " +
			"Optimal is log2(1/FPR), the least for any filter; wasted is bits per key over that. FPR is what was measured at those sizes, and for a filter of few sizes well below the target.",
		Columns: []table.Column{text("filter"), number("n"), number("target"), number("FPR"), number("bits per key"), number("sd"), number("95% interval"), number("filters"), number("optimal"), number("wasted")}}
	names := newNamer(distinct(found, func(s search) string { return s.filter }))
	slices.SortStableFunc(found, func(a, b search) int { return compareFloat(b.p, a.p) })
	for _, s := range found {
		optimal := math.Log2(1 / s.p)
		t.Rows = append(t.Rows, []string{names.name(s.filter), format.Count(s.n), format.Percent(s.p, 1), format.Percent(s.fpr, 3), format.Fixed(s.bits, 4),
			format.Fixed(s.sd, 2), orDash(format.Interval(s.lo, s.hi, 4), !math.IsNaN(s.lo)), format.Count(s.filters), format.Fixed(optimal, 4),
			format.Percent(s.bits/optimal-1, 3)})
	}
	return t
}
