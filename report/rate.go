package report

import (
	"math"
	"strconv"

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

	model, modelSD float64 // NaN where there is none
	tol            float64 // NaN where the model is not meant to hold

	contradicts int // records whose fpr is not fp/queries
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
	c := stat.Count{Queries: r.Queries, Filters: r.Filters, Rate: r.model}
	if r.modelSD > 0 {
		c.SD = r.modelSD
	}
	return c.PValue(r.Hits, r.tol)
}

// rates pools FPR records over seeds, in order of first appearance. Records
// that lack counts, or have impossible ones, are left out and counted.
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
	if r.Inconsistency() != "" {
		// Someone changed one of the numbers. What every other tool shows is
		// fpr, so it is shown here, too, beside the warning.
		one.contradicts = 1
		hits = math.Round(value("fpr") * queries)
		squares = math.NaN()
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
	one.model, one.modelSD, one.tol = value("model-fpr"), value("model-sd"), value("model-tol")
	return one, one.filter != ""
}

// add pools another seed of the same cell. The design, and so the model, is
// the same, but for what the keys themselves decide.
func (r *rate) add(o rate) {
	w := float64(o.Queries) / float64(r.Queries+o.Queries)
	r.alloc += w * (o.alloc - r.alloc)
	r.model += w * (o.model - r.model)
	r.modelSD += w * (o.modelSD - r.modelSD)
	r.tol += w * (o.tol - r.tol)
	r.Hits += o.Hits
	r.HitsSq += o.HitsSq
	r.Queries += o.Queries
	r.Filters += o.Filters
	r.contradicts += o.contradicts
}

// estimate fills in the rate and its interval.
func (r *rate) estimate() {
	r.p = r.Rate()
	r.lo, r.hi = r.Interval(level)
	if r.zero() {
		r.lo, r.hi = 0, stat.ZeroUpper(r.Queries, level)
	}
}
