package experiments

import (
	"math"
	"testing"

	"filterbench/filters"
	"filterbench/filters/memory"
)

const knownSize = 8 << 20

// heavy is a toy that holds 8 MiB beside its few keys.
type heavy struct {
	toy
	heap   []byte
	mapped *memory.Block
}

func (h *heavy) SizeBits() uint64 { return 8 * knownSize }

// AddKeys keeps nothing of the keys: a map would be memory of its own.
func (h *heavy) AddKeys(keys *filters.Keys) (int, error) {
	h.added += uint64(keys.Len())
	return keys.Len(), nil
}

func (h *heavy) Free() {
	if h.mapped != nil {
		h.mapped.Free()
	}
}

// Whether its memory is the heap's or mapped, a structure of a known size
// weighs that, and the keys that were there before weigh nothing.
func TestMeasureMemory(t *testing.T) {
	const n = 1000
	for name, build := range map[string]func() (filters.Keyed, error){
		"heap": func() (filters.Keyed, error) { return &heavy{heap: make([]byte, knownSize)}, nil },
		"mapped": func() (filters.Keyed, error) {
			b, err := memory.Alloc(knownSize)
			return &heavy{mapped: b}, err
		},
	} {
		d := toyDesign(n, false, toy{})
		d.NewKeyed = build
		before := memory.Mapped()
		r, err := measureMemory(Config{Seed: 1}, d, "bytes20", axes("filter", "toy", "n", n))
		if err != nil {
			t.Fatal(err)
		}
		get := func(unit string) float64 {
			v, ok := r.Value(unit)
			if !ok {
				t.Errorf("%s: no %s", name, unit)
			}
			return v
		}
		if v := get("heap-B"); math.Abs(v/knownSize-1) > .01 {
			t.Errorf("%s: heap-B is %.0f, want %d within 1 %%", name, v, knownSize)
		}
		if v := get("heap-bits/key"); v != 8*get("heap-B")/n {
			t.Errorf("%s: heap-bits/key is %v", name, v)
		}
		if v := get("alloc-B"); v != knownSize {
			t.Errorf("%s: alloc-B is %v", name, v)
		}
		if v := get("key-B"); v != 20*n {
			t.Errorf("%s: key-B is %v", name, v)
		}
		if memory.Mapped() != before {
			t.Errorf("%s: %d bytes stay mapped", name, memory.Mapped()-before)
		}
	}
}

// A structure that takes no key has no bytes a key.
func TestMeasureMemoryFails(t *testing.T) {
	d := toyDesign(10, false, toy{refuses: func(uint64) bool { return true }})
	if r, err := measureMemory(Config{Seed: 1}, d, "bytes8", nil); err == nil {
		t.Errorf("a full filter was weighed: %v", r)
	}
	if _, err := measureMemory(Config{Seed: 1}, toyDesign(10, false, toy{}), "nothing", nil); err == nil {
		t.Error("a workload that is not was opened")
	}
}
