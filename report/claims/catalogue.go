package claims

import (
	"fmt"
	"strings"
)

// catalogue is every claim, by ID.
var catalogue = func() (all []*Claim) {
	for _, text := range []struct {
		source string
		claims []Claim
	}{{textA, claimsA}, {textB, claimsB}, {textC, claimsC}, {"", claimsP}} {
		for _, c := range text.claims {
			if c.Source == "" {
				c.Source = text.source
			}
			all = append(all, &c)
		}
	}
	return all
}()

// Find returns the claims of an ID, both parts of a split one: C06 finds C06a
// and C06b. The error says what there is.
func Find(id string) ([]*Claim, error) {
	id = strings.TrimSpace(id)
	var found []*Claim
	for _, c := range catalogue {
		if strings.EqualFold(c.ID, id) || strings.EqualFold(strings.TrimRight(c.ID, "ab"), id) {
			found = append(found, c)
		}
	}
	if found == nil {
		return nil, fmt.Errorf("unknown claim %q; there are A01 to A28, B01 to B28, C01 to C35 and P01 to P21", id)
	}
	return found, nil
}

// Explain says in a paragraph what a claim says, what is true and by which
// formula, what decides, and what was established. A split claim has a
// paragraph for each part.
func Explain(id string) (string, error) {
	found, err := Find(id)
	if err != nil {
		return "", err
	}
	paragraphs := make([]string, len(found))
	for i, c := range found {
		paragraphs[i] = c.explain()
	}
	return strings.Join(paragraphs, "\n\n"), nil
}

func (c *Claim) explain() string {
	s := []string{fmt.Sprintf("%s (%s): %s.", c.ID, c.Source, c.Text)}
	switch {
	case c.Truth != nil:
		s = append(s, fmt.Sprintf("Truth: %v, by %s.", c.Truth(), c.Formula))
	case c.Formula != "":
		s = append(s, fmt.Sprintf("Truth: %s.", c.Formula))
	}
	if c.Line != "" {
		s = append(s, fmt.Sprintf("What decides: %s.", c.Line))
		if strings.Contains(c.Line, "about") {
			s = append(s, fmt.Sprintf("(About: the 95%% interval reaches the value +-%g%% and is no wider than +-%g%%.)", 100*aboutWithin, 100*blurred))
		}
	}
	established := "Established beforehand: " + c.Want.String()
	if c.Remark != "" {
		established += " (" + c.Remark + ")"
	}
	s = append(s, established+".")
	switch {
	case c.Fact:
		s = append(s, "No experiment decides it.")
	case c.Judge == nil:
		s = append(s, "It needs the experiment "+c.Awaits+".")
	case c.Timing:
		s = append(s, "It is decided by times on this machine, and never fails a run.")
	}
	return strings.Join(s, " ")
}
