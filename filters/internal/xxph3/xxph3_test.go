package xxph3

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"
)

// numbered is the key of the given length in the vectors.
func numbered(length int) []byte {
	key := make([]byte, length)
	for j := range key {
		key[j] = byte(1 + 7*j)
	}
	return key
}

// Every length up to 300 bytes and some up to 3,000, without and with a seed, as
// the real library hashes them (filters/rocksdb/testdata/vectors.cc).
func TestSameHashesAsRocksDB(t *testing.T) {
	file, err := os.Open("../../rocksdb/testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	seen := 0
	for s := bufio.NewScanner(file); s.Scan(); {
		line, ok := strings.CutPrefix(s.Text(), "hash ")
		if !ok {
			continue
		}
		seen++
		var length int
		var plain, seeded uint64
		if _, err := fmt.Sscanf(line, "%d %x %x", &length, &plain, &seeded); err != nil {
			t.Fatal(err)
		}
		key := numbered(length)
		if got := Sum(key, 0); got != plain {
			t.Errorf("%d bytes: %016x, want %016x", length, got, plain)
		}
		if got := Sum(key, 42); got != seeded {
			t.Errorf("%d bytes, seed 42: %016x, want %016x", length, got, seeded)
		}
		if xxh3.Hash(key) == plain {
			t.Errorf("%d bytes: XXH3 as released is the same", length)
		}
	}
	if seen < 300 {
		t.Errorf("%d hashes", seen)
	}
}

func TestNoAllocations(t *testing.T) {
	for _, length := range []int{8, 100, 200, 2000} {
		key := numbered(length)
		if allocs := testing.AllocsPerRun(10, func() { Sum(key, 1) }); allocs != 0 {
			t.Errorf("%d bytes: %v allocations", length, allocs)
		}
	}
}

func BenchmarkSum(b *testing.B) {
	for _, length := range []int{8, 16, 64, 200, 1000} {
		key := numbered(length)
		b.Run(fmt.Sprint(length), func(b *testing.B) {
			b.SetBytes(int64(length))
			for b.Loop() {
				Sum(key, 0)
			}
		})
	}
}
