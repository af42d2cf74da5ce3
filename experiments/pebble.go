package experiments

import (
	"context"
	"fmt"
	"time"

	"filterbench/experiments/engine"
	"filterbench/experiments/timing"
	"filterbench/filters"
	"filterbench/results"
	"filterbench/workloads"

	engines "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
)

// Pebble does gets on a real LSM engine, whose tables have no filter, Pebble's
// own, or one of ours. The quick profile has one kind of keys and the first two
// of the specs that can be filters of a store.
var Pebble = Experiment{
	Name:     "pebble",
	Question: "What does a get cost a real LSM engine, without filters, with its own, and with ours?",
	Plan:     planPebble,
}

const (
	pebbleTables = 10
	pebbleValue  = 100 // bytes
	pebbleBits   = 10
	pebbleRounds = 10
)

// pebbleGroup is stores of one kind of keys, with a filter each.
type pebbleGroup struct {
	seed     uint64
	keys     string
	perTable uint64
	gets     int
	policies []pebblePolicy
}

// pebblePolicy is what a store's tables have for filters.
type pebblePolicy struct {
	name string
	spec *filters.Spec // of ours; nil for others
	open func() (engines.FilterPolicy, error)
}

func planPebble(c Config) ([]Unit, error) {
	policies := []pebblePolicy{
		{name: "none", open: func() (engines.FilterPolicy, error) { return nil, nil }},
		{name: "pebble-bloom", open: func() (engines.FilterPolicy, error) { return bloom.FilterPolicy(pebbleBits), nil }},
	}
	most := 2
	group := pebbleGroup{seed: c.Seed, perTable: 5_000, gets: 250}
	keys := []string{"uuidv4"}
	if c.Full() {
		most = 6
		group.perTable, group.gets = 20_000, 1_000
		keys = []string{"random", "sequential", "uuidv4", "uuidv7", "url"}
	}
	for _, spec := range c.pebbleSpecs(most) {
		policies = append(policies, pebblePolicy{spec.String(), &spec, func() (engines.FilterPolicy, error) { return engine.NewPolicy(spec, pebbleBits) }})
	}
	group.policies = policies
	var units []Unit
	for i, kind := range keys {
		g := group
		g.keys = kind
		units = append(units, g.unit(uint64(i)))
	}
	return units, nil
}

// pebbleSpecs are the first of the chosen specs that can be filters of a store,
// slow ones left out.
func (c Config) pebbleSpecs(most int) (specs []filters.Spec) {
	for _, spec := range c.Specs {
		if slow(spec) || spec.Family.Exact || len(specs) == most {
			continue
		}
		if p, err := engine.NewPolicy(spec, pebbleBits); err == nil {
			p.Close()
			specs = append(specs, spec)
		}
	}
	return specs
}

func (g pebbleGroup) unit(salt uint64) Unit {
	const put, getBare, get = 2_000, 60_000, 15_000 // ns; a get without filters takes longer
	stores := len(g.policies)
	passes := pebbleRounds*3 + 4 // warm, timed, sometimes once more
	perStore := float64(g.perTable*pebbleTables)*put + 2e7
	passNanos := 2 * float64(g.gets) * (getBare + float64(stores-1)*get)
	u := Unit{
		ID: "pebble/Pebble/keys=" + g.keys, Steps: pebbleRounds,
		Cost:  time.Duration(float64(stores)*perStore + float64(passes)*passNanos),
		Bytes: uint64(stores)*(g.store().Bytes()) + 64<<20,
	}
	return timed(u, g.seed, salt, g.prepare)
}

func (g pebbleGroup) store() engine.Options {
	return engine.Options{Tables: pebbleTables, Keys: g.perTable, Value: pebbleValue, Cache: int64(g.perTable) * pebbleTables * 2 * (pebbleValue + 80)}
}

// prepare builds the stores, one after the other, and counts what gets of absent
// and of present keys cost each.
func (g pebbleGroup) prepare(ctx context.Context, b *bench) error {
	all := g.perTable * pebbleTables
	src, err := workloads.Open(g.keys, all, b.seed)
	if err != nil {
		return err
	}
	absent, present := new(filters.Keys), new(filters.Keys)
	for q := range uint64(g.gets) { // spread over the keys' range, and over the tables
		at := q*all/uint64(g.gets) + q%pebbleTables
		src.Absent(absent, at, at+1)
		src.Present(present, min(at, all-1), min(at, all-1)+1)
	}
	for _, p := range g.policies {
		if err := g.add(ctx, b, src, p, absent, present); err != nil {
			return fmt.Errorf("%s keys, filter %s: %w", g.keys, p.name, err)
		}
	}
	return nil
}

// add builds a store and adds its cells.
func (g pebbleGroup) add(ctx context.Context, b *bench, src workloads.Source, p pebblePolicy, absent, present *filters.Keys) error {
	options := g.store()
	var err error
	if options.Policy, err = p.open(); err != nil {
		return err
	}
	store, err := engine.Build(ctx, options, src)
	if err != nil {
		return err
	}
	b.hold(func() { store.Close() })
	if own, ok := options.Policy.(*engine.Policy); ok {
		b.hold(own.Close)
		if own.Mute() > 0 {
			return fmt.Errorf("%d tables have no filter, since theirs refused a key", own.Mute())
		}
	}
	filterBytes, err := store.FilterBytes()
	if err != nil {
		return err
	}
	for _, of := range []struct {
		hits, want int
		keys       *filters.Keys
	}{{0, 0, absent}, {100, present.Len(), present}} {
		values, err := g.count(store, of.keys, of.want)
		if err != nil {
			return err
		}
		a := axes("filter", p.name, "keys", g.keys, "hits", of.hits, "tables", pebbleTables, "n", g.perTable)
		if p.spec != nil || p.name != "none" {
			a = append(a, axes("bits", pebbleBits)...)
		}
		b.add(results.Record{Name: "Pebble", Axes: a, Values: append(values, results.Value{Unit: "filter-B", V: float64(filterBytes)})},
			timing.Cell{Ops: of.keys.Len(), Want: uint64(of.want), Pass: func() uint64 {
				n, _ := store.Found(of.keys) // an error is a key too few
				return uint64(n)
			}}, noLimit)
	}
	return nil
}

// count does each get three times in a store that was just opened: first the
// blocks come from files, in the end from the cache.
func (g pebbleGroup) count(store *engine.Store, keys *filters.Keys, want int) ([]results.Value, error) {
	if err := store.Reopen(); err != nil {
		return nil, err
	}
	var cost [3]engine.Stats
	for i := range cost {
		before := store.Stats()
		got, err := store.Found(keys)
		if err != nil {
			return nil, err
		}
		if got != want {
			return nil, fmt.Errorf("%d of %d gets found a key, %d should", got, keys.Len(), want)
		}
		cost[i] = store.Stats().Sub(before)
	}
	first, last := cost[0], cost[len(cost)-1]
	each := func(n int64) float64 { return float64(n) / float64(keys.Len()) }
	return []results.Value{
		{Unit: "blocks/op", V: each(last.Blocks)}, {Unit: "read-B/op", V: each(first.Bytes)},
		{Unit: "filter-noes/op", V: each(last.No)}, {Unit: "filter-maybes/op", V: each(last.Maybe)},
	}, nil
}
