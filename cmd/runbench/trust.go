package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"filterbench/report"
)

func newTrust() *cobra.Command {
	return &cobra.Command{
		Use:   "trust DIR DIR",
		Short: "Say how far two runs of this machine order the filters alike",
		Long: `Say how far two runs of one machine order the filters alike, by the clock on the
wall and by the thread's CPU time: of the pairs that differ by more than a fifth
in either run, 99 of 100 ought to. make trust makes two runs and compares them.
Times never set the exit status.`,
		Example: `  runbench run lookup --out results/trust/a
  runbench run lookup --out results/trust/b
  runbench trust results/trust/a results/trust/b`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("trust compares two results folders; got %d: %s", len(args), strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			sets, err := readSets(args)
			if err != nil {
				return err
			}
			return report.WriteTrust(cmd.OutOrStdout(), sets[0], sets[1])
		},
	}
}
