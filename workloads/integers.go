package workloads

import (
	"fmt"
	"math/bits"

	"filterbench/filters/hashing"
)

// mix64 is element number id of the SplitMix64 sequence that begins at state:
// a bijection of id for each state.
func mix64(state, id uint64) uint64 { return hashing.Mix(state + (id+1)*hashing.Golden) }

// openRandom deals one SplitMix64 sequence alternately to present and absent
// keys. Seed 0 gives the published test vector of that generator.
func openRandom(name, _ string, _, seed uint64) (Source, error) {
	return &generated{
		name: name, present: 1 << 63, absent: 1 << 63, size: 8,
		number: func(i uint64, absent bool) uint64 { return mix64(seed, deal(i, absent)) },
	}, nil
}

// openSequential counts from 0 with seed 0, and with any other from a multiple
// of 2^41 that the seed picks, so that the low bits stay those of small numbers.
func openSequential(name, _ string, n, seed uint64) (Source, error) {
	return arithmetic(name, n, seed, 0)
}

func openStrided(name, option string, n, seed uint64) (Source, error) {
	if option == "" {
		option = "stride=4096"
	}
	stride, err := parsePowerOfTwo(option, "stride", 2, 1<<48)
	if err != nil {
		return nil, err
	}
	return arithmetic(fmt.Sprintf("%s:stride=%d", name, stride), n, seed, bits.TrailingZeros64(stride))
}

// arithmetic is the sequence (start + i) << shift, of which the first n keys are
// present and those behind absent. The bits that the shift pushes out come in
// again from below, so that no two keys are alike for any shift.
func arithmetic(name string, n, seed uint64, shift int) (Source, error) {
	const most = 1 << 40
	if n < 1 || n > most {
		return nil, fmt.Errorf("number of keys is %d; it must be from 1 to 2^40, since the absent keys follow the present ones", n)
	}
	start := uint64(0)
	if seed != 0 {
		start = (1 + hashing.Reduce(hashing.Mix(seed), 1<<22)) << 41
	}
	return &generated{
		name: name, present: n, absent: 2*most - n, size: 8,
		number: func(i uint64, absent bool) uint64 {
			if absent {
				i += n
			}
			return bits.RotateLeft64(start+i, shift)
		},
	}, nil
}
