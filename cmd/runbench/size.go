package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/filters/theory"
	"filterbench/report/format"
	"filterbench/report/table"
)

func newSize() *cobra.Command {
	var (
		n     countFlag
		p     rateFlag
		bits  bitsFlag
		names string
		asJS  bool
	)
	cmd := &cobra.Command{
		Use:   "size --n N (--fpr P | --bits B)",
		Short: "Calculate what filters cost, without building any",
		Long: `Calculate the size, the probes and the false-positive rate of every filter for N
keys, at a false-positive rate P or at B bits per key. Nothing is allocated.

The naive filter follows the texts' formula m = ceil(-n ln p / ln^2 2), whose
rate can exceed p by half a percent; the others are sized for at most p.`,
		Example: `  runbench size --n 5000000 --fpr 0.001
  runbench size --n 1e6 --bits 10
  runbench size --n 1e9 --fpr 1% --filters bloom,blocked:block=64 --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			given := cmd.Flags().Changed
			switch {
			case !given("n"):
				return errors.New("size: --n is missing: the number of keys, from 1 to 2^40")
			case given("fpr") == given("bits"):
				return errors.New("size: give one of --fpr (a rate between 0 and 1) and --bits (bits per key)")
			}
			specs := registry.Defaults()
			if given("filters") {
				var err error
				if specs, err = registry.ParseList(names); err != nil {
					return fmt.Errorf("--filters: %w", err)
				}
			}
			c := calculate(specs, uint64(n), float64(p), float64(bits))
			if err := c.empty(); err != nil {
				return err
			}
			if asJS {
				return writeJSON(cmd.OutOrStdout(), c)
			}
			return c.print(cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.Var(&n, "n", "number of keys, 1 to 2^40")
	f.Var(&p, "fpr", "false-positive rate, between 0 and 1 (0.01 or 1%)")
	f.Var(&bits, "bits", fmt.Sprintf("bits per key, above 0 and at most %d", filters.MaxBitsPerKey))
	f.StringVar(&names, "filters", "", "filters to size (default: all)")
	f.BoolVar(&asJS, "json", false, "print JSON")
	return cmd
}

// calculation is what the calculator says.
type calculation struct {
	N       uint64     `json:"n"`
	FPR     float64    `json:"fpr,omitempty"`          // asked for, or
	Bits    float64    `json:"bits_per_key,omitempty"` // asked for
	Formula *formula   `json:"formula,omitempty"`
	Bound   float64    `json:"bound"` // least bits per key, or least FPR, of any filter
	Filters []sizeLine `json:"filters"`
}

// formula is the texts' own: m = ceil(-n ln p / ln^2 2).
type formula struct {
	M   uint64  `json:"m"` // bits
	K   int     `json:"k"`
	MB  float64 `json:"mb"`
	MiB float64 `json:"mib"`
	FPR float64 `json:"fpr"` // exact
}

// sizeLine is one filter of the calculator.
type sizeLine struct {
	Filter        string            `json:"filter"`
	Params        map[string]uint64 `json:"params,omitempty"`
	Bits          uint64            `json:"bits,omitempty"`
	AllocatedBits uint64            `json:"allocated_bits,omitempty"` // with padding
	BitsPerKey    float64           `json:"bits_per_key,omitempty"`
	MB            float64           `json:"mb,omitempty"`
	MiB           float64           `json:"mib,omitempty"`
	FPR           *float64          `json:"fpr,omitempty"`        // by the family's model
	OverBound     float64           `json:"over_bound,omitempty"` // bits over log2(1/fpr)
	Error         string            `json:"error,omitempty"`
}

func calculate(specs []filters.Spec, n uint64, p, bits float64) calculation {
	c := calculation{N: n, FPR: p, Bits: bits, Bound: math.Exp2(-bits)}
	if p > 0 {
		m := theory.BloomBits(n, p)
		k := theory.BloomProbes(n, m)
		c.Formula = &formula{m, k, megabytes(m), mebibytes(m), theory.BloomExact(n, m, k)}
		c.Bound = math.Log2(1 / p)
	}
	for _, s := range specs {
		if s.Family.Exact {
			continue
		}
		d, err := s.ForBits(n, bits)
		if p > 0 {
			d, err = s.ForFPR(n, p)
		}
		if err != nil {
			c.Filters = append(c.Filters, sizeLine{Filter: s.String(), Error: oneLine(err)})
			continue
		}
		c.Filters = append(c.Filters, lineOf(d))
	}
	return c
}

// empty says why no filter could be sized, or nil if one could.
func (c calculation) empty() error {
	for _, l := range c.Filters {
		if l.Error == "" {
			return nil
		}
	}
	if len(c.Filters) == 0 {
		return errors.New("--filters: set and array keep the keys, so there is nothing to calculate; name a filter, such as bloom")
	}
	return fmt.Errorf("no filter named is feasible: %s", c.Filters[0].Error)
}

func megabytes(bits uint64) float64 { return float64(bits) / 8e6 }
func mebibytes(bits uint64) float64 { return float64(bits) / 8 / (1 << 20) }

func lineOf(d filters.Design) sizeLine {
	l := sizeLine{Filter: d.Spec.String(), AllocatedBits: d.SizeBits, Bits: d.SizeBits, Params: map[string]uint64{}}
	for _, p := range d.Params {
		l.Params[p.Name] = p.Value
	}
	if m, ok := d.Param("m"); ok {
		l.Bits = m
	}
	l.BitsPerKey = float64(l.Bits) / float64(d.N)
	l.MB, l.MiB = megabytes(l.Bits), mebibytes(l.Bits)
	if d.Model.FPR != nil {
		fpr := d.Model.FPR(d.N)
		l.FPR = &fpr
		if fpr > 0 && fpr < 1 {
			l.OverBound = l.BitsPerKey / math.Log2(1/fpr)
		}
	}
	return l
}

func (c calculation) print(w io.Writer) error {
	if f := c.Formula; f != nil {
		fmt.Fprintf(w, "The texts' formula for n = %s keys at p = %s: m = ceil(-n ln p / ln^2 2) = %s bits\n= %s MB = %s MiB, k = %d; exact FPR %s; no filter can do with less than %.2f bits per key.\n\n",
			grouped(c.N), percent(c.FPR), grouped(f.M), decimals(f.MB), decimals(f.MiB), f.K, percent(f.FPR), c.Bound)
	} else {
		fmt.Fprintf(w, "n = %s keys at %s bits per key; no filter can then err less often than %s.\n\n",
			grouped(c.N), format.Short(c.Bits), percent(c.Bound))
	}
	t := table.Table{Columns: table.Heads("filter", "#bits", "#bits/key", "#MB", "#MiB", "#k", "#exact FPR", "#x bound")}
	var notes []string
	for _, l := range c.Filters {
		if l.Error != "" {
			notes = append(notes, l.Error)
			continue
		}
		k, fpr, over := "-", "-", "-"
		if v, ok := l.Params["k"]; ok {
			k = fmt.Sprint(v)
		}
		if l.FPR != nil {
			fpr = percent(*l.FPR)
		}
		if l.OverBound > 0 {
			over = fmt.Sprintf("%.3f", l.OverBound)
		}
		t.Rows = append(t.Rows, []string{l.Filter, grouped(l.Bits), fmt.Sprintf("%.3f", l.BitsPerKey), decimals(l.MB), decimals(l.MiB), k, fpr, over})
	}
	if _, err := io.WriteString(w, t.Text()); err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintln(w, "not feasible:", note)
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// grouped writes a count with separators: 71,887,938.
func grouped(n uint64) string { return format.Count(float64(n)) }

// percent writes a rate with six significant digits at most: 0.100002%.
func percent(rate float64) string { return format.Digits(100*rate, 6) + "%" }

// decimals writes a size with three decimals, or more where it is small.
func decimals(v float64) string {
	if v < 0.01 {
		return format.Digits(v, 3)
	}
	return fmt.Sprintf("%.3f", v)
}
