package memory

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapping keeps the counts of huge pages before and after a mapping free of
// other mappings of this package.
var mapping sync.Mutex

// mapPages maps size bytes, zeroed and touched, from a multiple of 2 MiB on. The
// slice's capacity is everything mapped, in whole pages of this machine.
func mapPages(size int, policy Pages) (mem []byte, pages string, err error) {
	mapping.Lock()
	defer mapping.Unlock()
	mem, err = mapAligned(size)
	if err != nil {
		return nil, "", fmt.Errorf("mapping %d bytes: %w", size, err)
	}
	before, counted := hugeBytes()
	advice := unix.MADV_HUGEPAGE
	if policy == PagesSmall {
		advice = unix.MADV_NOHUGEPAGE
	}
	// A kernel built without huge pages refuses either advice, and gives small
	// ones.
	adviceErr := unix.Madvise(mem[:cap(mem)], advice)
	touch(mem[:cap(mem)])

	pages = "small"
	if after, ok := hugeBytes(); counted && ok {
		whole := uint64(cap(mem)) / hugePage * hugePage
		if after > before && after-before >= whole/10*9 {
			pages = "huge"
		}
	}
	if policy == PagesHuge && pages != "huge" {
		unmapPages(mem)
		if adviceErr == nil {
			adviceErr = errors.New("see /sys/kernel/mm/transparent_hugepage/enabled")
		}
		return nil, "", fmt.Errorf("huge pages were asked for and the kernel gave small ones: %w", adviceErr)
	}
	return mem, pages, nil
}

// mapAligned reserves 2 MiB more than needed and at once unmaps what lies before
// the first multiple of 2 MiB and behind the end.
func mapAligned(size int) ([]byte, error) {
	p := os.Getpagesize()
	length := (size + p - 1) &^ (p - 1)
	base, err := unix.MmapPtr(-1, 0, nil, uintptr(length+hugePage), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	before := -uintptr(base) % hugePage
	start := unsafe.Add(base, before)
	if before > 0 {
		err = unix.MunmapPtr(base, before)
	}
	if behind := hugePage - before; err == nil && behind > 0 {
		err = unix.MunmapPtr(unsafe.Add(start, length), behind)
	}
	return unsafe.Slice((*byte)(start), length)[:size], err
}

// touch makes the kernel back every page: reading alone would map the one page
// of zeros.
func touch(mem []byte) {
	for i := 0; i < len(mem); i += page {
		mem[i] = 0
	}
}

func unmapPages(mem []byte) {
	if err := unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(mem)), uintptr(cap(mem))); err != nil {
		panic(fmt.Sprintf("memory: unmapping %d bytes: %v", cap(mem), err)) // a fault of this package
	}
}

// hugeBytes is how much memory of this process is on transparent huge pages; ok
// is false if the kernel does not say.
func hugeBytes() (bytes uint64, ok bool) {
	f, err := os.Open("/proc/self/smaps_rollup")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if fields := strings.Fields(s.Text()); len(fields) >= 2 && fields[0] == "AnonHugePages:" {
			kib, err := strconv.ParseUint(fields[1], 10, 53)
			return kib << 10, err == nil
		}
	}
	return 0, false
}
