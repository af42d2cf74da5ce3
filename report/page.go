package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"filterbench/report/chart"
	"filterbench/report/claims"
	"filterbench/report/table"
)

var (
	//go:embed page.tmpl.html
	pageHTML string
	//go:embed page.css
	pageCSS string

	pageTemplate = template.Must(template.New("page").Parse(pageHTML))
)

// figure is a chart in the page: two layouts, of which the width of the
// screen picks one. Their colours follow the page.
type figure struct {
	Name, Title, Caption string
	Minor                bool // folded away
	Wide, Narrow         template.HTML
	svg                  []byte // the file, in its own colours
}

// newFigure renders a chart. The SVG is trusted, since the chart escapes all
// text in it.
func newFigure(c chart.Chart) (figure, error) {
	wide, err := c.SVG(chart.Wide)
	if err != nil {
		return figure{}, err
	}
	narrow, err := c.SVG(chart.Narrow)
	if err != nil {
		return figure{}, err
	}
	return figure{
		Name: c.Name, Title: c.Title, Caption: c.Caption, Minor: c.Minor, svg: wide,
		Wide:   template.HTML(chart.Themed(wide)),
		Narrow: template.HTML(chart.Themed(narrow)),
	}, nil
}

// page is what the template shows.
type page struct {
	CSS      template.CSS
	Title    string
	Headline *claims.Verdict
	Class    string // of the headline's status
	Truth    string
	Tally    string
	Findings []figure
	Sections []pageSection
	Claims   int      // how many there are
	Sources  []string // of the claims, by the letter of their IDs
	Judged   []pageClaim
	Open     []pageClaim // not measured, or beyond measuring
	Tables   []table.Table
	Warnings []string
	More     int // warnings that are not shown
	Facts    []fact
	Commands []string
}

type pageSection struct {
	Title, Note string
	Figures     []figure
}

type pageClaim struct {
	claims.Verdict
	Class, TruthText string
	Paper            string // the source, where the letter of the ID does not say it
}

// fact is a line of the provenance.
type fact struct{ Key, Value string }

// maxWarnings is how many the page shows; a folder of doctored files may have
// thousands.
const maxWarnings = 40

func (r *report) page(figures []figure) ([]byte, error) {
	p := page{
		CSS:      template.CSS(pageCSS + "@media screen and (prefers-color-scheme:dark){:root{" + chart.DarkCSS() + "}}"),
		Title:    "filterbench: " + headline(r.verdicts),
		Headline: verdictOf(r.verdicts),
		Tally:    tally(r.verdicts),
		Findings: slices.DeleteFunc(slices.Clone(figures), func(f figure) bool { return f.Minor }),
		Tables:   slices.DeleteFunc(slices.Clone(r.tables), func(t table.Table) bool { return t.Name == "claims" }),
		Warnings: r.warnings[:min(len(r.warnings), maxWarnings)],
		More:     max(0, len(r.warnings)-maxWarnings),
		Facts:    r.facts(),
		Commands: r.commands(),
	}
	if p.Headline != nil {
		p.Class, p.Truth = class(p.Headline.Status), truth(*p.Headline)
	}
	for _, s := range r.sections {
		ps := pageSection{Title: s.Title, Note: s.Note}
		ps.Figures, figures = figures[:len(s.Charts)], figures[len(s.Charts):]
		p.Sections = append(p.Sections, ps)
	}
	p.Claims = len(r.verdicts)
	texts := sources(r.verdicts)
	for _, letter := range slices.Sorted(maps.Keys(texts)) {
		p.Sources = append(p.Sources, letter+" is "+texts[letter]+".")
	}
	for _, v := range r.verdicts {
		c := pageClaim{Verdict: v, Class: class(v.Status), TruthText: truth(v)}
		if texts[v.ID[:1]] == "" {
			c.Paper = v.Source
		}
		if v.Status == claims.NotMeasured || v.Status == claims.Note {
			p.Open = append(p.Open, c)
		} else {
			p.Judged = append(p.Judged, c)
		}
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// sources maps the first letter of claims' IDs to the text they are all from;
// letters whose claims are of several are left out.
func sources(verdicts []claims.Verdict) map[string]string {
	texts := map[string]string{}
	for _, v := range verdicts {
		letter := v.ID[:1]
		if have, seen := texts[letter]; seen && have != v.Source {
			texts[letter] = ""
		} else {
			texts[letter] = v.Source
		}
	}
	maps.DeleteFunc(texts, func(_, text string) bool { return text == "" })
	return texts
}

// class is the CSS class of a status.
func class(s claims.Status) string {
	switch s {
	case claims.Holds:
		return "holds"
	case claims.Conditions:
		return "conditions"
	case claims.Wrong:
		return "wrong"
	}
	return "open"
}

// facts are all configuration lines of all files, each value once.
func (r *report) facts() (facts []fact) {
	for _, f := range r.set.Files {
		for _, c := range f.Config {
			one := fact{c.Key, c.Value}
			if slices.Contains(facts, one) {
				continue
			}
			i := slices.IndexFunc(facts, func(f fact) bool { return f.Key == c.Key })
			if i < 0 {
				facts = append(facts, one)
				continue
			}
			facts = slices.Insert(facts, i+1, one)
		}
	}
	return facts
}

// commands repeat the run, as far as the files say how it was made.
func (r *report) commands() []string {
	var lines []string
	if commit, ok := r.set.Config("commit"); ok && isHex(commit) {
		lines = append(lines, "git checkout "+commit)
	}
	run := "runbench run"
	for _, key := range []string{"profile", "seed"} {
		if v, ok := r.set.Config(key); ok && isWord(v) {
			run += fmt.Sprintf(" --%s %s", key, v)
		}
	}
	return append(lines, "make build", "bin/"+run, "bin/runbench report")
}

// isHex and isWord keep what a hostile file says out of a command that
// someone may paste into a shell.
func isHex(s string) bool { return s != "" && strings.Trim(s, "0123456789abcdef") == "" }
func isWord(s string) bool {
	return s != "" && strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}
