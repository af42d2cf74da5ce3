package theory

import "math"

// A quotient filter's slots fill as in linear probing (see QuotientStretch):
// at each slot Poisson(load) keys arrive at a queue, and one leaves. The queue
// that a slot inherits from the one before is what shifts its own keys.

// QuotientShift is the expected number of slots by which the first key of a
// slot is shifted, load^2/(2(1-load)): the mean queue behind a departure
// (Pollaczek and Khinchine; Knuth, TAOCP 3, section 6.4). 0 <= load < 1.
func QuotientShift(load float64) float64 { return load * load / (2 * (1 - load)) }

// QuotientWalk is the expected number of slots from the beginning of a slot's
// cluster (the last slot up to it that inherits no queue) to that slot: the
// age of a renewal process, (E[T^2]/E[T] - 1)/2 with T the time between empty
// queues. T is 1, and a busy period for each key beyond the first that arrives
// at its beginning: their number is that of arrivals less one, but not below
// 0, and busy periods have the mean 1/(1-load) and the variance load/(1-load)^3
// (Borel 1942). 0 <= load < 1.
func QuotientWalk(load float64) float64 {
	none, idle := math.Exp(-load), 1-load
	extra := load - 1 + none                          // mean number of further keys
	square := load + (load-1)*(load-1) - none         // mean of its square
	mean := 1 + extra/idle                            // of T
	second := 1 + 2*extra/idle + square/(idle*idle) + // of T^2
		extra*load/(idle*idle*idle)
	return (second/mean - 1) / 2
}
