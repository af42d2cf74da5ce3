package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"filterbench/report/chart"
	"filterbench/report/compare"
	"filterbench/results"
)

func newHistory() *cobra.Command {
	threshold := thresholdFlag(0.05)
	out := ""
	cmd := &cobra.Command{
		Use:   "history DIR...",
		Short: "Show how the lookups of one machine changed over many runs",
		Long: `Show how the lookups of one machine changed over many results folders, in the
order of their dates: multiples of the random line read of the same run, and the
runs at which their level changes. DIR/... stands for all results folders below.`,
		Example: `  runbench history results/nightly/...
  runbench history results/1 results/2 results/3 --out results/history`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("history takes results folders, or DIR/... for all below one")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dirs, err := expand(args)
			if err != nil {
				return err
			}
			sets, err := readSets(dirs)
			if err != nil {
				return err
			}
			h, err := compare.NewHistory(sets, compare.Options{Threshold: float64(threshold)})
			if err != nil {
				return err
			}
			if err := h.Write(cmd.OutOrStdout()); err != nil {
				return err
			}
			return writeCharts(cmd.OutOrStdout(), out, h.Charts())
		},
	}
	cmd.Flags().Var(&threshold, "threshold", "least change of a level that counts, such as 5%")
	cmd.Flags().StringVar(&out, "out", "", "folder for the chart (default: none is drawn)")
	return cmd
}

// expand replaces DIR/... by the folders below DIR that hold results.
func expand(args []string) (dirs []string, err error) {
	for _, arg := range args {
		root, below := strings.CutSuffix(filepath.ToSlash(arg), "/...")
		if !below {
			dirs = append(dirs, arg)
			continue
		}
		before := len(dirs)
		err := filepath.WalkDir(filepath.FromSlash(root), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if e.IsDir() {
				found, _ := filepath.Glob(filepath.Join(path, "lookup.txt"))
				if len(found) > 0 {
					dirs = append(dirs, path)
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if len(dirs) == before {
			return nil, fmt.Errorf("no results folder with a lookup.txt below %q", root)
		}
	}
	return dirs, nil
}

func readSets(dirs []string) ([]*results.Set, error) {
	sets := make([]*results.Set, len(dirs))
	for i, dir := range dirs {
		var err error
		if sets[i], err = results.ReadDir(dir); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

// writeCharts draws into a folder, if one was named, and says where.
func writeCharts(w io.Writer, dir string, charts []chart.Chart) error {
	if dir == "" {
		return nil
	}
	paths, err := compare.WriteCharts(dir, charts)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	for _, p := range paths {
		fmt.Fprintln(w, "chart:", p)
	}
	if len(paths) == 0 {
		fmt.Fprintln(w, "chart: none, these results have nothing to draw")
	}
	return nil
}
