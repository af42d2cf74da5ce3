package rounds

import "filterbench/filters/hashing"

// The rounds in portable code, which is the specification of the kernels.

// first takes the first round, of all keys: the word is the hash.
func (r *rounds) first(fields, hashes []uint64) (left int) {
	test := r.test()
	for i, h := range hashes {
		r.keys[left%roundKeys] = uint32(i)
		left += test.nonzero(fields, hashing.Reduce(h, r.m))
	}
	return left
}

// second takes the second round, of the n keys that are left.
func (r *rounds) second(fields, hashes []uint64, n int) (left int) {
	test := r.test()
	for _, key := range r.keys[:n] {
		h := hashes[key]
		step := r.Walker.step(h)
		word := h + step
		r.word[key%roundKeys], r.step[key%roundKeys] = word, step
		r.keys[left%roundKeys] = key
		left += test.nonzero(fields, hashing.Reduce(word, r.m))
	}
	return left
}

// next takes a later round.
func (r *rounds) next(fields []uint64, n int) (left int) {
	test := r.test()
	for _, key := range r.keys[:n] {
		word := r.word[key%roundKeys] + r.step[key%roundKeys] + r.change
		r.word[key%roundKeys] = word
		r.keys[left%roundKeys] = key
		left += test.nonzero(fields, hashing.Reduce(word, r.m))
	}
	return left
}

// test is how to look at a field, kept in registers.
type test struct{ width, most uint64 }

func (r *rounds) test() test { return test{r.width, r.most} }

// nonzero is 1 if the field at a position is not zero, else 0. The branch is always
// the same.
func (t test) nonzero(fields []uint64, at uint64) int {
	if t.width == 0 {
		return int(fields[at>>6] >> (at & 63) & 1)
	}
	at <<= t.width & 63
	value := fields[at>>6] >> (at & 63) & t.most
	return int((value + t.most) >> (1 << (t.width & 63) & 63))
}
