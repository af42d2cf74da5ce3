package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"filterbench/experiments"
	"filterbench/filters/memory"
	"filterbench/filters/theory"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results/stat"
)

func newTextbook() *cobra.Command {
	n, p := countFlag(10_000), rateFlag(0.01)
	cmd := &cobra.Command{
		Use:   "textbook",
		Short: "Run the course text's program and print its four lines",
		Long: `Run the course text's Bloom filter program and print its four lines in its own
words. --n takes the place of 10000 wherever the program has it (keys, ghosts,
and ten tables of n/10 keys each asked for n absent ones); --p the place of 0.01.

The last figure mixes up queries and probes, as the text does: n queries make
10 n probes, so it says too little is saved (claim A19).`,
		Example: `  runbench textbook
  runbench textbook --n 50000 --p 0.001`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkProgram(uint64(n), float64(p)); err != nil {
				return err
			}
			return printTextbook(cmd.Context(), cmd.OutOrStdout(), uint64(n), float64(p))
		},
	}
	cmd.Flags().Var(&n, "n", "keys in the filter")
	cmd.Flags().Var(&p, "p", "false-positive rate, between 0 and 1")
	return cmd
}

// maxProgramKeys bounds the MD5 program's run to about a minute.
const maxProgramKeys = 20_000_000

// checkProgram refuses what the MD5 program could not do, before any work.
func checkProgram(n uint64, p float64) error {
	if n > maxProgramKeys {
		return fmt.Errorf("--n is %d: the MD5 program takes at most %d keys; larger filters are the run command's", n, maxProgramKeys)
	}
	if err := memory.Check(2 * theory.BloomBits(n, p) / 8); err != nil {
		return fmt.Errorf("--n %d --p %v: %w", n, p, err)
	}
	return nil
}

func printTextbook(ctx context.Context, w io.Writer, n uint64, p float64) error {
	r, err := experiments.RunProgram(ctx, n, p)
	if err != nil {
		return err
	}
	has := "False"
	if r.HasKey123 {
		has = "True"
	}
	fmt.Fprintf(w, "m=%d bits(%.1f bits/鍵), k=%d\n", r.M, float64(r.M)/float64(n), r.K)
	fmt.Fprintf(w, "%d 個不存在的鍵 → 誤判 %d 個(%.2f%%)\n", n, r.FalsePositives, 100*(float64(r.FalsePositives)/float64(n)))
	fmt.Fprintf(w, "key123(存在): %s\n", has)
	_, err = fmt.Fprintf(w, "%d 次不存在查詢 → 實際磁碟探測 %d 次(省下 %d 次)\n", n, r.Reads, int64(n)-int64(r.Reads))
	return err
}

func newExercise() *cobra.Command {
	n, rates := countFlag(10_000), ratesFlag{0.05, 0.001}
	cmd := &cobra.Command{
		Use:   "exercise 1",
		Short: "Answer an exercise of the course text by running it",
		Long: `Exercise 1: build the text's filter for 10,000 keys at p = 0.05 and at p = 0.001
and compare bits per key and the measured false-positive rate.`,
		Example: `  runbench exercise 1
  runbench exercise 1 --n 100000 --p 0.1,0.01,0.001`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] != "1" {
				return fmt.Errorf("exercise: say which; there is: 1")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, p := range rates {
				if err := checkProgram(uint64(n), p); err != nil {
					return err
				}
			}
			return exercise1(cmd.Context(), cmd.OutOrStdout(), uint64(n), rates)
		},
	}
	cmd.Flags().Var(&n, "n", "keys in each filter, and absent keys asked for")
	cmd.Flags().Var(&rates, "p", "false-positive rates, separated by commas")
	return cmd
}

// exercise1 prints the comparison that the text asks for.
func exercise1(ctx context.Context, w io.Writer, n uint64, rates []float64) error {
	t := table.Table{Columns: table.Heads("#p", "#m (bits)", "#bits/key", "#k", "#false positives", "#measured FPR", "#95% interval", "#exact FPR")}
	for _, p := range rates {
		r, err := experiments.RunProgram(ctx, n, p)
		if err != nil {
			return err
		}
		lo, hi := stat.Wilson(r.FalsePositives, n, 0.95)
		t.Rows = append(t.Rows, []string{fmt.Sprintf("%g", p), grouped(r.M), fmt.Sprintf("%.4f", float64(r.M)/float64(n)), fmt.Sprint(r.K),
			fmt.Sprintf("%s of %s", grouped(r.FalsePositives), grouped(n)),
			percent(float64(r.FalsePositives) / float64(n)), format.PercentInterval(lo, hi),
			percent(theory.BloomExact(n, r.M, r.K))})
	}
	fmt.Fprintf(w, "Exercise 1: the text's filter, MD5 with k digests a key, n = %s keys key0.., asked for %s absent keys ghost0..\n\n", grouped(n), grouped(n))
	if _, err := io.WriteString(w, t.Text()); err != nil {
		return err
	}
	if len(rates) < 2 {
		return nil
	}
	first, last := rates[0], rates[len(rates)-1]
	bits := func(p float64) float64 { return float64(theory.BloomBits(n, p)) / float64(n) }
	_, err := fmt.Fprintf(w, "\nFrom p = %g to p = %g the filter takes %.2f times the bits: %.2f, then %.2f a key.\n",
		first, last, bits(last)/bits(first), bits(first), bits(last))
	return err
}
