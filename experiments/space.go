package experiments

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"filterbench/filters"
	"filterbench/filters/theory"
	"filterbench/results"
	"filterbench/workloads"
)

// Space searches for the size at which a filter has a given rate.
var Space = Experiment{
	Name:     "space",
	Question: "How many bits per key does each filter need for a given false-positive rate?",
	Plan:     planSpace,
}

const (
	spaceKeys = "random"
	spaceStep = 1.0 / 32 // bits per key between sizes
	spaceHits = 400      // false positives that are expected at the target, of each filter
	spaceOver = 10       // filters, each with keys of its own, over which it is the mean
)

// spaceProfile is what a profile spends on the experiment.
type spaceProfile struct {
	n       uint64
	targets []float64
	filters uint64
}

// planSpace plans a unit for each filter. The quick profile leaves out the rarest
// errors, which take the most queries, the slow families, whose curves are Bloom's,
// and the peers whose designs are here, too. The full one asks slow and keyed
// families for no rarer errors than that.
func planSpace(c Config) ([]Unit, error) {
	p := spaceProfile{n: 20_000, targets: []float64{.05, .03, .01, .001}, filters: spaceOver}
	if c.Full() {
		p = spaceProfile{n: 100_000, targets: []float64{.05, .03, .01, .001, .0001}, filters: spaceOver}
	}
	var units []Unit
	for _, spec := range c.Specs {
		f := spec.Family
		if f.Exact || !c.Full() && (slow(spec) || strings.HasPrefix(f.Name, "peer") && !f.Static) {
			continue
		}
		own := p
		if slow(spec) || f.KeyedOnly {
			own.targets = p.targets[:4]
		}
		s := &spaceSearch{profile: own, spec: spec, designs: map[int]spaceDesign{}}
		id := "space/" + record("Space", s.axes()).FullName()
		units = append(units, countingUnit(id, s.cost(), s.bytes(), func(ctx context.Context) ([]results.Record, error) {
			return s.run(ctx, c)
		}))
	}
	return units, nil
}

// spaceSearch is the search for one filter's sizes.
type spaceSearch struct {
	profile spaceProfile
	spec    filters.Spec
	designs map[int]spaceDesign // by steps of bits per key
}

// spaceDesign is a size on the grid, if it is feasible.
type spaceDesign struct {
	filters.Design
	ok bool
}

func (s *spaceSearch) axes() []results.Axis {
	a := axes("filter", s.spec, "n", s.profile.n, "keys", spaceKeys)
	if s.spec.Family.Sampled {
		a = append(a, axes("sampled", "yes")...)
	}
	return a
}

// queries is how many absent keys tell a rate: planned beforehand, so that no
// result decides when to stop.
func (spaceProfile) queries(p float64) uint64 { return uint64(math.Ceil(spaceHits * (1 - p) / p)) }

// most is the most queries of a target, the last.
func (p spaceProfile) most() uint64 { return p.queries(p.targets[len(p.targets)-1]) }

func (s *spaceSearch) cost() time.Duration {
	const sizes = 6 // that a search tries
	per := s.spec.Family.NanosPerKey
	one := float64(s.profile.n+s.profile.most()) * 35
	for _, p := range s.profile.targets {
		one += sizes * (float64(s.profile.n)*4 + float64(s.profile.queries(p))/2) * per
	}
	if s.spec.Family.Name == "cuckoo" && s.spec.Option("semisort") == "yes" {
		one *= 2
	}
	return time.Duration(float64(s.profile.filters) * one)
}

func (s *spaceSearch) bytes() uint64 { return 20*(s.profile.n+s.profile.most()) + s.profile.n*64 }

// run searches for every target with every filter, and gives the mean and the
// standard deviation over the filters. A target that one of them does not reach
// has no record.
func (s *spaceSearch) run(ctx context.Context, c Config) ([]results.Record, error) {
	found := make([][]spaceFound, len(s.profile.targets))
	for i := range s.profile.filters {
		keys, err := s.keys(ctx, deriveSeed(c.Seed, 1, i))
		if err != nil {
			return nil, err
		}
		for t, p := range s.profile.targets {
			one, ok, err := s.search(ctx, keys, p)
			if err != nil {
				return nil, fmt.Errorf("%s at %v: %w", s.spec, p, err)
			}
			if ok {
				found[t] = append(found[t], one)
			}
		}
	}
	var records []results.Record
	for t, p := range s.profile.targets {
		if uint64(len(found[t])) == s.profile.filters {
			records = append(records, s.record(p, found[t]))
		}
	}
	return records, nil
}

// spaceFound is the least size at which a filter keeps to the target.
type spaceFound struct {
	bits        uint64 // allocated
	fp, queries uint64
	sizes       uint64 // that were tried
}

func (s *spaceSearch) record(p float64, found []spaceFound) results.Record {
	var all spaceFound
	for _, f := range found {
		all.bits += f.bits
		all.fp += f.fp
		all.queries += f.queries
		all.sizes += f.sizes
	}
	n, squares := float64(len(found)), 0.0
	mean := float64(all.bits) / n
	for _, f := range found {
		d := (float64(float64(f.bits)*n) - float64(all.bits)) / n // 0 where all are equal
		squares += float64(d * d)
	}
	keys := float64(s.profile.n)
	a := append(axes("filter", s.spec, "p", formatFloat(p)), s.axes()[1:]...)
	return record("Space", a, "bits/key", mean/keys, "bits-sd", math.Sqrt(squares/max(1, n-1))/keys, "filters", len(found),
		"fpr", float64(all.fp)/float64(all.queries), "fp", all.fp, "queries", all.queries, "sizes", all.sizes)
}

// spaceSet is the keys that one filter of each size holds and is asked for: as
// hashes, or as they are where the family hashes by itself.
type spaceSet struct {
	seed            uint64
	present, absent []uint64
	own             *filters.Keys
	other           *filters.Keys
}

func (s *spaceSearch) keys(ctx context.Context, seed uint64) (set spaceSet, err error) {
	set.seed = seed
	src, err := workloads.Open(spaceKeys, s.profile.n, seed)
	if err != nil {
		return set, err
	}
	if s.spec.Family.KeyedOnly {
		set.own, set.other = new(filters.Keys), new(filters.Keys)
		src.Present(set.own, 0, s.profile.n)
		src.Absent(set.other, 0, s.profile.most())
		return set, nil
	}
	h := s.spec.Family.Hash
	if set.present, err = hashesOf(ctx, src.Present, h, 0, s.profile.n, seed); err == nil {
		set.absent, err = hashesOf(ctx, src.Absent, h, 0, s.profile.most(), seed)
	}
	return set, err
}

// search finds the least size at which a filter of these keys keeps to the rate.
// It takes the rate for one that falls as the size grows. It starts where the
// model says that the size is, and first goes by strides of two standard errors of
// a count, so that it is not stopped by the chance of one.
func (s *spaceSearch) search(ctx context.Context, keys spaceSet, p float64) (best spaceFound, ok bool, err error) {
	tried := map[string]uint64{} // false positives by design
	keeps := func(step int) bool {
		d := s.design(step)
		if !d.ok || err != nil {
			return false
		}
		if err = ctx.Err(); err != nil {
			return false
		}
		name := d.String()
		fp, known := tried[name]
		if !known {
			if fp, err = keys.count(d.Design, s.profile.queries(p)); err != nil {
				return false
			}
			tried[name] = fp
		}
		queries := s.profile.queries(p)
		if float64(fp) > float64(p*float64(queries)) {
			return false
		}
		best = spaceFound{bits: d.SizeBits, fp: fp, queries: queries}
		return true
	}
	last := int(filters.MaxBitsPerKey / spaceStep)
	stride := int(math.Ceil(2 / math.Sqrt(spaceHits) / (math.Ln2 * math.Ln2) / spaceStep))
	at := leastStep(s.expected(p), last, stride, keeps)
	if at <= last && err == nil {
		ok = keeps(at) // known already; it may not have been the last that was tried
	}
	best.sizes = uint64(len(tried))
	return best, ok, err
}

// leastStep is the first of 1 to last at which keeps holds, or last+1. It gallops
// from a guess by growing strides, and halves what is left.
func leastStep(guess, last, stride int, keeps func(step int) bool) int {
	lo, hi := 0, last+1 // does not hold, and holds or is out of range
	at := min(max(guess, 1), last)
	for ; lo+1 < hi; stride *= 2 {
		if keeps(at) {
			if hi = at; lo > 0 {
				break
			}
			at = max(hi-stride, lo+1)
		} else {
			if lo = at; hi <= last {
				break
			}
			at = min(lo+stride, hi-1)
		}
	}
	for lo+1 < hi {
		if mid := (lo + hi) / 2; keeps(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// expected is where the search starts: the step at which the model has the rate,
// or where a Bloom filter has it.
func (s *spaceSearch) expected(p float64) int {
	last := int(filters.MaxBitsPerKey / spaceStep)
	guess := int(math.Round(theory.BloomBitsPerKey(p) / spaceStep))
	at := leastStep(guess, last, 8, func(step int) bool {
		d := s.design(step)
		return d.ok && d.Model.FPR != nil && d.Model.FPR(d.N) <= p
	})
	if at > last {
		return guess
	}
	return at
}

// design is the size at a step of the grid.
func (s *spaceSearch) design(step int) spaceDesign {
	d, known := s.designs[step]
	if !known {
		var err error
		d.Design, err = s.spec.ForBits(s.profile.n, min(filters.MaxBitsPerKey, float64(step)*spaceStep*perBit(s.spec)))
		d.ok = err == nil
		s.designs[step] = d
	}
	return d
}

// count builds the filter and counts the false positives among the first absent
// keys. One that has no room for its keys is wrong about all of them.
func (k spaceSet) count(d filters.Design, queries uint64) (fp uint64, err error) {
	if k.own == nil {
		f, err := d.NewHashed()
		if err != nil {
			return 0, err
		}
		defer filters.Free(f)
		if _, err := f.AddHashes(k.present); err != nil {
			return queries, orNil(err)
		}
		out := make([]uint64, filters.BitsetLen(int(queries)))
		return uint64(f.ContainsHashes(k.absent[:queries], out)), nil
	}
	f, err := d.Keyed(k.seed)
	if err != nil {
		return 0, err
	}
	defer filters.Free(f)
	if _, err := f.AddKeys(k.own); err != nil {
		return queries, orNil(err)
	}
	for i := range int(queries) {
		if f.Contains(k.other.At(i)) {
			fp++
		}
	}
	return fp, nil
}
