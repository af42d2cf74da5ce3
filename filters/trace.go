package filters

// LineBytes is the length of the lines that a trace counts in. It is a constant
// and not the line of this CPU, so that traces are the same everywhere.
const LineBytes = 64

// HashTracer is a Hashed filter that can say which lines of its memory an
// operation touches.
//
// A line is named by its number: line i is the bytes from 64i on of the filter's
// memory, which starts at a line. One is appended for each load or store, in
// the order in which the portable code makes them, so that most come several
// times, and their number is that of the loads; stores to what an add has just
// read are not told apart from the read. Loads that an answer does not depend
// on, such as those by which a lookup spares itself a branch, are left out.
type HashTracer interface {
	// Memory is the words that the lines are of. They are the filter's own.
	Memory() []uint64
	// LookupLines appends the lines that a lookup of the hash reads.
	LookupLines(lines []uint64, hash uint64) []uint64
	// AddLines adds the key as AddHash does, and appends the lines that this
	// reads and writes, also if the key is refused.
	AddLines(lines []uint64, hash uint64) ([]uint64, error)
}

// Tracer is HashTracer for filters over the bytes of keys.
type Tracer interface {
	Memory() []uint64
	LookupLines(lines []uint64, key []byte) []uint64
	AddLines(lines []uint64, key []byte) ([]uint64, error)
}

// TracerOf returns the tracer of a filter. ok is false where the family has
// none, as those of other programmers have not.
func TracerOf(f Keyed) (t Tracer, ok bool) {
	if a, isHashed := f.(*hashedKeys); isHashed {
		inner, ok := a.Hashed.(HashTracer)
		return hashedTracer{inner, a}, ok
	}
	t, ok = f.(Tracer)
	return t, ok
}

// hashedTracer hashes keys as the filter's adapter does.
type hashedTracer struct {
	HashTracer
	keys *hashedKeys
}

func (t hashedTracer) LookupLines(lines []uint64, key []byte) []uint64 {
	return t.HashTracer.LookupLines(lines, t.keys.hash.Sum(key, t.keys.seed))
}

func (t hashedTracer) AddLines(lines []uint64, key []byte) ([]uint64, error) {
	return t.HashTracer.AddLines(lines, t.keys.hash.Sum(key, t.keys.seed))
}

// AppendLines appends the lines that size bytes from the given one on lie in:
// what one load of so many bytes touches.
func AppendLines(lines []uint64, from, size uint64) []uint64 {
	first, last := from/LineBytes, (from+size-1)/LineBytes
	for line := first; line <= last; line++ {
		lines = append(lines, line)
	}
	return lines
}
