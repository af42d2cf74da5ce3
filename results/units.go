package results

import (
	"fmt"
	"slices"
	"strings"
)

// Unit describes a unit to tools that compare results.
type Unit struct {
	Name   string
	Better string // "lower", "higher" or "" where neither is
	Exact  bool   // counted or computed, not measured: repeats from its seed
	Help   string // one line, for SCHEMA.md and the report
}

// units is every unit that a results file may hold, in the order in which
// files declare them. A name means one thing in every file, since x/perf keeps
// one set of unit metadata for all the files it reads.
var units = []Unit{
	// Counted by fpr.
	{"fp", "lower", true, "false positives, summed over the cell's filters"},
	{"queries", "", true, "queries asked, summed over the cell's filters or tables"},
	{"fpr", "lower", true, "false-positive rate, fp/queries"},
	{"filters", "", true, "filters built, each with keys of its own"},
	{"fp-sq", "", true, "sum over the filters of the square of each one's false positives"},
	{"fn", "lower", true, "false negatives: added keys that were not found again"},
	{"bits/key", "lower", true, "bits allocated over keys accepted"},
	{"refused", "lower", true, "keys that the filter refused because it was full"},
	{"overlap", "", true, "queries left out because they were among the keys"},
	{"model-fpr", "", true, "false-positive rate that theory expects"},
	{"model-sd", "", true, "standard deviation of the rate between filters, from theory"},
	{"model-tol", "", true, "relative error that the model admits"},

	// Timed by lookup.
	{"ns/op", "lower", false, "wall-clock time of an operation"},
	{"cpu-ns/op", "lower", false, "CPU time that the thread spent on an operation"},
	{"x-limit", "lower", false, "ns/op over the physical limit's ns/op of the same round and size"},
	{"disturbed", "lower", false, "attempts at the sample that were interrupted, 3 at most; then it is one of them"},
	{"positives", "", true, "answers \"maybe\" in one pass over the query stream"},

	// Found by space.
	{"bits-sd", "", true, "standard deviation of the bits per key between filters"},
	{"sizes", "", true, "sizes that the search tried, summed over the filters"},

	// Counted by overload.
	{"probed", "", true, "absent keys, and as many present ones, whose probes are counted"},
	{"absent-probes", "lower", true, "bits read for absent keys, summed"},
	{"present-probes", "", true, "bits read for present keys, summed"},

	// Counted by insert.
	{"adds", "", true, "keys offered between the load before and this one"},
	{"accepted", "", true, "keys in the filter"},
	{"kicks", "lower", true, "fingerprints that those adds moved"},
	{"kicks-max", "lower", true, "the most that one of them moved"},
	{"stretches", "", true, "maximal sequences of filled slots"},
	{"stretch-max", "lower", true, "slots of the longest"},
	{"clusters", "", true, "sequences of slots of which only the first holds a fingerprint in its own slot"},
	{"cluster-max", "lower", true, "slots of the longest"},
	{"first-load", "higher", true, "share of the slots that is filled when a key is refused for the first time"},

	// Counted by touch.
	{"lines/op", "lower", true, "distinct lines of 64 bytes that an operation touches, mean"},
	{"pages/op", "lower", true, "distinct pages of 4 KiB that an operation touches, mean"},
	{"loads/op", "lower", true, "loads of the filter's memory that an operation takes, mean"},
	{"ops", "", true, "operations traced"},
	{"lines", "", true, "distinct lines, summed over the operations"},
	{"lines-sq", "", true, "sum over the operations of the square of each one's distinct lines"},
	{"model-lines", "", true, "distinct lines that theory expects of an operation"},
	{"l1-misses/op", "lower", true, "loads that miss the first level of the modelled caches, mean"},
	{"l2-misses/op", "lower", true, "loads that miss its first two levels"},
	{"l3-misses/op", "lower", true, "loads that miss all three levels"},
	{"counted-l1-misses/op", "lower", false, "loads that missed the first data cache, by the CPU's own count"},
	{"counted-last-misses/op", "lower", false, "accesses that missed the last cache, by the CPU's own count"},

	// Counted by crawl.
	{"entries", "", true, "addresses in the stream"},
	{"repeats", "", true, "of them, addresses that came before"},
	{"missed", "lower", true, "repeats that were taken for new"},
	{"dropped", "lower", true, "new addresses that were taken for repeats"},
	{"drop-rate", "lower", true, "dropped over all new addresses"},
	{"model-dropped", "", true, "new addresses that theory expects to be dropped"},
	{"total-ns/op", "lower", false, "wall-clock time of an operation, with the making of its key"},
	{"extra-B", "lower", false, "bytes that the process grew by beside the filters"},

	// Weighed by memory.
	{"alloc-B", "lower", true, "bytes that the structure says it allocated"},
	{"heap-B", "lower", false, "bytes by which heap and mapped memory grew while it was built"},
	{"key-B", "", true, "bytes of the keys themselves, together"},
	{"heap-bits/key", "lower", false, "8 x heap-B over keys"},

	// Counted by delete.
	{"removed", "lower", true, "deletes of absent keys that took something out, summed over the filters"},
	{"removed-sq", "", true, "sum over the filters of the square of each one's removed"},
	{"fn-sq", "", true, "sum over the filters of the square of each one's fn"},
	{"added", "", true, "keys added, copies counted"},
	{"deletes", "", true, "keys deleted, copies counted"},
	{"unfound", "lower", true, "deletes of a key that was there, and that found none"},
	{"left", "lower", true, "keys that are still found once all of their copies are deleted"},
	{"trials", "", true, "keys whose bits were cleared, each in a full filter"},
	{"lost", "lower", true, "other keys that were no longer found, summed over the trials"},
	{"lost-sq", "", true, "sum over the trials of the square of each one's lost"},
	{"over-2bit", "lower", true, "counters that would not fit in 2 bits, summed over the filters"},
	{"over-3bit", "lower", true, "counters that would not fit in 3 bits, summed over the filters"},
	{"over-4bit", "lower", true, "counters that would not fit in 4 bits, summed over the filters"},
	{"counters", "", true, "counters of that value, summed over the filters"},

	// Counted by delete and steps.
	{"keys", "", true, "keys looked at, each in a filter of its own"},

	// Counted by steps.
	{"short", "lower", true, "keys that set fewer than k bits"},
	{"least", "higher", true, "fewest bits that a key set"},

	// Counted by hitmix, beside what fpr counts.
	{"present", "", true, "queries for present keys, summed over the cell's filters"},
	{"tp", "", true, "true positives: queries for present keys that were answered \"maybe\""},
	{"precision", "higher", true, "positives that are true, tp/(tp+fp)"},

	// Timed by latency.
	{"p50-ns", "lower", false, "wall-clock time that half of the calls do not exceed"},
	{"p95-ns", "lower", false, "wall-clock time that 95 of 100 calls do not exceed"},
	{"p99-ns", "lower", false, "wall-clock time that 99 of 100 calls do not exceed"},
	{"p99.9-ns", "lower", false, "wall-clock time that 999 of 1000 calls do not exceed"},

	// Timed by threads.
	{"efficiency", "higher", false, "speed of the threads over as many times that of one, of the same round"},

	// Counted by scan, beside what fpr counts.
	{"asked", "", true, "queries of one kind, present keys or absent ones, summed over the cell's filters"},
	{"opened", "lower", true, "keys that a scan looks at, over all queries, stopping at the key it looks for"},
	{"opened-filtered", "lower", true, "the same where a filter is asked first"},
	{"candidates", "lower", true, "keys of the universe that the filter does not rule out"},
	{"model-candidates", "", true, "such keys that theory expects"},
	{"ranges", "", true, "ranges of absent keys asked for, key by key"},
	{"ranges-maybe", "lower", true, "ranges that the filter does not rule out"},
	{"model-any", "", true, "share of such ranges that theory expects"},

	// Counted by lsm.
	{"saved", "higher", true, "probes that became no read: table reads that the filters saved"},
	{"lost-gets", "lower", true, "gets of present keys that found nothing"},
	{"filter-loads", "lower", true, "filters that had to be read before they could be asked"},
	{"model-reads", "", true, "table reads that theory expects"},

	// Counted by pebble, in its store.
	{"blocks/op", "lower", false, "blocks of tables and filters that a get asks for, in the cache or not, mean"},
	{"read-B/op", "lower", false, "bytes read from files for a get, the first time that it is done, mean"},
	{"filter-noes/op", "", false, "tables that filters ruled out for a get, mean"},
	{"filter-maybes/op", "lower", false, "tables that filters did not rule out for a get, mean"},
	{"filter-B", "lower", false, "bytes of all filters, as the store keeps them"},

	// Counted by frontcoding.
	{"coded-B", "lower", true, "bytes of sorted keys that leave out the prefix shared with the one before"},

	// The golden numbers of textbook.
	{"m", "", true, "bits of the filter"},
	{"k", "", true, "bits that a key sets"},
	{"bits-set", "", true, "bits that are 1 once every key is added"},
	{"fp-10000", "", true, "false positives among the first 10,000 ghosts"},
	{"fp-1000000", "", true, "false positives among the first 1,000,000 ghosts"},
	{"md5-calls", "", true, "MD5 digests computed for 10,000 ghosts"},
	{"probes", "", true, "filters asked"},
	{"reads", "lower", true, "table reads that the filters let through"},
	{"queries-with-reads", "lower", true, "queries that cost at least one table read"},
	{"maybe", "", true, "filters that answered \"maybe\""},
	{"true", "", true, "answers \"maybe\" of tables that hold the key"},
	{"false", "lower", true, "answers \"maybe\" of tables that do not hold the key"},
}

// Units returns every unit that a results file may hold, in the order in
// which files declare them. Besides these there is pos-I, the I-th bit
// position of a key.
func Units() []Unit { return slices.Clone(units) }

// UnitOf returns the unit of that name.
func UnitOf(name string) (u Unit, ok bool) {
	for _, u := range units {
		if u.Name == name {
			return u, true
		}
	}
	if i, found := strings.CutPrefix(name, "pos-"); found && isDigits(i) && len(i) <= 3 {
		return Unit{Name: name, Exact: true, Help: "bit position " + i + " of the key"}, true
	}
	return Unit{}, false
}

// UnitsOf returns the units that the records use, in the order of Units and
// then of appearance. It fails on a unit that is none of them.
func UnitsOf(records []Record) ([]Unit, error) {
	var used []Unit
	seen := map[string]bool{}
	for _, r := range records {
		for _, v := range r.Values {
			if seen[v.Unit] {
				continue
			}
			seen[v.Unit] = true
			u, ok := UnitOf(v.Unit)
			if !ok {
				return nil, fmt.Errorf("record %q: %w", r.FullName(), unknownUnit(v.Unit))
			}
			used = append(used, u)
		}
	}
	rank := func(u Unit) int {
		i := slices.IndexFunc(units, func(v Unit) bool { return v.Name == u.Name })
		if i < 0 {
			return len(units)
		}
		return i
	}
	slices.SortStableFunc(used, func(a, b Unit) int { return rank(a) - rank(b) })
	return used, nil
}

// unknownUnit names a few of the units that there are: all of them are no line
// that anyone reads.
func unknownUnit(name string) error {
	return fmt.Errorf("unknown unit %q; known are those that results/SCHEMA.md lists, such as fp, queries, bits/key and ns/op", name)
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
