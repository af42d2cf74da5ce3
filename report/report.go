// Package report turns a folder of results into charts, tables and one HTML
// page. It measures nothing and builds no filter: results of any machine can
// be read on any other.
package report

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"filterbench/report/chart"
	"filterbench/report/claims"
	"filterbench/report/table"
	"filterbench/results"
	"filterbench/results/stat"
)

// Summary is what a report says, in short.
type Summary struct {
	Page     string           // path of the HTML page
	Files    []string         // all files written, the page last
	Headline string           // the verdict on the texts' 9.6 bits per key, in one line
	Findings []string         // what the charts say: the titles of the first of each kind
	Warnings []string         // what a reader must know of the results
	Verdicts []claims.Verdict // on every claim
}

// Write makes the report of the results under dir, which it creates: the page
// index.html, the charts as charts/NAME.svg and .png, and tables.md. Whatever
// the results lack is said in its place. Nothing is written until all of it
// is made, each file then appears whole, and the page last. Charts of an
// earlier report that these results do not have are removed.
func Write(set *results.Set, dir string) (Summary, error) {
	r := analyse(set)
	files, err := r.render()
	if err != nil {
		return Summary{}, fmt.Errorf("report: %w", err)
	}
	s := r.summary()
	for _, f := range files {
		s.Files = append(s.Files, filepath.Join(dir, f.name))
	}
	s.Page = s.Files[len(s.Files)-1]
	if err := writeAll(dir, files); err != nil {
		return Summary{}, fmt.Errorf("report: %w", err)
	}
	return s, removeStale(filepath.Join(dir, "charts"), s.Files)
}

// report is the analysed results.
type report struct {
	set      *results.Set
	sections []section
	tables   []table.Table
	verdicts []claims.Verdict
	warnings []string
}

// section is what one experiment says in charts, or a note why it says none.
type section struct {
	Experiment, Title string
	Charts            []chart.Chart
	Note              string
}

// analyse reads everything out of the set.
func analyse(set *results.Set) *report {
	r := &report{set: set, verdicts: claims.Judge(set)}
	r.warnings = append(r.warnings, set.Warnings()...)

	r.tables = []table.Table{claimsTable(r.verdicts)}
	for _, p := range parts {
		r.take(p)
	}
	return r
}

// section keeps the charts that have data, or says why there are none.
func (r *report) section(experiment, title string, charts []chart.Chart) {
	s := section{Experiment: experiment, Title: title}
	for _, c := range charts {
		r.warnings = append(r.warnings, c.Clean()...)
		if !c.Empty() {
			s.Charts = append(s.Charts, c)
		}
	}
	switch {
	case len(s.Charts) > 0:
	case len(r.set.Records(experiment)) == 0:
		s.Note = fmt.Sprintf("Not measured: these results have no %s.txt. `runbench run %s` makes it.", experiment, experiment)
	default:
		s.Note = fmt.Sprintf("%s.txt has nothing that can be drawn.", experiment)
	}
	r.sections = append(r.sections, s)
}

// lostKeys warns of false negatives, which no filter may have.
func lostKeys(records []results.Record) (warnings []string) {
	for _, rec := range records {
		if fn, ok := rec.Value("fn"); ok && fn > 0 {
			warnings = append(warnings, fmt.Sprintf("fpr.txt: %s lost %v keys (false negatives)", rec.FullName(), fn))
		}
	}
	return warnings
}

// doubtful warns of timings that cannot be, or that say little.
func doubtful(times []timing) (warnings []string) {
	const leastRounds, leastOfLimit = 6, .9
	few := 0
	for _, t := range times {
		if t.samples < leastRounds {
			few++
		}
		if t.name == "Lookup" && t.xLimit.mid < leastOfLimit {
			warnings = append(warnings, fmt.Sprintf("lookup.txt: %s at %s (%s, %s, %s%% hits) takes %.2f times the physical limit: one of the two is wrong",
				t.filter, t.sizeName(), t.api, t.mode, t.hits, t.xLimit.mid))
		}
	}
	if few > 0 {
		warnings = append(warnings, fmt.Sprintf("lookup.txt: %d timings have fewer than %d rounds, too few for an interval", few, leastRounds))
	}
	if samples, disturbed := interrupted(times); stat.Busy(samples, disturbed) {
		what := "compare times with care"
		if hasCPU(times) {
			what = "charts show and compare CPU time"
		}
		warnings = append(warnings, fmt.Sprintf("lookup.txt: %d of %d samples were interrupted by other work on the machine: %s", disturbed, samples, what))
	}
	return warnings
}

func (r *report) charts() (all []chart.Chart) {
	for _, s := range r.sections {
		all = append(all, s.Charts...)
	}
	return all
}

func (r *report) summary() Summary {
	s := Summary{Headline: headline(r.verdicts), Warnings: r.warnings, Verdicts: r.verdicts}
	for _, c := range r.charts() {
		if !c.Minor {
			s.Findings = append(s.Findings, c.Title)
		}
	}
	return s
}

// file is a file to be written under the report's folder.
type file struct {
	name string
	data []byte
}

// render makes all files, the page last.
func (r *report) render() (files []file, err error) {
	var figures []figure
	for _, c := range r.charts() {
		f, err := newFigure(c)
		if err != nil {
			return nil, err
		}
		png, err := c.PNG()
		if err != nil {
			return nil, err
		}
		figures = append(figures, f)
		files = append(files, file{"charts/" + c.Name + ".svg", f.svg}, file{"charts/" + c.Name + ".png", png})
	}
	files = append(files, file{"tables.md", r.markdown()})
	page, err := r.page(figures)
	if err != nil {
		return nil, err
	}
	return append(files, file{"index.html", page}), nil
}

func (r *report) markdown() []byte {
	var b strings.Builder
	b.WriteString("# Tables\n\n")
	for _, t := range r.tables {
		b.WriteString(t.Markdown())
	}
	return []byte(b.String())
}

// writeAll writes every file beside its place first, so that a full disk
// leaves an earlier report as it was, and then renames them in order.
func writeAll(dir string, files []file) (err error) {
	if err := os.MkdirAll(filepath.Join(dir, "charts"), 0o777); err != nil {
		return err
	}
	var temps []string
	defer func() {
		for _, t := range temps { // those that were renamed are gone already
			if e := os.Remove(t); e != nil && !errors.Is(e, os.ErrNotExist) {
				err = cmp.Or(err, e)
			}
		}
	}()
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		t, err := os.CreateTemp(filepath.Dir(path), ".report-*")
		if err != nil {
			return err
		}
		temps = append(temps, t.Name())
		_, err = t.Write(f.data)
		if err := errors.Join(err, t.Chmod(0o644), t.Close()); err != nil {
			return err
		}
	}
	for i, f := range files {
		if err := os.Rename(temps[i], filepath.Join(dir, filepath.FromSlash(f.name))); err != nil {
			return err
		}
	}
	return nil
}

// removeStale removes charts that an earlier report left.
func removeStale(dir string, written []string) error {
	for _, pattern := range []string{"*.svg", "*.png"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		for _, path := range found {
			if slices.Contains(written, path) || !ownChart(filepath.Base(path)) {
				continue
			}
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}
