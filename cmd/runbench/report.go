package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/perf/benchfmt"

	"filterbench/report"
	"filterbench/report/claims"
	"filterbench/results"
)

// resultsDir is the folder that the arguments name, or the default.
func resultsDir(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return defaultDir
}

func newReport() *cobra.Command {
	return &cobra.Command{
		Use:   "report [DIR]",
		Short: "Draw the charts, the tables and the HTML report of a results folder",
		Long: `Draw the charts, the tables and the HTML report of a results folder (default:
` + defaultDir + `) into its subfolder report. Nothing is measured: results of
another machine do as well.`,
		Example: `  runbench report
  runbench report results/mine`,
		Args: atMostOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeReport(cmd.OutOrStdout(), resultsDir(args))
		},
	}
}

func writeReport(w io.Writer, dir string) error {
	set, err := results.ReadDir(dir)
	if err != nil {
		return err
	}
	summary, err := report.Write(set, filepath.Join(dir, "report"))
	if err != nil {
		return err
	}
	for _, warning := range summary.Warnings {
		fmt.Fprintln(w, "warning:", warning)
	}
	fmt.Fprintln(w, summary.Headline)
	_, err = fmt.Fprintln(w, "report:", summary.Page)
	return err
}

func newValidate() *cobra.Command {
	var id string
	cmd := &cobra.Command{
		Use:   "validate [DIR]",
		Short: "Judge the textbooks' claims with a results folder",
		Long: `Judge the textbooks' claims with the numbers of a results folder (default:
` + defaultDir + `) and print the table of verdicts, after warnings about the files.

Exit status: 0 if every golden number and every claim that counts decide comes out
as theory and independent programs established, 1 if one does not or a file cannot
be what was measured (a broken line), 2 if the 9.6-bits-per-key claim or a golden
number was not measured or there is no such folder. Times never set it.`,
		Example: `  runbench validate
  runbench validate results/mine
  runbench validate --claim A11`,
		Args: atMostOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if id != "" {
				text, err := claims.Explain(id)
				if err != nil {
					return fmt.Errorf("--claim: %w", err)
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
				return err
			}
			return validate(cmd.OutOrStdout(), resultsDir(args))
		},
	}
	cmd.Flags().StringVar(&id, "claim", "", "explain one claim, such as A11, and judge nothing")
	return cmd
}

func validate(w io.Writer, dir string) error {
	set, err := results.ReadDir(dir)
	var broken *benchfmt.SyntaxError
	switch {
	case errors.As(err, &broken):
		return exitError{claims.Differs, err}
	case err != nil:
		return exitError{claims.Unmeasured, err}
	}
	for _, warning := range set.Warnings() {
		fmt.Fprintln(w, "warning:", warning)
	}
	rows, code := claims.Validate(set)
	if err := claims.WriteText(w, rows); err != nil {
		return err
	}
	if code != claims.Agrees {
		return exitError{code: code}
	}
	return nil
}
