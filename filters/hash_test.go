package filters

import "testing"

// The vectors of XXH64 are those of the reference implementation's own test
// program: the input's bytes are the high ones of a generator that starts at a
// 32-bit prime and multiplies by a 64-bit one; seeds are 0 and that prime.
func TestXXH64Vectors(t *testing.T) {
	const prime = 2654435761
	buf := make([]byte, 222)
	gen := uint64(prime)
	for i := range buf {
		buf[i] = byte(gen >> 56)
		gen *= 11400714785074694797
	}
	for _, c := range []struct {
		length int
		seed   uint64
		want   uint64
	}{
		{0, 0, 0xEF46DB3751D8E999}, {0, prime, 0xAC75FDA2929B17EF},
		{1, 0, 0xE934A84ADB052768}, {1, prime, 0x5014607643A9B4C3},
		{4, 0, 0x9136A0DCA57457EE},
		{14, 0, 0x8282DCC4994E35C8}, {14, prime, 0xC3BD6BF63DEB6DF0},
		{222, 0, 0xB641AE8CB691C174}, {222, prime, 0x20CB8AB7AE10C14A},
	} {
		var keys Keys
		keys.Append(buf[:c.length])
		if got := XXH64.Sum(buf[:c.length], c.seed); got != c.want {
			t.Errorf("%d bytes, seed %d: %#x, want %#x", c.length, c.seed, got, c.want)
		}
		if got := XXH64.SumKeys(nil, &keys, 0, 1, c.seed); got[0] != c.want {
			t.Errorf("%d bytes, seed %d, in a batch: %#x, want %#x", c.length, c.seed, got[0], c.want)
		}
	}
}
