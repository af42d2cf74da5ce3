// Package limit measures what the memory itself allows: how fast lines at
// random addresses can be read, one after the other and many at once. No
// filter that reads a random line for each lookup can be faster.
package limit

import (
	"fmt"
	"unsafe"

	"filterbench/filters/hashing"
)

// LineBytes is the unit of the reads. It is a constant and not the line size
// of the CPU, so that the limits of machines compare; where lines are longer,
// two of these share one.
const LineBytes = 64

const lineWords = LineBytes / 8

// Memory is an array of lines. Each word holds the offset of a word within a
// line, at random: 0, 8, ..., 56.
type Memory struct {
	words []uint64
	lines uint64
}

// New fills the memory of words, which must start at a line and be a whole
// number of them.
func New(words []uint64) (*Memory, error) {
	n := len(words)
	if n < lineWords || n%lineWords != 0 {
		return nil, fmt.Errorf("limit: the memory has %d bytes; allowed are whole lines of %d", 8*n, LineBytes)
	}
	for i := range words {
		words[i] = hashing.Mix(uint64(i)) % lineWords * 8
	}
	return &Memory{words, uint64(n / lineWords)}, nil
}

// First is the memory's first lines, as many as the given bytes hold: at least
// one, at most all. It shares them with m.
func (m *Memory) First(bytes uint64) *Memory {
	lines := min(max(bytes/LineBytes, 1), m.lines)
	return &Memory{m.words[:lines*lineWords], lines}
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

// Chase reads the same lines one after the other: which word of a line it reads
// is what it read from the line before, so that no read can begin before the
// last has ended. It returns the sum of the words. That lines come in random
// order, and not along a cycle, is what lookups do; a cache that holds a part of
// them then answers for as large a part of the reads, by whatever rule it
// replaces lines, where a cycle longer than the cache would find nothing in it.
func (m *Memory) Chase(hashes []uint64) (sum uint64) {
	base := unsafe.Pointer(&m.words[0])
	var word uint64
	for _, h := range hashes {
		word = *(*uint64)(unsafe.Add(base, hashing.Reduce(h, m.lines)*LineBytes+word))
		sum += word
	}
	return sum
}

// Loop reads the hashes and looks nothing up: what every loop over them costs.
func Loop(hashes []uint64) (sum uint64) {
	for _, h := range hashes {
		sum += h
	}
	return sum
}
