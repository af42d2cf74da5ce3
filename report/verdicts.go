package report

import (
	"fmt"
	"strings"

	"filterbench/report/claims"
	"filterbench/report/table"
)

// verdictOf is the first headline claim's verdict; nil if there is none.
func verdictOf(verdicts []claims.Verdict) *claims.Verdict {
	for i := range verdicts {
		if verdicts[i].Headline {
			return &verdicts[i]
		}
	}
	return nil
}

// headline is the verdict on the texts' main claim in one line.
func headline(verdicts []claims.Verdict) string {
	v := verdictOf(verdicts)
	if v == nil {
		return "No headline claim"
	}
	line := fmt.Sprintf("%s %s: %s", v.ID, v.Text, v.Status)
	if m := v.Measured(); m != "" {
		line += ", measured " + m
	}
	if v.Reason != "" {
		line += " (" + v.Reason + ")"
	}
	return line
}

// tally counts the verdicts: "21 hold, 14 hold with conditions, 9 are wrong,
// 30 were not measured".
func tally(verdicts []claims.Verdict) string {
	count := map[claims.Status]int{}
	for _, v := range verdicts {
		count[v.Status]++
	}
	var parts []string
	for _, s := range []struct {
		status    claims.Status
		one, many string
	}{
		{claims.Holds, "holds", "hold"},
		{claims.Conditions, "holds with conditions", "hold with conditions"},
		{claims.Wrong, "is wrong", "are wrong"},
		{claims.NotMeasured, "was not measured", "were not measured"},
		{claims.Note, "is beyond measuring", "are beyond measuring"},
	} {
		switch n := count[s.status]; {
		case n == 1:
			parts = append(parts, "1 "+s.one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, s.many))
		}
	}
	return strings.Join(parts, ", ")
}

// truth is what theory says, as text.
func truth(v claims.Verdict) string {
	if v.Truth == nil {
		return ""
	}
	return v.Truth().String()
}

// claimsTable lists every claim with its verdict.
func claimsTable(verdicts []claims.Verdict) table.Table {
	t := table.Table{
		Name: "claims", Title: "The texts' claims",
		Columns: []table.Column{text("id"), text("claim"), text("verdict"), text("measured [95%]"), text("truth"), text("why"), text("source")},
	}
	for _, v := range verdicts {
		t.Rows = append(t.Rows, []string{v.ID, v.Text, v.Status.String(), v.Measured(), truth(v), v.Reason, v.Source})
	}
	return t
}
