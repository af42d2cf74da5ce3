package experiments

import "filterbench/filters"

// nothing is 0, which the compiler does not know. By it a lookup is made to wait
// for the answer of the one before.
var nothing uint64

// lookups returns the function that makes call i: so many lookups in one batch,
// and as many such batches as the chain has, each at the place in the stream where
// the one before ends, round and round. It returns the positives.
func (b *bench) lookups(f filters.Keyed, q *queries, batch, chain int) func(i int) uint64 {
	step := batch * chain
	switch {
	case batch > 1:
		h, out := hashedOf(f), b.room(batch)
		places := len(q.hashes) / step
		return func(i int) (hits uint64) {
			at := i % places * step
			for range chain {
				hits += uint64(h.ContainsHashes(q.hashes[at:at+batch], out))
				at += batch + int(hits&nothing)
			}
			return hits
		}
	case q.hashes != nil:
		h := hashedOf(f)
		places := len(q.hashes) / step
		return func(i int) (hits uint64) {
			at := i % places * step
			for range chain {
				if h.ContainsHash(q.hashes[at]) {
					hits++
				}
				at += 1 + int(hits&nothing)
			}
			return hits
		}
	}
	places := q.keys.Len() / step
	return func(i int) (hits uint64) {
		at := i % places * step
		for range chain {
			if f.Contains(q.keys.At(at)) {
				hits++
			}
			at += 1 + int(hits&nothing)
		}
		return hits
	}
}
