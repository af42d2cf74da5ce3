package experiments

import (
	"strconv"
	"strings"

	"filterbench/experiments/limit"
	"filterbench/experiments/timing"
	"filterbench/filters/memory"
	"filterbench/results"
)

// The kinds of limits.
const (
	kindLineRead      = "line-read"
	kindDependentRead = "dependent-read"
	kindLoop          = "loop"
)

// limits is the memory of one size that the limits read, and the fastest ways
// of doing so, the fastest first.
type limits struct {
	block   *memory.Block
	memory  *limit.Memory
	readers []limit.Reader
	hashes  []uint64
}

// limitReaders is how many of the readers are sampled in every round, of which the
// fastest is the limit: one pilot on a busy machine may choose a slow one.
const limitReaders = 3

// chaseReads is how many dependent reads are a pass. The next goes on behind
// them, in so many windows of the stream: more than a sample takes where lines
// are not in a cache.
const (
	chaseReads   = 1 << 15
	chaseWindows = 8
)

// pilotHashes bounds the stream by which the readers are compared.
const pilotHashes = 1 << 22

// newLimits allocates as a filter of the size would, so that both lie on the
// same kind of pages, and lets a pilot choose the reader.
func newLimits(size uint64, hashes []uint64) (*limits, error) {
	block, err := memory.Alloc(size)
	if err != nil {
		return nil, err
	}
	l := &limits{block: block, hashes: hashes}
	if l.memory, err = limit.New(block.Words()[:size/limit.LineBytes*limit.LineBytes/8]); err == nil {
		err = l.choose()
	}
	if err != nil {
		block.Free()
		return nil, err
	}
	return l, nil
}

func (l *limits) choose() (err error) {
	l.readers, err = fastestReaders(l.memory, l.hashes, pilotHashes)
	l.readers = l.readers[:min(limitReaders, len(l.readers))]
	return err
}

// fastestReaders orders the readers by how fast they are over so many hashes each,
// every pass those that follow in the stream.
func fastestReaders(m *limit.Memory, hashes []uint64, each int) ([]limit.Reader, error) {
	readers := limit.Readers()
	next := windows(hashes, each)
	passes := make([]func(), len(readers))
	for i, r := range readers {
		passes[i] = func() { r.Sum(m, next()) }
	}
	order, err := timing.Ranking(passes)
	sorted := make([]limit.Reader, len(order))
	for i, k := range order {
		sorted[i] = readers[k]
	}
	return sorted, err
}

// windows walks through a stream, so many hashes at a time, and begins again
// where fewer are left.
func windows(hashes []uint64, each int) (next func() []uint64) {
	each = min(each, len(hashes))
	at := 0
	return func() []uint64 {
		if at+each > len(hashes) {
			at = 0
		}
		at += each
		return hashes[at-each : at]
	}
}

// addLimits adds the limits of a size, over the hashes of a stream, and returns
// the index of the line reads, by which filters are measured.
func (b *bench) addLimits(size uint64, hashes []uint64) (lineRead int, err error) {
	l, err := newLimits(size, hashes)
	if err != nil {
		return 0, err
	}
	b.hold(l.block.Free)
	return b.addLimitCells(l), nil
}

// addLimitsOn does so for each kind of pages, and returns the index by what the
// system gave. Where it gave the same twice, the second is left out.
func (b *bench) addLimitsOn(kinds []memory.Pages, size uint64, hashes []uint64) (lineRead map[string]int, err error) {
	lineRead = map[string]int{}
	for _, kind := range kinds {
		err := memory.With(kind, func() error {
			l, err := newLimits(size, hashes)
			if err != nil {
				return err
			}
			b.hold(l.block.Free)
			if _, have := lineRead[l.block.Pages()]; !have {
				lineRead[l.block.Pages()] = b.addLimitCells(l)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return lineRead, nil
}

func (b *bench) addLimitCells(l *limits) (lineRead int) {
	read := func(r limit.Reader) func() uint64 {
		return func() uint64 { return r.Sum(l.memory, l.hashes) }
	}
	fastest := read(l.readers[0])
	size := sizeName(l.block.Bytes())
	add := func(kind string, more []results.Axis, cell timing.Cell) int {
		a := append(axes("kind", kind, "size", size), more...)
		return b.add(results.Record{Name: "Limit", Axes: append(a, axes("pages", l.block.Pages())...)}, cell, noLimit)
	}
	var paths, distances []string
	for _, r := range l.readers {
		paths, distances = append(paths, r.Path), append(distances, strconv.Itoa(r.Distance))
	}
	want := limit.Readers()[0].Sum(l.memory, l.hashes)
	lineRead = add(kindLineRead, axes("path", strings.Join(paths, "+"), "distance", strings.Join(distances, "+")),
		timing.Cell{Ops: len(l.hashes), Pass: fastest, Want: want})
	for _, r := range l.readers[1:] {
		b.addOther(lineRead, timing.Cell{Ops: len(l.hashes), Pass: read(r), Want: want})
	}
	add(kindDependentRead, nil,
		// Warmed like the independent reads, so that both find the same lines in
		// the caches.
		timing.Cell{Ops: min(chaseReads, len(l.hashes)), Pass: chaser(l.memory, l.hashes), Warm: func() { fastest() }})
	add(kindLoop, nil,
		timing.Cell{Ops: len(l.hashes), Pass: func() uint64 { return limit.Loop(l.hashes) }, Want: limit.Loop(l.hashes)})
	return lineRead
}

// chaser makes passes of dependent reads, each of the chaseReads lines that
// follow in the stream. A pass returns by how much its sum differs from that of
// an untimed one: 0, if every line was read.
func chaser(m *limit.Memory, hashes []uint64) func() uint64 {
	hashes = hashes[:min(len(hashes), chaseWindows*chaseReads)]
	sums := map[*uint64]uint64{} // by the start of each window
	all := windows(hashes, chaseReads)
	for w := all(); ; w = all() {
		if _, seen := sums[&w[0]]; seen {
			break
		}
		sums[&w[0]] = m.Chase(w)
	}
	next := windows(hashes, chaseReads)
	return func() uint64 {
		w := next()
		return m.Chase(w) - sums[&w[0]]
	}
}
