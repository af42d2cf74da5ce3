package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"filterbench/experiments"
	"filterbench/filters/registry"
	"filterbench/workloads"
)

func newList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List filters with their options, workloads and experiments",
		Example: `  runbench list
  runbench run --filters bloom:step=odd,blocked:block=64`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return printList(cmd.OutOrStdout()) },
	}
}

func printList(out io.Writer) error {
	w := &bytes.Buffer{}
	fmt.Fprintln(w, "Filters (--filters; options as in bloom:index=mod,step=odd):")
	for _, f := range registry.Families {
		fmt.Fprintf(w, "\n  %-12s %s\n", f.Name, f.Summary)
		fmt.Fprintf(w, "  %-12s source: %s\n", "", f.Source)
		for _, o := range f.Options {
			fmt.Fprintf(w, "  %-12s %s=%s  %s\n", "", o.Name, o.Default, o.Help)
		}
	}
	var specs []string
	for _, s := range registry.Defaults() {
		specs = append(specs, s.String())
	}
	fmt.Fprintf(w, "\n  run measures by default: %s\n", strings.Join(specs, " "))

	fmt.Fprint(w, "\nWorkloads:\n\n")
	for _, k := range workloads.Kinds() {
		fmt.Fprintf(w, "  %-12s %s\n", k.Name, k.Summary)
	}
	fmt.Fprintf(w, "  %-12s %s\n", "file", "the lines of a list of your own (run --keys-file)")

	fmt.Fprint(w, "\nExperiments:\n\n")
	for _, e := range experiments.All {
		fmt.Fprintf(w, "  %-12s %s\n", e.Name, e.Question)
	}
	_, err := w.WriteTo(out)
	return err
}
