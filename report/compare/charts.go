package compare

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"filterbench/report/chart"

	"gonum.org/v1/plot"
)

// Charts draw, for each size, how the filters' multiples of the memory's limit
// move from machine to machine: lookups of absent keys in batches of hashes.
func (c *Comparison) Charts() (charts []chart.Chart) {
	var sizes []string
	bySize := map[string][]Shape{}
	for _, s := range c.Shapes() {
		size, rest, _ := strings.Cut(strings.TrimPrefix(s.Group, "size="), " ")
		if rest != "api=hash mode=batch hits=0" || slices.ContainsFunc(s.Places, func(p Place) bool { return p.XLimit == 0 }) {
			continue
		}
		if bySize[size] == nil {
			sizes = append(sizes, size)
		}
		bySize[size] = append(bySize[size], s)
	}
	for _, size := range sizes {
		shapes := bySize[size]
		charts = append(charts, c.slopes(size, shapes[:min(perChart, len(shapes))]))
	}
	return charts
}

func (c *Comparison) slopes(size string, shapes []Shape) chart.Chart {
	out := chart.Chart{
		Name:     "compare-" + size,
		Title:    c.mover(size, shapes),
		Subtitle: "lookups of absent keys, batches of hashes, filters of " + size + "; medians, over each machine's own line read",
		Caption:  "Lower is better. Lines that cross are filters whose order depends on the machine.",
		X:        chart.Axis{Label: "machine", Ticks: c.ticks, Min: -0.5, Max: float64(len(c.Runs)) - 0.5},
		Y:        chart.Axis{Label: "multiple of the random line read", Log: true, Ticks: chart.Times},
	}
	var specs []string
	for _, s := range shapes {
		specs = append(specs, s.Filter)
	}
	styles := chart.Styles(specs)
	for i, s := range shapes {
		line := chart.Series{Name: short(specs, s.Filter), Style: styles[i], Join: true}
		for k, p := range s.Places {
			line.Points = append(line.Points, chart.Point{X: float64(k), Y: p.XLimit})
		}
		out.Series = append(out.Series, line)
	}
	return out
}

// mover is the filter whose rank changes most from the first run to another.
func (c *Comparison) mover(size string, shapes []Shape) string {
	var who Shape
	most, to := 0, 0
	for _, s := range shapes {
		for k, p := range s.Places {
			if by := p.Rank - s.Places[0].Rank; max(by, -by) > most {
				who, most, to = s, max(by, -by), k
			}
		}
	}
	if most == 0 {
		return fmt.Sprintf("At %s the filters have the same order on all %d machines", size, len(c.Runs))
	}
	return fmt.Sprintf("At %s %s is number %d of %d on %s, and number %d on %s", size, family(who.Filter),
		who.Places[0].Rank, who.Places[0].Of, c.Runs[0], who.Places[to].Rank, c.Runs[to])
}

func (c *Comparison) ticks(lo, hi float64, _ int) (ticks []plot.Tick) {
	for i, name := range c.Runs {
		if v := float64(i); v >= lo && v <= hi {
			ticks = append(ticks, plot.Tick{Value: v, Label: name})
		}
	}
	return ticks
}

// WriteCharts writes the charts as NAME.svg and NAME.png into a folder, which it
// makes, and returns their paths. All are made before the first is written.
func WriteCharts(dir string, charts []chart.Chart) (paths []string, err error) {
	files := map[string][]byte{}
	for _, c := range charts {
		c.Clean()
		if c.Empty() {
			continue
		}
		svg, err := c.SVG(chart.Wide)
		if err != nil {
			return nil, err
		}
		png, err := c.PNG()
		if err != nil {
			return nil, err
		}
		for ext, data := range map[string][]byte{".svg": svg, ".png": png} {
			path := filepath.Join(dir, c.Name+ext)
			files[path] = data
			paths = append(paths, path)
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	slices.Sort(paths)
	for _, path := range paths {
		if err := writeWhole(path, files[path]); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// writeWhole leaves the file as it was, or with all of the data.
func writeWhole(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".chart-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), path)
}
