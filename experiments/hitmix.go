package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"filterbench/filters"
	"filterbench/filters/hashing"
	"filterbench/results"
	"filterbench/workloads"
)

// HitMix varies the share of present keys among the queries. The quick profile
// takes the leading filters only.
var HitMix = Experiment{
	Name:     "hitmix",
	Question: "What is a positive worth, and what does a lookup cost, as more of the keys asked for are present?",
	Plan:     planHitMix,
	Gate:     gateHitMix,
}

// What is counted: filters of the texts' size for 1 %, small ones and many, since
// filters differ, and under Zipf's law much, by whether they err on a key that
// everyone asks for.
const (
	mixBits    = 9.585
	mixKeys    = 10_000
	mixFilters = 32
	mixQueries = 1 << 13 // of each filter
)

var (
	mixFamilies = []string{"bloom", "blocked", "cuckoo"} // that the claims are about
	mixShares   = []float64{0, 0.1, 1, 10, 25, 50, 75, 90, 100}
	mixZipfs    = []float64{0, 1} // exponents of Zipf's law; 0 draws uniformly
)

func planHitMix(c Config) ([]Unit, error) {
	specs := without(c.Specs, func(s filters.Spec) bool { return s.Family.Exact })
	if !c.Full() {
		specs = leading(specs, len(mixFamilies), mixFamilies...)
	}
	var units []Unit
	for i, spec := range specs {
		d, err := spec.ForBits(mixKeys, mixBits*perBit(spec))
		if err != nil {
			continue // no such filter
		}
		for _, zipf := range mixZipfs {
			if zipf > 0 && i > 0 && !c.Full() {
				break // what it does to one filter it does to all
			}
			units = append(units, mixCell{d, zipf}.unit(c.Seed))
		}
	}
	return append(units, planMixTimes(c)...), nil
}

// mixCell is a filter asked by one law, at all shares of present keys.
type mixCell struct {
	design filters.Design
	zipf   float64
}

func (m mixCell) unit(seed uint64) Unit {
	per := m.design.Spec.Family.NanosPerKey
	adds := mixKeys * (2*makeKeyNanos + 4*per)
	asks := float64(len(mixShares)*mixQueries) * (countQueryNanos + per)
	return countingUnit("hitmix/"+record("Precision", m.axes()).FullName(), time.Duration(mixFilters*(adds+asks)), m.design.SizeBits/8+32<<20,
		func(ctx context.Context) ([]results.Record, error) { return m.run(ctx, seed) })
}

// countQueryNanos is what making a query takes that is only counted.
const countQueryNanos = 50

func (m mixCell) axes(more ...any) []results.Axis {
	d := m.design
	out := axes("filter", d.Spec, "bits", formatFloat(d.AskedBits), "n", d.N, "keys", timedKeys, "zipf", formatFloat(m.zipf))
	out = append(out, axes(more...)...)
	for _, p := range d.Params {
		out = append(out, axes(p.Name, p.Value)...)
	}
	if d.Spec.Family.Sampled {
		out = append(out, axes("sampled", "yes")...)
	}
	return out
}

// mixCount is what filters answered at one share.
type mixCount struct{ present, tp, absent, fp, fpSquares, refused uint64 }

// run asks the filters one after the other, each at every share.
func (m mixCell) run(ctx context.Context, seed uint64) ([]results.Record, error) {
	counts := make([]mixCount, len(mixShares))
	for i := range uint64(mixFilters) {
		if err := m.count(ctx, deriveSeed(seed, 1, i), counts); err != nil {
			return nil, fmt.Errorf("%s: %w", m.design, err)
		}
	}
	records := make([]results.Record, len(mixShares))
	for i, share := range mixShares {
		records[i] = m.record(share, counts[i])
	}
	return records, nil
}

// count adds one filter's answers. Present and absent keys are asked for apart:
// in which order they come makes no difference to a count.
func (m mixCell) count(ctx context.Context, seed uint64, counts []mixCount) error {
	src, err := workloads.Open(timedKeys, m.design.N, seed)
	if err != nil {
		return err
	}
	f, err := m.design.Keyed(seed)
	if err != nil {
		return err
	}
	defer filters.Free(f)
	accepted, _, err := fill(ctx, f, m.design, src, m.design.N)
	if err != nil {
		return err
	}
	out := make([]uint64, filters.BitsetLen(mixQueries))
	for i, share := range mixShares {
		present := int(math.Round(float64(mixQueries * share / 100)))
		ask := func(count int, hits float64) (uint64, error) {
			if count == 0 {
				return 0, ctx.Err()
			}
			keys, _, err := workloads.Queries(src, workloads.Stream{
				Present: m.design.N, Count: count, Hits: hits, Zipf: m.zipf, Seed: hashing.Mix(seed + uint64(i)),
			})
			if err != nil {
				return 0, err
			}
			return uint64(f.ContainsKeys(keys, out)), ctx.Err()
		}
		tp, err1 := ask(present, 1)
		fp, err2 := ask(mixQueries-present, 0)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		c := &counts[i]
		c.present += uint64(present)
		c.tp += tp
		c.absent += uint64(mixQueries - present)
		c.fp += fp
		c.fpSquares += fp * fp
		c.refused += m.design.N - accepted
	}
	return nil
}

func (m mixCell) record(share float64, c mixCount) results.Record {
	values := []any{"present", c.present, "tp", c.tp, "queries", c.absent, "fp", c.fp, "fp-sq", c.fpSquares, "filters", mixFilters, "refused", c.refused}
	if c.absent > 0 {
		values = append(values, "fpr", float64(c.fp)/float64(c.absent))
	}
	if c.tp+c.fp > 0 {
		values = append(values, "precision", float64(c.tp)/float64(c.tp+c.fp))
	}
	if d := m.design; d.Model.FPR != nil {
		values = append(values, "model-fpr", d.Model.FPR(d.N))
	}
	return record("Precision", m.axes("hits", formatFloat(share)), values...)
}

// gateHitMix fails a run in which a filter denied a key that it had taken.
func gateHitMix(records []results.Record) error {
	var errs []error
	for _, r := range records {
		if r.Name != "Precision" {
			continue
		}
		present, _ := r.Value("present")
		tp, _ := r.Value("tp")
		if refused, _ := r.Value("refused"); tp < present && refused == 0 {
			errs = append(errs, fmt.Errorf("%s: of %v queries for present keys %v were answered no", r.FullName(), present, present-tp))
		}
	}
	return errors.Join(errs...)
}
