package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/report"
	"filterbench/report/format"
	"filterbench/report/table"
	"filterbench/results"
)

func newAdvise() *cobra.Command {
	var (
		n       countFlag
		miss    costFlag
		share   shareFlag
		bits    bitsFlag
		deletes bool
		asJSON  bool
	)
	cmd := &cobra.Command{
		Use:   "advise --n N --miss-cost TIME [DIR]",
		Short: "Advise which filter to take, by measured times and rates",
		Long: `Name the three filters that cost least for N keys, by the times and rates of a
results folder (default: ` + defaultDir + `). A query costs its lookup, and an absent key
that the filter does not rule out costs an access in vain: TIME, such as 100us for
a read from a fast disk. What is beyond the sizes measured is extrapolated and
labelled. Times are those of batches of hashes, at 10 bits per key.`,
		Example: `  runbench advise --n 1e8 --miss-cost 100us --hit-share 0.1
  runbench advise --n 1e6 --miss-cost 5ms --delete --max-bits 12 results/mine`,
		Args: atMostOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if n == 0 || miss == 0 {
				return fmt.Errorf("advise: --n and --miss-cost are needed, such as --n 1e8 --miss-cost 100us")
			}
			set, err := results.ReadDir(resultsDir(args))
			if err != nil {
				return err
			}
			a, err := report.Advise(set, report.Wish{
				Keys: float64(n), MissCost: float64(miss), HitShare: float64(share), MaxBits: float64(bits),
				Know: func(filter string) (bool, string) { return knowledge(filter, deletes) },
			})
			if err != nil {
				return fmt.Errorf("advise: %w", err)
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), a)
			}
			return printAdvice(cmd.OutOrStdout(), a)
		},
	}
	cmd.Flags().Var(&n, "n", "keys that the filter will hold")
	cmd.Flags().Var(&miss, "miss-cost", "time of the access that a false positive wastes")
	cmd.Flags().Var(&share, "hit-share", "share of the queries whose key is present, 0 to 1 or in percent (default 0)")
	cmd.Flags().Var(&bits, "max-bits", "bits per key at most (default no limit)")
	cmd.Flags().BoolVar(&deletes, "delete", false, "only filters from which keys can be deleted")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// knowledge says whether a filter will do, and what its times do not show. A
// spec that this program does not know will do, unless keys are to be deleted.
func knowledge(filter string, deletes bool) (will bool, note string) {
	s, err := registry.Parse(filter)
	if err != nil {
		return !deletes, ""
	}
	if s.Family.Static {
		note = "static: built once, from the whole set"
	}
	return !deletes || canDelete(s), note
}

// canDelete asks a small filter of the kind.
func canDelete(s filters.Spec) bool {
	const keys, bits = 64, 40
	d, err := s.ForBits(keys, bits)
	if err != nil || d.NewHashed == nil {
		return false
	}
	f, err := d.NewHashed()
	if err != nil {
		return false
	}
	defer filters.Free(f)
	_, ok := f.(filters.Deleter)
	return ok
}

func printAdvice(w io.Writer, a report.Advice) error {
	fmt.Fprintf(w, "%s keys, %s for a wasted access, %s of the queries for present keys; %d filters compared.\n\n",
		format.Count(a.Keys), format.Nanoseconds(a.MissCostNS), format.Percent(a.HitShare, 3), a.Compared)
	t := table.Table{Columns: table.Heads("#", "filter", "#bits/key", "#memory", "#FPR", "#lookup", "#wasted", "#cost a query", "#95% interval")}
	for i, p := range a.Choices {
		t.Rows = append(t.Rows, []string{fmt.Sprint(i + 1), p.Filter, format.Fixed(p.BitsPerKey, 3), format.BytesDigits(p.Bytes, 3),
			format.Percent(p.FPR, 3), format.Nanoseconds(p.LookupNS), format.Nanoseconds(p.WastedNS), format.Nanoseconds(p.TotalNS),
			format.Nanoseconds(p.TotalBetween[0]) + " to " + format.Nanoseconds(p.TotalBetween[1])})
	}
	if _, err := io.WriteString(w, t.Text()); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for i, p := range a.Choices {
		for j, r := range p.Reasons {
			lead := "   "
			if j == 0 {
				lead = fmt.Sprintf("%d. ", i+1)
			}
			fmt.Fprintf(w, "%s%s\n", lead, r)
		}
		if p.Note != "" {
			fmt.Fprintf(w, "   %s\n", p.Note)
		}
	}
	fmt.Fprintf(w, "\nThe order is %s.\n", a.Certainty)
	if !a.Pays {
		_, err := fmt.Fprintf(w, "No filter pays: without one a query wastes %s, less than the first costs.\n", format.Nanoseconds(a.WithoutNS))
		return err
	}
	_, err := fmt.Fprintf(w, "Without a filter a query wastes %s.\n", format.Nanoseconds(a.WithoutNS))
	return err
}
