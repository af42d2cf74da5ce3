package stat

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Sample is what a cell of counts found: false positives over filters that hold
// keys of their own and were asked the same number of absent keys each. Samples
// of other numbers are pooled by [Sample.Add].
type Sample struct {
	Hits    uint64  // false positives, summed over the filters
	HitsSq  float64 // sum over the filters of the square of each one's hits
	Queries uint64  // summed over the filters
	Filters uint64
	// SD is the standard deviation between the filters' rates according to a
	// model, absolute; 0 where there is none.
	SD float64

	// Sums over the filters of hits times queries and of queries squared; 0
	// before any Add, when they follow from the rest.
	cross, queriesSq float64
}

// Rate is hits over queries, 0 without queries.
func (s Sample) Rate() float64 {
	if s.Queries == 0 {
		return 0
	}
	return float64(s.Hits) / float64(s.Queries)
}

// Add pools s with a sample of other filters of the same design. Where only one
// side has a model, it is that of the sum.
func (s *Sample) Add(o Sample) {
	c1, q1 := s.sums()
	c2, q2 := o.sums()
	s.cross, s.queriesSq = c1+c2, q1+q2
	switch w := float64(o.Queries) / math.Max(1, float64(s.Queries+o.Queries)); {
	case s.SD == 0:
		s.SD = o.SD
	case o.SD > 0:
		s.SD += w * (o.SD - s.SD)
	}
	s.Hits += o.Hits
	s.HitsSq += o.HitsSq
	s.Queries += o.Queries
	s.Filters += o.Filters
}

func (s Sample) sums() (cross, queriesSq float64) {
	if s.queriesSq > 0 {
		return s.cross, s.queriesSq
	}
	each := float64(s.Queries) / math.Max(1, float64(s.Filters))
	return float64(s.Hits) * each, float64(s.Queries) * each
}

const (
	// manyFilters show by themselves how much they differ. Of fewer, theory
	// knows it better than their own spread does.
	manyFilters = 30
	// disagree is the chance below which the spread of a few filters is not
	// what the model and the queries allow, so that the model does not count.
	disagree = 1e-6
)

// Interval is the two-sided interval for the mean rate of such filters. For one
// filter without a model it is Wilson's, of that filter's own rate. For several
// it covers how filters differ: Student's over the filters' rates where they are
// 30 or more, where there is no model, or where they differ by more than the
// model allows; otherwise Wilson's, widened by the model's standard deviation.
// It is never narrower than Wilson's.
func (s Sample) Interval(level float64) (lo, hi float64) {
	lo, hi = Wilson(s.Hits, s.Queries, level)
	if s.Queries == 0 {
		return lo, hi
	}
	p := s.Rate()
	if s.SD > 0 && s.Filters < manyFilters && s.agree() {
		_, squares := s.sums()
		q := float64(s.Queries)
		if binomial := p * (1 - p) / q; binomial > 0 {
			wider := math.Sqrt(1 + s.SD*s.SD*squares/(q*q)/binomial)
			lo, hi = p-(p-lo)*wider, p+(hi-p)*wider
		}
		return max(0, lo), min(1, hi)
	}
	if s.Filters < 2 {
		return lo, hi
	}
	f := float64(s.Filters)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: f - 1}.Quantile((1 + level) / 2)
	half := t * math.Sqrt(s.spread()*f/(f-1)) / float64(s.Queries)
	return max(0, min(lo, p-half)), min(1, max(hi, p+half))
}

// spread is the sum over the filters of the squares of how far each one's hits
// are from those that the mean rate gives.
func (s Sample) spread() float64 {
	cross, squares := s.sums()
	p := s.Rate()
	return max(0, s.HitsSq-2*p*cross+p*p*squares)
}

// agree reports whether the filters differ no more than queries and model
// allow, by the chi-square test of dispersion (Fisher, Statistical Methods for
// Research Workers, 1925, section 19).
func (s Sample) agree() bool {
	_, squares := s.sums()
	p := s.Rate()
	variance := (float64(s.Queries)*p*(1-p) + squares*s.SD*s.SD) / float64(s.Filters)
	if s.Filters < 2 || !(variance > 0) {
		return true
	}
	return distuv.ChiSquared{K: float64(s.Filters - 1)}.Survival(s.spread()/variance) >= disagree
}
