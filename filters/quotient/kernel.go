package quotient

import (
	"math/bits"
	"runtime"
)

// A batch goes through the kernel in chunks. Of each key of a chunk it finds the end
// of the run, by rank and select, and from the ends before that the run's first
// slot; then it compares the remainders of a run all at once. It branches on nothing
// that is in the table, but for what is rare.
//
// From DRAM each step fetches the lines of the next: while it finds the runs of one
// chunk, the kernel fetches the metadata of the chunk behind it, and it compares the
// remainders of the chunk before it, which were fetched when their place was found.

// chunk is how many keys the kernel takes at once: the answers of a word.
const chunk = 64

// window is how the remainders of a run are compared: as many at once as surely lie
// in a word that begins with the byte of the first.
type window struct {
	bits uint64 // in those remainders
	low  uint64 // the lowest bit of each
	high uint64 // the highest
}

func newWindow(r uint) (w window) {
	const sure = 64 - 7
	for at := uint(0); at+r <= sure; at += r {
		w.bits += uint64(r)
		w.low |= 1 << at
		w.high |= 1 << (at + r - 1)
	}
	return w
}

// located is what has been found of the keys of a chunk. Keys go by their number in
// the chunk, and bits are counted from the first remainder of the first block on.
type located struct {
	found, far, hard uint64 // how many keys there are of each kind
	//lint:ignore U1000 the assembly keeps it
	bit [chunk]uint64 // found: the run's first bit
	//lint:ignore U1000 likewise
	length, key, farKey [chunk]uint32 // bits in the run, and its key; far: it ends in the next block
	hardKey             [chunk]uint32 // something rare, for portable code
}

// containsKernel is ContainsHashes.
func (f *Rank) containsKernel(hashes, out []uint64) (hits int) {
	var room [2]located
	now, before := &room[0], &room[1]
	if f.fetch {
		fetchRankAVX2(f, &hashes[0], min(chunk, len(hashes)))
	}
	for at := 0; at < len(hashes)+chunk; at += chunk {
		if at < len(hashes) {
			f.find(now, hashes[at:])
		}
		if at > 0 {
			word := f.answer(before, hashes[at-chunk:])
			out[at/64-1] = word
			hits += bits.OnesCount64(word)
		}
		now, before = before, now
	}
	runtime.KeepAlive(f) // whose memory the kernel reads by address
	return hits
}

// find finds the runs of the next chunk.
func (f *Rank) find(keys *located, hashes []uint64) {
	n := min(chunk, len(hashes))
	if f.fetch {
		findFetchAVX2(f, keys, &hashes[0], n, min(chunk, len(hashes)-n))
	} else {
		findAVX2(f, keys, &hashes[0], n)
	}
}

// answer answers a chunk whose runs have been found: bit i for key i.
func (f *Rank) answer(keys *located, hashes []uint64) (word uint64) {
	if keys.far > 0 {
		findFarAVX2(f, keys, &hashes[0])
	}
	if keys.found > 0 {
		word = compareAVX2(f, keys, &hashes[0])
	}
	for _, i := range keys.hardKey[:keys.hard] {
		if f.contains(hashes[i]) { // an offset beyond the block, or a run in two
			word |= 1 << i
		}
	}
	return word
}

// ahead is how many keys ahead lines are fetched by loops that take keys one by one.
const ahead = 8

// fetchNear has the lines of the keys behind the next ones fetched. It is told all
// that are left, each time that so many have been taken.
func (f *Rank) fetchNear(hashes []uint64) {
	if n := min(len(hashes), 2*ahead) - ahead; n > 0 {
		fetchRankAVX2(f, &hashes[ahead], n)
	}
}

func (f *Flags) fetchNear(hashes []uint64) {
	if n := min(len(hashes), 2*ahead) - ahead; n > 0 {
		fetchFlagsAVX2(f, &hashes[ahead], n)
	}
}

// test is ContainsHash by the kernel.
func (f *Rank) test(hash uint64) bool {
	answer := testAVX2(f, hash)
	if answer > 1 {
		return f.contains(hash)
	}
	return answer != 0
}
