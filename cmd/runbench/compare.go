package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"filterbench/report/compare"
)

func newCompare() *cobra.Command {
	form := choiceFlag{"text", compare.Formats}
	threshold := thresholdFlag(0.05)
	out := ""
	cmd := &cobra.Command{
		Use:   "compare DIR DIR...",
		Short: "Compare results folders: commits of one CPU by times, CPUs by shapes",
		Long: `Compare results folders with the first. Counts must be equal on every CPU. On
one CPU times are compared: a change is one if it is significant (Mann-Whitney,
after Benjamini-Hochberg over the table), beyond the noise floor of both runs and
at least the threshold. Between CPUs no time is called better or worse: multiples
of each machine's memory limit, ranks and speed-ups over bloom are shown.

Exit status: 0 if no regression was seen, 1 if a time regressed or a count
differs, 2 if the folders cannot be compared or the command is called wrongly.`,
		Example: `  runbench compare results/old results/new
  runbench compare results/intel-xeon-f6m207s2-quick results/local --format md
  runbench compare results/old results/new --threshold 10%`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return exitError{compare.NotComparable, fmt.Errorf("compare takes two results folders or more; got %d", len(args))}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return printComparison(cmd.OutOrStdout(), args, float64(threshold), form.value, out)
		},
	}
	cmd.Flags().Var(&form, "format", "how to print it: text, md, csv or json")
	cmd.Flags().Var(&threshold, "threshold", "least change of a time that counts, such as 5%")
	cmd.Flags().StringVar(&out, "out", "", "folder for charts of how filters move from machine to machine (default: none)")
	return usageIsNoRegression(cmd)
}

// usageIsNoRegression lets a command whose status 1 is a regression end with another
// where it is called wrongly.
func usageIsNoRegression(cmd *cobra.Command) *cobra.Command {
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return exitError{compare.NotComparable, fmt.Errorf("%s: %w; see %s --help", cmd.Name(), err, cmd.CommandPath())}
	})
	return cmd
}

// printComparison compares results folders with the first, draws the charts of CPUs
// into a folder if one is named, and ends with the comparison's status.
func printComparison(w io.Writer, dirs []string, threshold float64, form, out string) error {
	sets, err := readSets(dirs)
	if err != nil {
		return exitError{compare.NotComparable, err}
	}
	c, err := compare.Compare(sets, compare.Options{Threshold: threshold})
	if err != nil {
		return exitError{compare.NotComparable, err}
	}
	if err := c.Write(w, form); err != nil {
		return exitError{compare.NotComparable, err}
	}
	if form == "csv" || form == "json" {
		w = io.Discard
	}
	if err := writeCharts(w, out, c.Charts()); err != nil {
		return exitError{compare.NotComparable, err}
	}
	if c.Code != compare.NoChange {
		return exitError{code: c.Code}
	}
	return nil
}
