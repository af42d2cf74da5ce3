// Package experiments measures and never draws. Each experiment asks one
// question, plans its units, and emits records as the units run.
package experiments

import (
	"context"
	"time"

	"filterbench/filters"
	"filterbench/filters/memory"
	"filterbench/results"
	"filterbench/workloads"
)

// Experiment asks one question of the filters.
type Experiment struct {
	Name     string // names its results file
	Question string
	// Plan lists the units to run. It allocates nothing, so that a plan can
	// be printed and checked against time and memory before any work.
	Plan func(c Config) ([]Unit, error)
	// Gate, if set, judges all records of the run after they are saved: an
	// error fails the run.
	Gate func(records []results.Record) error
}

// Unit is the unit of sharding and resuming: a counting cell, or a timing
// group.
type Unit struct {
	// ID is stable: the same configuration gives the same IDs.
	ID string
	// Alone units run with nothing beside them, since they time or weigh the
	// process; the others, which count, share the CPUs.
	Alone bool
	// Cost is the time of one core the unit is expected to take on the
	// reference machine.
	Cost time.Duration
	// Bytes is the memory it needs at once.
	Bytes uint64
	// Steps is how many times Run emits: 1 for a counting cell, the number of
	// rounds for a timing group.
	Steps int
	// Run measures, from the given step on, and calls emit once for each
	// step. It returns the context's error soon after that is cancelled.
	Run func(ctx context.Context, from int, emit Emit) error
}

// Emit hands over the records of one step; once it returns they are safe on
// disk. A timing group's records repeat from step to step.
type Emit func(step int, records []results.Record) error

// Config is what the user chose.
type Config struct {
	Profile string // "quick", "full", or "ab": one process of runbench ab
	Seed    uint64
	Specs   []filters.Spec // what is measured
	// Pages is what large filters stand on where an experiment does not compare
	// both kinds; the caller has told package memory, too.
	Pages memory.Pages
	// File is the user's own key list, the workload "file"; nil for none.
	File *workloads.File
}

// Full reports whether the full profile was chosen.
func (c Config) Full() bool { return c.Profile == "full" }
