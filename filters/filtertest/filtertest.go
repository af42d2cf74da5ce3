// Package filtertest is the conformance suite: what every filter must do,
// whatever its family. A family passes when Run passes for each of its specs.
package filtertest

import (
	"testing"

	"filterbench/filters"
)

// Run subjects a spec to every check. skip names checks that the spec is
// exempt from, each with the reason.
func Run(t *testing.T, spec filters.Spec, skip map[string]string) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			if why, ok := skip[c.name]; ok {
				t.Skipf("exempt: %s", why)
			}
			c.run(t, spec)
		})
	}
}

var checks = []struct {
	name string
	run  func(t *testing.T, spec filters.Spec)
}{
	{"empty", checkEmpty},
	{"few keys", checkFew},
	{"no false negatives", checkNoFalseNegatives},
	{"false-positive rate", checkFPR},
	{"batch equals scalar", checkBatch},
	{"kernel equals portable", checkKernel},
	{"hashed equals keyed", checkHashed},
	{"duplicates", checkDuplicates},
	{"order", checkOrder},
	{"same bits twice", checkRepeats},
	{"full", checkFull},
	{"delete", checkDelete},
	{"merge", checkMerge},
	{"shards", checkShards},
	{"marshal", checkMarshal},
	{"damaged images", checkDamage},
	{"size", checkSize},
	{"sizes", checkSizes},
	{"at most the rate asked for", checkPromise},
	{"concurrent readers", checkReaders},
	{"allocations", checkAllocations},
	{"lines of lookups", checkLookupLines},
	{"mean lines", checkMeanLines},
	{"lines of adds", checkAddLines},
}
