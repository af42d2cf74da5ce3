package quotient

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math/bits"

	"filterbench/filters"
	"filterbench/filters/simd"
)

// Rank is the layout of Pandey et al. 2017, section 3.2, in blocks of 64
// slots. A block is, without padding,
//
//	offset     1 byte   slots of the block, from its first on, that are taken
//	                    by runs of earlier blocks' quotients; 255 is that many
//	                    or more, and an earlier block then tells
//	occupieds  8 bytes  bit i: the block's quotient i has a run
//	runends    8 bytes  bit i: the last fingerprint of a run lies in slot i
//	remainders 8r bytes bit string, remainder i from bit i r on
//
// little-endian throughout. Runs and their ends are in the same order, so that
// the run of a quotient ends at the runend, counted from the offset on, whose
// rank is that of the quotient among the occupied ones.
type Rank struct {
	table
	stride uint64 // bytes in a block
	end    uint64 // of all blocks
	window window
}

const (
	blockSlots = 64
	atOccupied = 1
	atRunends  = 9
	header     = 17  // bytes before the remainders
	manySlots  = 255 // offset: as many or more
)

func newRank(slots uint64, r uint, avx2 bool) (*Rank, error) {
	t, err := newTable(slots, r, rankBytes(slots, r), avx2)
	if err != nil {
		return nil, err
	}
	return &Rank{table: t, stride: stride(r), end: rankBytes(slots, r) - slack, window: newWindow(r)}, nil
}

// rankBytes is the size for a multiple of 64 slots.
func rankBytes(slots uint64, r uint) uint64 { return slots/blockSlots*stride(r) + slack }

// stride is the size of a block in bytes.
func stride(r uint) uint64 { return header + 8*uint64(r) }

// line returns the block of a slot.
func (f *Rank) line(slot uint64) []byte { return f.data[slot/blockSlots*f.stride:] }

func occupieds(line []byte) uint64 { return binary.LittleEndian.Uint64(line[atOccupied:]) }
func runends(line []byte) uint64   { return binary.LittleEndian.Uint64(line[atRunends:]) }

// ContainsHash reports whether the key's fingerprint is in the table.
func (f *Rank) ContainsHash(hash uint64) bool {
	if simd.Compiled && f.avx2 {
		return f.test(hash)
	}
	return f.contains(hash)
}

// contains is ContainsHash in portable code. Nearly always the run ends in the
// quotient's own block.
func (f *Rank) contains(hash uint64) bool {
	quotient, remainder := f.split(hash)
	line, i := f.line(quotient), quotient%64
	upTo := occupieds(line) << (63 - i)
	if int64(upTo) >= 0 { // the quotient's own bit, now the highest
		return false
	}
	rank, ends := bits.OnesCount64(upTo), runends(line)
	if own := ends >> line[0] << line[0]; rank <= bits.OnesCount64(own) {
		// The run is sorted: from its end back to the first that is not above.
		first := max(i, uint64(line[0]))
		for at := uint64(selectBit(own, rank-1)); ; at-- {
			if got := f.get(line, at); got <= remainder {
				return got == remainder
			}
			if at == first || ends>>(at-1)&1 != 0 {
				return false
			}
		}
	}
	return f.containsFar(quotient, remainder, rank)
}

// containsFar looks for the remainder in a run that ends in a later block. The
// quotient's is the one of the given rank in its block.
func (f *Rank) containsFar(quotient, remainder uint64, rank int) bool {
	for at := f.selectEnd(quotient&^63+f.offset(quotient, f.line(quotient)), rank); ; at-- {
		if got := f.remainder(f.wrap(at)); got <= remainder {
			return got == remainder
		}
		if at == quotient || f.ends(f.wrap(at-1)) {
			return false
		}
	}
}

// offset is the number of slots, from the first of a quotient's block on, that
// runs of earlier quotients take, whose block is line.
func (f *Rank) offset(quotient uint64, line []byte) uint64 {
	if line[0] != manySlots {
		return uint64(line[0])
	}
	return f.longOffset(quotient)
}

// longOffset finds an offset of 255 or more from that of an earlier block. A
// block with an empty slot has an offset below 64, and there is one.
func (f *Rank) longOffset(quotient uint64) uint64 {
	block := quotient &^ 63
	from, back := block, uint64(0)
	for f.line(from)[0] == manySlots {
		if from == 0 {
			from = f.slots
		}
		from -= blockSlots
		back += blockSlots
	}
	offset := uint64(f.line(from)[0])
	for ; back > 0; back -= blockSlots {
		offset = f.carry(from, offset)
		from = f.wrap(from + blockSlots)
	}
	return offset
}

// carry returns the offset of the block behind the one that begins at the slot
// given, from that of the latter.
func (f *Rank) carry(block, offset uint64) uint64 {
	end := offset
	if runs := bits.OnesCount64(occupieds(f.line(block))); runs > 0 {
		end = f.selectEnd(block+offset, runs) + 1 - block
	}
	return max(end, blockSlots) - blockSlots
}

// selectEnd returns the virtual position of the rank-th runend, counted from
// 1, at or behind a virtual position.
func (f *Rank) selectEnd(from uint64, rank int) uint64 {
	word := runends(f.line(f.wrap(from))) >> (from % 64) << (from % 64)
	for at := from &^ 63; ; {
		ones := bits.OnesCount64(word)
		if rank <= ones {
			return at + uint64(selectBit(word, rank-1))
		}
		rank -= ones
		at += blockSlots
		word = runends(f.line(f.wrap(at)))
	}
}

// behind returns the virtual position behind the runs of all quotients below
// the given one, or up to it if that is included. It may lie before the
// quotient's slot. The quotient may be virtual itself.
func (f *Rank) behind(quotient uint64, included bool) uint64 {
	slot := f.wrap(quotient)
	line := f.line(slot)
	mask := uint64(1)<<(slot%64) - 1
	if included {
		mask = mask<<1 | 1
	}
	end := slot&^63 + f.offset(slot, line)
	if rank := bits.OnesCount64(occupieds(line) & mask); rank > 0 {
		end = f.selectEnd(end, rank) + 1
	}
	return end + quotient - slot
}

func (f *Rank) occupied(quotient uint64) bool {
	return occupieds(f.line(quotient))>>(quotient%64)&1 != 0
}

func (f *Rank) ends(slot uint64) bool { return runends(f.line(slot))>>(slot%64)&1 != 0 }

func (f *Rank) remainder(slot uint64) uint64 { return f.get(f.line(slot), slot%64) }

// get returns remainder i of a block.
func (f *Rank) get(line []byte, i uint64) uint64 {
	bit := i * uint64(f.r)
	return binary.LittleEndian.Uint64(line[header+bit>>3:]) >> (bit & 7) & (1<<f.r - 1)
}

// Fingerprints lists the fingerprints in ascending order.
func (f *Rank) Fingerprints() iter.Seq[uint64] { return fingerprints(f) }

// Merge adds the fingerprints of another filter of the same design.
func (f *Rank) Merge(other filters.Filter) error {
	from, ok := other.(*Rank)
	if !ok {
		return mismatch(f, other)
	}
	if from == f {
		from = f.over(bytes.Clone(f.data))
	}
	return merge(f, from)
}

// over is a table of the same design and count whose blocks are data.
func (f *Rank) over(data []byte) *Rank {
	t := *f
	t.data = data
	return &t
}

// Grow doubles the slots and shortens the remainders by a bit.
func (f *Rank) Grow() error {
	if f.r <= 1 {
		return errShort
	}
	g, err := newRank(2*f.slots, f.r-1, f.avx2)
	if err != nil {
		return err
	}
	fill(g, f.Fingerprints())
	f.Free()
	*f = *g
	return nil
}

// LoadState sets the filter, which must be empty, to a state.
func (f *Rank) LoadState(state []byte) error {
	return load(f, state, func(data []byte) layout { return f.over(data) })
}

// Stretches is the histogram of stretches.
func (f *Rank) Stretches() []uint64 { return stretches(f) }

// Clusters is the histogram of clusters.
func (f *Rank) Clusters() []uint64 { return clusters(f) }

// AddHashes adds keys until one is refused.
func (f *Rank) AddHashes(hashes []uint64) (int, error) {
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
func (f *Rank) ContainsHashes(hashes []uint64, out []uint64) (hits int) {
	if simd.Compiled && f.avx2 && len(hashes) >= 8 { // else the lists do not pay
		return f.containsKernel(hashes, out)
	}
	for from := 0; from < len(hashes); from += 64 {
		var word uint64
		for i, h := range hashes[from:min(from+64, len(hashes))] {
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
func (f *Rank) CountHashes(hashes []uint64) (hits int) {
	for _, h := range hashes {
		if f.ContainsHash(h) {
			hits++
		}
	}
	return hits
}
