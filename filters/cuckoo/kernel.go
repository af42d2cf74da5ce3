package cuckoo

import (
	"math/bits"
	"runtime"
)

// chunk is how many keys the kernel takes at once: the answers of a word. Where
// buckets have to be fetched, it is also how many keys ahead that is done.
const chunk = 64

// group is how many keys are located at once: in two registers. Where portable code
// does the rest, its work so goes on while buckets of later keys are fetched.
const group = 8

// kernel is what the assembly knows of a filter.
type kernel struct {
	data                    *byte
	loads                   uint64 // of a bucket
	buckets, fingerprints   lanes
	perBucket, within, size lanes
	ones, onesHigh, highs   lanes
}

// lanes is a number in each lane of a register.
type lanes [4]uint64

func inLanes(x uint64) lanes { return lanes{x, x, x, x} }

// located are keys whose buckets are known.
type located struct {
	first, second, fp [chunk]uint64
}

func newKernel(t *table) kernel {
	return kernel{
		data: &t.data[0], loads: t.loads,
		buckets: inLanes(t.buckets), fingerprints: inLanes(t.mask),
		perBucket: inLanes(t.perBucket), within: inLanes(t.within), size: inLanes(t.size),
		ones: inLanes(t.ones), onesHigh: inLanes(t.ones >> 32), highs: inLanes(t.highs),
	}
}

// containsKernel is ContainsHashes. The last keys, up to seven, are looked up one
// by one.
func (f *Filter) containsKernel(hashes, out []uint64) (hits int) {
	if f.sorted {
		return f.containsSorted(hashes, out)
	}
	var keys located
	at, whole := 0, len(hashes)&^(group-1)
	if f.fetch && whole > 0 {
		locateAVX2(&f.kernel, &keys, 0, &hashes[0], min(chunk, whole))
	}
	for at < whole {
		n := min(chunk, whole-at)
		var absent uint64
		if f.fetch {
			absent = answerAVX2(&f.kernel, &keys, &hashes[at], n, min(chunk, whole-at-n))
		} else {
			absent = containsAVX2(&f.kernel, &hashes[at], n)
		}
		word := ^absent & (1<<n - 1)
		out[at/64] = word
		hits += bits.OnesCount64(word)
		at += n
	}
	hits += f.containsRest(hashes, out, whole)
	runtime.KeepAlive(f) // whose memory the kernel reads by address
	return hits
}

// lacks says why a table has no kernel, or "".
func lacks(s shape) string {
	if s.buckets > 1<<31 {
		return "it has none for more than 2^31 buckets"
	}
	return ""
}

// refill locates the next group of the hashes, those from next on, at their place
// in keys, if there are as many.
func (f *Filter) refill(keys *located, hashes []uint64, next int) {
	if next+group <= len(hashes) {
		locateAVX2(&f.kernel, keys, next%chunk, &hashes[next], group)
	}
}

// containsSorted is ContainsHashes for semi-sorted buckets, into which portable code
// looks.
func (f *Filter) containsSorted(hashes, out []uint64) (hits int) {
	var keys located
	whole := len(hashes) &^ (group - 1)
	for next := 0; next < chunk; next += group {
		f.refill(&keys, hashes, next)
	}
	for from := 0; from < whole; from += chunk {
		var word uint64
		for i := range min(chunk, whole-from) {
			at := i % chunk // so that no bounds are checked
			word |= (f.holdsSorted(keys.first[at]*f.perBucket, keys.fp[at]) |
				f.holdsSorted(keys.second[at]*f.perBucket, keys.fp[at])) << at
			if at%group == group-1 {
				f.refill(&keys, hashes, from+i+1-group+chunk)
			}
		}
		out[from/64] = word
		hits += bits.OnesCount64(word)
	}
	runtime.KeepAlive(f)
	return hits + f.containsRest(hashes, out, whole)
}

// containsRest looks up the last keys, from whole on, which are not a group.
func (f *Filter) containsRest(hashes, out []uint64, whole int) (hits int) {
	if whole == len(hashes) {
		return 0
	}
	word := f.contains64(hashes[whole:])
	if whole%64 == 0 {
		out[whole/64] = 0
	}
	out[whole/64] |= word << (whole % 64)
	return bits.OnesCount64(word)
}

// addKernel is AddHashes where buckets have to be fetched.
func (f *Filter) addKernel(hashes []uint64) (taken int, err error) {
	var keys located
	whole := len(hashes) &^ (group - 1)
	for next := 0; next < chunk; next += group {
		f.refill(&keys, hashes, next)
	}
	for i, h := range hashes[:whole] {
		at := i % chunk
		if err := f.insertAt(keys.first[at], keys.second[at], keys.fp[at], h); err != nil {
			return i, err
		}
		if at%group == group-1 {
			f.refill(&keys, hashes, i+1-group+chunk)
		}
	}
	for i, h := range hashes[whole:] {
		if err := f.AddHash(h); err != nil {
			return whole + i, err
		}
	}
	runtime.KeepAlive(f)
	return len(hashes), nil
}
