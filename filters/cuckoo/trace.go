package cuckoo

import (
	"filterbench/filters"
	"filterbench/filters/hashing"
)

// Memory is the table.
func (f *Filter) Memory() []uint64 { return f.block.Words() }

// LookupLines appends the lines of both buckets, wherever the key is.
func (f *Filter) LookupLines(lines []uint64, hash uint64) []uint64 {
	bucket, fp := f.locate(hash)
	lines = f.bucketLines(lines, bucket)
	return f.bucketLines(lines, f.other(bucket, fp))
}

// AddLines adds the key, and appends the lines of the buckets in which it looks
// for an empty slot: its own two, and those that fingerprints are moved to.
func (f *Filter) AddLines(lines []uint64, hash uint64) ([]uint64, error) {
	bucket, fp := f.locate(hash)
	other := f.other(bucket, fp)
	lines, empty := f.findLines(lines, bucket)
	if !empty {
		lines, empty = f.findLines(lines, other)
	}
	if !empty {
		lines = f.kickLines(lines, bucket, other, fp, hashing.Mix(hash))
	}
	return lines, f.AddHash(hash)
}

// kickLines goes the way of kick, and all the way back, so that the table is
// afterwards as it was.
func (f *Filter) kickLines(lines []uint64, bucket, other, fp, random uint64) []uint64 {
	var path [maxKicks]uint8
	if random>>63 != 0 {
		bucket = other
	}
	moves, empty := 0, false
	for moves < maxKicks && !empty {
		random = random*6364136223846793005 + 1442695040888963407
		var slot uint64
		fp, slot = f.exchange(bucket, random>>f.slotShift, fp)
		path[moves] = uint8(slot)
		moves++
		bucket = f.other(bucket, fp)
		lines, empty = f.findLines(lines, bucket)
	}
	for i := moves - 1; i >= 0; i-- {
		bucket = f.other(bucket, fp)
		fp, _ = f.exchange(bucket, uint64(path[i]), fp)
		if !empty { // then the add goes back, too
			lines = f.bucketLines(lines, bucket)
		}
	}
	return lines
}

// bucketLines appends the lines of all loads of a bucket.
func (f *Filter) bucketLines(lines []uint64, bucket uint64) []uint64 {
	for i := range f.loads {
		lines = f.loadLines(lines, bucket, i)
	}
	return lines
}

// findLines appends the lines of the loads by which find looks for an empty
// slot, and says whether there is one.
func (f *Filter) findLines(lines []uint64, bucket uint64) (_ []uint64, empty bool) {
	slot, empty := f.find(bucket, 0)
	if f.sorted || !empty {
		return f.bucketLines(lines, bucket), empty
	}
	for i := range slot/f.perLoad + 1 {
		lines = f.loadLines(lines, bucket, i)
	}
	return lines, empty
}

// loadLines appends the lines of load i of a bucket.
func (f *Filter) loadLines(lines []uint64, bucket, i uint64) []uint64 {
	bit := bucket*f.perBucket + i*f.size
	if f.sorted && i > 0 { // behind the code
		bit = bucket*f.perBucket + codeBits + (i-1)*f.size
	}
	return filters.AppendLines(lines, bit&^f.within>>3, 8)
}
