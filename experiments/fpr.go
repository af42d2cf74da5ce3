package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"filterbench/filters"
	"filterbench/filters/hashing"
	"filterbench/filters/registry"
	"filterbench/results"
	"filterbench/workloads"
)

// FPR counts false positives against bits per key.
var FPR = Experiment{
	Name:     "fpr",
	Question: "How often is each filter wrong, for the bits it spends on a key, and does theory say so?",
	Plan:     planFPR,
	Gate:     gateFPR,
}

// fprCell is one point: filters of one spec and size over one workload.
type fprCell struct {
	design  filters.Design
	bits    string // as asked, for the name
	keys    string // workload
	seed    int    // which of the run's derived seeds, from 1
	filters uint64 // filters built, each with keys of its own (or one, of a file's)
	queries uint64 // absent keys asked of each
}

// The points of the sweep. 9.585 is -log2(0.01)/ln 2, the texts' number;
// 9.593 and 9.617 are the least for at most 1 % with 7 and with 6 probes.
var (
	sweepBits    = []float64{4, 5, 6, 7, 8, 9, 9.585, 9.593, 9.617, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}
	headlineBits = []float64{9.585, 9.593, 10, 15, 20}
	// claimed are the families that the texts' claims on rates are about, and
	// detailed those of which every size is measured. Of the others the quick
	// profile has coarse steps: their curves are no rougher.
	claimed    = []string{"bloom", "blocked"}
	detailed   = []string{"bloom", "blocked", "splitblock", "counting", "cuckoo", "quotient"}
	coarseBits = []float64{4, 6, 8, 9.585, 10, 12, 14, 16, 18, 20}
	otherKeys  = []string{"textbook", "sequential", "strided", "url", "uuidv4", "uuidv7"}
)

const (
	sweepN    = 1_000_000 // keys of the sweep
	workloadN = 100_000   // keys of the cells that compare workloads
	seeds     = 5         // of the headline cells
)

func planFPR(c Config) ([]Unit, error) {
	p := fprPlanner{config: c}
	seen := map[string]bool{}
	for _, spec := range c.Specs {
		if spec.Family.Exact {
			continue // nothing to count; the memory experiment has them
		}
		bits := sweepBits
		first := !seen[spec.Family.Name]
		if !c.Full() && !(first && slices.Contains(detailed, spec.Family.Name)) {
			bits = coarseBits
		}
		p.repeat = c.Full() || first && slices.Contains(claimed, spec.Family.Name)
		seen[spec.Family.Name] = true
		p.sweep(spec, "random", sweepN, bits)
		p.sizes(spec)
		p.workloads(spec)
	}
	p.smallSets()
	p.probes()
	p.questions()
	p.designs()
	return p.units, p.err
}

// fprPlanner collects units; the first error ends the planning.
type fprPlanner struct {
	config Config
	units  []Unit
	seen   map[string]bool
	repeat bool // the headline sizes of the spec at hand get several seeds
	err    error
}

// sweep is FPR against bits per key, at every feasible size. A family that has
// the same design at several sizes is measured at the least of them.
func (p *fprPlanner) sweep(spec filters.Spec, keys string, n uint64, sizes []float64) {
	if slow(spec) && !p.config.Full() {
		n = min(n, sweepN/100)
	}
	last := ""
	for _, size := range sizes {
		bits := size * perBit(spec)
		d, err := spec.ForBits(n, bits)
		if err != nil || d.String() == last {
			continue
		}
		last = d.String()
		reps := 1
		if p.repeat && keys == "random" && slices.Contains(headlineBits, size) {
			reps = seeds
		}
		p.add(spec, n, bits, keys, reps)
	}
}

// perBit is how many bits a filter spends where a Bloom filter spends one: a
// counter's. It is measured with as many counters as others have bits.
func perBit(spec filters.Spec) float64 {
	if spec.Family.Name == "counting" {
		return float64(spec.Int("counter"))
	}
	return 1
}

// sizes is FPR against the number of keys at 10 bits per key.
func (p *fprPlanner) sizes(spec filters.Spec) {
	ns := []uint64{1_000, 10_000, 100_000}
	if p.config.Full() && !slow(spec) {
		ns = append(ns, 10_000_000)
	}
	for _, n := range ns {
		p.add(spec, n, 10*perBit(spec), "random", 1)
	}
}

// workloads is FPR for other kinds of keys at 10 bits per key, and the whole
// sweep for the user's own keys.
func (p *fprPlanner) workloads(spec filters.Spec) {
	if file := p.config.File; file != nil {
		present, _ := file.Limits()
		p.sweep(spec, "file", min(present, sweepN), sweepBits)
	}
	n := uint64(workloadN)
	if slow(spec) {
		n /= 10
	}
	for _, keys := range otherKeys {
		p.add(spec, n, 10*perBit(spec), keys, 1)
	}
	p.add(spec, min(n, 50_000), 10*perBit(spec), "words", 1)
}

// smallSets asks for the exact formula where the classic one fails: n = 10 to
// 1000 at the texts' 1 %, m = 9.585 n and k = 7, many filters (claims A08, P03).
func (p *fprPlanner) smallSets() {
	spec := registry.Must("bloom:step=independent,k=7")
	for _, n := range []uint64{10, 100, 1_000} {
		p.addCell(spec, n, 9.585, "random", 1, 200_000/n, 1_000)
	}
}

// probes is the cost of a probe more or less than the best (claim A09).
func (p *fprPlanner) probes() {
	sweep := map[float64][]int{10: {5, 6, 7, 8, 9}, 15: {8, 9, 10, 11, 12}, 20: {12, 13, 14, 15}}
	for _, bits := range []float64{10, 15, 20} {
		ks := sweep[bits]
		if p.config.Full() {
			ks = nil
			for k := 1; k <= 20; k++ {
				ks = append(ks, k)
			}
		}
		for _, k := range ks {
			p.add(registry.Must(fmt.Sprintf("bloom:k=%d", k)), workloadN, bits, "random", 1)
		}
	}
}

// questions are single points that the texts ask for.
func (p *fprPlanner) questions() {
	bloom := registry.Must("bloom")
	// C33: five million URLs at 0.1 %.
	d, err := registry.Must("naive").ForFPR(5_000_000, 0.001)
	if err != nil {
		p.fail(err)
		return
	}
	m, _ := d.Param("m")
	p.add(bloom, d.N, float64(m)/float64(d.N), "url", 1)
	if p.config.Full() {
		// C06: telling 1.0039 % from 1 % takes 170 million queries.
		p.addCell(bloom, sweepN, 9.585059, "random", 1, 100, 1_700_000)
	}
}

// add plans cells with as many queries as the model asks for: budget and
// relative width by the profile.
func (p *fprPlanner) add(spec filters.Spec, n uint64, bits float64, keys string, reps int) {
	if p.err != nil {
		return
	}
	d, err := spec.ForBits(n, bits)
	if err != nil {
		return // not feasible at this size: the sweep goes on without it
	}
	queries := p.queries(d, reps > 1)
	filtersPerSeed := uint64(1)
	if n < 100_000 { // filters differ: measure many
		filtersPerSeed = min(100, max(10, 100_000/n))
		if slow(spec) && !p.config.Full() {
			filtersPerSeed = (filtersPerSeed + 2) / 3
		}
	}
	if keys == "file" { // one set of keys: more filters of it would tell nothing new
		filtersPerSeed = 1
	}
	total := uint64(reps) * filtersPerSeed
	p.addCell(spec, n, bits, keys, reps, filtersPerSeed, max(1, (queries+total-1)/total))
}

// queries is the number of absent keys for a cell: enough for a 95 % interval
// of +-5 % (2 % for headlines) of the model's rate, within the budget.
func (p *fprPlanner) queries(d filters.Design, headline bool) uint64 {
	budget, per := 2e6, 1537.0 // (1.96/0.05)^2
	if headline {
		per *= 6.25 // (0.05/0.02)^2
	}
	if p.config.Full() {
		budget = 24e6
	}
	if slow(d.Spec) {
		budget /= 4
	}
	if d.Model.FPR == nil {
		return uint64(budget)
	}
	rate := d.Model.FPR(d.N)
	return uint64(math.Ceil(min(budget, per*(1-rate)/rate)))
}

func (p *fprPlanner) addCell(spec filters.Spec, n uint64, bits float64, keys string, reps int, filtersPerSeed, queries uint64) {
	if p.err != nil || !p.config.measures(spec.Family) {
		return
	}
	d, err := spec.ForBits(n, bits)
	if err != nil {
		p.fail(err)
		return
	}
	for seed := 1; seed <= reps; seed++ {
		p.unit(fprCell{design: d, bits: formatFloat(bits), keys: keys, seed: seed, filters: filtersPerSeed, queries: queries})
	}
}

// measures reports whether the user chose a spec of the family: the questions
// of the claims are asked of no other.
func (c Config) measures(f *filters.Family) bool {
	return slices.ContainsFunc(c.Specs, func(s filters.Spec) bool { return s.Family == f })
}

func (p *fprPlanner) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *fprPlanner) unit(cell fprCell) {
	id := "fpr/" + cell.name()
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	if p.seen[id] { // a spec that a fixed question names too
		return
	}
	p.seen[id] = true
	p.units = append(p.units, Unit{
		ID: id, Steps: 1, Cost: cell.cost(), Bytes: cell.design.SizeBits/8 + 32<<20,
		Run: func(ctx context.Context, _ int, emit Emit) error {
			r, err := cell.run(ctx, p.config)
			if err != nil {
				return err
			}
			return emit(0, []results.Record{r})
		},
	})
}

// slow says that a family is too slow for the sizes and query counts of the
// others in the quick profile.
func slow(s filters.Spec) bool { return s.Family.NanosPerKey >= 60 }

func (c fprCell) axes() []results.Axis {
	out := axes("filter", c.design.Spec, "bits", c.bits, "n", c.design.N, "keys", c.keys, "seed", c.seed)
	for _, p := range c.design.Params {
		out = append(out, axes(p.Name, p.Value)...)
	}
	if c.design.Spec.Family.Sampled {
		out = append(out, axes("sampled", "yes")...)
	}
	return out
}

func (c fprCell) name() string { return record("FPR", c.axes()).FullName() }

// cost is the expected time: each key is generated, hashed, added and found
// again, each query generated, hashed and looked up.
func (c fprCell) cost() time.Duration {
	const prepare = 25 // ns to generate and hash a key
	per := c.design.Spec.Family.NanosPerKey
	adds := float64(c.filters*c.design.N) * (2*prepare + 4*per)
	asks := float64(c.filters*c.queries) * (prepare + 2*per)
	return time.Duration(adds + asks)
}

// run builds the cell's filters one after the other and counts.
func (c fprCell) run(ctx context.Context, config Config) (results.Record, error) {
	var sum fprCount
	for i := range c.filters {
		seed := deriveSeed(config.Seed, uint64(c.seed), i)
		src, err := config.open(c.keys, c.design.N, seed)
		if err != nil {
			return results.Record{}, err
		}
		one, err := countFPR(ctx, c.design, src, seed, c.queries)
		if err != nil {
			return results.Record{}, fmt.Errorf("%s: %w", c.name(), err)
		}
		sum.add(one)
	}
	return c.record(sum), nil
}

func (c fprCell) record(sum fprCount) results.Record {
	d := c.design
	var values []any
	add := func(known bool, unit string, v func() float64) {
		if known { // what is not is left out: 0/0 is no rate
			values = append(values, unit, v())
		}
	}
	add(sum.queries > 0, "fpr", func() float64 { return float64(sum.fp) / float64(sum.queries) })
	values = append(values, "fp", sum.fp, "queries", sum.queries,
		"filters", c.filters, "fp-sq", sum.fpSquares, "fn", sum.fn)
	add(sum.accepted > 0, "bits/key", func() float64 { return float64(sum.sizeBits) / float64(sum.accepted) })
	values = append(values, "refused", sum.refused, "overlap", sum.overlap)
	add(d.Model.FPR != nil, "model-fpr", func() float64 { return d.Model.FPR(d.N) })
	add(d.Model.FPR != nil, "model-sd", func() float64 { return d.Model.SD(d.N) })
	add(d.Model.Holds(d.N), "model-tol", func() float64 { return d.Model.Tolerance })
	return record("FPR", c.axes(), values...)
}

// deriveSeed makes the seed of one filter from the run's seed: distinct for
// every (seed, filter), and equal over specs and sizes, so that filters are
// compared on the same keys.
func deriveSeed(run, seed, filter uint64) uint64 {
	return hashing.Mix(hashing.Mix(hashing.Mix(run)+seed) + filter)
}

// open opens a workload by name; "file" is the user's list.
func (c Config) open(name string, n, seed uint64) (workloads.Source, error) {
	if name == "file" {
		return c.File, nil
	}
	return workloads.Open(name, n, seed)
}
