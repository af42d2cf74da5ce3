package quotient

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math/bits"

	"filterbench/filters"
	"filterbench/filters/simd"
)

// Flags is the layout of Bender et al. 2012, section 3: slots of r+3 bits, one
// after the other, the three lowest of each being flags.
type Flags struct{ table }

const (
	isOccupied     = 1 << iota // a run of the quotient that is the slot's number exists
	isContinuation             // the slot holds a fingerprint, not the first of its run
	isShifted                  // the slot holds a fingerprint, not of the slot's quotient
	flagBits       = iota
	anyFlag        = 1<<flagBits - 1 // none set: the slot is empty
)

func newFlags(slots uint64, r uint, avx2 bool) (*Flags, error) {
	t, err := newTable(slots, r, flagsBytes(slots, r), avx2)
	if err != nil {
		return nil, err
	}
	return &Flags{t}, nil
}

func flagsBytes(slots uint64, r uint) uint64 { return (slots*uint64(r+flagBits)+7)/8 + slack }

func (f *Flags) slot(i uint64) uint64 {
	width := f.r + flagBits
	bit := i * uint64(width)
	return binary.LittleEndian.Uint64(f.data[bit>>3:]) >> (bit & 7) & (1<<width - 1)
}

func (f *Flags) set(i, value uint64) {
	width := f.r + flagBits
	bit := i * uint64(width)
	at := f.data[bit>>3:]
	word := binary.LittleEndian.Uint64(at) &^ ((1<<width - 1) << (bit & 7))
	binary.LittleEndian.PutUint64(at, word|value<<(bit&7))
}

func (f *Flags) next(i uint64) uint64 { return f.wrap(i + 1) }

// start is the first slot of the run of an occupied quotient, or the slot
// where it would begin if it has been marked as occupied but is empty yet. The
// cluster is walked back to its first slot, which is that of its first run,
// and then forth by as many runs as there are up to the quotient's.
func (f *Flags) start(quotient uint64) uint64 {
	i, behind := quotient, 0
	for s := f.slot(i); s&isShifted != 0; s = f.slot(i) {
		behind += int(s & isOccupied)
		i = f.previous(i)
	}
	for ; behind > 0; behind-- {
		for i = f.next(i); f.slot(i)&isContinuation != 0; {
			i = f.next(i)
		}
	}
	return i
}

// seek returns the slot of the first fingerprint of the run, which begins at
// slot i, whose remainder is not below the given one; ok is false, and the
// slot that behind the run, if there is none.
func (f *Flags) seek(i, remainder uint64) (at uint64, ok bool) {
	for s := f.slot(i); s>>flagBits < remainder; {
		i = f.next(i)
		if s = f.slot(i); s&isContinuation == 0 {
			return i, false
		}
	}
	return i, true
}

// ContainsHash reports whether the key's fingerprint is in the table.
func (f *Flags) ContainsHash(hash uint64) bool {
	quotient, remainder := f.split(hash)
	if f.slot(quotient)&isOccupied == 0 {
		return false
	}
	at, ok := f.seek(f.start(quotient), remainder)
	return ok && f.slot(at)>>flagBits == remainder
}

// AddHash inserts the key's fingerprint; ErrFull from a load of 95 % on.
func (f *Flags) AddHash(hash uint64) error {
	if f.full() {
		return filters.ErrFull
	}
	quotient, remainder := f.split(hash)
	f.insert(quotient, remainder)
	f.n++
	return nil
}

func (f *Flags) insert(quotient, remainder uint64) {
	home := f.slot(quotient)
	if home&anyFlag == 0 {
		f.set(quotient, remainder<<flagBits|isOccupied)
		return
	}
	f.set(quotient, home|isOccupied)
	at := f.start(quotient)
	moving := remainder << flagBits // the content of a slot: all but isOccupied
	if home&isOccupied != 0 {
		first := at
		if at, _ = f.seek(first, remainder); at == first {
			f.set(at, f.slot(at)|isContinuation)
		} else {
			moving |= isContinuation
		}
	}
	if at != quotient {
		moving |= isShifted
	}
	// Everything from there to the next empty slot moves on by one.
	for {
		s := f.slot(at)
		f.set(at, moving|s&isOccupied)
		if s&anyFlag == 0 {
			return
		}
		moving = s&^isOccupied | isShifted
		at = f.next(at)
	}
}

// DeleteHash takes out one copy of the key's fingerprint.
func (f *Flags) DeleteHash(hash uint64) bool {
	quotient, remainder := f.split(hash)
	if f.slot(quotient)&isOccupied == 0 {
		return false
	}
	first := f.start(quotient)
	at, ok := f.seek(first, remainder)
	if !ok || f.slot(at)>>flagBits != remainder {
		return false
	}
	alone := at == first && f.slot(f.next(at))&isContinuation == 0
	if alone {
		f.set(quotient, f.slot(quotient)&^isOccupied)
	}
	f.close(at, quotient, at == first && !alone)
	f.n--
	return true
}

// close moves back by one what lies behind slot at, which held a fingerprint
// of the quotient, up to the first slot that is empty or not shifted. With
// promote, the fingerprint behind at becomes the first of the quotient's run.
func (f *Flags) close(at, quotient uint64, promote bool) {
	for {
		next := f.next(at)
		moving := f.slot(next) &^ isOccupied
		if moving&isShifted == 0 {
			f.set(at, f.slot(at)&isOccupied)
			return
		}
		if promote {
			moving &^= isContinuation
			promote = false
		} else if moving&isContinuation == 0 { // a run, of the next quotient that has one
			for quotient = f.next(quotient); !f.occupied(quotient); {
				quotient = f.next(quotient)
			}
		}
		if moving&isContinuation == 0 && at == quotient {
			moving &^= isShifted
		}
		f.set(at, moving|f.slot(at)&isOccupied)
		at = next
	}
}

func (f *Flags) occupied(quotient uint64) bool { return f.slot(quotient)&isOccupied != 0 }

func (f *Flags) ends(slot uint64) bool {
	return f.slot(slot)&anyFlag != 0 && f.slot(f.next(slot))&isContinuation == 0
}

func (f *Flags) remainder(slot uint64) uint64 { return f.slot(slot) >> flagBits }

func (f *Flags) put(quotient, slot, remainder uint64, first bool) {
	s := remainder<<flagBits | f.slot(slot)&isOccupied
	if !first {
		s |= isContinuation
	}
	if slot != quotient {
		s |= isShifted
	}
	f.set(slot, s)
	if first {
		f.set(quotient, f.slot(quotient)|isOccupied)
	}
}

func (f *Flags) finish(uint64) {}

// Fingerprints lists the fingerprints in ascending order.
func (f *Flags) Fingerprints() iter.Seq[uint64] { return fingerprints(f) }

// Merge adds the fingerprints of another filter of the same design.
func (f *Flags) Merge(other filters.Filter) error {
	from, ok := other.(*Flags)
	if !ok {
		return mismatch(f, other)
	}
	if from == f {
		from = f.over(bytes.Clone(f.data))
	}
	return merge(f, from)
}

// over is a table of the same design and count whose slots are data.
func (f *Flags) over(data []byte) *Flags {
	t := *f
	t.data = data
	return &t
}

// Grow doubles the slots and shortens the remainders by a bit.
func (f *Flags) Grow() error {
	if f.r <= 1 {
		return errShort
	}
	g, err := newFlags(2*f.slots, f.r-1, f.avx2)
	if err != nil {
		return err
	}
	fill(g, f.Fingerprints())
	f.Free()
	*f = *g
	return nil
}

// LoadState sets the filter, which must be empty, to a state.
func (f *Flags) LoadState(state []byte) error {
	return load(f, state, func(data []byte) layout { return f.over(data) })
}

// Stretches is the histogram of stretches.
func (f *Flags) Stretches() []uint64 { return stretches(f) }

// Clusters is the histogram of clusters.
func (f *Flags) Clusters() []uint64 { return clusters(f) }

// AddHashes adds keys until one is refused.
func (f *Flags) AddHashes(hashes []uint64) (int, error) {
	for i, h := range hashes {
		if simd.Compiled && f.fetch && i%ahead == 0 {
			f.fetchNear(hashes[i:])
		}
		if err := f.AddHash(h); err != nil {
			return i, err
		}
	}
	return len(hashes), nil
}

// ContainsHashes looks up all keys.
func (f *Flags) ContainsHashes(hashes []uint64, out []uint64) (hits int) {
	for from := 0; from < len(hashes); from += 64 {
		var word uint64
		for i, h := range hashes[from:min(from+64, len(hashes))] {
			if simd.Compiled && f.fetch && i%ahead == 0 {
				f.fetchNear(hashes[from+i:])
			}
			if f.ContainsHash(h) {
				word |= 1 << i
			}
		}
		out[from/64] = word
		hits += bits.OnesCount64(word)
	}
	return hits
}

// CountHashes counts the positives.
func (f *Flags) CountHashes(hashes []uint64) (hits int) {
	for _, h := range hashes {
		if f.ContainsHash(h) {
			hits++
		}
	}
	return hits
}
