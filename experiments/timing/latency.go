package timing

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// Call is something short that is timed call by call, so that the slow ones are
// seen and not averaged away.
type Call struct {
	Name string // for errors
	N    int    // calls in a pass, at least 1
	// Do makes call i of a pass and returns a value that depends on the work;
	// those of a pass sum up to Want, every time.
	Do   func(i int) uint64
	Want uint64
}

// CallGroup is the calls that are compared with each other. What is said of
// Group holds for it; a sample is one pass.
type CallGroup struct {
	Calls  []Call
	Rounds int
	Seed   uint64
}

// Distribution is how long the calls of one pass took, reading the clock
// included.
type Distribution struct {
	*Histogram     // lives until the next sample
	Disturbed  int // as of Sample
}

// Chain is how many calls are timed together where one is too short for the
// clock.
const Chain = 32

// tooShort is how many times a reading of the clock a call must take, lest what
// is timed be mostly the clock.
const tooShort = 10

// NoCall does nothing: its distribution is that of the clock itself, which all
// others have on top.
func NoCall(n int) Call { return Call{Name: "clock", N: n, Do: func(int) uint64 { return 0 }} }

// Pilot times one pass of each call, after an untimed one, and returns the
// medians in nanoseconds.
func Pilot(calls ...Call) (medians []float64, err error) {
	var h Histogram
	err = quietly(func(meter) error {
		for _, c := range calls {
			for range 2 {
				h.Reset()
				if err := c.pass(&h); err != nil {
					return err
				}
			}
			medians = append(medians, h.Quantile(.5))
		}
		return nil
	})
	return medians, err
}

// TooShort reports whether a call whose median is given, and holds one reading of
// the clock, takes less than ten readings itself: then a chain should be timed in
// its place.
func TooShort(call, clock float64) bool { return call-clock < tooShort*clock }

// RunCalls takes the samples of the rounds from the given one on, and calls emit
// with the distribution of each. Cells of a round come in a random order. It
// returns the context's error at most one sample after that is cancelled.
func RunCalls(ctx context.Context, g CallGroup, from int, emit func(round int, samples []Distribution) error) error {
	return quietly(func(m meter) error {
		samples := make([]Distribution, len(g.Calls))
		for i := range samples {
			samples[i].Histogram = &Histogram{}
		}
		for round := from; round < g.Rounds; round++ {
			retakes := len(g.Calls)/retakeShare + 1
			for _, i := range rand.New(rand.NewPCG(g.Seed, uint64(round))).Perm(len(g.Calls)) {
				if err := ctx.Err(); err != nil {
					return err
				}
				used, err := g.Calls[i].sample(m, &samples[i], min(maxRetakes, retakes))
				if err != nil {
					return err
				}
				retakes -= used
			}
			if err := emit(round, samples); err != nil {
				return err
			}
		}
		return nil
	})
}

// sample takes one pass after an untimed one, and a disturbed one again as often
// as allowed; if all are, the last counts.
func (c Call) sample(m meter, d *Distribution, allowed int) (used int, err error) {
	d.Disturbed = 0
	for ; ; used++ {
		for range 2 { // the first only warms
			d.Reset()
			m.start()
			if err := c.pass(d.Histogram); err != nil {
				return used, err
			}
		}
		if !m.stop().disturbed() {
			return used, nil
		}
		if d.Disturbed++; used == allowed {
			return used, nil
		}
	}
}

// pass times every call of one pass. One reading of the clock ends a call and
// begins the next, so that a pass reads it once a call.
func (c Call) pass(h *Histogram) error {
	began := time.Now()
	last := time.Since(began)
	var sum uint64
	for i := range c.N {
		sum += c.Do(i)
		now := time.Since(began)
		h.Add(now - last)
		last = now
	}
	if sum != c.Want {
		return fmt.Errorf("%s: a pass returned %d where %d is right: the timed loop does not do the work", c.Name, sum, c.Want)
	}
	return nil
}
