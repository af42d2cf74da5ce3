package experiments

import (
	"context"
	"math/bits"
	"slices"
	"sync"

	"filterbench/filters"
	"filterbench/filters/hashing"
	"filterbench/workloads"
)

// crawlStream is the order in which a crawler meets addresses. Of each eight, six
// are met for the first time, one was met at any time before, and one within the
// last 64. It is a function of the place in the stream, so that a billion of them
// need no memory.
type crawlStream struct{ seed uint64 }

const (
	crawlFar  = 3  // of each eight, the place of the address met long before,
	crawlNear = 7  // and that of the one met lately
	crawlBack = 64 // the most places between that and the address before
)

// firsts[i] is how many of the first i of eight places are new.
var firsts = [9]uint64{0, 1, 2, 3, 3, 4, 5, 6, 6}

// places is the length of the stream up to its n-th new address; n is not 0.
func (crawlStream) places(n uint64) uint64 {
	last := slices.Index(firsts[:], (n-1)%6+1)
	return (n-1)/6*8 + uint64(last)
}

// newBefore is how many of the addresses before a place are new.
func (crawlStream) newBefore(place uint64) uint64 { return place/8*6 + firsts[place%8] }

// at is the number of the address at a place, and whether it was met before.
func (s crawlStream) at(place uint64) (number uint64, again bool) {
	switch place % 8 {
	case crawlFar:
		return hashing.Reduce(hashing.Mix(s.seed^place), s.newBefore(place)), true
	case crawlNear:
		from := place - 1 - hashing.Reduce(hashing.Mix(s.seed^place), min(place, crawlBack))
		if from%8 == crawlFar || from%8 == crawlNear { // met before, too: the next is new
			from++
		}
		return s.newBefore(from), true
	}
	return s.newBefore(place), false
}

// crawlBatch is a part of the stream: hashes, and which of them were met before.
type crawlBatch struct {
	hashes []uint64
	again  []uint64 // bitset
}

// crawlBatchSize is how many addresses are made at a time: a multiple of chunk,
// 2 MiB of hashes.
const crawlBatchSize = 1 << 18

// make makes the places from (inclusive) to to (exclusive), on all CPUs. keys
// appends those of a chunk, and notes in the bitset, which is clear, what was met
// before.
func (b *crawlBatch) make(ctx context.Context, from, to, seed uint64, keys func(dst *filters.Keys, again []uint64, from, to uint64)) error {
	n := int(to - from)
	if cap(b.hashes) < n {
		b.hashes, b.again = make([]uint64, n), make([]uint64, filters.BitsetLen(n))
	}
	b.hashes, b.again = b.hashes[:n], b.again[:filters.BitsetLen(n)]
	clear(b.again)
	return inParallel(ctx, (n+chunk-1)/chunk, func(_ context.Context, i int) error {
		buffer := crawlKeys.Get().(*filters.Keys)
		defer crawlKeys.Put(buffer)
		buffer.Reset()
		first, last := i*chunk, min((i+1)*chunk, n)
		keys(buffer, b.again[first/64:filters.BitsetLen(last)], from+uint64(first), from+uint64(last))
		crawlHash.SumKeys(b.hashes[:first], buffer, 0, buffer.Len(), seed)
		return nil
	})
}

// crawlKeys keeps the buffers of addresses.
var crawlKeys = sync.Pool{New: func() any { return new(filters.Keys) }}

// keys appends the addresses of the places, new ones in a row at once, and
// notes which were met before.
func (s crawlStream) keys(dst *filters.Keys, again []uint64, src workloads.Source, from, to uint64) {
	run := from // the first place of a row of new ones
	flush := func(place uint64) {
		if place > run {
			first := s.newBefore(run)
			src.Present(dst, first, first+place-run)
		}
		run = place + 1
	}
	for place := from; place < to; place++ {
		if number, repeat := s.at(place); repeat {
			flush(place)
			src.Present(dst, number, number+1)
			again[(place-from)/64] |= 1 << ((place - from) % 64)
		}
	}
	flush(to)
}

// deduper drops what it has met before, or takes for it, by one filter.
//
// It answers a chunk at a time: which hashes the filter knows, then, of the
// others, which are in the chunk twice, which no filter has to tell, and adds
// the rest. So no repeat is missed, not even of the address just before.
type deduper struct {
	filter filters.Hashed
	fresh  []uint64            // of the chunk
	slots  [dedupeSlots]uint16 // hash table of fresh: the index and one
}

const (
	dedupeBits  = 13 // twice as many slots as hashes in a chunk
	dedupeSlots = 1 << dedupeBits
)

// run takes in hashes, and answers in the bitset seen which it has met before.
func (d *deduper) run(hashes, seen []uint64) error {
	for from := 0; from < len(hashes); from += chunk {
		to := min(from+chunk, len(hashes))
		if err := d.chunk(hashes[from:to], seen[from/64:]); err != nil {
			return err
		}
	}
	return nil
}

func (d *deduper) chunk(hashes, seen []uint64) error {
	d.filter.ContainsHashes(hashes, seen)
	d.fresh = d.fresh[:0]
	clear(d.slots[:])
	for w := range filters.BitsetLen(len(hashes)) {
		at := 64 * w
		unknown := ^seen[w]
		if rest := len(hashes) - at; rest < 64 {
			unknown &= 1<<rest - 1
		}
		for ; unknown != 0; unknown &= unknown - 1 {
			i := bits.TrailingZeros64(unknown)
			if !d.first(hashes[at+i]) {
				seen[w] |= 1 << i
			}
		}
	}
	_, err := d.filter.AddHashes(d.fresh)
	return err
}

// first takes a hash in, if it is not among the fresh ones.
func (d *deduper) first(hash uint64) bool {
	slot := hash * hashing.Golden >> (64 - dedupeBits)
	for ; d.slots[slot] != 0; slot = (slot + 1) % dedupeSlots {
		if d.fresh[d.slots[slot]-1] == hash {
			return false
		}
	}
	d.fresh = append(d.fresh, hash)
	d.slots[slot] = uint16(len(d.fresh))
	return true
}
