package experiments

import (
	"cmp"
	"slices"
	"time"

	"filterbench/experiments/limit"
	"filterbench/filters"
	"filterbench/filters/machine"
)

// lookupSize is a size of the filters, and how much is asked at it.
type lookupSize struct {
	bytes uint64
	tier  int // the filters that lead are asked in shapes up to this one
	// all is set where filters that follow are timed even if they have no kernels.
	all bool
	// placed is set where the size follows from this machine's caches: there are only
	// headlines, of placedSpecs filters.
	placed bool
}

// everywhere asks in the same shapes at all sizes.
func everywhere(tier int, bytes ...uint64) (sizes []lookupSize) {
	for _, b := range bytes {
		sizes = append(sizes, lookupSize{bytes: b, tier: tier, all: true})
	}
	return sizes
}

// lookupProfile is what a profile spends on the experiment.
type lookupProfile struct {
	sizes []lookupSize // ascending
	// The first filters named, so many, lead; those that follow are asked only in
	// shapes up to rest, and in headlines of restQueries.
	lead, rest, restQueries int
	headline                int           // queries of a headline's stream
	pass                    time.Duration // that other streams are kept to
	budget                  time.Duration // of everything, builds too
	// The largest sizes of slow and static families, of exact ones and of most others:
	// larger ones take long to build, or much memory, and say little that is new.
	slow, exact, most uint64
	keyedRest         uint64 // of keyed families that follow
	memory            uint64 // that a group may take; 0 is no bound
}

// lookup is the profile's share. Half of the machine's memory is left to the
// rest of it.
func (c Config) lookup() lookupProfile {
	half := machine.This().MemTotal / 2
	if c.Full() {
		return placedBetween(machine.This(), lookupProfile{
			sizes: everywhere(fullTier, 16<<10, 256<<10, 2<<20, 16<<20, 64<<20, 256<<20, 2<<30),
			lead:  6, rest: 2, restQueries: headlineQueries,
			headline: headlineQueries, pass: 200 * time.Millisecond, budget: 16 * time.Minute,
			slow: 64 << 20, exact: 256 << 20, most: 256 << 20, keyedRest: 256 << 20, memory: half,
		})
	}
	if c.Profile == "ab" { // one process of many, of two builds in turns
		return lookupProfile{
			sizes: everywhere(abTier, 256<<10, 16<<20),
			lead:  100, headline: headlineQueries, pass: 8 * time.Millisecond, budget: 8 * time.Second,
			slow: 256 << 10, exact: 256 << 10, most: 16 << 20, memory: half,
		}
	}
	return lookupProfile{
		sizes: []lookupSize{
			{bytes: 16 << 10, tier: quickTier, all: true},
			{bytes: 256 << 10, tier: middleTier},
			{bytes: 2 << 20, tier: middleTier, all: true},
			{bytes: 16 << 20, tier: quickTier},
		},
		lead: 3, rest: 0, restQueries: headlineQueries / 8,
		headline: headlineQueries, pass: 4 * time.Millisecond, budget: 33 * time.Second,
		slow: 2 << 20, exact: 2 << 20, most: 16 << 20, keyedRest: 2 << 20, memory: half,
	}
}

// placedBetween adds sizes that follow from the machine's caches: half of each,
// once and twice, as far as no other size is near and the size is known and not a
// default.
func placedBetween(m machine.Info, p lookupProfile) lookupProfile {
	const near = 1.3
	least, most := p.sizes[0].bytes, p.largestSize()
	for _, cache := range []machine.Cache{m.L1d, m.L2, m.L3} {
		for _, size := range []uint64{cache.Size / 2, cache.Size, cache.Size * 2} {
			size = size / limit.LineBytes * limit.LineBytes
			taken := slices.ContainsFunc(p.sizes, func(s lookupSize) bool {
				return float64(s.bytes) < near*float64(size) && float64(size) < near*float64(s.bytes)
			})
			if cache.Known() && !taken && size > least && size < most {
				p.sizes = append(p.sizes, lookupSize{bytes: size, all: true, placed: true})
			}
		}
	}
	slices.SortFunc(p.sizes, func(a, b lookupSize) int { return cmp.Compare(a.bytes, b.bytes) })
	return p
}

func (p lookupProfile) largestSize() uint64 { return p.sizes[len(p.sizes)-1].bytes }

// plan makes one timing group of each size. Where the whole list of cells takes
// longer than the profile has time, it leaves out the least important shapes,
// tier by tier and for all filters that lead alike, at the large sizes first; and
// where there are so many filters that this is not enough, the sizes that follow
// from the machine's caches, and then it shortens the headlines' streams.
func (p lookupProfile) plan(specs []filters.Spec) []*lookupGroup {
	p.sizes = slices.Clone(p.sizes)
	for {
		groups := p.groups(specs)
		switch {
		case lookupTime(groups) <= p.budget:
			return groups
		case p.lower(largeSize), p.lower(0), p.unplace():
		case p.headline > otherQueries:
			p.headline /= 2
		default:
			return groups
		}
	}
}

// lower takes the highest tier away from the sizes beyond one, unless none is left.
func (p lookupProfile) lower(beyond uint64) bool {
	highest := 0
	for _, s := range p.sizes {
		if s.bytes > beyond {
			highest = max(highest, s.tier)
		}
	}
	for i, s := range p.sizes {
		if s.bytes > beyond && s.tier == highest {
			p.sizes[i].tier = max(0, highest-1)
		}
	}
	return highest > 0
}

// unplace takes the sizes away that follow from the machine's caches, if there are any.
func (p *lookupProfile) unplace() bool {
	all := len(p.sizes)
	p.sizes = slices.DeleteFunc(p.sizes, func(s lookupSize) bool { return s.placed })
	return len(p.sizes) < all
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
		g := &lookupGroup{size: size.bytes, part: 1, placed: size.placed}
		for _, e := range p.entries(specs, size) {
			if !p.fits(g.with(e)) {
				if len(g.entries) > 0 {
					groups = append(groups, g)
					g = &lookupGroup{size: size.bytes, part: g.part + 1, placed: size.placed}
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
func (p lookupProfile) entries(specs []filters.Spec, size lookupSize) (entries []lookupEntry) {
	for i, spec := range specs {
		leads, tier := i < p.lead, size.tier
		if !leads {
			tier = min(tier, p.rest)
			if spec.Family.KeyedOnly && size.bytes > p.keyedRest || !size.all && !fetches(spec) {
				continue
			}
		}
		if slow(spec) {
			tier = min(tier, slowTier)
		}
		if size.bytes > p.largest(spec) || size.bytes > p.most && len(entries) == hugeSpecs {
			continue
		}
		if size.placed && (spec.Family.KeyedOnly || slow(spec) || len(entries) == placedSpecs) {
			continue
		}
		d, err := designOfSize(spec, size.bytes)
		if err != nil {
			continue // not feasible at this size
		}
		e := lookupEntry{design: d, size: size.bytes}
		e.addCells(p, tier, leads)
		entries = append(entries, e)
	}
	return entries
}

// largest is the largest size at which a filter is measured. Beyond p.most that
// is only for those which take hashes, as they come.
func (p lookupProfile) largest(spec filters.Spec) uint64 {
	switch f := spec.Family; {
	case f.Exact:
		return p.exact
	case slow(spec) || f.Static:
		return p.slow
	case f.KeyedOnly:
		return p.most
	}
	return p.largestSize()
}
