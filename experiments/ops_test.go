package experiments

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"filterbench/filters"
	"filterbench/filters/machine"
	"filterbench/filters/memory"
	"filterbench/filters/registry"
	"filterbench/results"
)

// small is a group of one size with the given filters, on the kinds of pages that
// the size may have.
func smallOps(t *testing.T, size uint64, specs ...filters.Spec) *opsGroup {
	t.Helper()
	g := &opsGroup{experiment: "kernels", record: "Kernel", name: "test", size: size, kinds: Config{}.pageKinds(size)}
	for _, spec := range specs {
		d, err := designOfSize(spec, size)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range g.kinds {
			e := opsEntry{design: d, size: size, pages: kind}
			for _, op := range allOps {
				e.add("hash", op)
			}
			e.add("key", opAbsent)
			for i := range e.cells {
				e.cells[i].queries = 1 << 15 // for speed
			}
			g.entries = append(g.entries, e)
		}
	}
	return g
}

// A real run, cut short: every filter on every kind of pages in every way, with
// what it is a multiple of on the same pages.
func TestOpsRun(t *testing.T) {
	spec := registry.Must("blocked:block=64")
	g := smallOps(t, 4<<20, spec)
	round := steps(t, g.unit(3, 1), 2)[1]
	kinds := len(g.kinds)
	if want := kinds * (3 + 5); len(round) != want {
		t.Fatalf("%d records, want %d", len(round), want)
	}
	pages := map[string]int{}
	limits := map[string]float64{}
	for _, r := range round {
		if r.Axis("kind") == kindLineRead {
			limits[r.Axis("pages")], _ = r.Value("cpu-ns/op")
		}
	}
	for _, r := range round {
		if r.Name != "Kernel" {
			continue
		}
		pages[r.Axis("pages")]++
		x, ok := r.Value("x-limit")
		cpu, timed := r.Value("cpu-ns/op")
		if limit := limits[r.Axis("pages")]; !ok || timed && limit > 0 && (x < .999*cpu/limit || x > 1.001*cpu/limit) {
			t.Errorf("%s: x-limit %v, CPU times %v and %v", r.FullName(), x, cpu, limit)
		}
		positives, counted := r.Value("positives")
		switch r.Axis("op") {
		case opPresent:
			if positives != 1<<15 {
				t.Errorf("%v of the present keys are found", positives)
			}
		case opAdd:
			if counted {
				t.Error("adds are counted as lookups")
			}
		default: // a rate of .96 %; 6 standard deviations
			if positives < 208 || positives > 421 {
				t.Errorf("%s: %v false positives of 32768", r.FullName(), positives)
			}
		}
	}
	if len(pages) != kinds {
		t.Errorf("cells on pages %v, want %d kinds", pages, kinds)
	}
}

// A batch that answers differently from one lookup after the other fails, and so
// does one that loses a present key.
func TestOpsRunFailsOnWrongAnswers(t *testing.T) {
	liar := family("liar", func(f *filters.Family) {
		f.ForBits = func(_ filters.Spec, n uint64, _ float64) (filters.Design, error) {
			return filters.Design{N: n, SizeBits: 128 << 10, NewHashed: func() (filters.Hashed, error) { return &parity{}, nil }}, nil
		}
	})
	err := smallOps(t, 16<<10, liar).unit(1, 1).Run(context.Background(), 0, nil)
	if err == nil || !strings.Contains(err.Error(), "filter=liar/") || !strings.Contains(err.Error(), "op=present") {
		t.Errorf("error %v, want one that names the filter and its present keys", err)
	}
}

func TestOpsRunStopsWhileBuilding(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := smallOps(t, 4<<20, registry.Must("bloom")).unit(1, 1).Run(ctx, 0, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// Both profiles measure what the targets name, the full one all of it.
func TestKernelPlan(t *testing.T) {
	groups, err := kernelGroups(Config{Profile: "full"})
	if err != nil || len(groups) != 4 {
		t.Fatalf("%d groups, %v", len(groups), err)
	}
	both := len(bothKinds()) == 2
	for _, g := range groups[1:3] {
		for _, s := range kernelSpecs {
			var kinds []memory.Pages
			for _, e := range g.entries {
				if e.design.Spec.String() == registry.Must(s.spec).String() {
					kinds = append(kinds, e.pages)
					// Equal bytes, as far as whole bits of a fingerprint allow.
					if share := float64(e.design.SizeBits) / float64(8*g.size); share < .87 || share > 1.04 {
						t.Errorf("%s takes %.3f of %s", s.spec, share, sizeName(g.size))
					}
				}
			}
			left := s.most > 0 && g.size > s.most
			if left != (len(kinds) == 0) || s.small && both && len(kinds) != 2 {
				t.Errorf("%s, %s: on pages %v", g.name, s.spec, kinds)
			}
		}
	}
	if d := groups[3].entries[0].design; d.N != recordKeys || d.AskedBits != recordBits {
		t.Errorf("the record's group has %s", d)
	}
	quick, err := kernelGroups(Config{Profile: "quick"})
	if err != nil || len(quick) != 1 || len(quick[0].entries) < 4 || len(quick[0].kinds) != 1 {
		t.Errorf("quick: %d groups, %v", len(quick), err)
	}
	for _, g := range groups {
		for _, e := range g.entries {
			for _, c := range e.cells {
				if c.queries < headlineQueries || c.queries&(c.queries-1) != 0 {
					t.Errorf("%s: %d queries", e.design, c.queries)
				}
			}
		}
	}
}

// What the user asks for goes before what the system has, and small memory has
// no choice.
func TestPageKinds(t *testing.T) {
	for _, asked := range []memory.Pages{memory.PagesSmall, memory.PagesHuge} {
		if got := (Config{Pages: asked}).pageKinds(16 << 20); !slices.Equal(got, []memory.Pages{asked}) {
			t.Errorf("%v pages: %v", asked, got)
		}
	}
	if got := (Config{}).pageKinds(256 << 10); len(got) != 1 {
		t.Errorf("256 KiB on %v", got)
	}
	thp := machine.This().THP
	if got := (Config{}).pageKinds(16 << 20); (len(got) == 2) != (thp == "always" || thp == "madvise") {
		t.Errorf("transparent huge pages %q: %v", thp, got)
	}
}

func TestPagesPlan(t *testing.T) {
	units, err := planPages(Config{Profile: "quick", Specs: registry.Defaults()})
	if err != nil || len(units) > 1 || len(bothKinds()) == 2 && len(units) != 1 {
		t.Fatalf("%d units, %v", len(units), err)
	}
	for _, text := range []string{"set", "naive", "peer-blobloom", "peer-xor8"} {
		if units, err := planPages(Config{Profile: "quick", Specs: []filters.Spec{registry.Must(text)}}); err != nil || len(units) > 0 {
			t.Errorf("%s has %d units, %v", text, len(units), err)
		}
	}
}

// Each experiment judges its own records, and the limits of each kind of pages by
// themselves.
func TestGateLimits(t *testing.T) {
	cell := func(name string, x float64) results.Record {
		return record(name, axes("filter", "f", "size", "16MiB"), "ns/op", 5., "x-limit", x)
	}
	limit := func(kind, pages string, ns float64) results.Record {
		return record("Limit", axes("kind", kind, "size", "16MiB", "pages", pages), "ns/op", ns)
	}
	for _, tt := range []struct {
		name    string
		gate    func([]results.Record) error
		records []results.Record
		want    string // in the error; "" for none
	}{
		{"kernels, plausible", Kernels.Gate, []results.Record{cell("Kernel", 1.02), cell("Kernel", .95)}, ""},
		{"kernels, too fast", Kernels.Gate, []results.Record{cell("Kernel", .8)}, "Kernel/filter=f"},
		{"pages, too fast", Pages.Gate, []results.Record{cell("Pages", .8)}, "Pages/filter=f"},
		{"small pages slow, huge ones fast", Kernels.Gate, []results.Record{
			limit(kindLineRead, "huge", 5), limit(kindLoop, "huge", 1), limit(kindLineRead, "small", 20), limit(kindLoop, "small", 6)}, ""},
		{"a limit that reads nothing", Kernels.Gate, []results.Record{
			limit(kindLineRead, "huge", 5), limit(kindLoop, "huge", 1), limit(kindLineRead, "small", 2), limit(kindLoop, "small", 6)}, "small pages"},
	} {
		err := tt.gate(tt.records)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}
