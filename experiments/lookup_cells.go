package experiments

import (
	"cmp"
	"slices"

	"filterbench/experiments/limit"
	"filterbench/filters"
)

// lookupShape is how a filter is asked.
type lookupShape struct {
	api  string // "hash": hashed beforehand; "key": hashed inside the lookup
	mode string // "batch", "single": a loop in the package, "dispatch": an interface call a key
	hits int    // present keys among the queries, in percent
	tier int    // 0 is the most important
}

// The shapes that the two profiles ask for, if there is time.
const (
	abTier     = 2
	quickTier  = 6
	middleTier = 2
	fullTier   = 8
	slowTier   = 2 // the most for a slow family, to which a call more is nothing
)

var hashedShapes = []lookupShape{
	{"hash", "batch", 0, 0},
	{"hash", "batch", 50, 3},
	{"hash", "batch", 95, 3},
	{"hash", "batch", 100, 2},
	{"hash", "single", 0, 1},
	{"hash", "single", 50, 6},
	{"hash", "single", 95, 7},
	{"hash", "single", 100, 5},
	{"hash", "dispatch", 0, 4},
	{"hash", "dispatch", 50, 8},
	{"hash", "dispatch", 95, 8},
	{"hash", "dispatch", 100, 8},
	{"key", "batch", 0, 4},
	{"key", "batch", 50, 7},
	{"key", "batch", 95, 7},
	{"key", "batch", 100, 4},
	{"key", "single", 0, 6},
	{"key", "single", 50, 7},
	{"key", "single", 95, 8},
	{"key", "single", 100, 7},
	{"key", "dispatch", 0, 8},
	{"key", "dispatch", 100, 8},
}

// keyedShapes are those of the families that take nothing but keys.
var keyedShapes = []lookupShape{
	{"key", "batch", 0, 0},
	{"key", "batch", 50, 3},
	{"key", "batch", 95, 3},
	{"key", "batch", 100, 1},
	{"key", "single", 0, 4},
	{"key", "single", 50, 7},
	{"key", "single", 95, 8},
	{"key", "single", 100, 7},
	{"key", "dispatch", 0, 5},
	{"key", "dispatch", 100, 8},
}

// headline shapes are those that charts show and claims cite.
func (s lookupShape) headline() bool {
	return s.api == "hash" && s.mode != "dispatch" && s.hits == 0
}

// lookupGroup is all filters of one size: they are timed in the same rounds.
type lookupGroup struct {
	size    uint64
	part    int  // from 1, of the parts that half of the memory holds
	placed  bool // the size is one of this machine's caches: without twins
	entries []lookupEntry
}

// lookupEntry is one filter of a group and how it is asked.
type lookupEntry struct {
	design filters.Design
	size   uint64 // the group's
	cells  []lookupCell
}

// lookupCell is what one timing compares: a filter, asked in one way.
type lookupCell struct {
	lookupShape
	queries int // in a pass
}

// addCells plans the shapes up to a tier.
func (e *lookupEntry) addCells(p lookupProfile, tier int, leads bool) {
	shapes := hashedShapes
	if e.design.Spec.Family.KeyedOnly {
		shapes = keyedShapes
	}
	for _, s := range shapes {
		if s.tier <= tier {
			e.cells = append(e.cells, lookupCell{s, e.streamLength(s, p, leads)})
		}
	}
}

// The least distinct queries of a stream. A shorter one would be learnt by the
// branch predictor, and its lines would stay in the cache.
const (
	headlineQueries = 1 << 20
	otherQueries    = 1 << 17
	slowQueries     = 1 << 13 // of a family that hashes by itself, if slowly
	mostQueries     = 1 << 23 // 512 MiB of lines, which no cache holds
)

// streamLength is the number of queries in a pass: at least one for each cache
// line of the filter (up to mostQueries), so that a pass goes through most of
// its memory (63 % of the lines, where a lookup reads one) and not through a
// part that a cache holds. Where no headline depends on it, or the family is a slow
// one, it is halved until the pass is cheap enough, down to the least. For what comes
// near the limit, batches of hashes by a kernel, that is 4 a line, which are nearly all
// lines, or as many as the limit's stream has.
func (e *lookupEntry) streamLength(s lookupShape, p lookupProfile, leads bool) int {
	q, least := max(otherQueries, linesOf(e.size)), otherQueries
	if fetches(e.design.Spec) && s.api == "hash" && s.mode == "batch" {
		least = max(least, min(4*linesOf(e.size), limitQueries(e.size)))
		q = max(q, least)
	}
	if s.headline() {
		q = max(p.headline, linesOf(e.size))
	}
	enough := p.pass
	switch {
	case s.headline() && !leads && !fetches(e.design.Spec):
		// What comes near the limit must read as long a stream as that.
		return max(min(q, p.restQueries), linesOf(e.size))
	case s.headline() && !slow(e.design.Spec):
		return q
	case e.design.Spec.Family.KeyedOnly:
		least = slowQueries
	}
	for q > least && e.nanos(s)*float64(q) > float64(enough) {
		q /= 2
	}
	return q
}

// linesOf is the number of cache lines of a filter as far as streams follow it.
func linesOf(size uint64) int { return int(min(size/limit.LineBytes, mostQueries)) }

func (e *lookupEntry) stream(c lookupCell) stream {
	s := stream{api: c.api, hits: float64(c.hits), queries: c.queries}
	if c.hits > 0 {
		s.present = e.design.N
	}
	if c.api == "hash" {
		s.hash = e.design.Spec.Family.Hash
	}
	return s
}

// limitStream is what the limits read: a headline stream.
func (g *lookupGroup) limitStream() stream {
	return stream{api: "hash", queries: limitQueries(g.size)}
}

func limitQueries(size uint64) int { return max(headlineQueries, linesOf(size)) }

// twin is a cell of an entry that is timed once more.
type twin struct {
	entry int
	cell  lookupCell
}

// twins picks the cells that are timed twice: the most important cell of each
// of the fastest filters, in turns until there are enough.
func (g *lookupGroup) twins() (out []twin) {
	if g.placed {
		return nil
	}
	for i, e := range g.entries {
		if len(e.cells) > 0 {
			out = append(out, twin{i, e.cells[0]})
		}
	}
	cost := func(t twin) float64 {
		return float64(t.cell.queries) * g.entries[t.entry].nanos(t.cell.lookupShape)
	}
	slices.SortStableFunc(out, func(a, b twin) int { return cmp.Compare(cost(a), cost(b)) })
	out = out[:min(len(out), distinctTwins)]
	for i := 0; len(out) > 0 && len(out) < twins; i++ {
		out = append(out, out[i])
	}
	return out
}

// streams lists the distinct streams of a group.
func (g *lookupGroup) streams() map[stream]bool {
	streams := map[stream]bool{g.limitStream(): true}
	for _, e := range g.entries {
		for _, c := range e.cells {
			streams[e.stream(c)] = true
		}
	}
	return streams
}
