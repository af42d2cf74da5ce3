package peers

import (
	"bytes"
	"math"
	"math/bits"
	"testing"

	"filterbench/filters/theory"

	"github.com/greatroar/blobloom"
)

// blobloom sets one bit fewer than the number of hashes it is given: one key's
// bits are k-1 of them, less those that fall together.
func TestBlobloomProbes(t *testing.T) {
	for hashes := 2; hashes <= 20; hashes++ {
		most := 0
		for _, h := range randomHashes(50, 1) {
			f := blobloom.New(blobloom.BlockBits, hashes)
			f.Add(h)
			var dump bytes.Buffer
			if _, err := blobloom.Dump(&dump, f, ""); err != nil {
				t.Fatal(err)
			}
			ones := 0
			for _, b := range dump.Bytes()[dump.Len()-blobloom.BlockBits/8:] {
				ones += bits.OnesCount8(b)
			}
			most = max(most, ones)
		}
		if most != hashes-1 {
			t.Errorf("of %d hashes a key sets up to %d bits", hashes, most)
		}
	}
}

// A rate that blobloom promises beyond 10^-4 it does not keep: two words of 9
// bits tell only 2^18 keys of a block apart. Asked for 10^-7, it takes 90 bits
// per key, and a block of 5.7 keys answers 5.7/2^18 of all queries falsely.
func TestBlobloomFloor(t *testing.T) {
	const n, queries = 20_000, 4_000_000
	m, hashes := blobloom.Optimize(blobloom.Config{Capacity: n, FPRate: 1e-7})
	d, err := blobloomDesign(n, m, hashes)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := randomFilter(t, d, 1)
	falsePositives := 0
	for i := range uint64(queries / 100_000) {
		falsePositives += f.CountHashes(randomHashes(100_000, 100+i))
	}
	load := n / float64(m/blobloom.BlockBits)
	mean := queries * load / (1 << 18)
	if got := float64(falsePositives); got < mean-5*math.Sqrt(mean) || got > 1.5*mean+5*math.Sqrt(1.5*mean) {
		t.Errorf("%d false positives of %d, want %.0f to %.0f", falsePositives, queries, mean, 1.5*mean)
	}
}

// A size of a power of two makes holiman's positions share bits of the hash; its
// rate may then exceed theory by what the model states, and by no more.
func TestHolimanPowerOfTwo(t *testing.T) {
	sets := uint64(10)
	if testing.Short() {
		sets = 2
	}
	for _, c := range []struct {
		m, n uint64
		k    int
	}{{1 << 20, 1 << 17, 6}, {1 << 20, 1 << 16, 12}} {
		d, err := holimanDesign(c.n, c.m, c.k)
		if err != nil {
			t.Fatal(err)
		}
		p := theory.BloomExact(c.n, c.m, c.k)
		count, asked := 0, 0
		for set := range sets {
			f, _ := randomFilter(t, d, set)
			for i := range uint64(2) {
				count += f.CountHashes(randomHashes(500_000, set<<8|i|1<<60))
				asked += 500_000
			}
		}
		mean := p * float64(asked)
		slack := 5 * math.Sqrt(mean+float64(sets)*math.Pow(d.Model.SD(c.n)*float64(asked)/float64(sets), 2))
		if got := float64(count); got < mean-slack || got > mean*(1+d.Model.Tolerance)+slack {
			t.Errorf("%+v: %d false positives of %d; theory says %.0f, the model up to %.1f %% more", c, count, asked, mean, 100*d.Model.Tolerance)
		}
	}
}
