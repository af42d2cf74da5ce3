package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"filterbench/experiments"
	"filterbench/experiments/counters"
	"filterbench/filters"
	"filterbench/filters/machine"
	"filterbench/filters/memory"
	"filterbench/filters/registry"
	"filterbench/filters/simd"
	"filterbench/report/table"
	"filterbench/results"
	"filterbench/workloads"
)

const defaultDir = "results/local"

type runFlags struct {
	out, names            string
	keysFile, queriesFile string
	profile, pages        choiceFlag
	cache                 string
	seed                  seedFlag
	shard                 shardFlag
	resume, dryRun        bool
}

func newRun() *cobra.Command {
	f := runFlags{
		profile: choiceFlag{"quick", []string{"quick", "full", "ab"}},
		pages:   choiceFlag{"auto", []string{"auto", "huge", "small"}},
		seed:    1,
	}
	cmd := &cobra.Command{
		Use:   "run [experiment...]",
		Short: "Measure: all experiments, or the ones named",
		Long: `Measure, and write one results file for each experiment. Counting experiments
use all CPUs; timings run alone on one. Ctrl-C keeps what was measured, and
--resume goes on from there.`,
		Example: `  runbench run                                      everything, quick profile (2 minutes)
  runbench run fpr --filters bloom,blocked          one experiment, two filters
  runbench run --profile full --out results/mine    everything, thoroughly
  runbench run --keys-file urls.txt                 also over keys of your own
  runbench run --dry-run                            the plan, and how long it takes
  runbench run --resume                             go on after Ctrl-C`,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range []string{"out", "filters", "keys-file", "queries-file", "cache"} {
				if flag := cmd.Flag(name); flag.Changed && flag.Value.String() == "" {
					return fmt.Errorf("--%s is empty; leave it out for the default", name)
				}
			}
			return f.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", defaultDir, "folder for the results")
	flags.Var(&f.profile, "profile", "how thorough: quick (2 minutes), full (40), or ab (what runbench ab runs)")
	flags.StringVar(&f.names, "filters", "", "filters to measure, as in \"bloom:k=6,blocked\" (default: see list)")
	flags.Var(&f.seed, "seed", "seed of all keys and hashes: equal seeds count equal numbers")
	flags.StringVar(&f.keysFile, "keys-file", "", "a list of real keys, one a line, measured besides the generated ones")
	flags.StringVar(&f.queriesFile, "queries-file", "", "absent keys for --keys-file (default: half of that file)")
	flags.Var(&f.pages, "pages", "what large filters stand on: auto is huge pages where the system has them")
	flags.StringVar(&f.cache, "cache", "", "sizes of caches that the system does not tell, as in \"l2=1MiB,l3=32MiB\" (see cpu)")
	flags.Var(&f.shard, "shard", "do part i of N of the plan, for merge to join (default: as an array job's scheduler says, else all)")
	flags.BoolVar(&f.resume, "resume", false, "go on with the run that was interrupted in --out")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the plan and measure nothing")
	return cmd
}

// config checks what the user chose, before any work.
func (f *runFlags) config(ctx context.Context, log io.Writer) (experiments.Config, error) {
	c := experiments.Config{Profile: f.profile.value, Seed: uint64(f.seed), Specs: registry.Defaults()}
	if err := f.machine(&c); err != nil {
		return c, err
	}
	var err error
	if f.names != "" {
		if c.Specs, err = registry.ParseList(f.names); err != nil {
			return c, fmt.Errorf("--filters: %w", err)
		}
		for _, s := range c.Specs {
			if err := simd.Check(s); err != nil {
				return c, fmt.Errorf("--filters: %w", err)
			}
		}
	}
	if f.queriesFile != "" && f.keysFile == "" {
		return c, errors.New("--queries-file goes with --keys-file")
	}
	if f.keysFile != "" {
		if c.File, err = f.readKeys(ctx); err != nil {
			return c, err
		}
		present, absent := c.File.Limits()
		fmt.Fprintf(log, "%s: %s; %d keys to add, %d absent ones to ask for\n", plainName(f.keysFile), c.File.Stats(), present, absent)
	}
	return c, nil
}

// machine tells the packages that ask for it what the user says of the machine.
func (f *runFlags) machine(c *experiments.Config) error {
	if f.cache != "" {
		if err := machine.Assume(f.cache); err != nil {
			return fmt.Errorf("--cache: %w", err)
		}
	}
	c.Pages = map[string]memory.Pages{"huge": memory.PagesHuge, "small": memory.PagesSmall}[f.pages.value]
	if err := memory.Offers(c.Pages); err != nil {
		return fmt.Errorf("--pages %s: %w", c.Pages, err)
	}
	memory.SetPages(c.Pages)
	return nil
}

// readKeys reads the key files. A pipe may keep it waiting: it ends with the
// context, and leaves the reading to end with the program.
func (f *runFlags) readKeys(ctx context.Context) (*workloads.File, error) {
	var file *workloads.File
	read := make(chan error, 1)
	go func() {
		var err error
		file, err = workloads.OpenFile(f.keysFile, f.queriesFile, uint64(f.seed))
		read <- err
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case err := <-read:
		var which *workloads.FileError
		if errors.As(err, &which) {
			return nil, fmt.Errorf("--%s-file: %w", which.List, which.Err)
		}
		return file, err
	}
}

func (f *runFlags) run(ctx context.Context, names []string, out, log io.Writer) error {
	exps, err := experiments.Select(names)
	if err != nil {
		return err
	}
	c, err := f.config(ctx, log)
	if err != nil {
		return err
	}
	plan, err := experiments.NewPlan(c, exps)
	if err != nil {
		return err
	}
	plan, whole, err := f.part(plan, log)
	if err != nil {
		return err
	}
	if f.dryRun {
		return printPlan(out, plan)
	}
	if err := plan.CheckMemory(); err != nil {
		return err
	}
	if err := os.MkdirAll(f.out, 0o777); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	lock, err := results.Lock(f.out)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	defer lock.Close()
	return f.measure(ctx, plan, whole, out, log)
}

// measure runs the plan with a journal, and saves what came of it in any case.
// whole are all units of the run where this is a shard of it, else nil.
func (f *runFlags) measure(ctx context.Context, plan *experiments.Plan, whole []results.PlannedUnit, out, log io.Writer) error {
	config := f.provenance(plan)
	// The journal of other experiments is of another run: it would be taken for
	// finished, and removed, with the ones that this run has.
	chosen := results.ConfigLine{Key: "experiments", Value: plan.Names()}
	identity := results.Identity(config, chosen)
	if whole != nil {
		identity = append(identity, results.ConfigLine{Key: "shard", Value: f.shard.String()})
	}
	journal, err := f.openJournal(identity, log)
	if err != nil {
		return err
	}
	defer journal.Close()
	if whole != nil {
		p := results.Part{Shard: f.shard.i, Of: f.shard.n, Run: identity, Config: config, Units: whole}
		if err := results.WritePart(f.out, p); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}

	bar := newProgress(log, plan, journal)
	runErr := plan.Run(ctx, journal, bar.add)
	bar.done()
	if whole != nil {
		return f.keepPart(plan, journal, runErr, out)
	}
	return f.finish(plan, journal, config, runErr, out, log)
}

// provenance describes the run and the machine.
func (f *runFlags) provenance(plan *experiments.Plan) []results.ConfigLine {
	config := results.Collect(results.Run{
		Profile: plan.Config.Profile, Seed: plan.Config.Seed, Start: time.Now(),
		Pages: pages(machine.This(), plan.Config.Pages), SIMD: simd.Kernel(), PerfCounters: counters.Describe(),
	})
	add := func(key, value string) {
		if value != "" {
			config = append(config, results.ConfigLine{Key: key, Value: value})
		}
	}
	if asked := plan.Config.Pages; asked != memory.PagesAuto {
		add("pages-asked", asked.String())
	}
	add("filters", specList(plan.Config.Specs))
	if f.keysFile != "" {
		keys, queries := plan.Config.File.Sums() // a run over other lists is another run
		add("keys-file", plainName(f.keysFile))
		add("keys-file-sha256", keys)
		if f.queriesFile != "" {
			add("queries-file", plainName(f.queriesFile))
			add("queries-file-sha256", queries)
		}
	}
	return config
}

// pages is what the memory of large filters consists of: what was asked for, or
// huge pages where the system gives them to who asks.
func pages(m machine.Info, asked memory.Pages) string {
	switch {
	case asked != memory.PagesAuto:
		return asked.String()
	case m.OS != "linux":
		return "heap"
	case m.THP == "always" || m.THP == "madvise":
		return "huge"
	}
	return "small"
}

func specList(specs []filters.Spec) string {
	text := ""
	for i, s := range specs {
		if i > 0 {
			text += " "
		}
		text += s.String()
	}
	return text
}

func printPlan(w io.Writer, plan *experiments.Plan) error {
	workers := experiments.Workers()
	t := table.Table{Columns: table.Heads("experiment", "#units", "#seconds", "question")}
	for _, part := range plan.Parts {
		t.Rows = append(t.Rows, []string{part.Experiment.Name, fmt.Sprint(len(part.Units)),
			fmt.Sprintf("%.0f", part.Time(workers).Seconds()), part.Experiment.Question})
	}
	if _, err := io.WriteString(w, t.Text()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nprofile %s, seed %d, %d counting units at a time: about %.0f s, %s at once\n",
		plan.Config.Profile, plan.Config.Seed, workers, plan.Time(workers).Seconds(), machine.FormatBytes(plan.Bytes(workers)))
	return err
}
