package rounds

import (
	"runtime"

	"filterbench/filters/hashing"
)

// ahead is how many fields ahead lines are fetched when keys are added: a power
// of two.
const ahead = 64

// adder adds keys with their lines fetched ahead: a field waits in the ring until
// its line has come, and is counted up when the place is needed.
type adder struct {
	Walker
	ring [ahead]uint64 // where fields begin, in bits
	//lint:ignore U1000 the assembly keeps it
	turn uint64 // the place of the next
}

// Adds reports whether Add takes a batch of n keys.
func (a *Array) Adds(n int) bool { return a.kernel && n >= ahead }

// Add counts up the fields of the keys, but for stuck ones; a bit is a field that
// is stuck at 1. It is for batches that Adds is true for.
func (a *Array) Add(hashes []uint64) {
	r := adder{Walker: a.Walker}
	hashes = a.fill(&r.ring, hashes)
	const most = 1024 // keys, before others on this processor may run
	for len(hashes) > 0 {
		n := min(most, len(hashes))
		if a.width == 0 {
			addBitsAVX2(&r, &hashes[0], n)
		} else {
			addCountersAVX2(&r, &hashes[0], n)
		}
		hashes = hashes[n:]
	}
	for _, at := range r.ring {
		a.countUp(at)
	}
	runtime.KeepAlive(a)
}

// fill fills the ring from the first keys, adds at once what more these have, and
// returns the other keys. There are enough if each has a field.
func (a *Array) fill(ring *[ahead]uint64, hashes []uint64) (others []uint64) {
	for filled := 0; filled < ahead; hashes = hashes[1:] {
		w := a.Start(hashes[0], hashing.Mix(hashes[0]))
		for range a.k {
			if at := a.field(w.At(a.m)); filled < ahead {
				ring[filled] = at
				filled++
			} else {
				a.countUp(at)
			}
			w = w.Next()
		}
	}
	return hashes
}

// countUp adds 1 to the field that begins at a bit, unless it is stuck.
func (a *Array) countUp(at uint64) {
	if word := &a.fields[at>>6]; *word>>(at&63)&a.most != a.most {
		*word += 1 << (at & 63)
	}
}
