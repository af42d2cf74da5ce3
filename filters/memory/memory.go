// Package memory allocates the arrays of filters: aligned to cache lines,
// checked against what the machine has before anything is allocated, on huge
// pages where that helps, and counted in full.
//
// # What is counted
//
// Bits per key are compared between machines, so that what a block counts as
// must depend on its size alone: not on the caches, the page size or the
// operating system. Size is that rule:
//
//   - below 2 MiB, whole pairs of 64-byte lines (128 bytes);
//   - from 2 MiB on, whole pages of 4 KiB.
//
// It is also what is asked for. Go's heap aligns objects of n x 128 bytes to
// 128 bytes, so a small block has no padding in front; if a runtime ever did
// not, the block would be larger and Bytes would say so. A large block is a
// mapping of its own, of whole pages. What an allocator keeps beside that (size
// classes of Go's heap, page tables, the rest of a last page of more than
// 4 KiB) is not counted here; the memory experiment sees it in the heap's
// growth.
//
// # What backs it
//
// From 2 MiB on, which is the least that holds a huge page and about where the
// L2 caches of today end, a block on Linux is an anonymous mapping that starts
// at a multiple of 2 MiB and asks for huge pages: without them the TLB misses
// of random reads would be measured along with the filter. Its last part of
// less than 2 MiB stays on small pages, so that no memory is spent on
// alignment. All pages are touched at once, so that building a filter is not
// timed together with page faults, and Pages says what the kernel really gave.
// Smaller blocks, and all blocks on other systems, are on Go's heap. SetPages
// and With change the backing, never the count.
package memory

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"filterbench/filters/machine"
)

const (
	// Align is what the address of every block is a multiple of, in bytes: two
	// lines of 64 bytes or one of 128, and what prefetchers fetch together.
	Align = 128

	// MapFrom is the size in bytes from which blocks are mappings.
	MapFrom = 2 << 20

	page     = 4 << 10
	hugePage = 2 << 20
)

// Pages says how large blocks are backed, from MapFrom on.
type Pages uint8

// The backings.
const (
	PagesAuto  Pages = iota // huge pages where the kernel gives them, else small
	PagesSmall              // small pages, even where the kernel prefers huge ones
	PagesHuge               // huge pages, and an error where there are none
)

// String is "auto", "small" or "huge".
func (p Pages) String() string { return [...]string{"auto", "small", "huge"}[p] }

var policy atomic.Uint32

// SetPages changes the backing of the large blocks that are allocated from now
// on, in the whole process, and returns what it was. It is meant for
// experiments on the pages themselves.
func SetPages(p Pages) (previous Pages) { return Pages(policy.Swap(uint32(p))) }

// With calls do, and backs the large blocks that are allocated meanwhile, in the
// whole process, as p says: for experiments that have small and huge pages side
// by side. Calls of With wait for each other, and must not be nested.
func With(p Pages, do func() error) error {
	with.Lock()
	defer with.Unlock()
	defer SetPages(SetPages(p)) // the outer call comes after do
	return do()
}

var with sync.Mutex

// Offers says in one line why large blocks cannot be backed by such pages here,
// or nil. It tries, since only the kernel knows.
func Offers(p Pages) error {
	if p == PagesAuto {
		return nil
	}
	return With(p, func() error {
		b, err := Alloc(2 * MapFrom)
		if err != nil {
			return err
		}
		defer b.Free()
		if b.Pages() == "heap" {
			return fmt.Errorf("large filters are on Go's heap on %s, whose pages are not to be chosen", runtime.GOOS)
		}
		return nil
	})
}

// Size is how many bytes Alloc allocates, and counts, for a request of the given
// number of bytes: at least one unit of 128, the same on every machine. It
// saturates instead of overflowing.
func Size(bytes uint64) uint64 {
	unit := uint64(Align)
	if bytes >= MapFrom {
		unit = page
	}
	if bytes > math.MaxUint64-unit {
		return math.MaxUint64 &^ (unit - 1)
	}
	return (max(bytes, 1) + unit - 1) &^ (unit - 1)
}

// Check says in one line why a request of the given number of bytes cannot be
// met, or nil: "needs 12.5 GiB; this machine has 9.1 GiB available". Memory that
// is available is that which needs no swapping and which no control group
// forbids. Where it is not known, only requests beyond the whole memory, or
// beyond the address space, are refused.
func Check(bytes uint64) error {
	available, known := machine.Available()
	size := Size(bytes)
	switch {
	case known && size > available:
		return fmt.Errorf("needs %s; this machine has %s available", machine.FormatBytes(size), machine.FormatBytes(available))
	case !known && available > 0 && size > available:
		return fmt.Errorf("needs %s; this machine has %s", machine.FormatBytes(size), machine.FormatBytes(available))
	case size > maxBytes:
		return fmt.Errorf("needs %s; a process can address %s", machine.FormatBytes(size), machine.FormatBytes(maxBytes))
	}
	return nil
}

// maxBytes is half of the address space of a process, 2^46 bytes on 64-bit
// systems.
const maxBytes = 1 << (30 + 16*(math.MaxUint>>63))

// Block is a zeroed array that does not move.
//
// A large block is outside of the Go heap: its words are valid only as long as
// the Block itself is reachable and Free has not been called.
type Block struct {
	words   []uint64
	bytes   uint64
	pages   string
	cleanup runtime.Cleanup
	mapping []byte // nil on the heap
}

// Alloc returns a zeroed block of at least the given number of bytes, aligned to
// Align. It fails, before it allocates anything, if that does not fit in the
// memory available (see Check).
//
// A Block that is dropped without Free is given back some time after, at a later
// Alloc; that is a safety net against leaks in long runs, not a way to work.
func Alloc(bytes uint64) (*Block, error) {
	size := Size(bytes)
	if size < MapFrom {
		return heapBlock(size), nil
	}
	reap()
	if err := Check(bytes); err != nil {
		return nil, err
	}
	mem, pages, err := mapPages(int(size), Pages(policy.Load()))
	if errors.Is(err, errors.ErrUnsupported) {
		return heapBlock(size), nil
	}
	if err != nil {
		return nil, err
	}
	mapped.Add(uint64(cap(mem)))
	b := &Block{
		words:   unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(mem))), len(mem)/8),
		bytes:   size,
		pages:   pages,
		mapping: mem,
	}
	b.cleanup = runtime.AddCleanup(b, orphan, mem)
	return b, nil
}

// heapBlock allocates size bytes, a multiple of Align, on Go's heap.
func heapBlock(size uint64) *Block {
	words := make([]uint64, size/8)
	bytes := size
	if off := uintptr(unsafe.Pointer(&words[0])) % Align; off != 0 { // no runtime so far
		words = make([]uint64, size/8+Align/8)
		bytes += Align
		off = uintptr(unsafe.Pointer(&words[0])) % Align
		words = words[(Align-off)%Align/8:][:size/8]
	}
	return &Block{words: words[:len(words):len(words)], bytes: bytes, pages: "heap"}
}

// Words is the block as 64-bit words: Size(bytes)/8 of them, nil after Free.
func (b *Block) Words() []uint64 { return b.words }

// Bytes is everything allocated, padding included.
func (b *Block) Bytes() uint64 { return b.bytes }

// Pages is what backs the block: "heap" for Go's heap, "huge" for a mapping of
// which at least nine tenths of the whole 2 MiB pages are huge, "small" for any
// other.
func (b *Block) Pages() string { return b.pages }

// Free gives the memory back. Free of a Block that is free does nothing. It must
// not run together with any use of the block.
func (b *Block) Free() {
	b.words = nil
	if b.mapping == nil {
		return
	}
	b.cleanup.Stop()
	release(b.mapping)
	b.mapping = nil
}

var mapped atomic.Uint64

// Mapped is how many bytes all blocks hold outside of the Go heap.
func Mapped() uint64 { return mapped.Load() }

func release(mem []byte) {
	mapped.Add(-uint64(cap(mem)))
	unmapPages(mem)
}

// orphans are mappings whose Block was dropped without Free. They are not
// unmapped at once: the collector may find a Block unreachable while its last
// lookup still reads the words. At the next Alloc the caller that forgot Free is
// past that lookup.
var orphans struct {
	sync.Mutex
	list [][]byte
}

func orphan(mem []byte) {
	orphans.Lock()
	defer orphans.Unlock()
	orphans.list = append(orphans.list, mem)
}

func reap() {
	orphans.Lock()
	defer orphans.Unlock()
	for _, mem := range orphans.list {
		release(mem)
	}
	orphans.list = nil
}
