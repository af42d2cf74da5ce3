// Package limit measures what the memory itself allows: how fast lines at
// random addresses can be read, one after the other and many at once. No
// filter that reads a random line for each lookup can be faster.
package limit

import (
	"fmt"
	"math/bits"
	"unsafe"

	"filterbench/filters/hashing"
)

// LineBytes is the unit of the reads. It is a constant and not the line size
// of the CPU, so that the limits of machines compare; where lines are longer,
// two of these share one.
const LineBytes = 64

// Lanes is how many memories may share an array, each with a cycle of its own:
// the words of a line.
const Lanes = LineBytes / 8

const lineWords = Lanes

// MaxBytes is the largest memory: the index of a word has 32 bits.
const MaxBytes = 8 << 32

// Memory is an array of lines. Its lines form one cycle in random order: one
// word of each, its lane, holds the index of the first word of the next in its
// lower half, and the line's place on the cycle in its upper half.
type Memory struct {
	words []uint64
	lines uint64
	lane  int
}

// New lays the cycle through the memory of words, which must start at a line and
// be a whole number of them, up to MaxBytes. Memories of several sizes may share
// their words, so that they take no more room than the largest: each in a lane
// of its own, from 0 to Lanes-1.
func New(words []uint64, lane int) (*Memory, error) {
	n := len(words)
	if n < lineWords || n%lineWords != 0 || 8*uint64(n) > MaxBytes {
		return nil, fmt.Errorf("limit: the memory has %d bytes; allowed are whole lines of %d, up to %d bytes", 8*n, LineBytes, uint64(MaxBytes))
	}
	if lane < 0 || lane >= Lanes {
		return nil, fmt.Errorf("limit: lane %d; allowed are 0 to %d", lane, Lanes-1)
	}
	m := &Memory{words, uint64(n / lineWords), lane}
	last, place := uint64(0), uint64(0)
	for i := range uint64(1) << m.indexBits() {
		line := m.scatter(i)
		if line >= m.lines {
			continue // of the next power of two
		}
		at := line * lineWords
		words[last+uint64(lane)] |= at // of the line before, which points here
		words[at+uint64(lane)] = place << 32
		last = at
		place++
	}
	return m, nil // the last line points to line 0, where the first place is
}

// indexBits is the length of the number of a line.
func (m *Memory) indexBits() int { return bits.Len64(m.lines - 1) }

// scatter is a bijection of the numbers of so many bits that moves 0 to itself:
// odd multiplications and xor-shifts, which leave no stride that a hardware
// prefetcher could follow. Those of its values that are lines, in the order of
// its arguments, are the cycle. So that costs one write a line, and how far a
// walk went is known without walking it again.
func (m *Memory) scatter(i uint64) uint64 {
	width := m.indexBits()
	mask := uint64(1)<<width - 1
	half := (width + 1) / 2
	x := i & mask
	x = x * hashing.Golden & mask
	x ^= x >> half
	x = x * 0xbf58476d1ce4e5b9 & mask
	x ^= x >> half
	return x * 0x94d049bb133111eb & mask
}

// Bytes is the size of the memory.
func (m *Memory) Bytes() uint64 { return m.lines * LineBytes }

// A Reader is one way of reading the lines that a stream of hashes points to.
// The reads do not depend on each other, so the CPU has as many of them under
// way as it can.
type Reader struct {
	// Path is "go" or "asm"; "asm-l2" fetches into the L2 cache what "asm"
	// fetches into the L1: where lines come from DRAM, more of them can be
	// under way.
	Path string
	// Distance is how many reads ahead lines are prefetched; 0 leaves it to
	// the CPU's out-of-order execution.
	Distance int
}

// Readers lists the ways that this build has. Which is the fastest depends on
// the CPU and on the level of the cache.
func Readers() []Reader {
	r := []Reader{{Path: "go"}}
	if !haveAsm {
		return r
	}
	for _, d := range []int{0, 8, 16, 24, 32, 48, 64} {
		r = append(r, Reader{"asm", d})
	}
	for _, d := range []int{32, 48, 64} {
		r = append(r, Reader{"asm-l2", d})
	}
	return r
}

// Sum reads for each hash the first word of line Reduce(hash, lines), and adds
// them up.
func (r Reader) Sum(m *Memory, hashes []uint64) uint64 {
	if len(hashes) == 0 {
		return 0
	}
	if r.Path == "go" {
		return m.sum(hashes)
	}
	ahead := 0
	if r.Distance > 0 && len(hashes) > r.Distance {
		ahead = len(hashes) - r.Distance
	}
	read := readAheadAsm
	if r.Path == "asm-l2" {
		read = readAheadL2Asm
	}
	sum := read(&m.words[0], m.lines, &hashes[0], ahead, r.Distance)
	return sum + readAsm(&m.words[0], m.lines, &hashes[ahead], len(hashes)-ahead)
}

// sum is the portable Sum. It takes the address past the bounds check, which
// costs a tenth of the time where all lines are in the cache.
func (m *Memory) sum(hashes []uint64) (sum uint64) {
	base := unsafe.Pointer(&m.words[0])
	for _, h := range hashes {
		sum += *(*uint64)(unsafe.Add(base, hashing.Reduce(h, m.lines)*LineBytes))
	}
	return sum
}

// Walk reads steps lines, each at an address that the one before it holds, and
// returns where it ended, which is where the next walk can start. A walk
// starts at 0, or where another ended.
func (m *Memory) Walk(from uint64, steps int) (end uint64) {
	lane := m.words[m.lane:]
	for range steps {
		from = uint64(uint32(lane[from]))
	}
	return from
}

// Steps is how many steps, modulo the number of lines, lead from one end of a
// walk to the other.
func (m *Memory) Steps(from, end uint64) uint64 {
	return (m.lines + m.place(end) - m.place(from)) % m.lines
}

func (m *Memory) place(at uint64) uint64 { return m.words[at+uint64(m.lane)] >> 32 }

// Loop reads the hashes and looks nothing up: what every loop over them costs.
func Loop(hashes []uint64) (sum uint64) {
	for _, h := range hashes {
		sum += h
	}
	return sum
}
