package claims

import (
	"fmt"

	"filterbench/results"
)

// What Validate returns for the exit status of a program.
const (
	Agrees      = 0 // every verdict that must come out did
	Differs     = 1 // one came out otherwise, or its records cannot be true
	Unmeasured  = 2 // one was not measured, and none differs
	goldenTitle = "golden"
)

// Row is a line of the claims table: a verdict, what was established
// beforehand, and whether the two agree.
type Row struct {
	ID, Claim string
	Status    Status
	Measured  string // the number with its interval; empty where there is none
	Truth     string // theory's; empty where there is none
	Why       string
	Want      Status
	Timing    bool
	// Differs is set where a verdict was reached and is not the one established.
	Differs bool
}

// Rows judges every claim, as lines of a table.
func Rows(s *results.Set) []Row { return rowsOf(Judge(s)) }

func rowsOf(verdicts []Verdict) []Row {
	rows := make([]Row, len(verdicts))
	for i, v := range verdicts {
		rows[i] = v.Row()
	}
	return rows
}

// Row is the verdict as a line of a table.
func (v Verdict) Row() Row {
	row := Row{ID: v.ID, Claim: v.Text, Status: v.Status, Measured: v.Measured(), Why: v.Reason,
		Want: v.Want, Timing: v.Timing, Differs: v.differs()}
	if v.Truth != nil {
		row.Truth = v.Truth().String()
	}
	return row
}

func (v Verdict) differs() bool {
	return v.Status != NotMeasured && v.Status != Note && v.Status != v.Want
}

// Validate judges every claim and compares every golden number. The rows are
// the claims, then one line on the golden numbers, then one for each of them
// that did not come out. The exit status is [Differs] if a golden number or a
// claim that is decided by counts does not come out as established, [Unmeasured] if
// the 9.6 bits per key for 1 %, a claim on the texts' own program or a golden number
// was not measured, and [Agrees] otherwise; claims on times never decide it.
func Validate(s *results.Set) (rows []Row, exit int) {
	verdicts := Judge(s)
	differs, missing := false, false
	for _, v := range verdicts {
		if v.Timing {
			continue
		}
		differs = differs || v.differs() || v.Fault
		missing = missing || v.Status == NotMeasured && (v.Headline || v.Golden)
	}
	rows = rowsOf(verdicts)
	golden, mismatches := goldenRows(s)
	rows = append(rows, golden...)
	for _, m := range mismatches {
		differs = differs || m.Got != ""
		missing = missing || m.Got == ""
	}
	switch {
	case differs:
		return rows, Differs
	case missing:
		return rows, Unmeasured
	}
	return rows, Agrees
}

// goldenRows sums the golden numbers up and lists those that did not come out.
func goldenRows(s *results.Set) ([]Row, []Mismatch) {
	mismatches := CheckGolden(s)
	all := len(goldenNumbers)
	total := Row{ID: goldenTitle, Claim: "the numbers of the texts' own program, bit for bit", Status: Holds, Want: Holds,
		Truth: fmt.Sprint(all), Why: "all come out"}
	rows := []Row{total}
	missing := 0
	for _, m := range mismatches {
		row := Row{ID: goldenTitle, Claim: m.Cell.String() + ": " + m.Unit, Status: Wrong, Measured: m.Got, Truth: m.Want, Why: m.String(), Want: Holds, Differs: true}
		if m.Got == "" {
			missing++
			row.Status, row.Differs = NotMeasured, false
		}
		rows = append(rows, row)
	}
	rows[0].Measured = fmt.Sprint(all - len(mismatches))
	switch {
	case len(mismatches) > missing:
		rows[0].Status, rows[0].Differs = Wrong, true
		rows[0].Why = fmt.Sprintf("%d differ, %d were not measured", len(mismatches)-missing, missing)
	case missing > 0:
		rows[0].Status = NotMeasured
		rows[0].Why = fmt.Sprintf("%d were not measured", missing)
	}
	return rows, mismatches
}
