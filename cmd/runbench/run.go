package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"filterbench/experiments"
	"filterbench/filters"
	"filterbench/filters/machine"
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
	profile               choiceFlag
	seed                  uint64
	resume, dryRun        bool
}

func newRun() *cobra.Command {
	f := runFlags{profile: choiceFlag{"quick", []string{"quick", "full"}}}
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
			return f.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.out, "out", defaultDir, "folder for the results")
	flags.Var(&f.profile, "profile", "how thorough: quick (2 minutes) or full (40)")
	flags.StringVar(&f.names, "filters", "", "filters to measure, as in \"bloom:k=6,blocked\" (default: see list)")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of all keys and hashes: equal seeds count equal numbers")
	flags.StringVar(&f.keysFile, "keys-file", "", "a list of real keys, one a line, measured besides the generated ones")
	flags.StringVar(&f.queriesFile, "queries-file", "", "absent keys for --keys-file (default: half of that file)")
	flags.BoolVar(&f.resume, "resume", false, "go on with the run that was interrupted in --out")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the plan and measure nothing")
	return cmd
}

// config checks what the user chose, before any work.
func (f *runFlags) config(log io.Writer) (experiments.Config, error) {
	c := experiments.Config{Profile: f.profile.value, Seed: f.seed, Specs: registry.Defaults()}
	var err error
	if f.names != "" {
		if c.Specs, err = registry.ParseList(f.names); err != nil {
			return c, fmt.Errorf("--filters: %w", err)
		}
	}
	if f.queriesFile != "" && f.keysFile == "" {
		return c, errors.New("--queries-file goes with --keys-file")
	}
	if f.keysFile != "" {
		if c.File, err = workloads.OpenFile(f.keysFile, f.queriesFile, f.seed); err != nil {
			return c, fmt.Errorf("--keys-file: %w", err)
		}
		present, absent := c.File.Limits()
		fmt.Fprintf(log, "%s: %s; %d keys to add, %d absent ones to ask for\n", f.keysFile, c.File.Stats(), present, absent)
	}
	return c, nil
}

func (f *runFlags) run(ctx context.Context, names []string, out, log io.Writer) error {
	exps, err := experiments.Select(names)
	if err != nil {
		return err
	}
	c, err := f.config(log)
	if err != nil {
		return err
	}
	plan, err := experiments.NewPlan(c, exps)
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
	return f.measure(ctx, plan, out, log)
}

// measure runs the plan with a journal, and saves what came of it in any case.
func (f *runFlags) measure(ctx context.Context, plan *experiments.Plan, out, log io.Writer) error {
	config := f.provenance(plan)
	journal, err := f.openJournal(results.Identity(config), log)
	if err != nil {
		return err
	}
	defer journal.Close()

	bar := newProgress(log, plan.Time(experiments.Workers()))
	runErr := plan.Run(ctx, journal, bar.add)
	bar.done()
	paths, err := plan.Save(journal, f.out, config)
	for _, path := range paths {
		fmt.Fprintln(out, "wrote", path)
	}
	switch {
	case errors.Is(runErr, context.Canceled):
		return exitError{130, errors.Join(fmt.Errorf("interrupted; what was measured is kept in %s; the same command with --resume goes on", f.out), err)}
	case runErr != nil || err != nil:
		return errors.Join(runErr, err)
	}
	gate := plan.Gate(journal)
	if err := os.Remove(f.journalPath()); err != nil {
		return err
	}
	if gate != nil {
		return fmt.Errorf("the results are saved, but not all of them can be right: %w", gate)
	}
	return nil
}

func (f *runFlags) journalPath() string { return filepath.Join(f.out, "journal.jsonl") }

// openJournal begins a journal, or goes on with the one of an interrupted run.
// One that is there and not wanted is put aside, not lost.
func (f *runFlags) openJournal(identity []results.ConfigLine, log io.Writer) (*results.Journal, error) {
	path := f.journalPath()
	if f.resume {
		j, err := results.Resume(path, identity)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("--resume: there is no interrupted run in %s", f.out)
		}
		if err != nil {
			return nil, fmt.Errorf("--resume: %w", err)
		}
		return j, nil
	}
	if _, err := os.Stat(path); err == nil {
		if err := os.Rename(path, path+".old"); err != nil {
			return nil, err
		}
		fmt.Fprintf(log, "an interrupted run was in %s (--resume would have gone on with it); its journal is now journal.jsonl.old\n", f.out)
	}
	j, err := results.Create(path, identity)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	return j, nil
}

// provenance describes the run and the machine.
func (f *runFlags) provenance(plan *experiments.Plan) []results.ConfigLine {
	config := results.Collect(results.Run{
		Profile: plan.Config.Profile, Seed: plan.Config.Seed, Start: time.Now(),
		Pages: machine.This().THP, SIMD: simd.Kernel(),
	})
	add := func(key, value string) {
		if value != "" {
			config = append(config, results.ConfigLine{Key: key, Value: value})
		}
	}
	add("filters", specList(plan.Config.Specs))
	addFile := func(key, path string) {
		if path != "" {
			add(key, strings.Join(strings.Fields(path), " "))
			add(key+"-sha256", fileHash(path))
		}
	}
	addFile("keys-file", f.keysFile)
	addFile("queries-file", f.queriesFile)
	return config
}

// fileHash identifies a file's content; a run over another list is another run.
func fileHash(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
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
