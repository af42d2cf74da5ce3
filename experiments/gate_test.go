package experiments

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"filterbench/results"
)

// gated is a cell of 10^6 queries whose model is 1 %, exact but for tol, and
// the same for all filters: the count's standard deviation is sqrt(9900) = 99.5.
func gated(name string, hits, tol float64) results.Record {
	const queries = 1e6
	return record("FPR", axes("filter", name, "n", 1000),
		"fpr", hits/queries, "fp", hits, "queries", queries, "filters", 1, "fp-sq", hits*hits, "fn", 0,
		"model-fpr", .01, "model-sd", 0.0, "model-tol", tol)
}

const (
	modelHits = 10000
	modelSD   = 99.498743710662
)

// honest are cells drawn from the model.
func honest(cells int) (records []results.Record) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range cells {
		hits := math.Round(modelHits + modelSD*rng.NormFloat64())
		records = append(records, gated(fmt.Sprintf("honest%d", i), hits, 0))
	}
	return records
}

func TestGatePassesHonestRecords(t *testing.T) {
	if err := gateFPR(honest(300)); err != nil {
		t.Error(err)
	}
	if err := gateFPR(nil); err != nil {
		t.Errorf("nothing counted: %v", err)
	}
}

func TestGateFails(t *testing.T) {
	lost := gated("lossy", modelHits, 0)
	lost.Values[5].V = 1
	differing := gated("differing", 1.1*modelHits, 0) // 10 of the queries' sd, but 1 between filters
	differing.Values[7].V = .001
	noModel := gated("without", 2*modelHits, 0)
	noModel.Values = noModel.Values[:len(noModel.Values)-1] // not meant to hold at this n
	for name, c := range map[string]struct {
		record results.Record
		want   string // "" passes
	}{
		"drifted up":               {gated("drifted", 1.1*modelHits, 0), "FPR/filter=drifted/n=1000: FPR is 0.011 where its model says 0.01"},
		"drifted down":             {gated("drifted", .9*modelHits, 0), "FPR is 0.009 where its model says 0.01"},
		"never wrong":              {gated("drifted", 0, 0), "FPR is 0 where"},
		"lost a key":               {lost, "FPR/filter=lossy/n=1000 lost 1 keys"},
		"10 % off, allowed 15":     {gated("near", 1.1*modelHits, .15), ""},
		"10 % off, allowed 3":      {gated("near", 1.1*modelHits, .03), "FPR is 0.011"},
		"off as filters differ":    {differing, ""},
		"model not meant to hold":  {noModel, ""},
		"4 standard deviations up": {gated("odd", math.Round(modelHits+4*modelSD), 0), ""}, // p = 6e-5, in 301 cells
	} {
		err := gateFPR(append(honest(300), c.record))
		switch {
		case (err != nil) != (c.want != ""):
			t.Errorf("%s: %v", name, err)
		case err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "honest")):
			t.Errorf("%s: %v, want %q alone", name, err, c.want)
		}
	}
}

// Holm's steps: 4.96 standard deviations up have the two-sided p-value 7.05e-7
// by the normal approximation, 8.6e-7 with the binomial's skew (a factor of 1 +
// z^3/6 (1-2p)/sd = 1.2). That is below 1e-6 for a single cell and above half of
// it, so that beside one honest cell it passes; beside one that is rejected
// first, it is the only one left, and is rejected too.
func TestGateIsHolms(t *testing.T) {
	odd := gated("odd", math.Round(modelHits+4.96*modelSD), 0)
	named := func(records ...results.Record) bool {
		err := gateFPR(records)
		return err != nil && strings.Contains(err.Error(), "filter=odd/")
	}
	fine, far := gated("fine", modelHits, 0), gated("far", 1.2*modelHits, 0)
	for name, c := range map[string]struct {
		records []results.Record
		want    bool
	}{
		"alone":                {[]results.Record{odd}, true},
		"beside an honest one": {[]results.Record{fine, odd}, false},
		"beside a worse one":   {[]results.Record{odd, far}, true},
		"beside both":          {[]results.Record{fine, odd, far}, false},
	} {
		if got := named(c.records...); got != c.want {
			t.Errorf("%s: rejected is %v, want %v", name, got, c.want)
		}
	}
}

// Many faults are summed up.
func TestGateNamesTheFirstFew(t *testing.T) {
	var all []results.Record
	for i := range 8 {
		all = append(all, gated(fmt.Sprintf("bad%d", i), 2*modelHits, 0))
	}
	err := gateFPR(all)
	if err == nil || !strings.Contains(err.Error(), "filter=bad4/") || strings.Contains(err.Error(), "filter=bad5/") || !strings.Contains(err.Error(), "and 3 more") {
		t.Errorf("8 faults: %v", err)
	}
}
