package compare

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"filterbench/report/chart"
	"filterbench/report/format"
	"filterbench/report/table"

	"gonum.org/v1/plot"
)

// Write prints each series: where it began, where it stands, and what changed it.
func (h *History) Write(w io.Writer) error {
	t := table.Table{Columns: table.Heads("filter", "#runs", "#first ("+h.Runs[0]+")", "#last ("+h.Runs[len(h.Runs)-1]+")", "changes")}
	for _, s := range h.Series {
		var changes []string
		for _, c := range s.Changes {
			changes = append(changes, fmt.Sprintf("%s at %s (p %s)", percentChange(c.Ratio), h.Runs[s.Points[c.At].Run], format.Fixed(c.P, 2)))
		}
		first, last := s.Points[0], s.Points[len(s.Points)-1]
		said := strings.Join(changes, ", ")
		if said == "" {
			said = "none seen"
		}
		t.Rows = append(t.Rows, []string{s.Filter, strconv.Itoa(len(s.Points)), first.text(), last.text(), said})
	}
	if len(t.Rows) == 0 {
		_, err := fmt.Fprintln(w, "No lookup was timed in two of these runs: nothing to draw.")
		return err
	}
	_, err := fmt.Fprintf(w, "%s\n\n%s\n%s\n", h.title(), "Multiples of the random line read of the same run: absent keys in batches of hashes, filters of "+h.size()+"; 95% intervals.", t.Text())
	if err == nil && len(h.Runs) < 2*leastSegment {
		_, err = fmt.Fprintf(w, "A change takes %d runs on either side to be told from a bad day.\n", leastSegment)
	}
	return err
}

func (p Point) text() string {
	return format.Fixed(p.Mid, 3) + " [" + format.Interval(p.Lo, p.Hi, 3) + "]"
}

// title says what changed most, or that nothing did.
func (h *History) title() string {
	var most Change
	name, run, n := "", "", 0
	for _, s := range h.Series {
		for _, c := range s.Changes {
			n++
			if name == "" || math.Abs(math.Log(c.Ratio)) > math.Abs(math.Log(most.Ratio)) {
				most, name, run = c, family(s.Filter), h.Runs[s.Points[c.At].Run]
			}
		}
	}
	if n == 0 {
		return fmt.Sprintf("No change of any lookup was seen over %d runs", len(h.Runs))
	}
	direction := "faster"
	if most.Ratio > 1 {
		direction = "slower"
	}
	return fmt.Sprintf("%s became %s at %s: %s, as a multiple of the memory's limit", name, direction, run, percentChange(most.Ratio))
}

// size is that of the filters in the series.
func (h *History) size() string {
	size, _, _ := strings.Cut(strings.TrimPrefix(h.Series[0].Group, "size="), " ")
	return size
}

// perChart is how many series one chart can hold.
const perChart = 8

// Charts draw the series over the runs, with their changes marked.
func (h *History) Charts() (charts []chart.Chart) {
	for from := 0; from < len(h.Series); from += perChart {
		part := h.Series[from:min(from+perChart, len(h.Series))]
		c := chart.Chart{
			Name:  "history",
			Title: h.title(),
			Subtitle: fmt.Sprintf("lookups of absent keys, batches of hashes, filters of %s; medians with 95%% intervals, %d runs of one machine by date",
				h.size(), len(h.Runs)),
			Caption: "Lower is better. A dashed line is where a level changes.",
			X:       chart.Axis{Label: "commit", Ticks: h.ticks, Min: -0.5, Max: float64(len(h.Runs)) - 0.5},
			Y:       chart.Axis{Label: "multiple of the random line read", Log: true, Ticks: chart.Times},
			Dodge:   true,
		}
		if from > 0 {
			c.Name += "-" + strconv.Itoa(from/perChart+1)
		}
		var specs []string
		for _, s := range part {
			specs = append(specs, s.Filter)
		}
		styles := chart.Styles(specs)
		for i, s := range part {
			line := chart.Series{Name: short(specs, s.Filter), Style: styles[i], Join: true}
			for _, p := range s.Points {
				line.Points = append(line.Points, chart.Point{X: float64(p.Run), Y: p.Mid, Lo: p.Lo, Hi: p.Hi})
			}
			c.Series = append(c.Series, line)
			for _, ch := range s.Changes {
				c.Marks = append(c.Marks, chart.Mark{At: float64(s.Points[ch.At].Run) - 0.5, Name: family(s.Filter) + " " + percentChange(ch.Ratio), Short: percentChange(ch.Ratio)})
			}
		}
		charts = append(charts, c)
	}
	return charts
}

// ticks name the runs, as many as there is room for.
func (h *History) ticks(lo, hi float64, n int) (ticks []plot.Tick) {
	step := max(1, (len(h.Runs)+n-1)/max(1, n))
	for i, name := range h.Runs {
		t := plot.Tick{Value: float64(i)}
		if i%step == 0 {
			t.Label = name
		}
		if t.Value >= lo && t.Value <= hi {
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// short is a spec's family, with its options where others share the family.
func short(specs []string, spec string) string {
	same := slices.DeleteFunc(slices.Clone(specs), func(s string) bool { return family(s) != family(spec) })
	if len(same) > 1 {
		return spec
	}
	return family(spec)
}
