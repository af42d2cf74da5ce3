package experiments

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"filterbench/filters"
	"filterbench/filters/memory"
	"filterbench/results"
)

// Memory measures what each structure takes, as it says and as the machine
// sees it.
var Memory = Experiment{
	Name:     "memory",
	Question: "How many bytes does each structure take for a key, beside the keys themselves?",
	Plan:     planMemory,
}

// memoryKeys are the keys to hold: 20 bytes as in one text's sum, 8, 12, 16
// and 77 (an average URL) as in the other's.
var memoryKeys = []struct {
	keys string
	n    uint64
}{
	{"bytes20", 1_000_000},
	{"bytes8", 100_000}, {"bytes12", 100_000}, {"bytes16", 100_000}, {"bytes77", 100_000},
}

// The texts' Bloom filter has their number of bits per key. Every other filter
// is what it takes for the same rate: at equal bits all would weigh the same.
const (
	memoryBits = 9.585
	memoryRate = 0.01
)

// textSized are the families that are sized by the texts' number.
var textSized = []string{"naive", "bloom"}

// memoryDesign is the filter that is weighed, or an error if there is none.
func memoryDesign(spec filters.Spec, n uint64) (filters.Design, error) {
	byBits := func() (filters.Design, error) { return spec.ForBits(n, memoryBits) }
	byRate := func() (filters.Design, error) { return spec.ForFPR(n, memoryRate) }
	if spec.Family.Exact || slices.Contains(textSized, spec.Family.Name) {
		return byBits()
	}
	d, err := byRate()
	if err != nil { // it errs more often at any size: the bits that the texts have
		d, err = byBits()
	}
	return d, err
}

func planMemory(c Config) ([]Unit, error) {
	var units []Unit
	for _, spec := range c.Specs {
		for i, k := range memoryKeys {
			if i > 0 && !spec.Family.Exact {
				break // a filter does not keep the keys: their length is nothing to it
			}
			d, err := memoryDesign(spec, k.n)
			if err != nil {
				continue // no such filter
			}
			units = append(units, memoryUnit(c, d, k.keys))
		}
	}
	return units, nil
}

func memoryUnit(c Config, d filters.Design, keys string) Unit {
	bits := d.AskedBits
	if bits == 0 {
		bits = math.Round(1000*d.BitsPerKey()) / 1000
	}
	a := axes("filter", d.Spec, "bits", formatFloat(bits), "n", d.N, "keys", keys)
	if d.Spec.Family.Exact {
		a = append(a, axes("sampled", "yes")...) // Go's map and allocator decide
	}
	return Unit{
		ID:    "memory/" + record("Memory", a).FullName(),
		Alone: true, // it watches the whole process's memory, so it runs alone
		Cost:  memoryCost(d),
		Bytes: d.SizeBits/8 + d.N*250,
		Steps: 1,
		Run: func(_ context.Context, _ int, emit Emit) error {
			r, err := measureMemory(c, d, keys, a)
			if err != nil {
				return err
			}
			return emit(0, []results.Record{r})
		},
	}
}

// memoryCost is the expected time. Slow families do all their probes for an add,
// and not for most lookups; what is built at once is sorted or solved, and a map
// grows.
func memoryCost(d filters.Design) time.Duration {
	per := 50 + 2*d.Spec.Family.NanosPerKey
	if slow(d.Spec) {
		per *= 2
	}
	if d.Spec.Family.Static || d.Spec.Family.Exact {
		per += 250
	}
	return time.Duration(float64(d.N)*per) + 20*time.Millisecond
}

// measureMemory builds the structure from keys that exist beforehand and
// compares the process's memory, garbage collected, before and after.
func measureMemory(c Config, d filters.Design, workload string, a []results.Axis) (results.Record, error) {
	src, err := c.open(workload, d.N, deriveSeed(c.Seed, 1, 0))
	if err != nil {
		return results.Record{}, err
	}
	var keys filters.Keys
	src.Present(&keys, 0, d.N)

	before := memoryInUse()
	f, err := d.Keyed(c.Seed)
	if err != nil {
		return results.Record{}, err
	}
	defer filters.Free(f)
	if _, err := f.AddKeys(&keys); err != nil {
		return results.Record{}, fmt.Errorf("%s: %w", d, err)
	}
	grown := memoryInUse() - before
	runtime.KeepAlive(&keys)
	return record("Memory", a,
		"alloc-B", f.SizeBits()/8, "heap-B", float64(grown), "key-B", keys.Bytes(),
		"heap-bits/key", 8*float64(grown)/float64(f.Len())), nil
}

// memoryInUse is the live Go heap and the filters' mapped memory, in bytes.
func memoryInUse() int64 {
	runtime.GC()
	runtime.GC() // finishes the sweep of the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) + int64(memory.Mapped())
}
