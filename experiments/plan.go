package experiments

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"filterbench/filters/memory"
)

// All are the experiments, in the order in which they run and are reported.
var All = []Experiment{
	Textbook,
	FPR,
	Space,
	Overload,
	Memory,
	Ladder,
	Lookup,
	Kernels,
	Pages,
	HitMix,
	Latency,
	Threads,
	Insert,
	Delete,
	Hash,
	Steps,
	Touch,
	Scan,
	Crawl,
	LSM,
	Pebble,
	HashOnce,
	FrontCoding,
}

// Select returns the named experiments, all of them for no name.
func Select(names []string) ([]Experiment, error) {
	if len(names) == 0 {
		return All, nil
	}
	var out []Experiment
	for _, e := range All {
		if slices.Contains(names, e.Name) {
			out = append(out, e)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(All, func(e Experiment) bool { return e.Name == name }) {
			return nil, fmt.Errorf("unknown experiment %q; there are: %s", name, strings.Join(Names(), ", "))
		}
	}
	return out, nil
}

// Names lists the experiments.
func Names() []string {
	names := make([]string, len(All))
	for i, e := range All {
		names[i] = e.Name
	}
	return names
}

// Plan is everything that a run will do, with nothing done yet.
type Plan struct {
	Config Config
	Parts  []Part
}

// Part is one experiment's share of a plan.
type Part struct {
	Experiment Experiment
	Units      []Unit
}

// NewPlan plans the experiments. An error names what cannot be planned.
func NewPlan(c Config, exps []Experiment) (*Plan, error) {
	p := &Plan{Config: c}
	for _, e := range exps {
		units, err := e.Plan(c)
		if err != nil {
			return nil, fmt.Errorf("experiment %s: %w", e.Name, err)
		}
		p.Parts = append(p.Parts, Part{e, units})
	}
	return p, nil
}

// Names lists the plan's experiments, separated by blanks.
func (p *Plan) Names() string {
	var names []string
	for _, part := range p.Parts {
		names = append(names, part.Experiment.Name)
	}
	return strings.Join(names, " ")
}

// Units is how many units the plan has.
func (p *Plan) Units() (n int) {
	for _, part := range p.Parts {
		n += len(part.Units)
	}
	return n
}

// IDs are the units' names, in the order in which results list them.
func (p Part) IDs() []string {
	ids := make([]string, len(p.Units))
	for i, u := range p.Units {
		ids[i] = u.ID
	}
	return ids
}

// Time is how long the part is expected to take with the given number of
// workers for its counting units.
func (p Part) Time(workers int) time.Duration {
	var t time.Duration
	for _, u := range p.Units {
		t += u.wall(workers)
	}
	return t
}

// wall is a unit's share of the run's time.
func (u Unit) wall(workers int) time.Duration {
	if u.Alone {
		return u.Cost
	}
	return u.Cost / time.Duration(workers)
}

// Time is how long the run is expected to take.
func (p *Plan) Time(workers int) time.Duration {
	var t time.Duration
	for _, part := range p.Parts {
		t += part.Time(workers)
	}
	return t
}

// Bytes is the memory that the plan needs at once, with the given number of
// counting units at work together.
func (p *Plan) Bytes(workers int) uint64 {
	var alone uint64
	var together []uint64
	for _, part := range p.Parts {
		for _, u := range part.Units {
			if u.Alone {
				alone = max(alone, u.Bytes)
			} else {
				together = append(together, u.Bytes)
			}
		}
	}
	slices.Sort(together)
	slices.Reverse(together)
	var sum uint64
	for _, b := range together[:min(workers, len(together))] {
		sum += b
	}
	return max(alone, sum)
}

// Workers is how many counting units run at a time.
func Workers() int { return runtime.GOMAXPROCS(0) }

// CheckMemory refuses a plan that would not fit in this machine's memory.
func (p *Plan) CheckMemory() error {
	if err := memory.Check(p.Bytes(Workers())); err != nil {
		return fmt.Errorf("profile %s: %w", p.Config.Profile, err)
	}
	return nil
}
