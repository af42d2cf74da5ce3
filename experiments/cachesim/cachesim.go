// Package cachesim is a model of a CPU's data caches: levels of lines in sets, of
// which each set forgets the line that has not been used for longest (LRU).
//
// It counts what a geometry does to a sequence of reads, the same on every
// machine. It is no CPU: real caches replace by cheaper rules, share levels
// with other cores, fetch lines that nobody asked for, and place them by
// physical addresses.
package cachesim

import (
	"fmt"
	"strings"

	"filterbench/filters/machine"
)

// LineBytes is the length of a line.
const LineBytes = 64

// Level is one cache: Bytes in lines, in sets of so many Ways.
type Level struct {
	Bytes uint64
	Ways  int
}

// Geometry is the levels of a machine, the innermost first.
type Geometry []Level

// Fixed is the geometry by which machines compare: sizes of a server core of
// the 2020s, and a share of its last level.
var Fixed = Geometry{{32 << 10, 8}, {512 << 10, 8}, {32 << 20, 16}}

// String writes each level as its size and ways: "32KiB.8+512KiB.8+32MiB.16".
func (g Geometry) String() string {
	names := make([]string, len(g))
	for i, l := range g {
		names[i] = fmt.Sprintf("%s.%d", strings.ReplaceAll(machine.FormatBytes(l.Bytes), " ", ""), l.Ways)
	}
	return strings.Join(names, "+")
}

// Caches are the levels at work. A line that is read lies in all of them
// afterwards; what one level forgets, the others may keep.
type Caches struct{ levels []level }

// level holds its sets one after the other, each with its lines from the one
// used last. A line is stored as its number and one; 0 is none.
type level struct {
	lines []uint64
	ways  uint64
	sets  uint64
}

// New makes empty caches. Each level must be a whole number of sets.
func New(g Geometry) (*Caches, error) {
	c := &Caches{}
	for _, l := range g {
		lines := l.Bytes / LineBytes
		if l.Ways < 1 || lines < uint64(l.Ways) || l.Bytes%(LineBytes*uint64(l.Ways)) != 0 {
			return nil, fmt.Errorf("cachesim: %d bytes are no whole number of sets of %d lines", l.Bytes, l.Ways)
		}
		c.levels = append(c.levels, level{make([]uint64, lines), uint64(l.Ways), lines / uint64(l.Ways)})
	}
	return c, nil
}

// Read reads a line and returns how many levels missed it: 0 if the first has
// it, and the number of levels if it comes from memory.
func (c *Caches) Read(line uint64) (misses int) {
	for i := range c.levels {
		if c.levels[i].use(line) {
			return i
		}
	}
	return len(c.levels)
}

// use moves a line to the front of its set, and reports whether it was there.
// If not, the last one makes room.
func (l *level) use(line uint64) bool {
	first := line % l.sets * l.ways
	set := l.lines[first : first+l.ways]
	line++
	before := line
	for i, at := range set {
		set[i] = before
		if at == line {
			return true
		}
		before = at
	}
	return false
}
