package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"filterbench/filters/machine"
	"filterbench/filters/simd"
)

func newCPU() *cobra.Command {
	return &cobra.Command{
		Use:     "cpu",
		Short:   "Show what is known of this machine: caches, line size, memory",
		Example: "  runbench cpu",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m := machine.This()
			w := cmd.OutOrStdout()
			fmt.Fprintf(w, "CPU      %s (%s, family %d, model %d, stepping %d), %d logical\n",
				orUnknown(m.Brand), orUnknown(m.Vendor), m.Family, m.Model, m.Stepping, m.LogicalCPUs)
			for _, c := range []machine.Cache{m.L1d, m.L2, m.L3} {
				fmt.Fprintf(w, "%-8s %s\n", c.Name(), strings.TrimPrefix(c.String(), c.Name()+" "))
			}
			fmt.Fprintf(w, "line     %d bytes (%s): the default block of the blocked filter\n", m.LineSize, m.LineSource)
			fmt.Fprintf(w, "memory   %s, %s available; transparent huge pages: %s\n",
				machine.FormatBytes(m.MemTotal), machine.FormatBytes(m.MemAvailable), orUnknown(m.THP))
			fmt.Fprintf(w, "kernel   %s %s %s%s\n", m.OS, m.Arch, orUnknown(m.Kernel), map[bool]string{true: ", in a virtual machine"}[m.VM])
			fmt.Fprintf(w, "features %s\n", orUnknown(strings.Join(m.Features, " ")))
			_, err := fmt.Fprintf(w, "kernels  %s\n", simd.Kernel())
			return err
		},
	}
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
