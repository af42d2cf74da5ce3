package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"filterbench/filters"
	"filterbench/filters/machine"
	"filterbench/filters/registry"
)

// parity is a filter that answers by the lowest bit of the hash. Its batch can
// be made to lie.
type parity struct {
	n    uint64
	lies int
}

func (p *parity) Len() uint64      { return p.n }
func (p *parity) SizeBits() uint64 { return 128 << 10 }

func (p *parity) AddHash(uint64) error { p.n++; return nil }

func (p *parity) AddHashes(h []uint64) (int, error) { p.n += uint64(len(h)); return len(h), nil }

func (p *parity) ContainsHash(h uint64) bool { return h&1 != 0 }

func (p *parity) CountHashes(h []uint64) (hits int) {
	for _, x := range h {
		hits += int(x & 1)
	}
	return hits
}

func (p *parity) ContainsHashes(h []uint64, out []uint64) int { return p.CountHashes(h) - p.lies }

// family makes a family of parity filters; sizing is as given in bits per key
// asked for, and nothing is built unless make is given.
func family(name string, change func(*filters.Family)) filters.Spec {
	f := &filters.Family{
		Name: name, NanosPerKey: 8,
		ForBits: func(_ filters.Spec, n uint64, bits float64) (filters.Design, error) {
			return filters.Design{N: n, SizeBits: filters.RoundedBits(n, bits),
				NewHashed: func() (filters.Hashed, error) { return &parity{}, nil }}, nil
		},
	}
	if change != nil {
		change(f)
	}
	s, err := filters.ParseSpec([]*filters.Family{f}, name)
	if err != nil {
		panic(err)
	}
	return s
}

func planOf(profile string, specs ...filters.Spec) []*lookupGroup {
	p := Config{Profile: profile}.lookup()
	p.memory = 12 << 30
	return p.plan(specs)
}

// cellsOf lists a spec's cells as size/api/mode/hits.
func cellsOf(groups []*lookupGroup, spec filters.Spec) (names []string) {
	for _, g := range groups {
		for _, e := range g.entries {
			if e.design.Spec.String() == spec.String() {
				for _, c := range e.cells {
					names = append(names, fmt.Sprintf("%s/%s/%s/%d", sizeName(e.size), c.api, c.mode, c.hits))
				}
			}
		}
	}
	return names
}

// The plan keeps to the profile's time with the filters that there are and with
// many more, fast and slow, and never gives up the most important cell of any.
func TestLookupPlanKeepsToItsTime(t *testing.T) {
	// As fast as the families that the literature names, and their peers.
	many := registry.Defaults()
	for i := range 20 {
		many = append(many, family(fmt.Sprint("more", i), func(f *filters.Family) {
			f.NanosPerKey = []float64{5, 10, 15, 30, 100}[i%5]
			f.Static = i%3 == 0
			f.KeyedOnly = i%5 == 4
		}))
	}
	tests := []struct {
		profile string
		specs   []filters.Spec
		most    time.Duration
	}{
		{"quick", registry.Defaults(), 33 * time.Second},
		{"quick", many, 33 * time.Second},
		{"full", registry.Defaults(), 16 * time.Minute},
		{"full", many, 37 * time.Minute}, // of the profile's 40; the builds alone take half of it
	}
	for _, tt := range tests {
		groups := planOf(tt.profile, tt.specs...)
		var builds, samples time.Duration
		for _, g := range groups {
			builds, samples = builds+g.buildTime(), samples+g.sampleTime()
		}
		if builds+samples > tt.most {
			t.Errorf("%s, %d filters: builds %v and samples %v, want at most %v", tt.profile, len(tt.specs), builds, samples, tt.most)
		}
		if tt.profile == "quick" && samples > 28*time.Second {
			t.Errorf("quick, %d filters: samples %v, want at most 28 s", len(tt.specs), samples)
		}
		for _, s := range tt.specs {
			want := "/hash/batch/0"
			if s.Family.KeyedOnly {
				want = "/key/batch/0"
			}
			for _, size := range []uint64{16 << 10, 2 << 20} {
				if _, err := designOfSize(s, size); err != nil {
					continue // not feasible with so few keys
				}
				if !slices.Contains(cellsOf(groups, s), sizeName(size)+want) {
					t.Errorf("%s, %d filters: %s lacks %s%s", tt.profile, len(tt.specs), s, sizeName(size), want)
				}
			}
		}
	}
}

func TestQuickLookupPlan(t *testing.T) {
	groups := planOf("quick", registry.Defaults()...)
	for _, spec := range []string{"bloom", "blocked:block=64"} { // those that lead
		cells := cellsOf(groups, registry.Must(spec))
		for _, size := range []string{"16KiB", "256KiB", "2MiB", "16MiB"} {
			wants := []string{"hash/batch/0", "hash/batch/100", "hash/single/0"}
			if size == "16KiB" || size == "16MiB" {
				wants = append(wants, "hash/batch/50", "hash/batch/95", "hash/dispatch/0", "key/batch/0", "key/batch/100")
			}
			for _, want := range wants {
				if !slices.Contains(cells, size+"/"+want) {
					t.Errorf("%s: no cell %s/%s", spec, size, want)
				}
			}
		}
	}
	for _, spec := range []string{"naive", "set", "array"} {
		for _, cell := range cellsOf(groups, registry.Must(spec)) {
			if strings.Contains(cell, "/hash/") || strings.HasPrefix(cell, "16MiB") {
				t.Errorf("%s: cell %s", spec, cell)
			}
		}
	}
}

// Which cells a family gets follows from what it says of itself.
func TestLookupPlanFollowsTheFamily(t *testing.T) {
	fast := family("fast", nil)
	keyed := family("keyed", func(f *filters.Family) { f.KeyedOnly = true })
	slowly := family("slowly", func(f *filters.Family) { f.NanosPerKey = 150 })
	static := family("static", func(f *filters.Family) { f.Static = true })
	never := family("never", func(f *filters.Family) {
		f.ForBits = func(filters.Spec, uint64, float64) (filters.Design, error) {
			return filters.Design{}, errors.New("not feasible")
		}
	})
	largest := func(profile string, s filters.Spec) string {
		cells := cellsOf(planOf(profile, fast, keyed, slowly, static, never), s)
		if len(cells) == 0 {
			return ""
		}
		size, _, _ := strings.Cut(cells[len(cells)-1], "/")
		return size
	}
	for _, tt := range []struct {
		spec        filters.Spec
		quick, full string
	}{
		{fast, "16MiB", "2GiB"}, {keyed, "16MiB", "256MiB"}, {slowly, "2MiB", "64MiB"}, {static, "2MiB", "64MiB"}, {never, "", ""},
	} {
		if got := largest("quick", tt.spec); got != tt.quick {
			t.Errorf("quick: %s up to %q, want %q", tt.spec, got, tt.quick)
		}
		if got := largest("full", tt.spec); got != tt.full {
			t.Errorf("full: %s up to %q, want %q", tt.spec, got, tt.full)
		}
	}
	for _, c := range cellsOf(planOf("full", keyed), keyed) {
		if strings.Contains(c, "/hash/") {
			t.Errorf("a family that takes only keys has the cell %s", c)
		}
	}
}

func TestLookupStreams(t *testing.T) {
	groups := planOf("full", append(registry.Defaults(), family("slowly", func(f *filters.Family) { f.NanosPerKey = 900; f.KeyedOnly = true }))...)
	for _, g := range groups {
		for _, e := range g.entries {
			for _, c := range e.cells {
				least := otherQueries
				switch {
				case c.headline() && !slow(e.design.Spec):
					least = max(headlineQueries, min(int(g.size/64), mostQueries))
				case e.design.Spec.Family.KeyedOnly:
					least = slowQueries
				}
				if c.queries < least {
					t.Errorf("%s %+v: %d queries, want at least %d", e.design.Spec, c, c.queries, least)
				}
			}
		}
	}
}

func TestLookupPlanSplitsByMemory(t *testing.T) {
	var specs []filters.Spec
	for i := range 8 {
		specs = append(specs, family(fmt.Sprint("f", i), nil))
	}
	p := Config{Profile: "full"}.lookup()
	p.memory = 1 << 30
	planned := map[string]int{}
	ids := map[string]bool{}
	for _, g := range p.plan(specs) {
		if g.bytes() > p.memory {
			t.Errorf("%s takes %d bytes, more than %d", g.id(), g.bytes(), p.memory)
		}
		if ids[g.id()] {
			t.Errorf("two groups are %s", g.id())
		}
		ids[g.id()] = true
		for range g.entries {
			planned[sizeName(g.size)]++
		}
	}
	if planned["256MiB"] != 8 || !ids["lookup/size=256MiB/part=2"] {
		t.Errorf("filters by size %v in %v: want all 8 of 256MiB, in parts", planned, ids)
	}
	if planned["2GiB"] != 0 {
		t.Errorf("%d filters of 2 GiB in 1 GiB of memory", planned["2GiB"])
	}
}

// Filters are compared at equal bytes: those that round up get fewer keys.
func TestDesignOfSize(t *testing.T) {
	doubling := family("doubling", func(f *filters.Family) {
		f.ForBits = func(_ filters.Spec, n uint64, bits float64) (filters.Design, error) {
			m := uint64(1)
			for m < filters.RoundedBits(n, bits) {
				m *= 2
			}
			return filters.Design{N: n, SizeBits: 2 * m}, nil // never below twice the size asked for
		}
	})
	for _, s := range append(registry.Defaults(), doubling) {
		for _, size := range []uint64{16 << 10, 2 << 20, 256 << 20} {
			d, err := designOfSize(s, size)
			if err != nil && size > 1<<20 {
				t.Fatal(err)
			}
			if err != nil {
				continue // a family with tables of its own, too large for a small filter
			}
			if bits := float64(d.SizeBits) / float64(8*size); !s.Family.Exact && (bits < 0.5 || bits > 33./32) {
				t.Errorf("%s takes %.3f times %s", s, bits, sizeName(size))
			}
		}
	}
}

func TestShapes(t *testing.T) {
	for _, shapes := range [][]lookupShape{hashedShapes, keyedShapes} {
		seen := map[string]bool{}
		for _, s := range shapes {
			name := fmt.Sprint(s.api, s.mode, s.hits)
			if seen[name] || s.tier < 0 || s.tier > fullTier {
				t.Errorf("%+v is there twice or has an impossible tier", s)
			}
			seen[name] = true
		}
	}
}

// tiny is a group of the smallest size with only the most important cells.
func tiny(specs ...filters.Spec) *lookupGroup {
	p := Config{Profile: "quick"}.lookup()
	p.sizes = everywhere(0, p.sizes[0].bytes)
	return p.plan(specs)[0]
}

// The full profile measures everything that the quick one does, and more.
func TestFullPlanHoldsTheQuickOne(t *testing.T) {
	quick, full := planOf("quick", registry.Defaults()...), planOf("full", registry.Defaults()...)
	for _, spec := range registry.Defaults() {
		have := cellsOf(full, spec)
		for _, cell := range cellsOf(quick, spec) {
			if !slices.Contains(have, cell) {
				t.Errorf("%s: the full profile lacks %s", spec, cell)
			}
		}
	}
}

// The full profile has sizes at the machine's own caches, of a few filters and
// their headlines only; where nobody tells the caches, there are none.
func TestSizesFollowTheCaches(t *testing.T) {
	known := func(l1, l2, l3 uint64, source machine.Source) machine.Info {
		return machine.Info{L1d: machine.Cache{Level: 1, Size: l1, Source: source}, L2: machine.Cache{Level: 2, Size: l2, Source: source},
			L3: machine.Cache{Level: 3, Size: l3, Source: source}}
	}
	fixed := everywhere(fullTier, 16<<10, 256<<10, 2<<20, 16<<20, 64<<20, 256<<20, 2<<30)
	for _, c := range []struct {
		name string
		info machine.Info
		want []uint64 // beside the fixed ones
	}{
		{"a server", known(48<<10, 2<<20, 300<<20, machine.Sysfs), []uint64{24 << 10, 48 << 10, 96 << 10, 1 << 20, 4 << 20, 150 << 20, 600 << 20}},
		{"a desktop", known(32<<10, 512<<10, 32<<20, machine.CPUID), []uint64{32 << 10, 64 << 10, 512 << 10, 1 << 20, 32 << 20}},
		{"given", known(32<<10, 512<<10, 32<<20, machine.Given), []uint64{32 << 10, 64 << 10, 512 << 10, 1 << 20, 32 << 20}},
		{"defaults", known(32<<10, 1<<20, 32<<20, machine.Default), nil},
		{"nonsense", known(0, 0, 1<<60, machine.CPUID), nil},
	} {
		p := placedBetween(c.info, lookupProfile{sizes: slices.Clone(fixed), lead: 2, most: 256 << 20, slow: 1 << 30})
		var placed []lookupSize
		var bytes []uint64
		for _, size := range p.sizes {
			if size.placed {
				placed, bytes = append(placed, size), append(bytes, size.bytes)
			}
		}
		sorted := slices.IsSortedFunc(p.sizes, func(a, b lookupSize) int { return cmp.Compare(a.bytes, b.bytes) })
		if !slices.Equal(bytes, c.want) || len(p.sizes) != len(fixed)+len(c.want) || !sorted {
			t.Errorf("%s: %v are placed, want %v", c.name, bytes, c.want)
		}
		specs := []filters.Spec{family("a", nil), family("b", nil), family("c", nil), family("d", nil)}
		for _, size := range placed {
			entries := p.entries(specs, size)
			if len(entries) != placedSpecs || len(entries[0].cells) != 1 || entries[0].cells[0].lookupShape != hashedShapes[0] {
				t.Errorf("%s: at %s %d filters, want the leading ones with their headline", c.name, sizeName(size.bytes), len(entries))
			}
		}
	}
}
