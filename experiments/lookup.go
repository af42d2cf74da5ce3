package experiments

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"filterbench/filters"
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

// staticBytes is the memory that building a static filter takes for a key: for its own
// bytes and where they end, its hash, and the 64 bytes of the builders.
const staticBytes = 8 + 4 + 8 + 64

// bytes is the memory that the group needs at once: filters, limits, streams,
// and the lists that static families are built from.
func (g *lookupGroup) bytes() uint64 {
	sum := memory.Size(g.size) + 16<<20
	var transient uint64
	for _, e := range g.entries {
		sum += max(e.size, e.design.SizeBits/8)
		if e.design.Spec.Family.Static {
			transient = max(transient, e.design.N*staticBytes)
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
