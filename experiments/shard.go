package experiments

import (
	"fmt"
	"slices"

	"filterbench/results"
)

// Shards divides the plan's units among n machines, so that each has about the
// same to do: the costliest first, each to the shard that has the least. It is a
// function of the plan alone, the same on all of them.
func (p *Plan) Shards(n int) []results.PlannedUnit {
	const workers = 2 // of the reference machine
	var units []results.PlannedUnit
	var costs []int64
	for _, part := range p.Parts {
		for _, u := range part.Units {
			units = append(units, results.PlannedUnit{Experiment: part.Experiment.Name, Unit: u.ID, Steps: u.Steps, Alone: u.Alone})
			costs = append(costs, int64(u.wall(workers)))
		}
	}
	order := make([]int, len(units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(min(1, max(-1, costs[b]-costs[a]))) })
	load := make([]int64, n)
	for _, i := range order {
		least := 0
		for s := range load {
			if load[s] < load[least] {
				least = s
			}
		}
		units[i].Shard = least + 1
		load[least] += costs[i]
	}
	return units
}

// Only is the plan of the units that one shard does.
func (p *Plan) Only(units []results.PlannedUnit, shard int) *Plan {
	mine := map[[2]string]bool{}
	for _, u := range units {
		if u.Shard == shard {
			mine[[2]string{u.Experiment, u.Unit}] = true
		}
	}
	out := &Plan{Config: p.Config}
	for _, part := range p.Parts {
		part.Units = slices.DeleteFunc(slices.Clone(part.Units), func(u Unit) bool {
			return !mine[[2]string{part.Experiment.Name, u.ID}]
		})
		out.Parts = append(out.Parts, part)
	}
	return out
}

// Judge lets the experiment of a results file judge its records, as a run does
// that is not divided.
func Judge(f results.File) error {
	i := slices.IndexFunc(All, func(e Experiment) bool { return e.Name == f.Experiment })
	if i < 0 || All[i].Gate == nil {
		return nil
	}
	if err := All[i].Gate(f.Records); err != nil {
		return fmt.Errorf("experiment %s: %w", f.Experiment, err)
	}
	return nil
}
