package bloom

import (
	"filterbench/filters/hashing"
	"filterbench/filters/internal/probes"
)

// walker is what begins and takes the walks of index=range and double hashing, in
// the form that all steps share: the first word is the hash, the step a second mix
// of it, and z and c are the changes of the step, as in probes.Walk.
type walker struct {
	words *uint64 // the bits
	m, k  uint64
	shift uint64 // a step is made odd in units of 2^shift
	low   uint64 // by this, 0 or 1
	z, c  uint64
}

func newWalker(words *uint64, m uint64, k int, s step) walker {
	w := walker{words: words, m: m, k: uint64(k)}
	switch s {
	case enhanced:
		e := probes.EnhancedFrom(0, 0)
		w.z, w.c = e.Z, e.C
	case odd:
		w.shift, w.low = uint64(oddShift(m)), 1
	}
	return w
}

// step is the first step of a hash.
func (w *walker) step(hash uint64) uint64 { return w.odd(hashing.Mix(hash)) }

// odd makes a step odd where that is asked for.
func (w *walker) odd(h2 uint64) uint64 { return (h2>>(w.shift&63) | w.low) << (w.shift & 63) }

// start begins a walk.
func (w *walker) start(h1, h2 uint64) walk {
	return walk{X: h1, Y: w.odd(h2), Z: w.z, C: w.c}
}

// ahead is how many positions ahead lines are fetched when keys are added: a power
// of two.
const ahead = 64

// adder adds keys with their lines fetched ahead: a position waits in the ring
// until its line has come, and its bit is set when the place is needed.
type adder struct {
	walker
	ring [ahead]uint64
	//lint:ignore U1000 the assembly keeps it
	turn uint64 // the place of the next position
}

// addKernel is AddHashes of at least one key.
func (f *Filter) addKernel(hashes []uint64) {
	a := adder{walker: f.walker}
	for i := range a.ring { // a bit that is going to be set anyway
		a.ring[i] = hashing.Reduce(hashes[0], f.bits.M)
	}
	const most = 1024 // keys, before others on this processor may run
	for len(hashes) > 0 {
		n := min(most, len(hashes))
		addAVX2(&a, &hashes[0], n)
		hashes = hashes[n:]
	}
	for _, at := range a.ring {
		f.bits.Set(at)
	}
}
