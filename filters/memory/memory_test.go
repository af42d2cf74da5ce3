package memory

import (
	"errors"
	"math"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"filterbench/filters/machine"

	"pgregory.net/rapid"
)

func mustAlloc(t rapid.TB, bytes uint64) *Block {
	t.Helper()
	b, err := Alloc(bytes)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSize fixes the accounting: results of different machines are compared by
// it, so that it must not change and not depend on where it runs.
func TestSize(t *testing.T) {
	for _, c := range []struct{ bytes, want uint64 }{
		{0, 128}, {1, 128}, {128, 128}, {129, 256}, {11982, 12032}, {16 << 10, 16 << 10},
		{1<<21 - 128, 1<<21 - 128}, {1<<21 - 1, 1 << 21}, {1 << 21, 1 << 21}, {1<<21 + 1, 1<<21 + 4096},
		{1 << 40, 1 << 40}, {1 << 63, 1 << 63}, {math.MaxUint64 - 4095, math.MaxUint64 - 4095},
		{math.MaxUint64 - 4094, math.MaxUint64 - 4095}, {math.MaxUint64, math.MaxUint64 - 4095},
	} {
		if got := Size(c.bytes); got != c.want {
			t.Errorf("Size(%d) = %d, want %d", c.bytes, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Uint64().Draw(t, "a"), rapid.Uint64().Draw(t, "b")
		if a <= b && Size(a) > Size(b) {
			t.Fatalf("Size(%d) = %d > Size(%d) = %d", a, Size(a), b, Size(b))
		}
		if Size(Size(a)) != Size(a) {
			t.Fatalf("Size(Size(%d)) = %d, Size is %d", a, Size(Size(a)), Size(a))
		}
	})
}

// sizes are around every step of the rule and of Go's heap.
func sizes() []uint64 {
	list := []uint64{0, 1, MapFrom - 1, MapFrom, MapFrom + 1, 2*MapFrom - 1, 2 * MapFrom, 5<<20 + 12345, 16 << 20}
	for n := uint64(128); n <= 64<<10; n += 128 {
		list = append(list, n)
	}
	for shift := 6; shift < 23; shift++ {
		list = append(list, 1<<shift-1, 1<<shift, 1<<shift+1)
	}
	return list
}

func TestBlocks(t *testing.T) {
	before := Mapped()
	for _, policy := range []Pages{PagesAuto, PagesSmall} {
		previous := SetPages(policy)
		for range 2 { // the second time memory comes back that has been written to
			for _, bytes := range sizes() {
				b := mustAlloc(t, bytes)
				words := b.Words()
				if b.Bytes() != Size(bytes) || uint64(len(words))*8 != Size(bytes) || cap(words) != len(words) {
					t.Fatalf("Alloc(%d): %d bytes, %d words, Size says %d", bytes, b.Bytes(), len(words), Size(bytes))
				}
				if at := uintptr(unsafe.Pointer(&words[0])); at%Align != 0 {
					t.Fatalf("Alloc(%d) is at %#x", bytes, at)
				} else if b.Pages() != "heap" && at%hugePage != 0 {
					t.Fatalf("Alloc(%d) is mapped at %#x", bytes, at)
				}
				for i, w := range words {
					if w != 0 {
						t.Fatalf("Alloc(%d): word %d is %#x", bytes, i, w)
					}
					words[i] = ^uint64(0)
				}
				if want := wantPages(bytes, policy); want != "" && b.Pages() != want {
					t.Fatalf("Alloc(%d) with policy %d is on %s pages, want %s", bytes, policy, b.Pages(), want)
				}
				b.Free()
				b.Free()
				if b.Words() != nil || Mapped() != before {
					t.Fatalf("Alloc(%d): after Free %d words and %d bytes mapped, before %d", bytes, len(b.Words()), Mapped(), before)
				}
			}
		}
		SetPages(previous)
	}
}

// wantPages is what must back a block, "" where the kernel decides.
func wantPages(bytes uint64, policy Pages) string {
	switch {
	case Size(bytes) < MapFrom || runtime.GOOS != "linux":
		return "heap"
	case policy == PagesSmall || strings.Contains(thpMode(), "[never]"):
		return "small"
	}
	return ""
}

func thpMode() string {
	b, _ := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	return string(b)
}

func TestHugePages(t *testing.T) {
	if SetPages(PagesHuge) != PagesAuto {
		t.Error("the policy is not automatic at first")
	}
	defer SetPages(PagesAuto)
	small := mustAlloc(t, 1000)
	if small.Pages() != "heap" {
		t.Errorf("small block on %s pages", small.Pages())
	}
	b, err := Alloc(8 << 20)
	mode := thpMode()
	switch {
	case mode == "" || strings.Contains(mode, "[never]"):
		if err == nil || !strings.Contains(err.Error(), "huge pages were asked for") {
			t.Errorf("without huge pages: error %v", err)
		}
	case err != nil:
		t.Skipf("the kernel has no huge pages to spare: %v", err)
	case b.Pages() != "huge" || b.Bytes() != 8<<20:
		t.Errorf("%d bytes on %s pages", b.Bytes(), b.Pages())
	}
	if b != nil {
		b.Free()
	}
	if Mapped() != 0 {
		t.Errorf("%d bytes are still mapped", Mapped())
	}
}

func TestRefusedBeforeAllocation(t *testing.T) {
	available, known := machine.Available()
	list := []uint64{1 << 47, 1 << 62, 1<<63 - 1, 1 << 63, math.MaxUint64}
	if known {
		list = append(list, 2*available)
	}
	line := regexp.MustCompile(`^needs [0-9.]+ [KMGTPE]iB; (this machine has [0-9.]+ [KMGTPE]iB( available)?|a process can address 64 TiB)$`)
	for _, bytes := range list {
		before := Mapped()
		b, err := Alloc(bytes)
		if err == nil {
			b.Free()
			t.Fatalf("%d bytes were allocated", bytes)
		}
		if !line.MatchString(err.Error()) {
			t.Errorf("Alloc(%d): %v", bytes, err)
		}
		if err := Check(bytes); err == nil || !line.MatchString(err.Error()) {
			t.Errorf("Check(%d): %v", bytes, err)
		}
		if Mapped() != before {
			t.Errorf("Alloc(%d) failed and left %d bytes mapped", bytes, Mapped()-before)
		}
	}
	if err := Check(1000); err != nil {
		t.Errorf("Check(1000): %v", err)
	}
}

// TestOverMappingIsUndone: aligning to 2 MiB must not leave address space
// behind, nor anything unbacked that is counted as allocated.
func TestOverMappingIsUndone(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("nothing is mapped")
	}
	const blocks, size = 32, MapFrom + 4096
	debug.FreeOSMemory() // so that no old heap is given back meanwhile
	virtual, resident := statm(t)
	for range blocks {
		defer mustAlloc(t, size).Free()
	}
	virtual2, resident2 := statm(t)
	if grown := virtual2 - virtual; grown > blocks*size+blocks*hugePage/2 {
		t.Errorf("address space grew by %s for blocks of %s", machine.FormatBytes(grown), machine.FormatBytes(blocks*size))
	}
	if grown := resident2 - resident; grown < blocks*size*3/4 { // untouched, it would hardly grow
		t.Errorf("resident memory grew by %s for touched blocks of %s", machine.FormatBytes(grown), machine.FormatBytes(blocks*size))
	}
	if Mapped() != blocks*size && os.Getpagesize() == 4096 {
		t.Errorf("%d bytes mapped, want %d", Mapped(), blocks*size)
	}
}

// statm returns the process's address space and resident memory in bytes.
func statm(t *testing.T) (virtual, resident uint64) {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	f := strings.Fields(string(b))
	v, _ := strconv.ParseUint(f[0], 10, 64)
	r, _ := strconv.ParseUint(f[1], 10, 64)
	return v * uint64(os.Getpagesize()), r * uint64(os.Getpagesize())
}

// TestDroppedBlocksComeBack: blocks that nobody freed are unmapped at a later
// Alloc.
func TestDroppedBlocksComeBack(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("nothing is mapped")
	}
	for range 3 {
		mustAlloc(t, MapFrom).Words()[0] = 1
	}
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		runtime.GC()
		mustAlloc(t, MapFrom).Free()
		if Mapped() == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d bytes of dropped blocks are still mapped", Mapped())
		}
	}
}

func TestConcurrentAlloc(t *testing.T) {
	var wg sync.WaitGroup
	for g := range uint64(4) {
		wg.Go(func() {
			for i := range uint64(10) {
				b, err := Alloc(MapFrom + i*4096)
				if err != nil {
					t.Error(err)
					return
				}
				for j := range b.Words() {
					b.Words()[j] = g
				}
				small, _ := Alloc(100)
				small.Words()[0] = g
				for _, w := range b.Words() {
					if w != g {
						t.Errorf("a block of goroutine %d holds %d", g, w)
						return
					}
				}
				b.Free()
			}
		})
	}
	wg.Wait()
	if Mapped() != 0 {
		t.Errorf("%d bytes are still mapped", Mapped())
	}
}

func BenchmarkAlloc(b *testing.B) {
	for _, bytes := range []uint64{1 << 10, 16 << 10, MapFrom, 64 << 20} {
		b.Run(machine.FormatBytes(bytes), func(b *testing.B) {
			for b.Loop() {
				mustAlloc(b, bytes).Free()
			}
		})
	}
}

// With backs what is allocated meanwhile as asked, and nothing that comes after.
func TestWith(t *testing.T) {
	for _, p := range []Pages{PagesSmall, PagesHuge, PagesAuto} {
		if err := Offers(p); err != nil {
			t.Logf("%v pages: %v", p, err)
			continue
		}
		err := With(p, func() error {
			b, err := Alloc(4 << 20)
			if err != nil {
				return err
			}
			defer b.Free()
			if p != PagesAuto && b.Pages() != p.String() {
				t.Errorf("asked for %v pages, got %s", p, b.Pages())
			}
			return errors.New("as do returns")
		})
		if err == nil || err.Error() != "as do returns" {
			t.Errorf("%v pages: error %v", p, err)
		}
		if now := Pages(policy.Load()); now != PagesAuto {
			t.Errorf("after With(%v) pages are %v", p, now)
		}
	}
}

// What the kernel does not have is said in one line.
func TestOffers(t *testing.T) {
	err := Offers(PagesHuge)
	if mode := thpMode(); (mode == "" || strings.Contains(mode, "[never]")) != (err != nil) {
		t.Errorf("huge pages are %q here, and Offers says %v", mode, err)
	}
	if runtime.GOOS == "linux" {
		if err := Offers(PagesSmall); err != nil {
			t.Error(err)
		}
	} else if err == nil {
		t.Error("huge pages on", runtime.GOOS)
	}
}
