package report

import (
	"fmt"
	"math"
	"strconv"

	"filterbench/report/claims"
	"filterbench/results"
	"filterbench/results/stat"
)

// level is that of all intervals in the report.
const level = .95

// rate is a false-positive rate pooled over the seeds of a cell.
type rate struct {
	filter, bits, keys string
	n                  float64 // keys of each filter
	alloc              float64 // bits allocated per key

	stat.Sample
	p, lo, hi float64 // estimate and interval; where nothing was counted hi is an upper bound

	model float64 // NaN where there is none
	tol   float64 // NaN where the model is not meant to hold

	records     int
	contradicts int // records whose fpr is not fp/queries
	unmodelled  int // records without a model, or without its tolerance
}

// zero reports that nothing was counted.
func (r rate) zero() bool { return r.Hits == 0 }

// held reports whether the model is meant to hold for the cell.
func (r rate) held() bool { return r.model > 0 && r.model < 1 && r.tol >= 0 }

// ratio is measured over expected; NaN without a model.
func (r rate) ratio() float64 { return r.p / r.model }

// overhead is bits per key over log2(1/fpr), the least that any filter of
// that rate needs (Carter and others 1978); NaN where that is no number.
func (r rate) overhead() float64 {
	if !(r.p > 0 && r.p < 1) {
		return math.NaN()
	}
	return r.alloc / math.Log2(1/r.p)
}

// pValue is the chance of a count as far from the model as this one, given
// chance, the spread between filters, and the error that the model admits.
func (r rate) pValue() float64 {
	c := stat.Count{Queries: r.Queries, Filters: r.Filters, Rate: r.model, SD: r.SD}
	return c.PValue(r.Hits, r.tol)
}

// rates pools FPR records over seeds, in order of first appearance. Records
// that lack counts, or of which [claims.Check] says that they cannot be, are
// left out and counted.
func rates(records []results.Record) (cells []rate, unusable int) {
	type key struct{ filter, bits, n, keys string }
	index := map[key]int{}
	for _, r := range records {
		if r.Name != "FPR" {
			continue
		}
		one, ok := readRate(r)
		if !ok {
			unusable++
			continue
		}
		k := key{one.filter, one.bits, r.Axis("n"), one.keys}
		i, seen := index[k]
		if !seen {
			index[k] = len(cells)
			cells = append(cells, one)
			continue
		}
		cells[i].add(one)
	}
	for i := range cells {
		cells[i].estimate()
	}
	return cells, unusable
}

// maxCount is the largest whole number that a float64 holds exactly.
const maxCount = 1 << 53

// readRate reads one record.
func readRate(r results.Record) (one rate, ok bool) {
	value := func(unit string) float64 {
		v, ok := r.Value(unit)
		if !ok {
			return math.NaN()
		}
		return v
	}
	hits, queries, filters := value("fp"), value("queries"), value("filters")
	squares := value("fp-sq")
	one.records = 1
	if r.Inconsistency() != "" {
		// Someone changed one of the numbers. What every other tool shows is
		// fpr, so it is shown here, too, beside the warning.
		one.contradicts = 1
		hits, queries = claims.AtRate(value("fpr"), hits, queries)
		squares = hits * hits / filters
	}
	if math.IsNaN(squares) || math.IsNaN(filters) {
		filters, squares = 1, hits*hits
	}
	n, err := strconv.ParseFloat(r.Axis("n"), 64)
	if err != nil || !(n >= 1) || !(filters >= 1 && filters < maxCount) || !(squares >= 0) ||
		!(queries >= 1 && queries < maxCount) || !(hits >= 0 && hits <= queries) {
		return rate{}, false
	}
	one.filter, one.bits, one.keys, one.n = r.Axis("filter"), r.Axis("bits"), r.Axis("keys"), n
	one.Sample = stat.Sample{Hits: uint64(hits), HitsSq: squares, Queries: uint64(queries), Filters: uint64(filters)}
	one.alloc = value("bits/key")
	one.model, one.tol = value("model-fpr"), value("model-tol")
	if sd := value("model-sd"); sd > 0 {
		one.SD = sd
	}
	if math.IsNaN(one.model) || math.IsNaN(one.tol) {
		one.unmodelled = 1
	}
	return one, one.filter != "" && claims.Check(r) == nil
}

// add pools another seed of the same cell. The design, and so the model, is
// the same, but for what the keys themselves decide.
func (r *rate) add(o rate) {
	w := float64(o.Queries) / float64(r.Queries+o.Queries)
	r.alloc += w * (o.alloc - r.alloc)
	r.model, r.tol = pooled(r.model, o.model, w), pooled(r.tol, o.tol, w)
	r.Add(o.Sample)
	r.records += o.records
	r.contradicts += o.contradicts
	r.unmodelled += o.unmodelled
}

// pooled is the mean of a and b, which weighs w, or the one that is a number.
func pooled(a, b, w float64) float64 {
	switch {
	case math.IsNaN(a):
		return b
	case math.IsNaN(b):
		return a
	}
	return a + w*(b-a)
}

// doubtfulModels warns of records that are left out for their model, and of
// cells of which only some records have one: the design, and so the model, is
// the same for all of them.
func doubtfulModels(records []results.Record, cells []rate) (warnings []string) {
	for _, r := range records {
		if err := claims.Check(r); err != nil && r.Impossible() == "" {
			warnings = append(warnings, "fpr.txt: "+err.Error())
		}
	}
	for _, c := range cells {
		if c.unmodelled > 0 && c.held() {
			warnings = append(warnings, fmt.Sprintf("fpr.txt: %s at %s bits per key, n = %v, %s keys: %d of %d records lack the model that the others have",
				c.filter, c.bits, c.n, c.keys, c.unmodelled, c.records))
		}
	}
	return warnings
}

// estimate fills in the rate and its interval.
func (r *rate) estimate() {
	r.p = r.Rate()
	r.lo, r.hi = r.Interval(level)
	if r.zero() {
		r.lo, r.hi = 0, stat.ZeroUpper(r.Queries, level)
	}
}
