package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"filterbench/results"
)

// Run does what the journal lacks of the plan: the counting units first, as
// many at a time as there are workers, then the timing units one by one with
// nothing beside them. progress is told the expected time of what has been
// done, also of what the journal held already.
//
// It stops at the first error, or soon after the context is cancelled; what
// was measured is in the journal then.
func (p *Plan) Run(ctx context.Context, j *results.Journal, progress func(done time.Duration)) error {
	r := &runner{plan: p, journal: j, progress: progress, workers: Workers()}
	counting, timing := r.jobs()
	if err := r.together(ctx, counting); err != nil {
		return err
	}
	for _, job := range timing {
		if err := r.do(ctx, job); err != nil {
			return err
		}
	}
	return nil
}

type runner struct {
	plan    *Plan
	journal *results.Journal
	workers int

	mu       sync.Mutex
	progress func(time.Duration)
}

// job is a unit of an experiment that is not finished.
type job struct {
	experiment string
	unit       Unit
	from       int // the first step to do
}

// jobs lists what is left to do, the costliest counting units first, so that
// no worker is left with a long one at the end.
func (r *runner) jobs() (counting, timing []job) {
	for _, part := range r.plan.Parts {
		for _, u := range part.Units {
			j := job{part.Experiment.Name, u, r.journal.Next(part.Experiment.Name, u.ID)}
			r.step(u, j.from)
			switch {
			case j.from >= u.Steps:
			case u.Alone:
				timing = append(timing, j)
			default:
				counting = append(counting, j)
			}
		}
	}
	slices.SortStableFunc(counting, func(a, b job) int { return int(b.unit.Cost - a.unit.Cost) })
	return counting, timing
}

// together runs jobs on all workers and returns the first error.
func (r *runner) together(ctx context.Context, jobs []job) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan job, len(jobs))
	for _, j := range jobs {
		queue <- j
	}
	close(queue)
	var wg sync.WaitGroup
	for range r.workers {
		wg.Go(func() {
			for j := range queue {
				if ctx.Err() != nil {
					return
				}
				if err := r.do(ctx, j); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// do runs one unit from the step it has to do next.
func (r *runner) do(ctx context.Context, j job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	next := j.from
	err := j.unit.Run(ctx, j.from, func(step int, records []results.Record) error {
		err := r.journal.Append(results.Entry{Experiment: j.experiment, Unit: j.unit.ID, Step: step, Records: records})
		if err == nil {
			next++
			r.step(j.unit, 1)
		}
		return err
	})
	if err == nil && next != j.unit.Steps {
		err = fmt.Errorf("did %d of %d steps", next, j.unit.Steps)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		err = fmt.Errorf("%s: %w", j.unit.ID, err)
	}
	return err
}

// step tells the progress of some of a unit's steps.
func (r *runner) step(u Unit, steps int) {
	if steps == 0 || r.progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress(u.wall(r.workers) * time.Duration(steps) / time.Duration(u.Steps))
}

// Saved is what became of a run's results files.
type Saved struct {
	Written []string // paths of the files written
	Kept    []string // paths of files that hold more than this run could put there
	Missing int      // planned units that were not finished
}

// Save writes the results file of every experiment from the journal, in the
// plan's order. An experiment that is not complete says so in its
// configuration, and takes the place of no file that is complete or has more
// units: the journal still has what was measured.
func (p *Plan) Save(j *results.Journal, dir string, config []results.ConfigLine) (saved Saved, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil { // it may have been deleted during the run
		return saved, err
	}
	for _, part := range p.Parts {
		done := part.done(j)
		saved.Missing += len(part.Units) - done
		if done == 0 {
			continue
		}
		path := filepath.Join(dir, part.Experiment.Name+".txt")
		file := results.File{Experiment: part.Experiment.Name, Config: slices.Clone(config)}
		if done < len(part.Units) {
			if holdsMore(path, done) {
				saved.Kept = append(saved.Kept, path)
				continue
			}
			file.Config = append(file.Config, results.ConfigLine{Key: "incomplete", Value: fmt.Sprintf(incomplete, done, len(part.Units))})
		}
		if file.Records, err = j.Records(part.Experiment.Name, part.IDs()); err != nil {
			return saved, err
		}
		if err := results.WriteFile(path, file); err != nil {
			return saved, err
		}
		saved.Written = append(saved.Written, path)
	}
	return saved, nil
}

// incomplete is the value of the configuration line of that name.
const incomplete = "%d of %d units"

// holdsMore reports whether the file at path holds more than the given number
// of units. One that cannot be read might.
func holdsMore(path string, done int) bool {
	f, err := results.ReadFile(path)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	var units, all int
	if _, err := fmt.Sscanf(f.Get("incomplete"), incomplete, &units, &all); err != nil {
		return true // it is complete
	}
	return units > done
}

// done counts the units that are finished.
func (p Part) done(j *results.Journal) (n int) {
	for _, u := range p.Units {
		if j.Next(p.Experiment.Name, u.ID) >= u.Steps {
			n++
		}
	}
	return n
}

// Left counts the units that the journal lacks, and the time that they are
// expected to take.
func (p *Plan) Left(j *results.Journal) (units int, t time.Duration) {
	workers := Workers()
	for _, part := range p.Parts {
		for _, u := range part.Units {
			if left := u.Steps - j.Next(part.Experiment.Name, u.ID); left > 0 {
				units++
				t += u.wall(workers) * time.Duration(left) / time.Duration(u.Steps)
			}
		}
	}
	return units, t
}

// Gate lets every experiment judge its own records, after they are saved.
func (p *Plan) Gate(j *results.Journal) error {
	var errs []error
	for _, part := range p.Parts {
		if part.Experiment.Gate == nil {
			continue
		}
		records, err := j.Records(part.Experiment.Name, part.IDs())
		if err == nil {
			err = part.Experiment.Gate(records)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("experiment %s: %w", part.Experiment.Name, err))
		}
	}
	return errors.Join(errs...)
}
