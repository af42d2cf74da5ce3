// Package claims judges the textbooks' claims about filters: each claim is a
// predicate over the records of a results folder, with a verdict, the number
// measured, its interval, and the truth that theory gives.
//
// Nothing is measured here, and no verdict is written down in advance: what a
// claim's Want says was established beforehand, by theory and by independent
// programs, and [Validate] compares the verdicts with it.
package claims

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"filterbench/results"
)

// Status is what became of a claim.
type Status uint8

// The verdicts. Note is for claims that no experiment decides, such as who
// invented what; the reason says what is known.
const (
	NotMeasured Status = iota
	Holds
	Conditions // right only in part, or under the condition that the reason gives
	Wrong
	Note
)

// String is the verdict as tables show it.
func (s Status) String() string {
	return [...]string{"NOT MEASURED", "HOLDS", "HOLDS WITH CONDITIONS", "WRONG", "NOTE"}[s]
}

// Claim is one statement of a text and how to judge it.
type Claim struct {
	// ID names the text (A, B, C, or P for papers) and the place in it. A
	// statement that says two things has two claims, such as C06a and C06b.
	ID     string
	Source string // file or paper
	Text   string // what it says, in one line
	// Truth is what theory says instead; nil where there is no such number.
	Truth   func() Quantity
	Formula string // where Truth comes from
	Line    string // what decides: the line between the verdicts
	Needs   []Cell // what Judge reads
	// Judge decides from the records; nil where no experiment measures the
	// claim. An error is a reason why the records do not decide.
	Judge func(s *results.Set) (Finding, error)
	// Want is the verdict that theory and independent programs established.
	Want Status
	// Remark is the condition or the correction, in one line; it may be empty
	// where the claim simply holds.
	Remark string
	// Awaits names the experiment that would decide, where there is none yet.
	Awaits   string
	Fact     bool // history or the like, which no experiment decides
	Headline bool // the texts' 9.6 bits per key for 1 %: must come out
	Golden   bool // decided by counts that must come out bit for bit
	Timing   bool // decided by times, which never fail a run
}

// Finding is what Judge made of the records.
type Finding struct {
	Status   Status
	Number   Quantity
	Interval Interval // 95 %; zero for a count, which has none
	Reason   string   // one line
}

// Interval is a confidence interval, in the unit of its quantity.
type Interval struct{ Lo, Hi float64 }

// Verdict is a claim with its finding. Number and Interval mean nothing where
// the status is NotMeasured or Note.
type Verdict struct {
	*Claim
	Finding
	// Fault is set where records are there but cannot be true, such as more
	// false positives than queries.
	Fault bool
}

// All lists the claims by ID. The list is shared and must not be changed.
func All() []*Claim { return catalogue }

// Judge judges every claim, in the order of All.
func Judge(s *results.Set) []Verdict {
	verdicts := make([]Verdict, len(catalogue))
	for i, c := range catalogue {
		verdicts[i] = c.judge(s)
	}
	return verdicts
}

func (c *Claim) judge(s *results.Set) Verdict {
	switch {
	case c.Fact:
		return Verdict{Claim: c, Finding: Finding{Status: Note, Reason: strings.ToLower(c.Want.String()) + ": " + c.Remark}}
	case c.Judge == nil:
		return Verdict{Claim: c, Finding: Finding{Reason: "needs the experiment " + c.Awaits}}
	}
	f, err := c.Judge(s)
	if err != nil || f.Status == c.Want {
		// A rate that is not that of its counts may turn a verdict, being what
		// every other tool shows; it does not bear one out.
		err = cmp.Or(contradiction(s, c.Needs), err)
	}
	if err == nil {
		return Verdict{Claim: c, Finding: f}
	}
	var fault *Fault
	return Verdict{Claim: c, Finding: Finding{Reason: err.Error()}, Fault: errors.As(err, &fault)}
}

// Cells lists every cell that some claim or golden number needs, each once.
func Cells() []Cell {
	var cells []Cell
	seen := map[string]bool{}
	add := func(cell Cell) {
		if key := cell.String(); !seen[key] {
			seen[key] = true
			cells = append(cells, cell)
		}
	}
	for _, c := range catalogue {
		for _, cell := range c.Needs {
			add(cell)
		}
	}
	for _, g := range goldenNumbers {
		add(g.Cell)
	}
	return cells
}

// Fault says that a record's values cannot be true, or contradict each other.
type Fault struct {
	Record string // full name
	What   string
}

func (f *Fault) Error() string { return fmt.Sprintf("%s: %s", f.Record, f.What) }

func fault(r results.Record, format string, args ...any) error {
	return &Fault{r.FullName(), fmt.Sprintf(format, args...)}
}
