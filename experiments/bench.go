package experiments

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"filterbench/experiments/timing"
	"filterbench/filters"
	"filterbench/filters/hashing"
	"filterbench/results"
	"filterbench/workloads"
)

// bench is a timing group at work: what is timed, and what that needs. An
// experiment fills it before the first round.
type bench struct {
	seed    uint64
	src     workloads.Source // of the keys that filters hold and are asked for
	streams map[stream]*queries
	wants   map[question]uint64 // positives, one lookup after the other
	answers []uint64            // bitset for the longest batch
	held    []func()            // give memory back
	mu      sync.Mutex          // guards held
	static  sync.Mutex          // held while a static family is built

	cells   []timing.Cell
	records []results.Record // of each cell, without what the clocks say
	limitOf []int            // the cell of whose time each cell's is a multiple; or noLimit
	others  map[int][]int    // further ways to do what a cell does: of each round the fastest counts
	ratios  []ratio          // further values that compare cells of a round
}

// question is a filter and what it is asked: the answers are the same in every mode.
type question struct {
	design string
	stream stream
}

// ratio is a value of a cell that follows from the samples of its round.
type ratio struct {
	cell int
	unit string
	of   func(samples []timing.Sample) float64
}

// noLimit is the limit of a cell whose time is a multiple of nothing.
const noLimit = -1

// stream identifies a stream of queries, so that filters share it.
type stream struct {
	api     string       // "hash": hashed beforehand; "key": not
	hash    filters.Hash // of api=hash
	hits    float64      // present keys, in percent
	zipf    float64      // exponent of Zipf's law by which keys are drawn; 0 is uniform
	present uint64       // keys of the filter; 0 where none is asked for
	queries int
}

// queries is a stream that was made: hashes or keys.
type queries struct {
	hashes []uint64
	keys   *filters.Keys
}

// bytes is what a stream takes: 8 a hash, 12 a key of 8 bytes.
func (s stream) bytes() uint64 {
	if s.api == "hash" {
		return 8 * uint64(s.queries)
	}
	return 12 * uint64(s.queries)
}

// timed makes a unit of a timing group: prepare fills the bench, whose cells
// are then timed in so many rounds as the unit has steps. salt tells apart the
// groups of one run, which have different orders in their rounds.
func timed(u Unit, seed, salt uint64, prepare func(ctx context.Context, b *bench) error) Unit {
	return benched(u, seed, func(ctx context.Context, b *bench, from int, emit Emit) error {
		if err := prepare(ctx, b); err != nil {
			return err
		}
		t := timing.Group{Cells: b.cells, Rounds: u.Steps, Seed: deriveSeed(seed, salt, 1)}
		return timing.Run(ctx, t, from, func(round int, samples []timing.Sample) error {
			return emit(round, b.finish(samples))
		})
	})
}

// benched makes a unit that runs alone and has a bench to work at.
func benched(u Unit, seed uint64, run func(ctx context.Context, b *bench, from int, emit Emit) error) Unit {
	u.Alone = true
	u.Run = func(ctx context.Context, from int, emit Emit) error {
		b := &bench{seed: deriveSeed(seed, 1, 0), streams: map[stream]*queries{}, wants: map[question]uint64{}}
		defer b.free()
		var err error
		if b.src, err = workloads.Open(timedKeys, 1, b.seed); err != nil {
			return err
		}
		return run(ctx, b, from, emit)
	}
	return u
}

// timedKeys is the workload of timings: hashes tell no workload from another.
const timedKeys = "random"

// add adds a cell and returns its index. Its time is also given as a multiple
// of that of the cell limit, if it is not noLimit.
func (b *bench) add(r results.Record, c timing.Cell, limit int) int {
	c.Name = r.FullName()
	b.cells = append(b.cells, c)
	b.records = append(b.records, r)
	b.limitOf = append(b.limitOf, limit)
	return len(b.cells) - 1
}

// addOther adds another way to do what a cell does; the cell's record is of
// whichever was the fastest in the round.
func (b *bench) addOther(of int, c timing.Cell) {
	c.Name = b.cells[of].Name
	if b.others == nil {
		b.others = map[int][]int{}
	}
	b.others[of] = append(b.others[of], len(b.cells))
	b.cells = append(b.cells, c)
	b.records = append(b.records, results.Record{}) // none of its own
	b.limitOf = append(b.limitOf, noLimit)
}

// fastest is the sample of a cell, or of another way to do the same.
func (b *bench) fastest(cell int, samples []timing.Sample) timing.Sample {
	best := samples[cell]
	for _, i := range b.others[cell] {
		if samples[i].Ratio(best) < 1 {
			best = samples[i]
		}
	}
	return best
}

// has reports whether there is a cell of that name.
func (b *bench) has(r results.Record) bool {
	name := r.FullName()
	return slices.ContainsFunc(b.cells, func(c timing.Cell) bool { return c.Name == name })
}

// finish makes the records of a round.
func (b *bench) finish(samples []timing.Sample) []results.Record {
	out := make([]results.Record, 0, len(samples))
	for i, rec := range b.records {
		if rec.Name == "" {
			continue
		}
		s := b.fastest(i, samples)
		rec.Iters = s.Ops
		values := []results.Value{{Unit: "ns/op", V: s.NsPerOp()}}
		if s.CPU > 0 {
			values = append(values, results.Value{Unit: "cpu-ns/op", V: s.CPUNsPerOp()})
		}
		if of := b.limitOf[i]; of != noLimit {
			values = append(values, results.Value{Unit: "x-limit", V: s.Ratio(b.fastest(of, samples))})
		}
		for _, r := range b.ratios {
			if r.cell == i {
				values = append(values, results.Value{Unit: r.unit, V: r.of(samples)})
			}
		}
		values = append(values, results.Value{Unit: "disturbed", V: float64(s.Disturbed)})
		rec.Values = append(values, rec.Values...)
		out = append(out, rec)
	}
	return out
}

// ratio gives a cell one more value.
func (b *bench) ratio(cell int, unit string, of func(samples []timing.Sample) float64) {
	b.ratios = append(b.ratios, ratio{cell, unit, of})
}

// hold lets the bench free something when it is done.
func (b *bench) hold(free func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held = append(b.held, free)
}

func (b *bench) free() {
	for _, free := range b.held {
		free()
	}
}

// filled builds a filter of the design and fills it with the source's first
// keys. Several may be built at once, but static families one at a time, for the
// memory they need.
func (b *bench) filled(ctx context.Context, d filters.Design) (filters.Keyed, error) {
	if d.Spec.Family.Static {
		b.static.Lock()
		defer b.static.Unlock()
		defer debug.FreeOSMemory() // for what comes next, which looks for it before it begins
	}
	f, err := d.Keyed(b.seed)
	if err != nil {
		return nil, err
	}
	b.hold(func() { filters.Free(f) })
	_, refused, err := fill(ctx, f, d, b.src, d.N)
	if err == nil && refused != nil {
		err = fmt.Errorf("%s refused keys that it was sized for: nothing to time", d)
	}
	return f, err
}

// inParallel calls do for 0 to n-1, as many at a time as there are CPUs, and
// returns the first error. It is for what comes before the first round.
func inParallel(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	var wg sync.WaitGroup
	for range min(n, Workers()) {
		wg.Go(func() {
			for i := range next {
				if ctx.Err() != nil {
					return
				}
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// queries returns the stream, made when it is first asked for.
func (b *bench) queries(s stream) (*queries, error) {
	if q := b.streams[s]; q != nil {
		return q, nil
	}
	keys, _, err := workloads.Queries(b.src, workloads.Stream{
		Present: max(1, s.present), Count: s.queries, Hits: s.hits / 100, Zipf: s.zipf,
		Seed: hashing.Mix(b.seed + uint64(s.hits)),
	})
	if err != nil {
		return nil, err
	}
	q := &queries{keys: keys}
	if s.api == "hash" {
		q.hashes = s.hash.SumKeys(make([]uint64, 0, keys.Len()), keys, 0, keys.Len(), b.seed)
		q.keys = nil
	}
	b.streams[s] = q
	return q, nil
}

// hashPass looks up hashes in the given mode and returns the positives.
func (b *bench) hashPass(mode string, f filters.Hashed, hashes []uint64) func() uint64 {
	switch mode {
	case "batch":
		out := b.room(len(hashes))
		return func() uint64 { return uint64(f.ContainsHashes(hashes, out)) }
	case "single":
		return func() uint64 { return uint64(f.CountHashes(hashes)) }
	default:
		return func() uint64 { return dispatchHashes(f, hashes) }
	}
}

// keyPass is hashPass of keys.
func (b *bench) keyPass(mode string, f filters.Keyed, keys *filters.Keys) func() uint64 {
	switch mode {
	case "batch":
		out := b.room(keys.Len())
		return func() uint64 { return uint64(f.ContainsKeys(keys, out)) }
	case "single":
		return func() uint64 { return uint64(f.CountKeys(keys)) }
	default:
		return func() uint64 { return dispatchKeys(f, keys) }
	}
}

// room is a bitset for n answers, the same for all batches of up to so many.
func (b *bench) room(n int) []uint64 {
	if len(b.answers) < filters.BitsetLen(n) {
		b.answers = make([]uint64, filters.BitsetLen(n))
	}
	return b.answers
}

// dispatchHashes asks through the interface, one hash after the other, as a
// caller does who does not know the type of the filter.
func dispatchHashes(f filters.Hashed, hashes []uint64) (hits uint64) {
	for _, h := range hashes {
		if f.ContainsHash(h) {
			hits++
		}
	}
	return hits
}

func dispatchKeys(f filters.Keyed, keys *filters.Keys) (hits uint64) {
	for i := range keys.Len() {
		if f.Contains(keys.At(i)) {
			hits++
		}
	}
	return hits
}

// hashedOf is the filter over hashes that a hashed family's keyed one wraps.
func hashedOf(f filters.Keyed) filters.Hashed {
	return f.(interface{ Unwrap() filters.Hashed }).Unwrap()
}

// timedAxes are those that say what was built: bits asked for, keys, parameters
// and pages.
func timedAxes(d filters.Design, f filters.Filter) (out []results.Axis) {
	if !d.Spec.Family.Exact {
		out = axes("bits", lookupBits)
	}
	out = append(out, axes("n", d.N)...)
	for _, p := range d.Params {
		out = append(out, axes(p.Name, p.Value)...)
	}
	return append(out, axes("pages", pagesOf(f))...)
}

// pagesOf is what backs the filter's memory: Go's heap, if the filter does not
// say otherwise.
func pagesOf(f filters.Filter) string {
	if u, ok := f.(interface{ Unwrap() filters.Hashed }); ok {
		f = u.Unwrap()
	}
	if p, ok := f.(interface{ Pages() string }); ok {
		return p.Pages()
	}
	return "heap"
}
