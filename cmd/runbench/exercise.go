package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"filterbench/experiments"
	"filterbench/filters/theory"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results/stat"
)

// whichOf is a command that only names its subcommands.
func whichOf(use, short string, of ...*cobra.Command) *cobra.Command {
	list := ""
	for i, c := range of {
		if i > 0 {
			list += ", "
		}
		list += c.Name()
	}
	cmd := &cobra.Command{
		Use: use, Short: short,
		Example: "  runbench " + use + " 1\n  runbench " + use + " 2 --help",
		Args: func(*cobra.Command, []string) error {
			return fmt.Errorf("%s: say which; there are: %s", use, list)
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cmd.AddCommand(of...)
	return cmd
}

func newExercise() *cobra.Command {
	return whichOf("exercise", "Answer an exercise of the course text by running it", newExercise1(), newExercise2(), newExercise3())
}

func newExercise1() *cobra.Command {
	n, rates := countFlag(10_000), ratesFlag{0.05, 0.001}
	cmd := &cobra.Command{
		Use:   "1",
		Short: "Compare bits per key and measured rate at p = 0.05 and 0.001",
		Example: `  runbench exercise 1
  runbench exercise 1 --n 100000 --p 0.1,0.01,0.001`,
		Args: noArgs,
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

// tableFlags are the flags of the exercises on tables.
type tableFlags struct {
	n      countFlag
	p      rateFlag
	tables countFlag
	share  shareFlag
}

func (f *tableFlags) add(cmd *cobra.Command) {
	*f = tableFlags{n: 10_000, p: 0.01, tables: 10, share: f.share}
	cmd.Flags().Var(&f.n, "n", "keys over all tables, and gets")
	cmd.Flags().Var(&f.p, "p", "false-positive rate of each table's filter")
	cmd.Flags().Var(&f.tables, "tables", "tables")
	cmd.Flags().Var(&f.share, "hit-share", "share of the gets whose key is present, 0 to 1 or in percent")
}

// run is what the flags ask for, or why it is refused.
func (f *tableFlags) run() (experiments.TableRun, error) {
	const mostProbes = 50_000_000 // of MD5, about a minute
	r := experiments.TableRun{N: uint64(f.n), P: float64(f.p), Tables: uint64(f.tables), HitShare: float64(f.share)}
	switch {
	case r.Tables > r.N:
		return r, fmt.Errorf("--tables is %d; allowed: 1 to n = %d", r.Tables, r.N)
	case r.N > mostProbes/r.Tables:
		return r, fmt.Errorf("--n %d --tables %d: the MD5 program takes at most %d gets x tables", r.N, r.Tables, mostProbes)
	}
	return r, checkProgram(r.N, r.P)
}

func newExercise2() *cobra.Command {
	var f tableFlags
	cmd := &cobra.Command{
		Use:   "2",
		Short: "Put the filters into an LSM tree and measure its reads again",
		Long: `Put the text's filters into a tree of tables, asked from the newest on until a
key is found, and count the table reads with and without them.`,
		Example: `  runbench exercise 2
  runbench exercise 2 --tables 100 --hit-share 0.3`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := f.run()
			if err != nil {
				return err
			}
			shares := []float64{0, .1, .5, .9, 1}
			if cmd.Flags().Changed("hit-share") {
				shares = []float64{float64(f.share)}
			}
			return exercise2(cmd.Context(), cmd.OutOrStdout(), r, shares)
		},
	}
	f.add(cmd)
	return cmd
}

func exercise2(ctx context.Context, w io.Writer, r experiments.TableRun, shares []float64) error {
	t := table.Table{Columns: table.Heads("#present keys", "#gets", "#reads without", "#filters probed", "#reads with", "#of them in vain", "#reads a get", "#saved")}
	said := ""
	for _, share := range shares {
		r.HitShare = share
		reads, err := experiments.RunTables(ctx, r)
		if err != nil {
			return err
		}
		each := float64(reads.Reads) / float64(reads.Gets)
		t.Rows = append(t.Rows, []string{percent(share), grouped(reads.Gets), grouped(reads.Without), grouped(reads.Probes),
			grouped(reads.Reads), grouped(reads.InVain), fmt.Sprintf("%.4f", each), percent(saved(reads))})
		if said == "" {
			said = fmt.Sprintf("With %s of the gets for present keys, filters save %s of %s reads: %.4f reads a get are left.",
				percent(share), grouped(reads.Without-reads.Reads), grouped(reads.Without), each)
		}
	}
	fmt.Fprintf(w, "Exercise 2: %s keys in %d tables, a filter at p = %g each; a get asks from the newest table on until it finds its key\n\n",
		grouped(r.N), r.Tables, r.P)
	if _, err := io.WriteString(w, t.Text()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, `
%s
An absent key would be looked for in all %d tables, and is read in about p x %d = %.4g of
them. A present key has to be read once, in the table that has it, whatever the filters;
they spare it the tables before. So the more keys are absent, the more is saved.
`, said, r.Tables, r.Tables, r.P*float64(r.Tables))
	return err
}

func saved(r experiments.TableReads) float64 {
	if r.Without == 0 {
		return 0
	}
	return 1 - float64(r.Reads)/float64(r.Without)
}

func newExercise3() *cobra.Command {
	f, lies := tableFlags{share: .5}, rateFlag(0.01)
	cmd := &cobra.Command{
		Use:   "3",
		Short: "Show why false positives are safe in an LSM tree, and false negatives fatal",
		Long: `Turn a share of the filters' answers round, once those that should be no and once
those that should be maybe, and count what the gets read and what they lose.`,
		Example: `  runbench exercise 3
  runbench exercise 3 --lies 0.1%`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := f.run()
			if err != nil {
				return err
			}
			return exercise3(cmd.Context(), cmd.OutOrStdout(), r, float64(lies))
		},
	}
	f.add(cmd)
	cmd.Flags().Var(&lies, "lies", "share of the answers that are turned round")
	return cmd
}

func exercise3(ctx context.Context, w io.Writer, r experiments.TableRun, lies float64) error {
	t := table.Table{Columns: table.Heads("filters", "#present keys", "#found", "#lost", "#reads", "#of them in vain")}
	var all [3]experiments.TableReads
	for i, name := range []string{"as they are", "false positives added", "false negatives added"} {
		r.Lies, r.ExtraYes, r.LostYes = lies, i == 1, i == 2
		reads, err := experiments.RunTables(ctx, r)
		if err != nil {
			return err
		}
		all[i] = reads
		t.Rows = append(t.Rows, []string{name, grouped(reads.Present), grouped(reads.Found), grouped(reads.Present - reads.Found),
			grouped(reads.Reads), grouped(reads.InVain)})
	}
	fmt.Fprintf(w, "Exercise 3: %s gets of %d tables, a filter at p = %g each; %s of the answers of one kind turned round\n\n",
		grouped(r.N), r.Tables, r.P, percent(lies))
	if _, err := io.WriteString(w, t.Text()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, `
A false positive costs a read: %s more are in vain, and %s keys are lost, because the table
itself has the last word. A false negative costs the key: its table is never read, so that
%s of %s keys that are stored are reported as absent, and nothing behind the filter notices.
`, grouped(all[1].InVain-min(all[1].InVain, all[0].InVain)), grouped(all[1].Present-all[1].Found),
		grouped(all[2].Present-all[2].Found), grouped(all[2].Present))
	return err
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
