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
)

func newTextbook() *cobra.Command {
	n, p, explain := countFlag(10_000), rateFlag(0.01), false
	cmd := &cobra.Command{
		Use:   "textbook",
		Short: "Run the course text's program and print its four lines",
		Long: `Run the course text's Bloom filter program and print its four lines in its own
words. --n takes the place of 10000 wherever the program has it (keys, ghosts,
and ten tables of n/10 keys each asked for n absent ones); --p the place of 0.01.

The last figure mixes up queries and probes, as the text does: n queries make
10 n probes, so it says too little is saved (claim A19). --explain says so below,
with the numbers of the run.`,
		Example: `  runbench textbook
  runbench textbook --n 50000 --p 0.001`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkProgram(uint64(n), float64(p)); err != nil {
				return err
			}
			return printTextbook(cmd.Context(), cmd.OutOrStdout(), uint64(n), float64(p), explain)
		},
	}
	cmd.Flags().Var(&n, "n", "keys in the filter")
	cmd.Flags().Var(&p, "p", "false-positive rate, between 0 and 1")
	cmd.Flags().BoolVar(&explain, "explain", false, "go on to say what the last figure got wrong")
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

func printTextbook(ctx context.Context, w io.Writer, n uint64, p float64, explain bool) error {
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
	if explain && err == nil {
		err = explainSaved(w, r)
	}
	return err
}

// explainSaved says what the last figure got wrong.
func explainSaved(w io.Writer, r experiments.Program) error {
	tables := min(r.N, 10)
	probes := tables * r.N
	_, err := fmt.Fprintf(w, `
The last figure takes %s reads from %s queries. But each query asks %d tables, so
that without filters there are %s reads: the filters save %s of them (%s), not
%s. Each read in vain is a false positive of one table: %s of the probes.
`, grouped(r.Reads), grouped(r.N), tables, grouped(probes), grouped(probes-r.Reads),
		percent(1-float64(r.Reads)/float64(probes)), format.Count(float64(r.N)-float64(r.Reads)), percent(float64(r.Reads)/float64(probes)))
	return err
}
