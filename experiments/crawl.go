package experiments

import (
	"context"
	"fmt"
	"time"

	"filterbench/filters"
	"filterbench/filters/machine"
)

// Crawl does what the texts name as the use of a filter: a crawler meets
// addresses in a stream and drops those that it has met before. It counts what
// is wrongly dropped, and times the filter apart from the making of the
// addresses. Beside it, the same number of keys is added to an empty filter.
//
// The quick profile has ten million addresses; the full one also a billion keys,
// which are 64-bit numbers, since to make so many addresses takes minutes.
var Crawl = Experiment{
	Name:     "crawl",
	Question: "How fast does a filter drop the addresses that a crawler has met before, and how many new ones are lost?",
	Plan:     planCrawl,
}

const (
	crawlRate    = 0.01     // the filter's false-positive rate once it is full
	crawlBits    = 9.6      // bits per key of the filter that is only built
	crawlParts   = 16       // of the stream, each timed by itself
	crawlAsked   = 1 << 20  // absent keys, in the end
	crawlExtra   = 64 << 20 // the most bytes that it may take beside the filter
	crawlLimits  = 4        // samples of the limit in each part
	crawlFilters = 2        // the first that take such hashes:
	crawlHash    = filters.XXH3
	crawlMany    = 100_000_000 // keys, beyond which each filter has a stream of its own
)

// crawlRun is a stream, and the filters that it goes through one after the other.
type crawlRun struct {
	op      string // "dedupe" or "build"
	keys    string
	n       uint64 // new keys
	designs []filters.Design
}

func planCrawl(c Config) ([]Unit, error) {
	runs := []crawlRun{{op: "dedupe", keys: "url", n: 10_000_000}, {op: "build", keys: timedKeys, n: 10_000_000}}
	if c.Full() {
		runs = append(runs, crawlRun{op: "dedupe", keys: timedKeys, n: 1_000_000_000}, crawlRun{op: "build", keys: timedKeys, n: 1_000_000_000})
	}
	var units []Unit
	for _, r := range runs {
		all := c.crawlDesigns(r)
		most := crawlFilters
		if r.n > crawlMany {
			most = 1 // lest one step take minutes more
		}
		for i := 0; i < len(all); i += most {
			r.designs = all[i:min(i+most, len(all))]
			units = append(units, r.unit(c))
		}
	}
	return units, nil
}

// crawlDesigns sizes the filters of a run: those that half of the memory holds.
// One of a billion keys that sets bits all over the memory takes minutes to
// build, which its part in dropping repeats shows well enough.
func (c Config) crawlDesigns(r crawlRun) (designs []filters.Design) {
	most, slowest := crawlFilters, 40.0
	if r.n > crawlMany && r.op == "build" {
		most, slowest = 1, 10
	}
	for _, spec := range c.Specs {
		if f := spec.Family; len(designs) == most || f.KeyedOnly || f.Static || f.Sampled || f.Hash != crawlHash || f.NanosPerKey > slowest {
			continue
		}
		d, err := spec.ForFPR(r.n, crawlRate)
		if r.op == "build" {
			d, err = spec.ForBits(r.n, crawlBits)
		}
		if err != nil || d.SizeBits/8 > machine.This().MemTotal/2 {
			continue
		}
		designs = append(designs, d)
	}
	return designs
}

func (r crawlRun) unit(config Config) Unit {
	id := fmt.Sprintf("crawl/op=%s/keys=%s/n=%d", r.op, r.keys, r.n)
	if r.n > crawlMany {
		id += "/filter=" + r.designs[0].Spec.String()
	}
	return Unit{
		ID: id, Alone: true, Steps: 1, Cost: r.cost(), Bytes: r.bytes(),
		Run: func(ctx context.Context, _ int, emit Emit) error {
			records, err := r.run(ctx, config.Seed)
			if err != nil {
				return fmt.Errorf("%s: %w", id, err)
			}
			return emit(0, records)
		},
	}
}

func (r crawlRun) bytes() uint64 {
	total := uint64(crawlExtra)
	for _, d := range r.designs {
		total += d.SizeBits / 8
	}
	return total
}

// cost is the making of the keys, on two CPUs, and the filters' own time.
func (r crawlRun) cost() time.Duration {
	make := float64(makeKeyNanos + hashNanos)
	if r.keys == "url" {
		make = 270
	}
	ns := float64(r.n) * make / buildWorkers * 4 / 3
	for _, d := range r.designs {
		lines := d.Lines(true)
		if r.op == "dedupe" {
			lines += d.Lines(false)
		}
		ns += float64(r.n) * (4 + lines*(1+lineNanos(d.SizeBits/8)/5)) * 4 / 3
	}
	return time.Duration(ns) + time.Second/4
}
