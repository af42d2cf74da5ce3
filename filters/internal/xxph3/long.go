package xxph3

import "encoding/binary"

// A long key is read in stripes of 64 bytes into eight accumulators. Each stripe
// takes the secret 8 bytes further on; when that is used up, a block is over and
// the accumulators are scrambled.
const (
	lanes   = 8
	stripe  = 8 * lanes
	consume = 8
	block   = (secretLen - stripe) / consume * stripe
)

type state struct {
	acc    [lanes]uint64
	secret [secretLen]byte
}

// key64 is the 8 bytes of the secret from the given one on.
func (s *state) key64(at int) uint64 { return binary.LittleEndian.Uint64(s.secret[at:]) }

// sumLong is the hash of more than 240 bytes.
func sumLong(key []byte, seed uint64) uint64 {
	s := state{acc: [lanes]uint64{prime32x3, prime64x1, prime64x2, prime64x3, prime64x4, prime32x2, prime64x5, prime32x1}}
	for at := 0; at < secretLen; at += 16 { // the seed is part of the secret here
		binary.LittleEndian.PutUint64(s.secret[at:], key64(at)+seed)
		binary.LittleEndian.PutUint64(s.secret[at+8:], key64(at+8)-seed)
	}
	const (
		lastSecret  = secretLen - stripe - 7
		mergeSecret = 11
	)
	rest := key
	for ; len(rest) >= block; rest = rest[block:] {
		for at := 0; at < block; at += stripe {
			s.take(rest[at:], at/stripe*consume)
		}
		s.scramble()
	}
	for at := 0; at+stripe <= len(rest); at += stripe {
		s.take(rest[at:], at/stripe*consume)
	}
	if len(key)%stripe != 0 {
		s.take(key[len(key)-stripe:], lastSecret)
	}
	return s.merge(uint64(len(key))*prime64x1, mergeSecret)
}

// take reads a stripe, with the secret from the given byte on.
func (s *state) take(in []byte, at int) {
	for i := range s.acc {
		v := binary.LittleEndian.Uint64(in[8*i:])
		k := v ^ s.key64(at+8*i)
		s.acc[i] += v + k&0xffffffff*(k>>32)
	}
}

func (s *state) scramble() {
	for i, a := range s.acc {
		s.acc[i] = (a ^ a>>47 ^ s.key64(secretLen-stripe+8*i)) * prime32x1
	}
}

func (s *state) merge(sum uint64, at int) uint64 {
	for i := 0; i < lanes; i += 2 {
		sum += fold(s.acc[i]^s.key64(at+8*i), s.acc[i+1]^s.key64(at+8*i+8))
	}
	return avalanche(sum)
}
