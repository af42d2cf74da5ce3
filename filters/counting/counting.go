// Package counting is the counting Bloom filter: a Bloom filter with a small
// counter in place of every bit, so that keys can be deleted again.
//
// # Why no key is lost
//
// A key's k positions may repeat. Both add and delete then count a position as
// often as it occurs, so that a delete takes back exactly what its add put in,
// and every counter that is below its largest value is the number of times that
// the keys in the filter, as a multiset, have it among their positions. (To
// count a repeated position once in both would do as well; once in the one and
// twice in the other would lose keys.) A counter that reaches its largest value
// has lost count and is never changed again: it may stay for ever, which costs
// false positives, but counting on would lose keys.
//
// That holds as long as only keys that are in the filter are deleted. Deleting
// another one is refused where its counters show that it is not there. With the
// chance of a false positive they do not, and then the counters of other keys
// go down: some of those keys will no longer be found. To ask Contains first
// does not help, as it is what delete does.
package counting

import (
	"filterbench/filters"
	"filterbench/filters/internal/probes"
	"filterbench/filters/internal/rounds"
	"filterbench/filters/memory"
)

// Filter is a counting Bloom filter of m counters and k positions a key, which
// are those of a Bloom filter of m bits.
type Filter struct {
	words  []uint64 // counter i is in word i>>perWord, from its low end
	m      uint64
	k      int
	n      uint64
	width  uint   // log2 of the bits in a counter
	max    uint64 // largest value, at which a counter is stuck
	block  *memory.Block
	rounds rounds.Array // the counters, for batches
}

// newFilter makes an empty filter of counters of 2^width bits; avx2 says that
// kernels answer batches.
func newFilter(m uint64, k int, width uint, avx2 bool) (*Filter, error) {
	block, err := memory.Alloc(arrayBytes(m, width))
	if err != nil {
		return nil, err
	}
	return &Filter{
		words: block.Words(), m: m, k: k, width: width, max: 1<<(1<<width) - 1, block: block,
		rounds: rounds.New(block.Words(), rounds.NewWalker(m, k, width).Enhanced(), avx2),
	}, nil
}

// arrayBytes is the size of m counters of 2^width bits.
func arrayBytes(m uint64, width uint) uint64 { return (m<<width-1)/8 + 1 }

// Len is the number of keys in the filter.
func (f *Filter) Len() uint64 { return f.n }

// SizeBits is every bit allocated.
func (f *Filter) SizeBits() uint64 { return 8 * f.block.Bytes() }

// Pages is the kind of memory the counters lie in.
func (f *Filter) Pages() string { return f.block.Pages() }

// Free gives the memory back.
func (f *Filter) Free() {
	f.block.Free()
	f.words = nil
}

// Histogram counts the counters by value, from 0 to the largest: those are
// stuck.
func (f *Filter) Histogram() []uint64 {
	count := make([]uint64, f.max+1)
	for at := range f.m {
		word, shift := f.locate(at)
		count[f.words[word]>>shift&f.max]++
	}
	return count
}

// locate is where counter at is: the word, and by how much it is shifted there.
func (f *Filter) locate(at uint64) (word uint64, shift uint) {
	perWord := 6 - f.width // log2
	return at >> perWord, uint(at) & (1<<perWord - 1) << f.width
}

// AddHash increments the key's k counters. It never fails.
func (f *Filter) AddHash(hash uint64) error {
	f.increment(hash, f.k)
	f.n++
	return nil
}

// increment counts up the first k positions of a key, but for stuck counters.
func (f *Filter) increment(hash uint64, k int) {
	w := probes.Enhanced(hash)
	for range k {
		word, shift := f.locate(w.At(f.m))
		if f.words[word]>>shift&f.max != f.max {
			f.words[word] += 1 << shift
		}
		w = w.Next()
	}
}

// DeleteHash takes out one copy of a key that is in the filter. It returns false
// and changes nothing if the counters show that the key is not there. A key that
// is not there, and looks as if it were, takes down the counters of others: see
// the package's comment.
func (f *Filter) DeleteHash(hash uint64) bool {
	if f.n == 0 {
		return false // what is left is stuck
	}
	w := probes.Enhanced(hash)
	for i := range f.k {
		word, shift := f.locate(w.At(f.m))
		switch f.words[word] >> shift & f.max {
		case 0:
			// The counters before this one went down from below the largest
			// value, or were left at it: increment is the exact reverse.
			f.increment(hash, i)
			return false
		case f.max:
		default:
			f.words[word] -= 1 << shift
		}
		w = w.Next()
	}
	f.n--
	return true
}

// ContainsHash reports whether none of the key's counters is zero. It takes three
// at a time: a branch on each would be guessed wrong once a key, which costs more
// than up to two counters behind the first that is zero.
func (f *Filter) ContainsHash(hash uint64) bool {
	w := probes.Enhanced(hash)
	k := f.k
	for ; k >= 3; k -= 3 {
		w2 := w.Next()
		w3 := w2.Next()
		if f.counted(w)&f.counted(w2)&f.counted(w3) == 0 {
			return false
		}
		w = w3.Next()
	}
	for ; k > 0; k-- {
		if f.counted(w) == 0 {
			return false
		}
		w = w.Next()
	}
	return true
}

// counted is 1 if the counter of a walk is not zero, else 0.
func (f *Filter) counted(w probes.Walk) uint8 {
	perWord := 6 - f.width // log2
	at := w.At(f.m)
	if f.words[at>>(perWord&63)]>>(at&(1<<(perWord&63)-1)<<(f.width&63)&63)&f.max != 0 {
		return 1
	}
	return 0
}

// AddHashes adds all keys.
func (f *Filter) AddHashes(hashes []uint64) (int, error) {
	if f.rounds.Adds(len(hashes)) {
		f.rounds.Add(hashes)
		f.n += uint64(len(hashes))
		return len(hashes), nil
	}
	for _, h := range hashes {
		f.AddHash(h)
	}
	return len(hashes), nil
}

// ContainsHashes looks up all keys.
func (f *Filter) ContainsHashes(hashes []uint64, out []uint64) (hits int) {
	if len(hashes) >= 8 {
		return f.rounds.Contains(hashes, out)
	}
	clear(out[:filters.BitsetLen(len(hashes))])
	for i, h := range hashes { // so few that rounds do not pay
		if f.ContainsHash(h) {
			out[0] |= 1 << i
			hits++
		}
	}
	return hits
}

// CountHashes counts the positives.
func (f *Filter) CountHashes(hashes []uint64) (hits int) {
	for _, h := range hashes {
		if f.ContainsHash(h) {
			hits++
		}
	}
	return hits
}
