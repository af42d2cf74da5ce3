package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"filterbench/experiments/limit"
	"filterbench/experiments/timing"
	"filterbench/filters/hashing"
	"filterbench/filters/machine"
	"filterbench/filters/memory"
	"filterbench/results"
)

// Ladder reads random lines of ever larger memory. Where the time of a read steps
// up, a cache ends: on a machine that is shared, earlier than the CPU says.
var Ladder = Experiment{
	Name:     "ladder",
	Question: "How long does a random line take from memory of each size, and so how large are the caches in effect?",
	Plan:     planLadder,
	Gate:     gateLadder,
}

const ladderRounds = 10

// ladder is the sizes that are read, on each kind of pages.
type ladder struct {
	dependent, independent []uint64 // bytes, ascending
	kinds                  []memory.Pages
}

// ladder is the profile's: sizes from 4 KiB in steps of a quarter of an octave
// to 1 GiB, on huge and on small pages; in quick, of an octave to 256 MiB on
// huge ones only. Of independent reads there are half as many, in quick a quarter.
// Where memory is scarce it ends earlier.
func (c Config) ladder() ladder {
	steps, every, top := 1, 4, uint64(256<<20)
	l := ladder{kinds: bothKinds()}
	if c.Full() {
		steps, every, top = 4, 2, 1<<30
	} else {
		l.kinds = l.kinds[:1]
	}
	for uint64(len(l.kinds))*top > machine.This().MemTotal/4 {
		top /= 2
	}
	for i := 0; ; i++ {
		size := uint64(math.Round(4096*math.Exp2(float64(i)/float64(steps))/limit.LineBytes)) * limit.LineBytes
		if size > top {
			return l
		}
		l.dependent = append(l.dependent, size)
		if i%every == 0 {
			l.independent = append(l.independent, size)
		}
	}
}

func (l ladder) top() uint64 { return l.dependent[len(l.dependent)-1] }

// bothKinds are huge and small pages, where the system may have both.
func bothKinds() []memory.Pages { return Config{}.pageKinds(memory.MapFrom) }

func planLadder(c Config) ([]Unit, error) {
	l := c.ladder()
	u := Unit{ID: "ladder", Steps: ladderRounds, Cost: l.time(), Bytes: uint64(len(l.kinds))*l.top() + 8*uint64(l.stream(l.top())) + 16<<20}
	return []Unit{timed(u, c.Seed, 200, l.prepare)}, nil
}

// stream is how many hashes the reads of a size follow: those of a headline, or
// as many as there are lines (up to mostQueries).
func (l ladder) stream(size uint64) int { return max(headlineQueries, linesOf(size)) }

func (l ladder) prepare(ctx context.Context, b *bench) error {
	hashes := make([]uint64, l.stream(l.top()))
	for i := range hashes {
		hashes[i] = hashing.Mix(b.seed + uint64(i))
	}
	for _, kind := range l.kinds {
		if err := l.addKind(ctx, b, kind, hashes); err != nil {
			return err
		}
	}
	return nil
}

// addKind adds the reads from one kind of pages. All sizes are the beginning of
// one array.
func (l ladder) addKind(ctx context.Context, b *bench, kind memory.Pages, hashes []uint64) error {
	var block *memory.Block
	err := memory.With(kind, func() (err error) {
		block, err = memory.Alloc(l.top())
		return err
	})
	if err != nil {
		return err
	}
	b.hold(block.Free)
	array, err := limit.New(block.Words())
	if err != nil {
		return err
	}
	add := func(name string, size uint64, more []results.Axis, c timing.Cell) {
		a := append(axes("kind", name, "size", sizeName(size)), more...)
		r := results.Record{Name: "Limit", Axes: append(a, axes("pages", block.Pages())...)}
		if !b.has(r) { // the kernel had no other kind
			b.add(r, c, noLimit)
		}
	}
	for _, size := range l.dependent {
		if err := ctx.Err(); err != nil {
			return err
		}
		add(kindDependentRead, size, nil, chaseCell(array.First(size), hashes[:l.stream(size)]))
	}
	for _, size := range l.independent {
		m, stream := array.First(size), hashes[:l.stream(size)]
		readers, err := fastestReaders(m, stream, ladderPilot)
		if err != nil {
			return err
		}
		reader := readers[0]
		add(kindLineRead, size, axes("path", reader.Path, "distance", reader.Distance), timing.Cell{
			Ops: len(stream), Pass: func() uint64 { return reader.Sum(m, stream) }, Want: limit.Readers()[0].Sum(m, stream)})
	}
	return ctx.Err()
}

// ladderPilot is how many reads the readers of a size are compared by.
const ladderPilot = 1 << 17

// chaseCell is a cell of dependent reads. Before a sample all of the memory is
// read, in the order in which the independent reads come.
func chaseCell(m *limit.Memory, hashes []uint64) timing.Cell {
	readers := limit.Readers()
	warm := readers[len(readers)-1]
	return timing.Cell{
		Ops: chaseReads, Pass: chaser(m, hashes),
		Warm: func() { warm.Sum(m, hashes[:min(len(hashes), max(chaseReads, linesOf(m.Bytes())))]) },
	}
}

// time is what the group is expected to take on the reference machine.
func (l ladder) time() (t time.Duration) {
	for _, kind := range l.kinds {
		read := func(size uint64) float64 { return 1 + lineNanos(size)/5 }
		if kind == memory.PagesSmall {
			read = func(size uint64) float64 { return 1 + lineNanos(size)/3 }
		}
		for _, size := range l.dependent {
			warm := float64(linesOf(size)) * read(size)
			t += timingCost(chaseReads*(2+2*lineNanos(size))) + time.Duration((ladderRounds+2)*warm)
		}
		for _, size := range l.independent {
			t += timingCost(float64(l.stream(size))*read(size)) + time.Duration(40*ladderPilot*read(size))
		}
		t += time.Duration(l.top() / 4) // making the memory
	}
	return t
}

// gateLadder fails a run in which independent reads were slower than those that
// wait for each other: then one of the two is not what it says.
func gateLadder(records []results.Record) error {
	var errs []error
	times := map[string]map[string][]float64{} // where, kind: ns/op
	for _, r := range records {
		where := fmt.Sprintf("%s on %s pages", r.Axis("size"), r.Axis("pages"))
		if times[where] == nil {
			times[where] = map[string][]float64{}
		}
		ns, _ := r.Value("ns/op")
		times[where][r.Axis("kind")] = append(times[where][r.Axis("kind")], ns)
	}
	for where, t := range times {
		free, bound := t[kindLineRead], t[kindDependentRead]
		if len(free) > 0 && len(bound) > 0 && median(bound) < leastOfLimit*median(free) {
			errs = append(errs, fmt.Errorf("reads of %s: %.2f ns where each waits for the one before, %.2f where none does", where, median(bound), median(free)))
		}
	}
	return errors.Join(errs...)
}
