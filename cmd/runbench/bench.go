package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"filterbench/report"
	"filterbench/results"
)

const benchDir = "results/bench"

func newBench() *cobra.Command {
	return &cobra.Command{
		Use:   "bench [DIR]",
		Short: "Show what batches reach of their targets: multiples of the memory's limit, and of peers",
		Long: `Show what batches reach of their targets, from the kernels experiment of a results
folder (default: ` + benchDir + `, which make bench measures in 4 minutes). Nothing is
measured, and the exit status does not depend on times.`,
		Example: `  make bench
  runbench bench
  runbench run kernels --profile full --out results/mine && runbench bench results/mine`,
		Args: atMostOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := benchDir
			if len(args) > 0 {
				dir = args[0]
			}
			return printTargets(cmd.OutOrStdout(), dir)
		},
	}
}

func printTargets(w io.Writer, dir string) error {
	set, err := results.ReadDir(dir)
	if err != nil {
		return err
	}
	t := report.Targets(set)
	if len(t.Rows) == 0 {
		return fmt.Errorf("no times in %s: `runbench run kernels --profile full --out %s` makes them", filepath.Join(dir, "kernels.txt"), dir)
	}
	for _, warning := range set.Warnings() {
		fmt.Fprintln(w, "warning:", warning)
	}
	if cpu, ok := set.Config("cpu"); ok {
		simd, _ := set.Config("simd")
		fmt.Fprintf(w, "%s, kernels %s\n\n", cpu, orUnknown(simd))
	}
	_, err = fmt.Fprintf(w, "%s\n%s\n", t.Text(), t.Note)
	return err
}
