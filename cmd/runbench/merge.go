package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"filterbench/experiments"
	"filterbench/results"
)

func newMerge() *cobra.Command {
	dir := defaultDir
	cmd := &cobra.Command{
		Use:   "merge PART...",
		Short: "Join the parts that run --shard measured into one results folder",
		Long: `Join the parts that run --shard measured, on one machine or many, into one
results folder. What was counted is byte for byte what one machine would have
written. Refused are parts of different runs (seed, profile, filters, program), a
shard or a unit that is missing, and times of different CPUs. Of two parts of one
shard the newer counts.`,
		Example: `  runbench merge parts/1 parts/2 parts/3 --out results/merged`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("merge takes the folders of the parts")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return merge(args, dir, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&dir, "out", dir, "folder for the results")
	return cmd
}

func merge(dirs []string, out string, stdout, log io.Writer) error {
	parts := make([]results.Part, len(dirs))
	for i, dir := range dirs {
		var err error
		if parts[i], err = results.ReadPart(dir); err != nil {
			return err
		}
	}
	files, notes, err := results.Merge(parts)
	if err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintln(log, note)
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	lock, err := results.Lock(out)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	defer lock.Close()
	var gates []error
	for _, f := range files {
		path := filepath.Join(out, f.Experiment+".txt")
		if err := results.WriteFile(path, f); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		fmt.Fprintln(stdout, "wrote", plainName(path))
		gates = append(gates, experiments.Judge(f))
	}
	if err := errors.Join(gates...); err != nil {
		return fmt.Errorf("the results are saved, but not all of them can be right: %w", err)
	}
	return nil
}
