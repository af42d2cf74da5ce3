package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"filterbench/report/claims"
	"filterbench/report/compare"
	"filterbench/results"
)

// summaryVariable names the file that GitHub shows as a job's summary.
const summaryVariable = "GITHUB_STEP_SUMMARY"

func newCI() *cobra.Command {
	references, asJSON := "results", ""
	cmd := &cobra.Command{
		Use:   "ci [DIR]",
		Short: "Judge a run in continuous integration, against the committed references",
		Long: `Judge a results folder (default: ` + defaultDir + `): the claims and golden numbers;
the counts against every committed reference of the same seed and profile, whatever
its CPU; the times against the reference of the same CPU, for information. Without a
reference of this CPU one is filed, as by add-machine. The summary is Markdown, and
goes to the file that ` + summaryVariable + ` names, where that is set.

Exit status: 1 if a claim, a golden number or a count does not come out.`,
		Example: `  make ci
  runbench ci results/local --json ci.json`,
		Args: atMostOne("results folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return judgeCI(resultsDir(args), references, asJSON, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&references, "references", references, "folder of the references")
	cmd.Flags().StringVar(&asJSON, "json", "", "also write the summary as JSON to this file")
	return cmd
}

// ciSummary is what a job says.
type ciSummary struct {
	Machine    string   `json:"machine"`
	Verdict    string   `json:"claims"`
	Problems   []string `json:"problems"`
	References []ciLine `json:"references"`
	Recorded   string   `json:"recorded,omitempty"`
}

// ciLine is the comparison with one reference.
type ciLine struct {
	Reference string `json:"reference"`
	SameCPU   bool   `json:"same_cpu"`
	Counts    int    `json:"counts_compared"`
	Says      string `json:"says"`
}

func judgeCI(dir, references, asJSON string, out io.Writer) error {
	set, err := results.ReadDir(dir)
	if err != nil {
		return err
	}
	s := ciSummary{Machine: machineName(set)}
	s.judgeClaims(set)
	if err := s.compareAll(set, references); err != nil {
		return err
	}
	if !slices.ContainsFunc(s.References, func(l ciLine) bool { return l.SameCPU }) {
		s.Recorded = s.record(dir, references)
	}
	if err := s.write(out, asJSON); err != nil {
		return err
	}
	if len(s.Problems) > 0 {
		return exitError{code: 1}
	}
	return nil
}

func (s *ciSummary) judgeClaims(set *results.Set) {
	rows, code := claims.Validate(set)
	agree, of := 0, 0
	for _, r := range rows {
		if r.Differs && !r.Timing {
			s.Problems = append(s.Problems, fmt.Sprintf("%s (%s): %s, where %s is established", r.ID, r.Claim, r.Status, r.Want))
		}
		if r.Status != claims.NotMeasured && r.Status != claims.Note {
			of++
			if !r.Differs {
				agree++
			}
		}
	}
	if code == claims.Unmeasured {
		s.Problems = append(s.Problems, "the 9.6 bits per key or a golden number was not measured")
	}
	s.Verdict = fmt.Sprintf("%d of %d claims that were measured come out as established", agree, of)
}

// compareAll compares with every reference there is.
func (s *ciSummary) compareAll(set *results.Set, references string) error {
	found, err := filepath.Glob(filepath.Join(references, "*", "fpr.txt"))
	if err != nil {
		return fmt.Errorf("--references: %w", err)
	}
	here, err := filepath.Abs(set.Dir)
	if err != nil {
		return err
	}
	for _, path := range found {
		dir := filepath.Dir(path)
		if there, err := filepath.Abs(dir); err != nil || there == here || filepath.Base(dir) == filepath.Base(defaultDir) {
			continue
		}
		reference, err := results.ReadDir(dir)
		if err != nil {
			return err
		}
		c, err := compare.Compare([]*results.Set{reference, set}, compare.Options{Threshold: 0.05})
		if err != nil {
			s.References = append(s.References, ciLine{Reference: dir, Says: err.Error()})
			continue
		}
		line := ciLine{Reference: dir, SameCPU: c.OneCPU, Counts: c.Counted.Compared, Says: c.Conclusion()}
		if g, n := c.Mean("Lookup", "x-limit"); c.OneCPU && n > 0 {
			line.Says += fmt.Sprintf(" Multiples of the limit: %+.1f %% in the mean of %d lookups. For information: only ab, in one job, gates times.", 100*(g-1), n)
		}
		if c.Counted.Differs != "" {
			s.Problems = append(s.Problems, "counts differ from "+dir+": "+c.Counted.Differs)
		}
		s.References = append(s.References, line)
	}
	return nil
}

// record files the run as the reference of its CPU, if it can be one.
func (s *ciSummary) record(dir, references string) string {
	var said strings.Builder
	if err := addMachine(dir, references, false, &said); err != nil {
		return "There is no reference of this CPU, and none was filed: " + oneLine(err)
	}
	return "There was no reference of this CPU; this run is filed as one: " + strings.TrimSpace(strings.TrimPrefix(said.String(), "reference: "))
}

func (s *ciSummary) write(out io.Writer, asJSON string) error {
	text := s.markdown()
	if _, err := io.WriteString(out, text); err != nil {
		return err
	}
	if path := os.Getenv(summaryVariable); path != "" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return fmt.Errorf("%s: %w", summaryVariable, err)
		}
		_, err = f.WriteString(text)
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("%s: %w", summaryVariable, err)
		}
	}
	if asJSON == "" {
		return nil
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(asJSON, append(data, '\n'), 0o666); err != nil {
		return fmt.Errorf("--json: %w", err)
	}
	return nil
}

func (s *ciSummary) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "## filterbench on %s\n\n%s.\n\n", s.Machine, s.Verdict)
	for _, p := range s.Problems {
		fmt.Fprintf(&b, "- **%s**\n", p)
	}
	for _, l := range s.References {
		fmt.Fprintf(&b, "- %s: %s\n", l.Reference, l.Says)
	}
	if s.Recorded != "" {
		fmt.Fprintf(&b, "- %s\n", s.Recorded)
	}
	return b.String() + "\n"
}
