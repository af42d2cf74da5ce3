// Package timing times passes over fixed inputs, so that what is compared has
// met the same conditions.
//
// All cells of a group are ready before the first is timed. Then come rounds;
// in each round every cell is sampled once, in a fresh random order, so that a
// machine that slows down or speeds up does so to all alike. A sample is a
// number of whole passes that a discarded pilot fixed beforehand, right after
// a pass that is not timed. What the passes return must equal what was found
// without timing, so that nothing can be optimised away.
//
// While a group runs, the garbage collector is off and the goroutine has an OS
// thread to itself, on Linux pinned to one CPU. The caller sees to it that the
// process does nothing else meanwhile.
package timing

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Cell is one thing to be timed.
type Cell struct {
	Name string // for errors
	Ops  int    // operations in a pass, at least 1
	// Pass does all operations and returns a value that depends on each of
	// them: Want, every time.
	Pass func() uint64
	Want uint64
	// Warm runs before a sample, untimed, and leaves the caches as Pass would
	// find them in the long run. Nil is one Pass.
	Warm func()
	// Reset, of passes that change what they work on, runs before each of them,
	// untimed, and undoes what the one before has done. Nil is nothing to undo.
	Reset func()
	// Crew is who does the pass, if it is not the calling thread alone. A sample
	// of it has no CPU time.
	Crew *Crew
}

// Group is the cells that are compared with each other.
type Group struct {
	Cells  []Cell
	Rounds int
	// Seed gives the order of the cells in each round.
	Seed uint64
}

// MinSample is how long a sample lasts at least: 10,000 times what reading the
// clocks takes.
const MinSample = 5 * time.Millisecond

// Sample is what one cell took in one round.
type Sample struct {
	Ops  int // operations timed
	Wall time.Duration
	// CPU is the time that the thread itself was running; 0 where the system
	// does not say.
	CPU time.Duration
	// Disturbed is how many attempts at this sample were disturbed: the thread
	// was interrupted, or the hypervisor gave the CPU to someone else. Such an
	// attempt is repeated, maxRetakes times at most. If all were, the sample is
	// the attempt that lost the least time, and Disturbed counts it, too.
	Disturbed int
}

// NsPerOp is the wall-clock time of one operation.
func (s Sample) NsPerOp() float64 { return float64(s.Wall.Nanoseconds()) / float64(s.Ops) }

// CPUNsPerOp is the CPU time of one operation; 0 where it is not known.
func (s Sample) CPUNsPerOp() float64 { return float64(s.CPU.Nanoseconds()) / float64(s.Ops) }

// Ratio is the time of one operation over that of the other sample: CPU time,
// which an interruption of either does not change, where it is known of both.
func (s Sample) Ratio(to Sample) float64 {
	if s.CPU > 0 && to.CPU > 0 {
		return s.CPUNsPerOp() / to.CPUNsPerOp()
	}
	return s.NsPerOp() / to.NsPerOp()
}

const (
	// maxRetakes is how often a disturbed sample is taken again.
	maxRetakes = 2
	// retakeShare bounds the retakes of a round to one for so many cells, lest
	// a busy machine triple the time of the run.
	retakeShare = 4
)

// Run takes the samples of the rounds from the given one on, and calls emit
// after each round with one sample for each cell, in the order of g.Cells. It
// returns the context's error at most one sample after that is cancelled. A
// cell whose pass does not return what it must is an error.
func Run(ctx context.Context, g Group, from int, emit func(round int, samples []Sample) error) error {
	return quietly(func(m meter) error { return g.run(ctx, m, from, emit) })
}

func (g Group) run(ctx context.Context, m meter, from int, emit func(int, []Sample) error) error {
	passes := make([]int, len(g.Cells))
	for i, c := range g.Cells {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if passes[i], err = c.pilot(m); err != nil {
			return err
		}
	}
	for round := from; round < g.Rounds; round++ {
		samples, err := g.round(ctx, m, round, passes)
		if err != nil {
			return err
		}
		if err := emit(round, samples); err != nil {
			return err
		}
	}
	return nil
}

// round samples every cell once.
func (g Group) round(ctx context.Context, m meter, round int, passes []int) ([]Sample, error) {
	samples := make([]Sample, len(g.Cells))
	retakes := len(g.Cells)/retakeShare + 1
	order := rand.New(rand.NewPCG(g.Seed, uint64(round))).Perm(len(g.Cells))
	for _, i := range order {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		allowed := min(maxRetakes, retakes)
		s, used, err := g.Cells[i].sample(m, passes[i], allowed)
		if err != nil {
			return nil, err
		}
		samples[i] = s
		retakes -= used
	}
	return samples, nil
}

// sample takes one sample, and a disturbed one again as often as allowed. It
// says how many of those retakes it used.
func (c Cell) sample(m meter, passes, allowed int) (s Sample, used int, err error) {
	var best reading
	for attempt := 0; ; attempt++ {
		c.warm()
		r, err := c.time(m, passes)
		if err != nil {
			return s, attempt, err
		}
		if attempt == 0 || r.lost() < best.lost() {
			best = r
		}
		if r.disturbed() {
			s.Disturbed++
			if attempt < allowed {
				continue
			}
		} else {
			best = r
		}
		s.Ops, s.Wall, s.CPU = passes*c.Ops, best.wall, best.cpu
		if c.Crew != nil {
			s.CPU = 0 // that of one thread would say little
		}
		return s, attempt, nil
	}
}

func (c Cell) warm() {
	switch {
	case c.Warm != nil:
		c.Warm()
	case c.Reset != nil:
		c.Reset()
		c.Pass()
	default:
		c.Pass()
	}
}

// time times so many passes and checks what they return.
func (c Cell) time(m meter, passes int) (reading, error) {
	var r reading
	var sum uint64
	if c.Crew != nil {
		c.Crew.Lost() // before
	}
	if c.Reset == nil {
		m.start()
		for range passes {
			sum += c.Pass()
		}
		r = m.stop()
	} else {
		for range passes {
			c.Reset()
			m.start()
			sum += c.Pass()
			r.add(m.stop())
		}
	}
	if c.Crew != nil {
		r.others = c.Crew.Lost()
	}
	if want := uint64(passes) * c.Want; sum != want {
		return r, fmt.Errorf("%s: %d passes returned %d together where %d is right: the timed loop does not do the work", c.Name, passes, sum, want)
	}
	return r, nil
}

// pilot finds how many passes make a sample. It aims a quarter above MinSample,
// since a later sample may be faster.
func (c Cell) pilot(m meter) (passes int, err error) {
	const aim = MinSample + MinSample/4
	c.warm()
	for passes = 1; ; {
		took, err := c.fastest(m, passes, aim)
		if err != nil {
			return 0, err
		}
		if took >= aim {
			return passes, nil
		}
		// A clock that stood still says only that far more is needed.
		grown := 1000 * float64(passes)
		if took > 0 {
			grown = min(grown, float64(passes)*float64(aim)/float64(took)*1.02)
		}
		passes = max(passes+1, int(grown))
	}
}

// fastest is the least time of a few attempts, as soon as one is below the aim.
// It is CPU time where that is known: an interruption must not make samples too
// short.
func (c Cell) fastest(m meter, passes int, aim time.Duration) (least time.Duration, err error) {
	for attempt := range 3 {
		r, err := c.time(m, passes)
		if err != nil {
			return 0, err
		}
		if took := r.busy(); attempt == 0 || took < least {
			least = took
		}
		if least < aim || least > 4*aim {
			break
		}
	}
	return least, nil
}

// Ranking orders passes by the least time that each takes, the fastest first: each
// runs once untimed, and then in five rounds, so that drift hits all alike. It
// serves to choose between ways of doing the same before a group is put together;
// no time of it is reported.
func Ranking(passes []func()) (order []int, err error) {
	const rounds = 5
	least := make([]time.Duration, len(passes))
	for i := range least {
		order, least[i] = append(order, i), math.MaxInt64
	}
	err = quietly(func(m meter) error {
		for _, pass := range passes {
			pass()
		}
		for range rounds {
			for i, pass := range passes {
				m.start()
				pass()
				least[i] = min(least[i], m.stop().busy())
			}
		}
		return nil
	})
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(least[a], least[b]) })
	return order, err
}

// Fastest returns the index of the pass that takes the least time: see [Ranking].
func Fastest(passes []func()) (fastest int, err error) {
	order, err := Ranking(passes)
	return order[0], err
}
