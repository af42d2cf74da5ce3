package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"filterbench/experiments"
	"filterbench/results"
)

// shardFlag is which part of the plan this machine does, i of n from 1; n is 0
// where nothing was said.
type shardFlag struct{ i, n int }

func (s *shardFlag) String() string {
	if s.n == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.i, s.n)
}
func (s *shardFlag) Type() string { return "i/N" }

func (s *shardFlag) Set(text string) error {
	first, second, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	if !ok || err1 != nil || err2 != nil || i < 1 || i > n || n > results.MaxShards {
		return fmt.Errorf("not a shard; allowed: i/N with i from 1 to N, such as 2/8, and N up to %d", results.MaxShards)
	}
	s.i, s.n = i, n
	return nil
}

// countVariable says how many shards there are where the scheduler itself does
// not, as Kubernetes.
const countVariable = "FILTERBENCH_SHARDS"

// scheduledShard is the shard that a scheduler's array job asks for through the
// environment, and the variable that told; n is 0 where there is none.
func scheduledShard(env func(string) string) (s shardFlag, from string, err error) {
	for _, scheduler := range []struct {
		index, count string
		first        string // variable of the lowest index; "" is 0
		step         string // variable of the step between indexes; "" is 1
	}{
		{index: "SLURM_ARRAY_TASK_ID", count: "SLURM_ARRAY_TASK_COUNT", first: "SLURM_ARRAY_TASK_MIN", step: "SLURM_ARRAY_TASK_STEP"},
		{index: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE"},
		{index: "JOB_COMPLETION_INDEX", count: countVariable},
	} {
		text := env(scheduler.index)
		if text == "" {
			continue
		}
		count := env(scheduler.count)
		if count == "" {
			return s, "", fmt.Errorf("%s=%s in the environment says which shard this is, but not of how many: set %s, or --shard (--shard 1/1 does everything)",
				scheduler.index, text, scheduler.count)
		}
		index, err := strconv.Atoi(text)
		n, err2 := strconv.Atoi(count)
		first, err3 := numberOr(env(scheduler.first), 0)
		step, err4 := numberOr(env(scheduler.step), 1)
		if err := errors.Join(err, err2, err3, err4); err != nil {
			return s, "", fmt.Errorf("%s=%s and %s=%s in the environment are no shard; --shard 1/1 does everything", scheduler.index, text, scheduler.count, count)
		}
		if err := s.Set(fmt.Sprintf("%d/%d", (index-first)/max(1, step)+1, n)); err != nil {
			return s, "", fmt.Errorf("%s=%s and %s=%s in the environment: %w", scheduler.index, text, scheduler.count, count, err)
		}
		return s, scheduler.index, nil
	}
	return s, "", nil
}

// numberOr is the number in a variable, or what stands where it is unset.
func numberOr(text string, otherwise int) (int, error) {
	if text == "" {
		return otherwise, nil
	}
	return strconv.Atoi(text)
}

// part divides the plan, if this is a shard of it, and returns what this machine
// does of it, with all units of the whole run; nil where it is not divided.
func (f *runFlags) part(plan *experiments.Plan, log io.Writer) (*experiments.Plan, []results.PlannedUnit, error) {
	if f.shard.n == 0 {
		s, from, err := scheduledShard(os.Getenv)
		if err != nil {
			return nil, nil, err
		}
		if s.n > 1 {
			fmt.Fprintf(log, "shard %d of %d, as %s says\n", s.i, s.n, from)
		}
		f.shard = s
	}
	if f.shard.n <= 1 {
		return plan, nil, nil
	}
	units := plan.Shards(f.shard.n)
	mine := plan.Only(units, f.shard.i)
	if mine.Units() == 0 {
		fmt.Fprintf(log, "nothing to do for shard %d of %d: the plan has %d units\n", f.shard.i, f.shard.n, len(units))
	}
	return mine, units, nil
}

// keepPart ends the run of a shard: its journal stays, for merge.
func (f *runFlags) keepPart(plan *experiments.Plan, journal *results.Journal, runErr error, out io.Writer) error {
	if runErr != nil {
		return f.stopped(journal, runErr, nil)
	}
	units, _ := plan.Left(journal)
	if units > 0 {
		return f.stopped(journal, fmt.Errorf("%d planned units were not measured", units), nil)
	}
	_, err := fmt.Fprintf(out, "shard %d of %d is in %s; once all are there, runbench merge joins them\n", f.shard.i, f.shard.n, plainName(f.out))
	return err
}
