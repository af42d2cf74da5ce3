package limit

import (
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// No reader touches what lies behind the stream, which here is a page that
// faults.
func TestReadersStayInStream(t *testing.T) {
	page := os.Getpagesize()
	mem, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mem)
	if err := unix.Mprotect(mem[page:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	stream := unsafe.Slice((*uint64)(unsafe.Pointer(&mem[0])), page/8)
	m := newMemory(t, 4)
	for i := range m.words {
		m.words[i] = 1
	}
	for _, r := range Readers() {
		for n := range 200 {
			if got := r.Sum(m, stream[len(stream)-n:]); got != uint64(n) {
				t.Fatalf("%+v read %d lines of %d", r, got, n)
			}
		}
	}
}
