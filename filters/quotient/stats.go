package quotient

// stretches counts maximal sequences of filled slots: what an insert may have
// to move.
func stretches(l layout) []uint64 {
	return lengths(l, func(before, r run) bool { return r.from != before.to+1 })
}

// clusters counts sequences of filled slots of which the first fingerprint
// alone lies in the slot of its quotient (Bender et al. 2012, section 3): what
// a lookup in the layout of flags may have to walk. Several can make a stretch.
func clusters(l layout) []uint64 {
	return lengths(l, func(_, r run) bool { return r.from == r.quotient })
}

// lengths counts the slots of sequences of runs, of which each begins with a
// run that begins says so of, given also the run before.
func lengths(l layout, begins func(before, r run) bool) (h []uint64) {
	var first, before run
	var head, length uint64 // head: up to the first beginning, perhaps the rest of the last
	any, begun := false, false
	for r := range runs(l) {
		switch {
		case !any:
			first, any = r, true
		case begins(before, r) && !begun:
			head, begun, length = length, true, 0
		case begins(before, r):
			h = count(h, length)
			length = 0
		}
		length += r.to - r.from + 1
		before = r
	}
	slots := l.base().slots
	if any && !begins(before, run{first.quotient + slots, first.from + slots, first.to + slots}) {
		head, length = 0, head+length
	}
	return count(count(h, head), length)
}

// count adds a length, other than 0, to a histogram.
func count(h []uint64, length uint64) []uint64 {
	if length == 0 {
		return h
	}
	for uint64(len(h)) <= length {
		h = append(h, 0)
	}
	h[length]++
	return h
}
