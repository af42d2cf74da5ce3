package claims

import (
	"math"
	"strings"
	"testing"

	"filterbench/results"
)

// overtakingRecords are what P19 needs beside the other records: a blocked filter
// at 13 bits per key, and a cuckoo filter's lookups, 18 ns longer than a blocked
// filter's 12.
func overtakingRecords() []results.Record {
	all := []results.Record{fpr("filter=blocked:block=64,k=auto bits=13 n=1000000 keys=random seed=1 m=13000000 k=8", 0.0027255, 2e6, 1, 13)}
	for round := range 10 {
		all = append(all, rec("Lookup", "size=16MiB filter=cuckoo:b=4,f=auto,semisort=no,load=auto api=hash bits=10 mode=batch hits=0",
			"ns/op", 30*(1+0.01*float64(round%3))))
	}
	return all
}

// doctoredCosts are doctored results of the claim on costs.
var doctoredCosts = []doctored{
	{"P19", func(w *world) { w.set(lookupOf(cuckooFilter, "batch", "0"), "ns/op", 10) }, Wrong},
	{"P19", func(w *world) { w.set(lookupOf(cuckooFilter, "batch", "0"), "ns/op", 12.05) }, NotMeasured},
	{"P19", func(w *world) { w.rate(cuckooAt(fingerprintOf, false), .0032) }, NotMeasured},
}

// At 12.63 bits per key a blocked filter errs in .317 %, a cuckoo filter in .185 %:
// it wins from 759 times the 18 ns on that its lookups take longer (claims of Lang
// et al.); between 12 and 13 bits the line through both lies .2 % high, which
// makes it 755.
func TestWhereCuckooOvertakes(t *testing.T) {
	w := newWorld()
	v := verdict(t, "P19", &w.Set)
	if v.Status != Holds || math.Abs(v.Number.Value-755) > 5 || v.Interval.Lo > 759 || v.Interval.Hi < 759 || !strings.Contains(v.Reason, "13.") {
		t.Errorf("%v %v %v: %s", v.Status, v.Number, v.Interval, v.Reason)
	}
}
