package filtertest

import (
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// guarded returns room for n words that ends at a page which faults.
func guarded(t testing.TB, n int) []uint64 {
	t.Helper()
	page := os.Getpagesize()
	size := (8*n + page - 1) / page * page
	mem, err := unix.Mmap(-1, 0, size+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(mem) })
	if err := unix.Mprotect(mem[size:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&mem[0])), size/8)
	return words[len(words)-n:]
}
