package claims

import (
	"fmt"
	"slices"

	"filterbench/report/format"
	"filterbench/results"

	"golang.org/x/perf/benchmath"
)

// The claims on time. They depend on the machine, so that none of them fails a
// run. Cells of one group are sampled once in every round, so that quotients
// are taken round by round: what disturbs a round disturbs both.

// lookupOf is a filter's lookups by hash at 10 bits per key.
func lookupOf(filter, mode, hits string) Cell {
	return cell("Lookup", "filter", filter, "api", "hash", "mode", mode, "hits", hits, "bits", "10", "size", "*")
}

const (
	plainFilter   = "bloom:index=range,step=enhanced,k=auto"
	blockedFilter = "blocked:block=64,k=auto"
)

var dependentRead = cell("Limit", "kind", "dependent-read", "size", "*")

// The sizes that every profile has, one inside the L1 cache or not much larger
// and one beyond most L2 caches.
const (
	smallSize = "16KiB"
	largeSize = "16MiB"
)

// slowLookup is one absent key after the other; chasedLookup is a present key,
// which reads k lines, and which the quick profile has no time for.
var (
	slowLookup   = lookupOf(plainFilter, "single", "0")
	chasedLookup = lookupOf(plainFilter, "single", "100")
)

func slowerCells() []Cell {
	return []Cell{slowLookup.with("size", smallSize), slowLookup.with("size", largeSize)}
}

func chasingCells() []Cell {
	chased := chasedLookup.with("size", largeSize)
	chased.Full = true
	return []Cell{chased, dependentRead.with("size", largeSize)}
}

func multipliedCells() (cells []Cell) {
	for _, filter := range []string{plainFilter, blockedFilter} {
		for _, hits := range []string{"0", "100"} {
			for _, size := range []string{smallSize, largeSize} {
				cells = append(cells, lookupOf(filter, "batch", hits).with("size", size))
			}
		}
	}
	return cells
}

// sizesOf lists the sizes that are measured for every one of the cells, from
// small to large.
func sizesOf(s *results.Set, cells ...Cell) ([]string, error) {
	var common []string
	for i, c := range cells {
		records, err := find(s, c)
		if err != nil {
			return nil, err
		}
		var sizes []string
		for _, r := range records {
			size := r.Axis("size")
			if _, ok := format.ParseBytes(size); !ok {
				return nil, fault(r, "size %q is none", size)
			}
			if !slices.Contains(sizes, size) && (i == 0 || slices.Contains(common, size)) {
				sizes = append(sizes, size)
			}
		}
		common = sizes
	}
	slices.SortStableFunc(common, func(a, b string) int {
		x, _ := format.ParseBytes(a)
		y, _ := format.ParseBytes(b)
		return int(min(1, max(-1, x-y)))
	})
	return common, nil
}

// timesOf are the ns/op of one cell, round by round, and its k if it has one.
func timesOf(s *results.Set, c Cell) (ns []float64, k uint64, err error) {
	records, err := find(s, c)
	if err != nil {
		return nil, 0, err
	}
	name := records[0].FullName() // page kinds apart, the first one counts
	for _, r := range records {
		if r.FullName() != name {
			continue
		}
		v, err := number(r, "ns/op", 1e-6, 1e12)
		if err != nil {
			return nil, 0, err
		}
		ns = append(ns, v)
	}
	if records[0].Axis("k") != "" {
		k, err = axisNumber(records[0], "k", maxProbes)
	}
	return ns, k, err
}

// timeRatio is the median over rounds of over/under x scale, and its interval.
func timeRatio(s *results.Set, over, under Cell, scale float64) (value float64, i Interval, err error) {
	a, _, err := timesOf(s, over)
	if err != nil {
		return 0, i, err
	}
	b, _, err := timesOf(s, under)
	if err != nil {
		return 0, i, err
	}
	quotients := make([]float64, min(len(a), len(b)))
	for r := range quotients {
		quotients[r] = a[r] / b[r] * scale
	}
	return medianOf(quotients)
}

// medianOf is the median of rounds and its interval.
func medianOf(rounds []float64) (value float64, i Interval, err error) {
	const least = 6 // fewer rounds have no 95 % interval of the median
	if len(rounds) < least {
		return 0, i, fmt.Errorf("too few rounds: %d, and %d needed", len(rounds), least)
	}
	sum := benchmath.AssumeNothing.Summary(benchmath.NewSample(rounds, &benchmath.DefaultThresholds), level)
	return sum.Center, Interval{sum.Lo, sum.Hi}, nil
}

// slower judges "a filter far larger than the caches slows down badly".
func slower(s *results.Set) (Finding, error) {
	sizes, err := sizesOf(s, slowLookup)
	if err != nil {
		return Finding{}, err
	}
	if len(sizes) < 2 {
		return Finding{}, fmt.Errorf("only the size %s was measured", sizes[0])
	}
	first, last := sizes[0], sizes[len(sizes)-1]
	value, i, err := timeRatio(s, slowLookup.with("size", last), slowLookup.with("size", first), 1)
	found := Finding{Conditions, Quantity{value, Factor}, i, fmt.Sprintf("the time of an absent key, %s over %s", last, first)}
	switch {
	case i.Lo > 2:
		found.Status = Holds
	case i.Hi <= 1:
		found.Status = Wrong
	}
	return found, err
}

// pointerChasing judges "pointer chasing": k reads that wait for each other.
func pointerChasing(s *results.Set) (Finding, error) {
	sizes, err := sizesOf(s, chasedLookup, dependentRead)
	if err != nil {
		return Finding{}, err
	}
	if len(sizes) == 0 {
		return Finding{}, fmt.Errorf("no size has both lookups and dependent reads")
	}
	size := sizes[len(sizes)-1]
	chased := chasedLookup.with("size", size)
	_, k, err := timesOf(s, chased)
	if err != nil {
		return Finding{}, err
	}
	if k == 0 {
		return Finding{}, fmt.Errorf("%s: no k in the name", chased)
	}
	value, i, err := timeRatio(s, chased, dependentRead.with("size", size), 1/float64(k))
	found := Finding{Holds, Quantity{value, Factor}, i, fmt.Sprintf("the time of a present key over k = %d dependent reads, %s", k, size)}
	switch {
	case err != nil:
	case i.Hi < 1:
		found.Status = Wrong
	case i.Lo < 1:
		return Finding{}, fmt.Errorf("the time is %.2f to %.2f of %d dependent reads", i.Lo, i.Hi, k)
	}
	return found, err
}

// multiplied judges "blocks multiply the throughput".
func multiplied(s *results.Set) (Finding, error) {
	const twice = 2
	var found Finding
	var all, some = true, false
	reason := ""
	for _, hits := range []string{"100", "0"} {
		plain, blocked := lookupOf(plainFilter, "batch", hits), lookupOf(blockedFilter, "batch", hits)
		sizes, err := sizesOf(s, plain, blocked)
		if err != nil {
			return Finding{}, err
		}
		if len(sizes) < 2 {
			return Finding{}, fmt.Errorf("fewer than two sizes were measured for both filters")
		}
		for _, size := range []string{sizes[len(sizes)-1], sizes[0]} {
			value, i, err := timeRatio(s, plain.with("size", size), blocked.with("size", size), 1)
			if err != nil {
				return Finding{}, err
			}
			if i.Lo > twice {
				some = true
			} else {
				all = false
			}
			if reason == "" {
				found = Finding{Conditions, Quantity{value, Factor}, i, ""}
			}
			reason += fmt.Sprintf(", %.1fx at %s and %s%% hits", value, size, hits)
		}
	}
	switch {
	case all:
		found.Status = Holds
	case !some:
		found.Status = Wrong
	}
	found.Reason = "as many lookups a second" + reason
	return found, nil
}
