package compare

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"filterbench/report/format"
	"filterbench/results"
)

// Series is one cell's multiple of the physical limit over the runs of a machine,
// in the order of their dates: what a change of the code changes, and a faster
// clock does not.
type Series struct {
	Filter, Group string
	Points        []Point
	Changes       []Change
}

// Point is one run's median with its 95 % interval.
type Point struct {
	Run         int // index in History.Runs
	Mid, Lo, Hi float64
}

// Change is where a series changes its level.
type Change struct {
	At    int     // index of the first point behind it
	Ratio float64 // of the levels, behind over before
	P     float64 // of a permutation test
}

// History is many runs of one machine.
type History struct {
	Runs   []string // their commits, or folders where that is unknown
	Dates  []string
	Series []Series
}

// NewHistory puts the runs in the order of their dates. It fails for less than
// two, and where they are not of one CPU.
func NewHistory(sets []*results.Set, o Options) (*History, error) {
	if len(sets) < 2 {
		return nil, fmt.Errorf("a history takes two results folders or more; got %d", len(sets))
	}
	runs := make([]*run, len(sets))
	for i, label := range labels(sets) {
		runs[i] = newRun(label, sets[i])
		if runs[i].cpu() != runs[0].cpu() {
			return nil, fmt.Errorf("%s and %s are of different CPUs (%s; %s): a history is of one machine; compare compares machines",
				sets[0].Dir, sets[i].Dir, runs[0].cpu(), runs[i].cpu())
		}
	}
	slices.SortStableFunc(runs, func(a, b *run) int { return cmp.Compare(a.config("date"), b.config("date")) })
	h := &History{}
	for _, r := range runs {
		h.Runs = append(h.Runs, r.commit())
		h.Dates = append(h.Dates, r.config("date"))
	}
	h.series(runs, o)
	return h, nil
}

// commit is the short name of the commit that a run measured.
func (r *run) commit() string {
	c := r.config("commit")
	if c == "?" {
		return r.label
	}
	c = c[:min(7, len(c))]
	if r.config("dirty") == "true" {
		c += "+"
	}
	return c
}

// headlines are the cells of absent keys in batches of hashes, at the largest size
// of the newest run: few enough that a change among them can be told from chance.
func headlines(runs []*run) (names []string) {
	largest := 0.0
	for _, name := range runs[len(runs)-1].names {
		if !strings.HasPrefix(name, "Lookup/") || !strings.HasSuffix(groupOf(name), " api=hash mode=batch hits=0") {
			continue
		}
		size, _ := format.ParseBytes(axisOf(name, "size"))
		if size > largest {
			largest, names = size, nil
		}
		if size == largest {
			names = append(names, name)
		}
	}
	return names
}

// series collects the headline cells that at least two runs have.
func (h *History) series(runs []*run, o Options) {
	names := headlines(runs)
	for _, name := range names {
		s := Series{Filter: axisOf(name, "filter"), Group: groupOf(name)}
		noise := 1.0
		for i, r := range runs {
			samples := r.rows[name].samples["x-limit"]
			if len(samples) == 0 {
				continue
			}
			sum := summary(samples)
			s.Points = append(s.Points, Point{i, sum.Center, sum.Lo, sum.Hi})
			noise = max(noise, r.noise(axisOf(name, "size")))
		}
		if len(s.Points) > 1 {
			s.Changes = changes(s.Points, max(noise, 1+o.Threshold), changeLevel/float64(len(names)))
			h.Series = append(h.Series, s)
		}
	}
}

const (
	// changeLevel is the chance of a change point in series that have none,
	// shared by all series of a history.
	changeLevel  = 0.05
	permutations = 9999
	// leastSegment is the least number of runs on either side of a change: one
	// run that differs may have had a bad day.
	leastSegment = 3
)

// changes finds where the level of a series changes, by circular binary
// segmentation: the stretch of runs whose logarithms differ most from the rest, as
// far as it explains the variance, is one if a random order of the runs seldom has
// one that explains as much (a permutation test, of a fixed seed), and the levels
// differ by the given factor. Then each part is searched in turn.
//
// Source: Olshen, Venkatraman, Lucito and Wigler, Circular binary segmentation for
// the analysis of array-based DNA copy number data, Biostatistics 5(4), 2004.
func changes(points []Point, factor, level float64) (found []Change) {
	logs := make([]float64, len(points))
	for i, p := range points {
		logs[i] = math.Log(p.Mid)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var search func(from, to int)
	search = func(from, to int) {
		part := logs[from:to]
		i, j, gain := bestStretch(part)
		if j == 0 {
			return
		}
		ratio := math.Exp(mean(part[i:j]) - (mean(part)*float64(len(part))-mean(part[i:j])*float64(j-i))/float64(len(part)-j+i))
		p := chanceOf(gain, part, rng)
		if p > level || max(ratio, 1/ratio) < factor {
			return
		}
		search(from, from+i)
		if i > 0 {
			found = append(found, Change{from + i, ratio, p})
		}
		search(from+i, from+j)
		if j < len(part) {
			found = append(found, Change{from + j, 1 / ratio, p})
		}
		search(from+j, to)
	}
	search(0, len(logs))
	return found
}

// bestStretch is the stretch from i to before j that takes most from the sum of
// squares; j is 0 where the values are too few, or all the same.
func bestStretch(v []float64) (from, to int, gain float64) {
	n := len(v)
	sums := make([]float64, n+1)
	for i, x := range v {
		sums[i+1] = sums[i] + x
	}
	for i := 0; i < n; i++ {
		for j := i + leastSegment; j <= n; j++ {
			if i > 0 && i < leastSegment || j < n && n-j < leastSegment || j-i == n {
				continue
			}
			in, out := float64(j-i), float64(n-j+i)
			inside := sums[j] - sums[i]
			d := inside/in - (sums[n]-inside)/out
			if g := d * d * in * out / float64(n); g > gain {
				from, to, gain = i, j, g
			}
		}
	}
	return from, to, gain
}

// chanceOf is the share of random orders of the values whose best stretch gains as
// much.
func chanceOf(gain float64, v []float64, rng *rand.Rand) float64 {
	v = slices.Clone(v)
	as := 1
	for range permutations {
		rng.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
		if _, _, g := bestStretch(v); g >= gain*(1-1e-9) {
			as++
		}
	}
	return float64(as) / (permutations + 1)
}

func mean(v []float64) (m float64) {
	for _, x := range v {
		m += x / float64(len(v))
	}
	return m
}
