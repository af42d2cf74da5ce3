package experiments

import (
	"context"
	"fmt"
	"math/bits"
	"runtime"
	"time"

	"filterbench/experiments/limit"
	"filterbench/experiments/timing"
	"filterbench/filters"
	"filterbench/filters/machine"
	"filterbench/filters/memory"
	"filterbench/results"
	"filterbench/workloads"
)

// crawl is a run at work.
type crawl struct {
	crawlRun
	seed     uint64
	src      workloads.Source
	crawlers []*crawler
	reader   limit.Reader
	batch    crawlBatch
	made     [crawlParts]time.Duration // making the addresses
	extra    uint64                    // bytes beside the filters
}

// crawler is a filter of it.
type crawler struct {
	design  filters.Design
	filter  filters.Keyed
	dedupe  deduper
	seen    []uint64      // answers to a batch
	memory  *limit.Memory // the filter's own, to read lines of; nil if it does not show it
	read    uint64        // what was read there, lest nothing is
	missed  uint64        // repeats that were taken for new
	dropped uint64        // new ones that were taken for repeats
	wrong   uint64        // absent ones that the full filter claims

	took, limits [crawlParts]timing.Sample // the filter's time, and that of line reads
}

// run streams all addresses through the filters, and then asks for absent ones.
func (r crawlRun) run(ctx context.Context, runSeed uint64) (records []results.Record, err error) {
	c := &crawl{crawlRun: r, seed: deriveSeed(runSeed, 1, 0)}
	if c.src, err = workloads.Open(r.keys, r.n, c.seed); err != nil {
		return nil, err
	}
	defer func() {
		for _, one := range c.crawlers {
			filters.Free(one.filter)
		}
	}()
	before, filterBytes := memoryInUse(), uint64(0)
	for _, d := range r.designs {
		one, err := newCrawler(d, c.seed)
		if err != nil {
			return nil, err
		}
		c.crawlers = append(c.crawlers, one)
		filterBytes += one.filter.SizeBits() / 8
	}
	if err := c.chooseReader(); err != nil {
		return nil, err
	}
	if err := timing.Quietly(func(w timing.Watch) error { return c.stream(ctx, w) }); err != nil {
		return nil, err
	}
	for _, one := range c.crawlers {
		if held := one.filter.Len(); held+one.dropped != r.n {
			return nil, fmt.Errorf("%s holds %d keys where %d of %d were to be added", one.design, held, r.n-one.dropped, r.n)
		}
	}
	if c.extra -= uint64(before) + filterBytes; int64(c.extra) > crawlExtra {
		return nil, fmt.Errorf("it took %s beside the filters; %s are allowed", machine.FormatBytes(c.extra), machine.FormatBytes(crawlExtra))
	}
	if err := c.ask(ctx); err != nil {
		return nil, err
	}
	return c.records(), nil
}

func newCrawler(d filters.Design, seed uint64) (*crawler, error) {
	f, err := d.Keyed(seed)
	if err != nil {
		return nil, err
	}
	c := &crawler{design: d, filter: f, seen: make([]uint64, filters.BitsetLen(crawlBatchSize))}
	c.dedupe.filter = hashedOf(f)
	if t, ok := filters.TracerOf(f); ok {
		words := t.Memory()
		if c.memory, err = limit.View(words[:len(words)&^7]); err != nil {
			filters.Free(f)
			return nil, err
		}
	}
	return c, nil
}

// chooseReader lets a pilot find the fastest reads of lines.
func (c *crawl) chooseReader() error {
	readers := limit.Readers()
	hashes := make([]uint64, crawlBatchSize)
	for i := range hashes {
		hashes[i] = deriveSeed(c.seed, uint64(i), 2)
	}
	memory := c.crawlers[0].memory
	if memory == nil {
		c.reader = readers[0]
		return nil
	}
	passes := make([]func(), len(readers))
	for i, r := range readers {
		passes[i] = func() { c.crawlers[0].read += r.Sum(memory, hashes) }
	}
	fastest, err := timing.Fastest(passes)
	c.reader = readers[fastest]
	return err
}

// places is the length of the stream.
func (c *crawl) places() uint64 {
	if c.op == "build" {
		return c.n
	}
	return crawlStream{}.places(c.n)
}

// stream makes the addresses batch by batch and times what the filters do with
// each. In the end it takes down how much memory the process holds: nothing has
// been collected meanwhile.
func (c *crawl) stream(ctx context.Context, w timing.Watch) error {
	total := c.places()
	turn := 0
	for part := range uint64(crawlParts) {
		from, to := total*part/crawlParts&^63, total*(part+1)/crawlParts&^63
		if part == crawlParts-1 {
			to = total
		}
		for at := from; at < to; at += crawlBatchSize {
			if err := c.makeBatch(ctx, part, at, min(at+crawlBatchSize, to)); err != nil {
				return err
			}
			for i := range c.crawlers {
				one := c.crawlers[(i+turn)%len(c.crawlers)]
				if err := one.take(w, c.op, part, &c.batch); err != nil {
					return fmt.Errorf("%s: %w", one.design, err)
				}
				if one.memory != nil && at < from+crawlLimits*crawlBatchSize {
					one.limits[part] = one.limits[part].Plus(c.readLines(w, one))
				}
			}
			turn++
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	c.extra = m.HeapAlloc + memory.Mapped()
	return nil
}

// readLines times the reads of a line for each address, after untimed ones, lest
// what the filter left in the caches decide.
func (c *crawl) readLines(w timing.Watch, one *crawler) timing.Sample {
	read := func() { one.read += c.reader.Sum(one.memory, c.batch.hashes) }
	read()
	return w.Time(len(c.batch.hashes), read)
}

func (c *crawl) makeBatch(ctx context.Context, part, from, to uint64) error {
	start := time.Now()
	defer func() { c.made[part] += time.Since(start) }()
	stream := crawlStream{c.seed}
	return c.batch.make(ctx, from, to, c.seed, func(dst *filters.Keys, again []uint64, from, to uint64) {
		if c.op == "dedupe" {
			stream.keys(dst, again, c.src, from, to)
		} else {
			c.src.Present(dst, from, to)
		}
	})
}

// ask asks the full filters for absent addresses.
func (c *crawl) ask(ctx context.Context) error {
	for at := uint64(0); at < crawlAsked; at += crawlBatchSize {
		err := c.batch.make(ctx, at, at+crawlBatchSize, c.seed, func(dst *filters.Keys, _ []uint64, from, to uint64) {
			c.src.Absent(dst, from, to)
		})
		if err != nil {
			return err
		}
		for _, one := range c.crawlers {
			one.wrong += uint64(one.dedupe.filter.ContainsHashes(c.batch.hashes, one.seen))
		}
	}
	return nil
}

// take times what the filter does with a batch, and counts its errors.
func (c *crawler) take(w timing.Watch, op string, part uint64, b *crawlBatch) (err error) {
	do := func() { err = c.dedupe.run(b.hashes, c.seen) }
	if op == "build" {
		do = func() { _, err = c.dedupe.filter.AddHashes(b.hashes) }
	}
	c.took[part] = c.took[part].Plus(w.Time(len(b.hashes), do))
	if err == nil && op != "build" {
		c.count(b)
	}
	return err
}

// count compares the answers to a batch with what was met before.
func (c *crawler) count(b *crawlBatch) {
	for i, again := range b.again {
		c.missed += uint64(bits.OnesCount64(again &^ c.seen[i]))
		c.dropped += uint64(bits.OnesCount64(c.seen[i] &^ again))
	}
}

// records are what was counted and timed of each filter.
func (c *crawl) records() (all []results.Record) {
	for _, one := range c.crawlers {
		all = append(all, c.counted(one))
	}
	for part := range crawlParts {
		for _, one := range c.crawlers {
			all = append(all, c.rates(one, part)...)
		}
	}
	return append(all, record("CrawlMemory", axes("op", c.op, "keys", c.keys, "n", c.n), "extra-B", float64(int64(c.extra))))
}

func (c *crawl) axes(one *crawler) []results.Axis {
	a := axes("filter", one.design.Spec, "op", c.op, "keys", c.keys, "n", c.n)
	for _, p := range one.design.Params {
		a = append(a, axes(p.Name, p.Value)...)
	}
	return a
}

// counted takes a filter's counts together.
func (c *crawl) counted(one *crawler) results.Record {
	var values []any
	if places := c.places(); c.op == "dedupe" {
		values = append(values, "entries", places, "repeats", places-c.n, "missed", one.missed, "dropped", one.dropped,
			"drop-rate", float64(one.dropped)/float64(c.n), "model-dropped", expectedDrops(one.design))
	}
	values = append(values, "fpr", float64(one.wrong)/crawlAsked, "fp", one.wrong, "queries", crawlAsked,
		"bits/key", float64(one.filter.SizeBits())/float64(c.n), "model-fpr", one.design.Model.FPR(c.n))
	return record("Crawl", c.axes(one), values...)
}

// expectedDrops is the number of new addresses that theory expects to be taken
// for repeats: the sum of the rates at which the filter errs as it fills up. An
// address that is dropped has all of its bits set already, so that the bits are
// those of all addresses, dropped or not. The sum is taken by Simpson's rule.
func expectedDrops(d filters.Design) float64 {
	const steps = 256
	sum := 0.0
	for i := range uint64(steps + 1) {
		weight := 4.0
		switch {
		case i == 0 || i == steps:
			weight = 1
		case i%2 == 0:
			weight = 2
		}
		if at := uint64(float64(i) / steps * float64(d.N)); at > 0 {
			sum += weight * d.Model.FPR(at)
		}
	}
	return sum / (3 * steps) * float64(d.N)
}

// rates are the records of a part's times.
func (c *crawl) rates(one *crawler, part int) []results.Record {
	s := one.took[part]
	pages := axes("pages", pagesOf(one.filter))
	r := record("CrawlRate", append(c.axes(one), pages...), timeValues(s)...)
	r.Iters = s.Ops
	r.Values = append(r.Values, results.Value{Unit: "total-ns/op", V: s.NsPerOp() + float64(c.made[part].Nanoseconds())/float64(s.Ops)})
	l := one.limits[part]
	if l.Ops == 0 {
		return []results.Record{r}
	}
	r.Values = append(r.Values, results.Value{Unit: "x-limit", V: s.Ratio(l)})
	a := axes("kind", kindLineRead, "filter", one.design.Spec, "op", c.op, "keys", c.keys, "n", c.n, "path", c.reader.Path, "distance", c.reader.Distance)
	limit := record("Limit", append(a, pages...), timeValues(l)...)
	limit.Iters = l.Ops
	return []results.Record{r, limit}
}

func timeValues(s timing.Sample) []any {
	values := []any{"ns/op", s.NsPerOp()}
	if s.CPU > 0 {
		values = append(values, "cpu-ns/op", s.CPUNsPerOp())
	}
	return append(values, "disturbed", s.Disturbed)
}
