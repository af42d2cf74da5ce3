package experiments

import (
	"context"

	"filterbench/experiments/timing"
	"filterbench/filters"
	"filterbench/results"
)

// addOps makes a filter's cells ready. Where the system had no huge pages to
// give, the filter is there on small ones already, and is left out.
func (b *bench) addOps(ctx context.Context, record string, e opsEntry, f filters.Keyed, limits map[string]int) error {
	counts := map[stream]uint64{} // of positives, untimed and one by one
	for _, c := range e.cells {
		if err := ctx.Err(); err != nil {
			return err
		}
		rec := results.Record{Name: record, Axes: e.axes(c, f)}
		if b.has(rec) {
			return nil
		}
		s := c.stream(e.design)
		q, err := b.queries(s)
		if err != nil {
			return err
		}
		if _, counted := counts[s]; !counted {
			counts[s] = b.positives(f, c, q)
		}
		cell := timing.Cell{Ops: c.queries, Want: counts[s], Pass: b.opsPass(f, c, q)}
		rec.Values = []results.Value{{Unit: "alloc-B", V: float64(f.SizeBits() / 8)}}
		if c.op == opAdd {
			cell.Want = uint64(c.queries) // each is taken
		} else {
			rec.Values = append(rec.Values, results.Value{Unit: "positives", V: float64(cell.Want)})
		}
		b.add(rec, cell, limitOn(limits, pagesOf(f)))
	}
	return nil
}

// positives counts by one lookup after the other. A present key that is not found
// makes no other count: the pass then fails against the number of keys.
func (b *bench) positives(f filters.Keyed, c opsCell, q *queries) uint64 {
	switch {
	case c.op == opPresent || c.op == opAdd:
		return uint64(c.queries)
	case c.api == "hash":
		return dispatchHashes(hashedOf(f), q.hashes)
	}
	return dispatchKeys(f, q.keys)
}

func (b *bench) opsPass(f filters.Keyed, c opsCell, q *queries) func() uint64 {
	mode := "batch"
	if c.op == opSingle {
		mode = "single"
	}
	switch {
	case c.op == opAdd:
		h := hashedOf(f)
		return func() uint64 {
			taken, _ := h.AddHashes(q.hashes) // a refusal shows in the count
			return uint64(taken)
		}
	case c.api == "hash":
		return b.hashPass(mode, hashedOf(f), q.hashes)
	}
	return b.keyPass(mode, f, q.keys)
}

// limitOn is the limit for what stands on such pages. Go's heap has small ones,
// as far as it asks for none.
func limitOn(lineRead map[string]int, pages string) int {
	for _, p := range []string{pages, "small"} {
		if i, ok := lineRead[p]; ok {
			return i
		}
	}
	for _, i := range lineRead { // the only one
		return i
	}
	return noLimit
}

func (e opsEntry) axes(c opsCell, f filters.Filter) []results.Axis {
	d := e.design
	out := axes("filter", d.Spec, "size", sizeName(e.size), "api", c.api, "op", c.op, "keys", timedKeys, "bits", formatFloat(d.AskedBits), "n", d.N)
	for _, p := range d.Params {
		out = append(out, axes(p.Name, p.Value)...)
	}
	return append(out, axes("pages", pagesOf(f))...)
}
