package experiments

import (
	"context"
	"fmt"

	"filterbench/experiments/timing"
	"filterbench/filters"
	"filterbench/results"
)

// What is timed: one lookup after the other, as a caller without batches asks,
// which is where a branch on the answer shows.
const mixMode = "single"

// mixTimes is a timing group of the experiment: filters of one size.
type mixTimes struct {
	size    uint64
	entries []lookupEntry
	// shares of present keys in percent, for each exponent of Zipf's law.
	shares map[float64][]float64
}

// planMixTimes plans the times. The quick profile has time for three shares only,
// and none for Zipf's law.
func planMixTimes(c Config) (units []Unit) {
	specs := without(c.Specs, func(s filters.Spec) bool { return s.Family.KeyedOnly || slow(s) })
	sizes, most := []uint64{2 << 20}, len(mixFamilies)
	shares := map[float64][]float64{0: {0, 50, 100}}
	if c.Full() {
		sizes, most = []uint64{256 << 10, 2 << 20, 16 << 20}, 5
		shares = map[float64][]float64{0: mixShares, 1: {0, 50, 100}}
	}
	families := append(mixFamilies, "splitblock", "quotient")
	for _, size := range sizes {
		g := &mixTimes{size: size, shares: shares}
		for _, spec := range leading(specs, most, families...) {
			if d, err := designOfSize(spec, size); err == nil && d.NewHashed != nil {
				g.entries = append(g.entries, lookupEntry{design: d, size: size})
			}
		}
		if len(g.entries) > 0 {
			units = append(units, g.unit(c.Seed))
		}
	}
	return units
}

func (g *mixTimes) unit(seed uint64) Unit {
	build := lookupGroup{size: g.size, entries: g.entries}
	u := Unit{ID: "hitmix/size=" + sizeName(g.size), Steps: lookupRounds, Cost: build.buildTime(), Bytes: build.bytes()}
	streams := map[stream]bool{}
	for _, e := range g.entries {
		for zipf, shares := range g.shares {
			for _, share := range shares {
				streams[g.stream(e, share, zipf)] = true
				ns := e.nanos(lookupShape{api: "hash", mode: mixMode, hits: int(share)})
				u.Cost += timingCost(float64(g.queries()) * ns)
			}
		}
	}
	for s := range streams {
		u.Bytes += s.bytes()
	}
	return timed(u, seed, g.size^0x6d6978, g.prepare)
}

// queries is at least one for each line of the filter, and enough that no branch
// predictor learns them.
func (g *mixTimes) queries() int { return max(otherQueries, linesOf(g.size)) }

func (g *mixTimes) stream(e lookupEntry, share, zipf float64) stream {
	s := stream{api: "hash", hash: e.design.Spec.Family.Hash, hits: share, zipf: zipf, queries: g.queries()}
	if share > 0 || zipf > 0 {
		s.present = e.design.N
	}
	return s
}

func (g *mixTimes) prepare(ctx context.Context, b *bench) error {
	built := make([]filters.Keyed, len(g.entries))
	err := inParallel(ctx, len(g.entries), func(ctx context.Context, i int) (err error) {
		built[i], err = b.filled(ctx, g.entries[i].design)
		return err
	})
	if err != nil {
		return err
	}
	for i, e := range g.entries {
		for _, zipf := range mixZipfs {
			for _, share := range g.shares[zipf] {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := g.add(b, e, built[i], share, zipf); err != nil {
					return fmt.Errorf("%s: %w", e.design, err)
				}
			}
		}
	}
	return nil
}

// add makes a cell ready. How near it is to what the memory allows the experiment
// lookup says; here shares are compared with each other.
func (g *mixTimes) add(b *bench, e lookupEntry, f filters.Keyed, share, zipf float64) error {
	q, err := b.queries(g.stream(e, share, zipf))
	if err != nil {
		return err
	}
	h := hashedOf(f)
	r := results.Record{Name: "HitMix", Axes: append(
		axes("filter", e.design.Spec, "size", sizeName(g.size), "api", "hash", "mode", mixMode, "hits", formatFloat(share), "zipf", formatFloat(zipf), "keys", timedKeys),
		timedAxes(e.design, f)...)}
	cell := timing.Cell{Ops: len(q.hashes), Pass: b.hashPass(mixMode, h, q.hashes), Want: dispatchHashes(h, q.hashes)}
	r.Values = append(r.Values, results.Value{Unit: "positives", V: float64(cell.Want)})
	if lines := e.design.Lines; lines != nil {
		r.Values = append(r.Values, results.Value{Unit: "model-lines", V: lines(true)*share/100 + lines(false)*(1-share/100)})
	}
	b.add(r, cell, noLimit)
	return nil
}
