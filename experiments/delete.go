package experiments

import (
	"context"
	"fmt"
	"time"

	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/results"
)

// Delete asks filters to forget: keys that they hold, keys that they do not,
// and, in bits where it cannot be done, a key's own bits. What counts is exact;
// times are in units of their own (delete_time.go).
var Delete = Experiment{
	Name:     "delete",
	Question: "What can be deleted from which filter, what does it cost, and which other keys go with it?",
	Plan:     planDelete,
}

// absentKeys is how many keys the filters hold from which absent ones are
// deleted: 90 % of 2^16 slots (field case of seiflotfy/cuckoofilter#50).
const absentKeys = 58_982

// absentDeletes are how many absent keys are deleted.
var absentDeletes = []uint64{1_000, 10_000, 100_000}

func planDelete(c Config) ([]Unit, error) {
	p := deletePlanner{config: c}
	for _, spec := range c.Specs {
		if deletes(spec) {
			p.absent(spec, deleteBits(spec))
			p.model(spec)
			p.overflow(spec)
		}
	}
	for _, f := range []struct {
		family string
		plan   func()
	}{
		{"cuckoo", func() { p.absent(registry.Must("cuckoo:f=8,load=90"), roundUp(8/.9)) }}, // claim C27
		{"counting", p.counters}, // claim P04
		{"bloom", p.clearing},    // claims A24, B25 and C21
	} {
		if p.err == nil && c.measures(registry.Must(f.family).Family) {
			f.plan()
		}
	}
	p.timings()
	return p.units, p.err
}

// deletePlanner collects units; the first error ends the planning.
type deletePlanner struct {
	config Config
	units  []Unit
	err    error
}

// many is how many filters of each kind are built: times as many in the full
// profile.
func (p *deletePlanner) many(quick, times uint64) uint64 {
	if p.config.Full() {
		return quick * times
	}
	return quick
}

// count plans a unit of one or more records, of which the first names it. run
// counts over as many filters as there are seeds.
func (p *deletePlanner) count(name string, a []results.Axis, cost time.Duration, bytes uint64, run func(ctx context.Context) ([]results.Record, error)) {
	id := "delete/" + record(name, a).FullName()
	for _, u := range p.units {
		if u.ID == id { // a spec that a claim names too
			return
		}
	}
	p.units = append(p.units, Unit{
		ID: id, Steps: 1, Cost: cost, Bytes: bytes + 4<<20,
		Run: func(ctx context.Context, _ int, emit Emit) error {
			records, err := run(ctx)
			if err != nil {
				return err
			}
			return emit(0, records)
		},
	})
}

// design sizes a filter; one that is not feasible is left out.
func (p *deletePlanner) design(spec filters.Spec, n uint64, bits float64) (d filters.Design, ok bool) {
	d, err := spec.ForBits(n, bits)
	return d, err == nil && d.NewHashed != nil
}

// deleteBits is 10 bits or counters a key, as far as that can be asked for.
func deleteBits(spec filters.Spec) float64 { return min(10*perBit(spec), filters.MaxBitsPerKey) }

// designAxes name a design and how it was asked for.
func designAxes(d filters.Design, bits float64) []results.Axis {
	a := axes("filter", d.Spec, "bits", formatFloat(bits), "n", d.N)
	for _, p := range d.Params {
		a = append(a, axes(p.Name, p.Value)...)
	}
	return a
}

// deletes reports whether filters of the spec can delete. Only a filter tells,
// so a tiny one is made.
func deletes(spec filters.Spec) bool {
	d, err := spec.ForBits(64, min(filters.MaxBitsPerKey, 16*perBit(spec)))
	if err != nil || d.NewHashed == nil {
		return false
	}
	f, err := d.NewHashed()
	if err != nil {
		return false
	}
	defer filters.Free(f)
	_, ok := f.(filters.Deleter)
	return ok
}

// deleter is a filter over hashes from which keys can be deleted.
type deleter interface {
	filters.Hashed
	filters.Deleter
}

// newDeleter makes an empty filter.
func newDeleter(d filters.Design) (deleter, error) {
	f, err := d.NewHashed()
	if err != nil {
		return nil, err
	}
	del, ok := f.(deleter)
	if !ok {
		filters.Free(f)
		return nil, fmt.Errorf("%s cannot delete", d)
	}
	return del, nil
}

// absent deletes keys that were never added, each after the filter was asked and
// said "maybe", and then looks for those that were.
func (p *deletePlanner) absent(spec filters.Spec, bits float64) {
	d, ok := p.design(spec, absentKeys, bits)
	if !ok {
		return
	}
	built := p.many(6, 20)
	for _, n := range absentDeletes {
		a := append(designAxes(d, bits), axes("deletes", n)...)
		ns := float64(d.N)*6*spec.Family.NanosPerKey + float64(n)*1.5*spec.Family.NanosPerKey
		p.count("Absent", a, time.Duration(float64(built)*ns), d.SizeBits/8, func(ctx context.Context) ([]results.Record, error) {
			removed, fn, err := tally(ctx, p.config.Seed, built, func(seed uint64) (uint64, uint64, error) { return deleteAbsent(d, seed, n) })
			if err != nil {
				return nil, fmt.Errorf("%s: %w", d, err)
			}
			return []results.Record{record("Absent", a, "filters", built,
				"removed", removed.sum, "removed-sq", removed.squares, "fn", fn.sum, "fn-sq", fn.squares)}, nil
		})
	}
}

// sums are those of one count over filters, and of its squares.
type sums struct{ sum, squares uint64 }

func (s *sums) add(v uint64) { s.sum, s.squares = s.sum+v, s.squares+v*v }

// tally counts two things of each of so many filters, by the seed of each.
func tally(ctx context.Context, seed, built uint64, count func(seed uint64) (a, b uint64, err error)) (a, b sums, err error) {
	for i := range built {
		if err := ctx.Err(); err != nil {
			return a, b, err
		}
		one, other, err := count(deriveSeed(seed, 1, i))
		if err != nil {
			return a, b, err
		}
		a.add(one)
		b.add(other)
	}
	return a, b, nil
}

// deleteAbsent fills a filter, deletes absent keys, and says how many deletes
// took something out and how many of the filter's own keys are lost for it.
func deleteAbsent(d filters.Design, seed, deletes uint64) (removed, lost uint64, err error) {
	f, err := newDeleter(d)
	if err != nil {
		return 0, 0, err
	}
	defer filters.Free(f)
	piece := make([]uint64, 1024)
	for hashes := range distinctHashes(seed, 0, d.N, piece) {
		if _, err := f.AddHashes(hashes); err != nil {
			return 0, 0, err
		}
	}
	for i := range deletes {
		// To ask first does not help: it is what delete does.
		if h := distinctHash(seed, d.N+i); f.ContainsHash(h) && f.DeleteHash(h) {
			removed++
		}
	}
	for hashes := range distinctHashes(seed, 0, d.N, piece) {
		lost += uint64(len(hashes) - f.CountHashes(hashes))
	}
	return removed, lost, nil
}
