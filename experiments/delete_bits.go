package experiments

import (
	"context"
	"fmt"
	"slices"
	"time"

	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/results"
)

// What cannot be deleted from, and how far its counters count.

// clearing clears the bits of one key of a plain filter, of the sizes of the
// texts' program and its exercise, and counts the other keys that go with it.
func (p *deletePlanner) clearing() {
	const n, trials = 10_000, 100
	built := p.many(5, 20)
	for _, rate := range textbookRates {
		text, err := registry.Must("naive").ForFPR(n, rate)
		if err != nil {
			p.err = err
			return
		}
		m, _ := text.Param("m")
		k, _ := text.Param("k")
		spec := registry.Must(fmt.Sprintf("bloom:k=%d", k))
		d, ok := p.design(spec, n, float64(m)/n)
		if !ok {
			continue
		}
		a := designAxes(d, float64(m)/n)
		cost := time.Duration(float64(built*trials) * (n*1.3*spec.Family.NanosPerKey + 30_000))
		p.count("Clear", a, cost, d.SizeBits/8, func(ctx context.Context) ([]results.Record, error) {
			var lost sums
			for i := range built {
				if err := clearBits(ctx, d, deriveSeed(p.config.Seed, 1, i), trials, lost.add); err != nil {
					return nil, fmt.Errorf("%s: %w", d, err)
				}
			}
			return []results.Record{record("Clear", a, "filters", built, "trials", built*trials, "lost", lost.sum, "lost-sq", lost.squares)}, nil
		})
	}
}

// clearBits fills a filter, clears the bits of one of its keys after the other,
// each in the full filter, and visits how many other keys are lost each time.
func clearBits(ctx context.Context, d filters.Design, seed, trials uint64, visit func(lost uint64)) error {
	f, full, err := filledState(d, seed, 0, d.N)
	if err != nil {
		return err
	}
	defer filters.Free(f)
	state := make([]byte, len(full))
	piece := make([]uint64, 1024)
	for t := range trials {
		if err := ctx.Err(); err != nil {
			return err
		}
		// A filter of this key alone says which bits are its own.
		alone, own, err := filledState(d, seed, t, t+1)
		if err != nil {
			return err
		}
		filters.Free(alone)
		copy(state, full)
		for i := stateHeader; i < len(state); i++ {
			state[i] &^= own[i]
		}
		if err := f.(filters.Snapshotter).LoadState(state); err != nil {
			return err
		}
		lost := uint64(0)
		for hashes := range distinctHashes(seed, 0, d.N, piece) {
			lost += uint64(len(hashes) - f.CountHashes(hashes))
		}
		visit(lost - 1) // but for the key itself
	}
	return nil
}

// stateHeader is the number of keys, before the bits of a state.
const stateHeader = 8

// filledState makes a filter of some keys of the sequence, and its state.
func filledState(d filters.Design, seed, from, to uint64) (filters.Hashed, []byte, error) {
	f, err := d.NewHashed()
	if err != nil {
		return nil, nil, err
	}
	piece := make([]uint64, 1024)
	for hashes := range distinctHashes(seed, from, to, piece) {
		f.AddHashes(hashes)
	}
	return f, f.(filters.Snapshotter).AppendState(nil), nil
}

// The counters of claim P04: as many as a plain filter of a million keys has
// bits at the texts' 1 %, with its k.
const (
	counterKeys = 1_000_000
	counterBits = 9.585 // counters a key
)

// counters fills counters that are wide enough for all of them, and counts those
// that narrower ones could not hold.
func (p *deletePlanner) counters() {
	const width = 8
	// Sized for twice as many keys, since at 8 bits a counter they are more bits
	// a key than a filter can be asked for.
	d, ok := p.design(registry.Must(fmt.Sprintf("counting:counter=%d,k=7", width)), 2*counterKeys, counterBits*width/2)
	if !ok {
		return
	}
	a := axes("filter", d.Spec, "n", uint64(counterKeys))
	for _, x := range d.Params {
		a = append(a, axes(x.Name, x.Value)...)
	}
	built := p.many(1, 20)
	cost := time.Duration(built) * 350 * time.Millisecond
	p.count("Counters", a, cost, d.SizeBits/8, func(ctx context.Context) ([]results.Record, error) {
		var values []uint64 // counters of each value
		for i := range built {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			one, err := histogram(d, deriveSeed(p.config.Seed, 1, i), counterKeys)
			if err != nil {
				return nil, err
			}
			for v, count := range one {
				if v == len(values) {
					values = append(values, 0)
				}
				values[v] += count
			}
		}
		return counterRecords(a, built, values), nil
	})
}

// histogram is how many counters have each value after so many keys.
func histogram(d filters.Design, seed, keys uint64) ([]uint64, error) {
	f, err := d.NewHashed()
	if err != nil {
		return nil, err
	}
	defer filters.Free(f)
	for hashes := range distinctHashes(seed, 0, keys, make([]uint64, 1024)) {
		f.AddHashes(hashes)
	}
	return f.(filters.Histogrammer).Histogram(), nil
}

// counterRecords are how many counters overflow at each width, and how many have
// each value that occurs.
func counterRecords(a []results.Axis, built uint64, values []uint64) []results.Record {
	all := record("Counters", a, "filters", built)
	for _, width := range []int{2, 3, 4} {
		over := uint64(0)
		for v, count := range values {
			if v >= 1<<width {
				over += count
			}
		}
		all.Values = append(all.Values, results.Value{Unit: fmt.Sprintf("over-%dbit", width), V: float64(over)})
	}
	out := []results.Record{all}
	for v, count := range values {
		if count > 0 {
			out = append(out, record("Counter", append(slices.Clip(a), axes("value", v)...), "filters", built, "counters", count))
		}
	}
	return out
}
