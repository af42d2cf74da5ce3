package experiments

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"filterbench/experiments/limit"
	"filterbench/filters"
	"filterbench/filters/machine"
	"filterbench/filters/memory"
	"filterbench/results"
)

// Lookup times lookups, and beside them what the memory allows.
var Lookup = Experiment{
	Name:     "lookup",
	Question: "How long does a lookup take, from the L1 cache to DRAM, and how near is that to what the memory allows?",
	Plan:     planLookup,
	Gate:     gateLookup,
}

// lookupProfile is what a profile spends on the experiment.
type lookupProfile struct {
	sizes    []uint64 // bytes of the filters
	placed   []uint64 // those of them that follow from this machine's caches: only headlines, of placedSpecs filters
	tier     int      // shapes up to this one
	middle   int      // likewise, at sizes that are neither the least nor the largest
	large    int      // likewise, at sizes beyond largeSize
	headline int      // queries of a headline's stream
	// The first filters named, so many, are asked in these shapes; those that
	// follow only in shapes up to rest, and in headlines of restQueries.
	lead, rest, restQueries int
	following               bool          // this is the profile of those that follow
	followSizes             []uint64      // of those among them that have no kernels; nil is all
	pass                    time.Duration // that other streams are kept to
	budget                  time.Duration // of everything, builds too
	// The largest sizes of slow families, of exact ones and of most others:
	// larger ones take long to build and say little that is new.
	slow, exact, most uint64
	keyedRest         uint64 // of keyed families behind the leading ones
	memory            uint64 // that a group may take; 0 is no bound
}

// lookup is the profile's share. Half of the machine's memory is left to the
// rest of it.
func (c Config) lookup() lookupProfile {
	half := machine.This().MemTotal / 2
	if c.Full() {
		return placedBetween(machine.This(), lookupProfile{
			sizes: []uint64{16 << 10, 256 << 10, 2 << 20, 16 << 20, 64 << 20, 256 << 20, 2 << 30},
			tier:  fullTier, middle: fullTier, large: fullTier, headline: headlineQueries, pass: 200 * time.Millisecond, budget: 22 * time.Minute,
			lead: 6, rest: 2, restQueries: headlineQueries,
			slow: 64 << 20, exact: 256 << 20, most: 256 << 20, keyedRest: 256 << 20, memory: half,
		})
	}
	if c.Profile == "ab" { // one process of many, of two builds in turns
		return lookupProfile{
			sizes: []uint64{256 << 10, 16 << 20},
			tier:  abTier, middle: abTier, large: abTier, headline: headlineQueries, pass: 8 * time.Millisecond, budget: 8 * time.Second,
			lead: 100, slow: 256 << 10, exact: 256 << 10, most: 16 << 20, memory: half,
		}
	}
	return lookupProfile{
		sizes: []uint64{16 << 10, 256 << 10, 2 << 20, 16 << 20},
		tier:  quickTier, middle: middleTier, large: quickTier, headline: headlineQueries, pass: 4 * time.Millisecond, budget: 33 * time.Second,
		lead: 3, rest: 0, restQueries: headlineQueries / 8, followSizes: []uint64{16 << 10, 2 << 20},
		slow: 2 << 20, exact: 2 << 20, most: 16 << 20, keyedRest: 2 << 20, memory: half,
	}
}

// placedBetween adds sizes that follow from the machine's caches: half of each,
// once and twice, as far as no other size is near and the size is known and not a
// default.
func placedBetween(m machine.Info, p lookupProfile) lookupProfile {
	const near = 1.3
	least, most := slices.Min(p.sizes), slices.Max(p.sizes)
	for _, cache := range []machine.Cache{m.L1d, m.L2, m.L3} {
		for _, size := range []uint64{cache.Size / 2, cache.Size, cache.Size * 2} {
			size = size / limit.LineBytes * limit.LineBytes
			taken := slices.ContainsFunc(p.sizes, func(s uint64) bool {
				return float64(s) < near*float64(size) && float64(size) < near*float64(s)
			})
			if cache.Known() && !taken && size > least && size < most {
				p.sizes, p.placed = append(p.sizes, size), append(p.placed, size)
			}
		}
	}
	slices.Sort(p.sizes)
	return p
}

const (
	lookupBits   = 10 // bits per key of every filter
	lookupRounds = 10 // samples of each cell
	// So many cells of a group are timed twice, of so many filters.
	twins, distinctTwins = 10, 5
	hugeSpecs            = 3        // specs that are measured beyond most
	placedSpecs          = 2        // and at the sizes that follow from the caches
	largeSize            = 16 << 20 // beyond it a sample takes long
)

func planLookup(c Config) ([]Unit, error) {
	groups := c.lookup().plan(c.Specs)
	units := make([]Unit, len(groups))
	for i, g := range groups {
		units[i] = g.unit(c.Seed)
	}
	return units, nil
}

func (g *lookupGroup) unit(seed uint64) Unit {
	u := Unit{ID: g.id(), Steps: lookupRounds, Cost: g.time(), Bytes: g.bytes()}
	return timed(u, seed, g.size+uint64(g.part), g.prepare)
}

// plan makes one timing group of each size. Where the whole list of cells takes
// longer than the profile has time, it leaves out the least important shapes,
// tier by tier and for all leading filters alike, at the large sizes first; and
// where there are so many filters that this is not enough, the sizes that follow
// from the machine's caches, and then it shortens the headlines' streams.
func (p lookupProfile) plan(specs []filters.Spec) []*lookupGroup {
	for {
		groups := p.groups(specs)
		switch {
		case lookupTime(groups) <= p.budget:
			return groups
		case p.large > 0:
			p.large--
		case p.tier > 0:
			p.tier--
		case len(p.placed) > 0:
			p.sizes = slices.DeleteFunc(slices.Clone(p.sizes), func(s uint64) bool { return slices.Contains(p.placed, s) })
			p.placed = nil
		case p.headline > otherQueries:
			p.headline /= 2
		default:
			return groups
		}
	}
}

func lookupTime(groups []*lookupGroup) (t time.Duration) {
	for _, g := range groups {
		t += g.time()
	}
	return t
}

// groups lists the groups with their cells. One that would take
// more memory than it may is split, each part with limits of its own; a filter
// that alone takes more is left out.
func (p lookupProfile) groups(specs []filters.Spec) (groups []*lookupGroup) {
	for _, size := range p.sizes {
		g := &lookupGroup{size: size, part: 1, placed: slices.Contains(p.placed, size)}
		for _, e := range p.entries(specs, size) {
			if !p.fits(g.with(e)) {
				if len(g.entries) > 0 {
					groups = append(groups, g)
					g = &lookupGroup{size: size, part: g.part + 1, placed: g.placed}
				}
				if !p.fits(g.with(e)) {
					continue
				}
			}
			g = g.with(e)
		}
		if len(g.entries) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

func (p lookupProfile) fits(g *lookupGroup) bool { return p.memory == 0 || g.bytes() <= p.memory }

// entries lists the filters of a size with their cells.
func (p lookupProfile) entries(specs []filters.Spec, size uint64) (entries []lookupEntry) {
	if size > largeSize {
		p.tier = min(p.tier, p.large)
	}
	if size > p.sizes[0] && size < p.sizes[len(p.sizes)-1] {
		p.tier = min(p.tier, p.middle)
	}
	placed := slices.Contains(p.placed, size)
	if placed {
		p.tier = 0
	}
	for i, spec := range specs {
		if i >= p.lead && (spec.Family.KeyedOnly && size > p.keyedRest || !p.follows(spec, size)) {
			continue
		}
		if size > p.largest(spec) || size > p.most && len(entries) == hugeSpecs {
			continue
		}
		if placed && (spec.Family.KeyedOnly || slow(spec) || len(entries) == placedSpecs) {
			continue
		}
		d, err := designOfSize(spec, size)
		if err != nil {
			continue // not feasible at this size
		}
		e := lookupEntry{design: d, size: size}
		if i < p.lead {
			q := p
			if slow(spec) {
				q.tier = min(q.tier, slowTier)
			}
			e.addCells(q)
		} else {
			e.addCells(p.forRest())
		}
		entries = append(entries, e)
	}
	return entries
}

// follows reports whether a filter behind the leading ones is timed at a size.
func (p lookupProfile) follows(spec filters.Spec, size uint64) bool {
	return p.followSizes == nil || fetches(spec) || slices.Contains(p.followSizes, size)
}

// forRest is the profile of the filters behind the leading ones.
func (p lookupProfile) forRest() lookupProfile {
	p.tier = min(p.tier, p.rest)
	p.following = true
	return p
}

// largest is the largest size at which a filter is measured. Beyond p.most that
// is only for those which take hashes, as they come.
func (p lookupProfile) largest(spec filters.Spec) uint64 {
	switch f := spec.Family; {
	case f.Exact:
		return p.exact
	case slow(spec):
		return p.slow
	case f.Static || f.KeyedOnly:
		return p.most
	}
	return slices.Max(p.sizes)
}

// designOfSize sizes a filter to the bytes of its class: as many keys as have
// lookupBits bits each. A family that rounds up by more than a few per cent,
// such as to a power of two, gets as many keys fewer. What depends on the keys
// (set, array) is only estimated here, at 32 bytes a key; the run finds out.
func designOfSize(spec filters.Spec, size uint64) (d filters.Design, err error) {
	if spec.Family.Exact {
		return spec.ForBits(size/32, lookupBits)
	}
	return designAt(spec, size, lookupBits)
}

// designAt is designOfSize at other bits per key, for what is not exact.
func designAt(spec filters.Spec, size uint64, bits float64) (d filters.Design, err error) {
	n := uint64(float64(8*size) / bits)
	if _, err := spec.ForBits(n, bits); err != nil {
		n++ // it may need the whole size, which the keys rounded down would not ask for
	}
	for range 3 {
		if d, err = spec.ForBits(n, bits); err != nil || d.SizeBits <= 8*size*33/32 {
			return d, err
		}
		n = max(1, uint64(float64(n)*float64(8*size)/float64(d.SizeBits)))
	}
	return d, err
}

// sizeName is a size as the axis shows it, such as 256KiB, and in bytes where
// no unit divides it.
func sizeName(size uint64) string {
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		if bytes := uint64(1) << (30 - 10*i); size > 0 && size%bytes == 0 {
			return strconv.FormatUint(size/bytes, 10) + unit
		}
	}
	return strconv.FormatUint(size, 10)
}

func (g *lookupGroup) id() string {
	id := "lookup/size=" + sizeName(g.size)
	if g.part > 1 {
		id += fmt.Sprintf("/part=%d", g.part)
	}
	return id
}

// with is the group and one filter more.
func (g *lookupGroup) with(e lookupEntry) *lookupGroup {
	more := *g
	more.entries = append(slices.Clip(g.entries), e)
	return &more
}

// bytes is the memory that the group needs at once: filters, limits, streams,
// and the lists that static families are built from.
func (g *lookupGroup) bytes() uint64 {
	sum := memory.Size(g.size) + 16<<20
	var transient uint64
	for _, e := range g.entries {
		sum += max(e.size, e.design.SizeBits/8)
		if e.design.Spec.Family.Static {
			transient = max(transient, e.design.N*48) // keys, hashes and as much again to build from
		}
	}
	var largest uint64
	for s := range g.streams() {
		sum += s.bytes()
		largest = max(largest, uint64(s.queries)*32) // while it is made
	}
	return sum + max(transient, largest)
}

func gateLookup(records []results.Record) error { return gateLimits("Lookup", records) }

// gateLimits fails a run in which something was faster than can be: then the
// loop did not do its work, or the limit is none. Medians of the rounds are
// compared, since a single sample may be disturbed. Records of the given name
// are multiples of a limit.
func gateLimits(timed string, records []results.Record) error {
	var errs []error
	ratios := map[string][]float64{}
	limits := map[string]map[string][]float64{} // size and pages, kind: ns/op
	var names []string
	for _, r := range records {
		switch r.Name {
		case timed:
			x, ok := r.Value("x-limit")
			if !ok {
				errs = append(errs, fmt.Errorf("%s has no x-limit", r.FullName()))
				continue
			}
			if ratios[r.FullName()] == nil {
				names = append(names, r.FullName())
			}
			ratios[r.FullName()] = append(ratios[r.FullName()], x)
		case "Limit":
			where := fmt.Sprintf("size %s, %s pages", r.Axis("size"), r.Axis("pages"))
			ns, _ := r.Value("ns/op")
			if limits[where] == nil {
				limits[where] = map[string][]float64{}
			}
			limits[where][r.Axis("kind")] = append(limits[where][r.Axis("kind")], ns)
		}
	}
	for _, name := range names {
		if x := median(ratios[name]); x < leastOfLimit {
			errs = append(errs, fmt.Errorf("%s takes %.2f times as long as reading one random line: either the lookups are not done or the limit is wrong", name, x))
		}
	}
	for where, kinds := range limits {
		if read, loop := kinds[kindLineRead], kinds[kindLoop]; len(read) > 0 && len(loop) > 0 && median(read) < leastOfLimit*median(loop) {
			errs = append(errs, fmt.Errorf("limits of %s: reading lines takes %.2f ns, the loop alone %.2f", where, median(read), median(loop)))
		}
	}
	return errors.Join(errs...)
}

// leastOfLimit is how far below the limit a filter may come out by noise.
const leastOfLimit = 0.9

// median is that of one value or more, which it sorts.
func median(v []float64) float64 {
	slices.Sort(v)
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}
