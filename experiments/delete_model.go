package experiments

import (
	"context"
	"fmt"
	"time"

	"filterbench/filters"
	"filterbench/results"
)

// What deleting does to the keys of a filter that are deleted only if they were
// added, and where that is not enough.

// The model's filters hold so many keys at a time, and so many pass through.
const (
	modelWindow = 20_000
	modelKeys   = 3 * modelWindow
)

// copiesOf is how often a key is added, and deleted: one in eight twice.
func copiesOf(i uint64) int {
	if i%8 == 0 {
		return 2
	}
	return 1
}

// model lets keys pass through a filter, compares it with what it must hold, and
// empties it.
func (p *deletePlanner) model(spec filters.Spec) {
	const room = 5 * modelWindow / 4 // for the second copies, and a few slots to spare
	bits := deleteBits(spec)
	d, ok := p.design(spec, room, bits)
	if !ok {
		return
	}
	a := designAxes(d, bits)
	cost := time.Duration(modelKeys * 9 * spec.Family.NanosPerKey)
	p.count("Model", a, cost, d.SizeBits/8, func(ctx context.Context) ([]results.Record, error) {
		m, err := newModel(d, deriveSeed(p.config.Seed, 1, 0))
		if err != nil {
			return nil, err
		}
		defer filters.Free(m.f)
		if err := m.run(ctx); err != nil {
			return nil, fmt.Errorf("%s: %w", d, err)
		}
		return []results.Record{record("Model", a, "added", m.adds, "deletes", m.deletes, "refused", m.refused,
			"unfound", m.unfound, "queries", m.queries, "fn", m.fn, "left", m.left)}, nil
	})
}

// model is a filter and the keys that it must hold: those of a window that
// slides over a sequence.
type model struct {
	f    deleter
	seed uint64
	lost map[uint64]bool // keys that the filter refused

	adds, deletes, refused uint64
	unfound                uint64 // deletes of a key that was there, and that found none
	queries, fn            uint64 // lookups of keys that are there, and those that found none
	left                   uint64 // keys that are still found once all are deleted
}

func newModel(d filters.Design, seed uint64) (*model, error) {
	f, err := newDeleter(d)
	return &model{f: f, seed: seed, lost: map[uint64]bool{}}, err
}

// run slides the window to the end, and then lets all keys go.
func (m *model) run(ctx context.Context) error {
	for i := range uint64(modelWindow) {
		m.add(i)
	}
	for i := uint64(modelWindow); i < modelKeys; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.remove(i - modelWindow)
		m.add(i)
	}
	for i := uint64(modelKeys - modelWindow); i < modelKeys; i++ {
		m.find(i)
	}
	for i := uint64(modelKeys - modelWindow); i < modelKeys; i++ {
		m.remove(i)
	}
	if n := m.f.Len(); m.unfound == 0 && n != 0 {
		return fmt.Errorf("says that it holds %d keys when all are deleted", n)
	}
	for i := range uint64(modelKeys) {
		if m.f.ContainsHash(distinctHash(m.seed, i)) {
			m.left++
		}
	}
	return nil
}

// add adds all copies of a key, or none.
func (m *model) add(i uint64) {
	h := distinctHash(m.seed, i)
	for c := range copiesOf(i) {
		if err := m.f.AddHash(h); err != nil {
			m.refused++
			m.lost[i] = true
			for range c {
				m.f.DeleteHash(h)
			}
			return
		}
	}
	m.adds += uint64(copiesOf(i))
}

// remove deletes a key's copies; while there is one left, it must be found.
func (m *model) remove(i uint64) {
	if m.lost[i] {
		return
	}
	for c := range copiesOf(i) {
		if c > 0 {
			m.find(i)
		}
		m.deletes++
		if !m.f.DeleteHash(distinctHash(m.seed, i)) {
			m.unfound++
		}
	}
}

func (m *model) find(i uint64) {
	if m.lost[i] {
		return
	}
	m.queries++
	if !m.f.ContainsHash(distinctHash(m.seed, i)) {
		m.fn++
	}
}

// overflow adds a key as often as a counter can count, and one time fewer, and
// deletes it as often: at its largest value a counter is stuck, since it may
// stand for more.
func (p *deletePlanner) overflow(spec filters.Spec) {
	const keys, n = 1000, 100
	bits := deleteBits(spec)
	d, ok := p.design(spec, n, bits)
	if !ok || spec.Family.Name != "counting" {
		return
	}
	most := uint64(1)<<spec.Int("counter") - 1
	for _, copies := range []uint64{most - 1, most} {
		a := append(designAxes(d, bits), axes("copies", copies)...)
		cost := time.Duration(keys * (1000 + 3*float64(copies)*spec.Family.NanosPerKey))
		p.count("Overflow", a, cost, d.SizeBits/8, func(ctx context.Context) ([]results.Record, error) {
			left, fn, err := tally(ctx, p.config.Seed, keys, func(seed uint64) (uint64, uint64, error) { return addAndDelete(d, seed, copies) })
			if err != nil {
				return nil, err
			}
			return []results.Record{record("Overflow", a, "keys", uint64(keys), "left", left.sum, "fn", fn.sum)}, nil
		})
	}
}

// addAndDelete adds copies of one key to a filter of its own and deletes as many.
// lost is 1 if the key was not found while there were copies of it, left is 1 if
// it is found when there are none.
func addAndDelete(d filters.Design, hash, copies uint64) (left, lost uint64, err error) {
	f, err := newDeleter(d)
	if err != nil {
		return 0, 0, err
	}
	defer filters.Free(f)
	for range copies {
		if err := f.AddHash(hash); err != nil {
			return 0, 0, err
		}
	}
	for range copies {
		if !f.ContainsHash(hash) {
			lost = 1
		}
		f.DeleteHash(hash)
	}
	if f.ContainsHash(hash) {
		left = 1
	}
	return left, lost, nil
}
