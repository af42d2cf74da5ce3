package experiments

import (
	"strings"

	"filterbench/filters/machine"
	"filterbench/results"
)

// Pages times the same filters on small and on huge pages, in the same rounds.
var Pages = Experiment{
	Name:     "pages",
	Question: "What do small pages cost a large filter?",
	Plan:     planPages,
	Gate:     func(records []results.Record) error { return gateLimits("Pages", records) },
}

// planPages takes the first spec of each of the first families: one in the quick
// profile, three in the full one. Left out are families that are not asked by
// hashes or are static, and in quick single lookups. Peers are on Go's heap,
// where there is nothing to choose. A system without huge pages has nothing to
// compare.
func planPages(c Config) ([]Unit, error) {
	size, most, ops := uint64(16<<20), 1, []string{opAbsent}
	if c.Full() {
		size, most, ops = 256<<20, 3, []string{opAbsent, opSingle}
	}
	g := &opsGroup{experiment: "pages", record: "Pages", name: "size=" + sizeName(size), size: size, kinds: bothKinds()}
	if len(g.kinds) < 2 {
		return nil, nil
	}
	families := map[string]bool{}
	for _, spec := range c.Specs {
		f := spec.Family
		if f.KeyedOnly || f.Exact || f.Static || strings.HasPrefix(f.Name, "peer-") || families[f.Name] || len(families) == most {
			continue
		}
		d, err := designOfSize(spec, size)
		if err != nil {
			continue // not feasible at this size
		}
		families[f.Name] = true
		for _, kind := range g.kinds {
			e := opsEntry{design: d, size: size, pages: kind}
			for _, op := range ops {
				e.add("hash", op)
			}
			g.entries = append(g.entries, e)
		}
	}
	if len(g.entries) == 0 || c.Full() && g.bytes() > machine.This().MemTotal/2 {
		return nil, nil
	}
	return []Unit{g.unit(c.Seed, 300)}, nil
}
