package experiments

import (
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

// limits is the memory of one size that the limits read, and the fastest way
// of doing so.
type limits struct {
	block  *memory.Block
	memory *limit.Memory
	reader limit.Reader
	hashes []uint64
}

// walkSteps is how many dependent reads are a pass; the next goes on where it
// ends, so that the walk comes through the whole memory.
const walkSteps = 1 << 15

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
	if l.memory, err = limit.New(block.Words()[:size/limit.LineBytes*limit.LineBytes/8], 0); err == nil {
		err = l.choose()
	}
	if err != nil {
		block.Free()
		return nil, err
	}
	return l, nil
}

func (l *limits) choose() error {
	readers := limit.Readers()
	pilot := l.hashes[:min(pilotHashes, len(l.hashes))]
	passes := make([]func(), len(readers))
	for i, r := range readers {
		passes[i] = func() { r.Sum(l.memory, pilot) }
	}
	fastest, err := timing.Fastest(passes)
	l.reader = readers[fastest]
	return err
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
	read := func() uint64 { return l.reader.Sum(l.memory, l.hashes) }
	lines := l.memory.Bytes() / limit.LineBytes
	size := sizeName(l.block.Bytes())
	add := func(kind string, more []results.Axis, cell timing.Cell) int {
		a := append(axes("kind", kind, "size", size), more...)
		return b.add(results.Record{Name: "Limit", Axes: append(a, axes("pages", l.block.Pages())...)}, cell, noLimit)
	}
	lineRead = add(kindLineRead, axes("path", l.reader.Path, "distance", l.reader.Distance),
		timing.Cell{Ops: len(l.hashes), Pass: read, Want: limit.Readers()[0].Sum(l.memory, l.hashes)})
	add(kindDependentRead, nil,
		// Warmed like the independent reads, so that both find the same lines in
		// the caches.
		timing.Cell{Ops: walkSteps, Pass: walker(l.memory), Want: walkSteps % lines, Warm: func() { read() }})
	add(kindLoop, nil,
		timing.Cell{Ops: len(l.hashes), Pass: func() uint64 { return limit.Loop(l.hashes) }, Want: limit.Loop(l.hashes)})
	return lineRead
}

// walker makes passes of dependent reads, of which each goes on where the one
// before ended, and returns how far it came, modulo the lines.
func walker(m *limit.Memory) func() uint64 {
	at := uint64(0)
	return func() uint64 {
		from := at
		at = m.Walk(from, walkSteps)
		return m.Steps(from, at)
	}
}
