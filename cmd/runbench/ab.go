package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"filterbench/filters/registry"
	"filterbench/report/compare"
	"filterbench/results"
)

type abFlags struct {
	rounds    int
	filters   string
	out       string
	seed      seedFlag
	threshold thresholdFlag
	form      choiceFlag
}

// leastRounds of alternation: fewer cannot show much, however the times differ.
const leastRounds = 10

func newAB() *cobra.Command {
	f := abFlags{seed: 1, threshold: 0.05, form: choiceFlag{"text", compare.Formats}}
	cmd := &cobra.Command{
		Use:   "ab OLD NEW",
		Short: "Compare two builds of runbench on this machine: the one gate for times",
		Long: `Compare two builds of runbench on this machine: both run in turns, old new new
old and so on, at least ten times each, and each process gives one sample of every
cell, its median. Drift of the machine then hits both alike, and what differs
between processes is not taken for a difference between the builds. The samples
become two results folders, which are judged as by compare.

Exit status: as compare's; 2 also if a build cannot be run.`,
		Example: `  runbench ab bin/old bin/runbench
  runbench ab bin/old bin/runbench --filters cuckoo,quotient --rounds 20`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return exitError{compare.NotComparable, fmt.Errorf("ab takes two programs, the old build and the new one; got %d", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.rounds < leastRounds {
				return exitError{compare.NotComparable, fmt.Errorf("--rounds is %d; allowed: %d or more", f.rounds, leastRounds)}
			}
			if _, err := registry.ParseList(f.filters); err != nil {
				return exitError{compare.NotComparable, fmt.Errorf("--filters: %w", err)}
			}
			return f.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.rounds, "rounds", leastRounds, "times that each build is run")
	flags.StringVar(&f.filters, "filters", "bloom,blocked,cuckoo", "filters to time")
	flags.StringVar(&f.out, "out", "results/ab", "folder for the two results folders, old and new")
	flags.Var(&f.seed, "seed", "seed of all keys and hashes")
	flags.Var(&f.threshold, "threshold", "least change of a time that counts, such as 5%")
	flags.Var(&f.form, "format", "how to print it: text, md, csv or json")
	return usageIsNoRegression(cmd)
}

var abNames = [2]string{"old", "new"}

func (f *abFlags) run(ctx context.Context, programs []string, out, log io.Writer) error {
	temp, err := os.MkdirTemp("", "runbench-ab-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	// Made first, since after all rounds it is late to learn that it cannot be.
	dirs := [2]string{}
	for i, name := range abNames {
		dirs[i] = filepath.Join(f.out, name)
		if err := os.MkdirAll(dirs[i], 0o777); err != nil {
			return exitError{compare.NotComparable, fmt.Errorf("--out: %w", err)}
		}
	}
	defer func() { // what is still empty, after an error
		for _, dir := range append(dirs[:], f.out) {
			os.Remove(dir)
		}
	}()
	var files [2]results.File
	for round := range f.rounds {
		order := [2]int{0, 1}
		if round%2 == 1 {
			order = [2]int{1, 0}
		}
		for _, which := range order {
			if err := f.sample(ctx, programs[which], temp, &files[which]); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return exitError{compare.NotComparable, fmt.Errorf("%s: %w", programs[which], err)}
			}
		}
		fmt.Fprintf(log, "round %d of %d\n", round+1, f.rounds)
	}
	for i, file := range files {
		if err := results.WriteFile(filepath.Join(dirs[i], "lookup.txt"), file); err != nil {
			return exitError{compare.NotComparable, fmt.Errorf("--out: %w", err)}
		}
	}
	return printComparison(out, dirs[:], float64(f.threshold), f.form.value, "")
}

// sample runs a build once and adds its medians to the file.
func (f *abFlags) sample(ctx context.Context, program, temp string, file *results.File) error {
	path, err := exec.LookPath(program)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(temp, "run-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(ctx, path, "run", "lookup", "--profile", "ab",
		"--filters", f.filters, "--seed", strconv.FormatUint(uint64(f.seed), 10), "--out", dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return errors.Join(err, lastLine(stderr.String()))
	}
	set, err := results.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, one := range set.Files {
		if one.Experiment == "lookup" && file.Experiment == "" {
			*file = results.File{Experiment: one.Experiment, Config: one.Config}
		}
	}
	file.Records = append(file.Records, compare.Medians(set, "lookup")...)
	return nil
}

// lastLine is the last line of what a program said, as an error.
func lastLine(text string) error {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return errors.New(last)
	}
	return nil
}
