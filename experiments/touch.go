package experiments

import (
	"context"
	"fmt"
	"slices"
	"time"

	"filterbench/experiments/cachesim"
	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/results"
	"filterbench/workloads"
)

// Touch counts the lines of a filter's memory that operations touch, and what
// caches make of them. The filters name the lines themselves; families that
// cannot are left out. Slow families are measured up to 256 KiB in the quick
// profile: what they touch does not change with size.
var Touch = Experiment{
	Name:     "touch",
	Question: "How many cache lines and pages does a lookup or an add touch, and which caches hold them?",
	Plan:     planTouch,
}

const (
	touchLookups = 1 << 15 // measured, of each kind
	touchAdds    = 1 << 13 // the last keys, at most a sixteenth of all
	touchWarm    = 4       // before them come a fourth as many that are not counted
)

// touchSizes are the sizes of filters. The fixed geometry holds the first in its
// first level, the second in its second and so on; beyond the last reaches the
// full profile only.
func (c Config) touchSizes() []uint64 {
	if c.Full() {
		return []uint64{16 << 10, 256 << 10, touchMost, 16 << 20, 128 << 20}
	}
	return []uint64{16 << 10, 256 << 10, touchMost}
}

// The largest sizes in the quick profile, of families that are slow and of others.
const (
	touchSlow = 256 << 10
	touchMost = 4 << 20 // eight times the second level
)

// touchCell is a filter whose operations are traced.
type touchCell struct {
	design filters.Design
	size   uint64
	bits   string
	caches cachesim.Geometry
	here   bool // the caches are this machine's
}

func planTouch(c Config) ([]Unit, error) {
	cells, err := c.touchCells()
	if err != nil {
		return nil, err
	}
	units := make([]Unit, len(cells))
	for i, cell := range cells {
		units[i] = cell.unit(c)
	}
	return append(units, c.counterUnits(cells)...), nil
}

func (c Config) touchCells() (cells []touchCell, err error) {
	here := cachesHere()
	for _, size := range c.touchSizes() {
		var ofSize []touchCell
		for i, spec := range c.Specs {
			d, err := designOfSize(spec, size)
			if err != nil || !traces(spec) || size > c.touchLargest(spec, i) {
				continue
			}
			ofSize = append(ofSize, touchCell{d, size, formatFloat(lookupBits), cachesim.Fixed, false})
		}
		cells = append(cells, ofSize...)
		if size != touchMost || here == nil {
			continue
		}
		for _, cell := range ofSize[:min(3, len(ofSize))] {
			cell.caches, cell.here = here, true
			cells = append(cells, cell)
		}
	}
	if spec := registry.Must("bloom:k=8"); c.measures(spec.Family) {
		// The number of probes that a text speaks of, at the bits per key for which
		// it is the best.
		const size, bits = 2 << 20, 12
		d, err := spec.ForBits(8*size/bits, bits)
		if err != nil {
			return nil, err
		}
		cells = append(cells, touchCell{d, size, formatFloat(bits), cachesim.Fixed, false})
	}
	return cells, nil
}

// touchLargest is the largest size at which a spec, number i of those named, is
// measured.
func (c Config) touchLargest(spec filters.Spec, i int) uint64 {
	switch {
	case c.Full() && slow(spec):
		return touchMost
	case c.Full() && i < 5:
		return 128 << 20
	case c.Full():
		return 16 << 20
	case spec.Family.NanosPerKey > 25:
		return touchSlow
	}
	return touchMost
}

// traces reports whether filters of the family name the lines they touch: the
// smallest one is asked.
func traces(spec filters.Spec) bool {
	d, err := spec.ForFPR(64, 0.1)
	if err != nil {
		return false
	}
	f, err := d.Keyed(1)
	if err != nil {
		return false
	}
	defer filters.Free(f)
	_, ok := filters.TracerOf(f)
	return ok
}

func (c touchCell) unit(config Config) Unit {
	return Unit{
		ID: "touch/" + c.record("").FullName(), Steps: 1, Cost: c.cost(), Bytes: c.design.SizeBits/8 + 64<<20,
		Run: func(ctx context.Context, _ int, emit Emit) error {
			records, err := c.run(ctx, config)
			if err != nil {
				return fmt.Errorf("%s: %w", c.design, err)
			}
			return emit(0, records)
		},
	}
}

// cost is the time that the keys take, those traced an order longer.
func (c touchCell) cost() time.Duration {
	lines := c.design.Lines(true)
	add := 2*makeKeyNanos + hashNanos + 2*c.design.Spec.Family.NanosPerKey + lines*lineNanos(c.size)/2
	traced := 100 + 2*c.design.Spec.Family.NanosPerKey + 30*lines
	sweep := 20 * float64(c.size) / filters.LineBytes
	return time.Duration(float64(c.design.N)*add + 2.5*touchLookups*traced + sweep)
}

// record is the record of an operation, or with "" the name of the unit.
func (c touchCell) record(op string, values ...any) results.Record {
	name, a := "Touch", axes("filter", c.design.Spec, "size", sizeName(c.size))
	if op != "" {
		a = append(a, axes("op", op)...)
	}
	a = append(a, axes("keys", timedKeys, "bits", c.bits, "n", c.design.N)...)
	for _, p := range c.design.Params {
		a = append(a, axes(p.Name, p.Value)...)
	}
	if c.here {
		name = "TouchHere"
		a = append(a, axes("caches", c.caches, "sampled", "yes")...)
	}
	return record(name, a, values...)
}

// run builds the filter, of which the last keys are added by their traces, and
// traces lookups of present and absent keys.
func (c touchCell) run(ctx context.Context, config Config) ([]results.Record, error) {
	seed := deriveSeed(config.Seed, 1, 0)
	src, err := workloads.Open(timedKeys, c.design.N, seed)
	if err != nil {
		return nil, err
	}
	f, err := c.design.Keyed(seed)
	if err != nil {
		return nil, err
	}
	defer filters.Free(f)
	n := c.design.N
	adds := min(touchAdds, n/16)
	first := n - adds - adds/touchWarm
	if accepted, _, err := fill(ctx, f, c.design, src, first); err != nil {
		return nil, err
	} else if accepted < first {
		return nil, fmt.Errorf("it took %d of %d keys: it is sized for more", accepted, first)
	}
	t, err := newToucher(f, c.caches)
	if err != nil {
		return nil, err
	}
	added, err := t.ops(ctx, adds, t.tracer.AddLines, func(keys *filters.Keys, from, to uint64) {
		src.Present(keys, first+from, first+to)
	})
	if err != nil {
		return nil, err
	}
	lookup := func(lines []uint64, key []byte) ([]uint64, error) { return t.tracer.LookupLines(lines, key), nil }
	present, err := t.ops(ctx, touchLookups, lookup, around(src.Present, n))
	if err != nil {
		return nil, err
	}
	absent, err := t.ops(ctx, touchLookups, lookup, src.Absent)
	return []results.Record{
		c.record("absent", c.values(absent, c.design.Lines(false))...),
		c.record("present", c.values(present, c.design.Lines(true))...),
		c.record("add", c.values(added, 0)...),
	}, err
}

// around begins again with the first of n keys behind the last.
func around(keys func(dst *filters.Keys, from, to uint64), n uint64) func(dst *filters.Keys, from, to uint64) {
	return func(dst *filters.Keys, from, to uint64) {
		for from < to {
			size := min(to-from, n-from%n)
			keys(dst, from%n, from%n+size)
			from += size
		}
	}
}

// toucher traces the operations of one filter through caches.
type toucher struct {
	tracer filters.Tracer
	caches *cachesim.Caches
	lines  []uint64
}

// newToucher reads the filter's memory once, from its first line to its last, so
// that the caches hold as much of it as they can.
func newToucher(f filters.Keyed, g cachesim.Geometry) (*toucher, error) {
	tracer, ok := filters.TracerOf(f)
	if !ok {
		return nil, fmt.Errorf("it does not name the lines that it touches")
	}
	caches, err := cachesim.New(g)
	if err != nil {
		return nil, err
	}
	for line := range uint64(len(tracer.Memory())) * 8 / filters.LineBytes {
		caches.Read(line)
	}
	return &toucher{tracer: tracer, caches: caches}, nil
}

// touched is what operations touched, summed over them.
type touched struct {
	ops, loads, lines, linesSq, pages uint64
	misses                            [3]uint64 // by level
}

// ops traces so many operations, after a fourth as many that are not counted.
func (t *toucher) ops(ctx context.Context, n uint64, op func([]uint64, []byte) ([]uint64, error), keys func(dst *filters.Keys, from, to uint64)) (sum touched, err error) {
	warm := n / touchWarm
	var batch filters.Keys
	for from := uint64(0); from < warm+n; from += chunk {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		batch.Reset()
		keys(&batch, from, min(from+chunk, warm+n))
		for i := range batch.Len() {
			if t.lines, err = op(t.lines[:0], batch.At(i)); err != nil {
				return sum, err
			}
			one := t.count()
			if from+uint64(i) >= warm {
				sum.add(one)
			}
		}
	}
	return sum, nil
}

// count sends the lines of one operation through the caches, and counts them.
func (t *toucher) count() touched {
	one := touched{ops: 1, loads: uint64(len(t.lines))}
	for _, line := range t.lines {
		for level := range t.caches.Read(line) {
			one.misses[level]++
		}
	}
	slices.Sort(t.lines)
	t.lines = slices.Compact(t.lines)
	one.lines = uint64(len(t.lines))
	one.linesSq = one.lines * one.lines
	const perPage = 4096 / filters.LineBytes
	for i, line := range t.lines {
		if i == 0 || line/perPage != t.lines[i-1]/perPage {
			one.pages++
		}
	}
	return one
}

func (s *touched) add(o touched) {
	s.ops += o.ops
	s.loads += o.loads
	s.lines += o.lines
	s.linesSq += o.linesSq
	s.pages += o.pages
	for i := range s.misses {
		s.misses[i] += o.misses[i]
	}
}

// values are those of a record. What does not depend on the caches stands in
// the record of the fixed ones.
func (c touchCell) values(s touched, model float64) (values []any) {
	per := func(v uint64) float64 { return float64(v) / float64(s.ops) }
	if !c.here {
		values = append(values, "lines/op", per(s.lines), "pages/op", per(s.pages), "loads/op", per(s.loads),
			"ops", s.ops, "lines", s.lines, "lines-sq", s.linesSq)
		if model > 0 {
			values = append(values, "model-lines", model)
		}
	}
	for i := range min(len(c.caches), len(s.misses)) {
		values = append(values, fmt.Sprintf("l%d-misses/op", i+1), per(s.misses[i]))
	}
	return values
}
