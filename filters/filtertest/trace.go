package filtertest

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"filterbench/filters"
)

// tracedKeys is how many keys a traced filter holds: many, since the interval of
// its mean is for lookups, and not for how filters differ.
const tracedKeys = 50_000

// checkMeanLines holds the trace against the design: the mean number of distinct
// lines that a lookup reads is the one that the design says, for keys that are
// present and for absent ones.
func checkMeanLines(t *testing.T, spec filters.Spec) {
	d := design(t, spec, tracedKeys)
	in := keys(tracedKeys, 16, true)
	f, _ := build(t, d, in)
	tracer := tracerOf(t, f)
	const asked = 20_000
	for present, queries := range map[bool]*filters.Keys{true: in, false: keys(asked, 16, false)} {
		var sum, squares float64
		var lines []uint64
		for i := range asked {
			lines = distinct(tracer.LookupLines(lines[:0], queries.At(i)))
			sum += float64(len(lines))
			squares += float64(len(lines) * len(lines))
		}
		mean := sum / asked
		slack := 5 * math.Sqrt(max(0, squares/asked-mean*mean)/asked)
		if want := d.Lines(present); math.Abs(mean-want) > slack+1e-9 {
			t.Errorf("%s: lookups read %.4f lines where present is %v; the design says %.4f +- %.4f", d, mean, present, want, slack)
		}
	}
}

// checkLookupLines holds the trace against the memory: to flip everything but
// the lines that a lookup says it reads changes no answer.
func checkLookupLines(t *testing.T, spec filters.Spec) {
	d := design(t, spec, tracedKeys)
	in := keys(tracedKeys, 16, true)
	f, _ := build(t, d, in)
	tracer := tracerOf(t, f)
	saved := slices.Clone(tracer.Memory())
	for _, queries := range []*filters.Keys{in, keys(100, 16, false)} {
		for i := range 100 {
			key := queries.At(i)
			want := f.Contains(key)
			lines := distinct(tracer.LookupLines(nil, key))
			flipOther(tracer.Memory(), saved, lines)
			got := f.Contains(key)
			copy(tracer.Memory(), saved)
			if got != want {
				t.Fatalf("%s: the answer for %x depends on other lines than %d", d, key, lines)
			}
		}
	}
}

// checkAddLines adds the last keys by their traces. An add changes nothing but
// the lines it says, does the same to them whatever the others hold, and leaves
// the filter as any other add does.
func checkAddLines(t *testing.T, spec filters.Spec) {
	if spec.Family.Static {
		t.Skip("static")
	}
	const traced = 100
	d := design(t, spec, tracedKeys)
	in := keys(tracedKeys, 16, true)
	f, _ := build(t, d, slice(in, 0, tracedKeys-traced))
	tracer := tracerOf(t, f)
	memory := tracer.Memory()
	plain, _ := build(t, d, in)
	for i := tracedKeys - traced; i < tracedKeys; i++ {
		before := slices.Clone(memory)
		lines, err := tracer.AddLines(nil, in.At(i))
		if err != nil {
			t.Fatal(err)
		}
		lines = distinct(lines)
		after := slices.Clone(memory)
		for w := range after {
			if after[w] != before[w] && !slices.Contains(lines, uint64(w)/8) {
				t.Fatalf("%s: the add of %x changes line %d, and says it touches %d", d, in.At(i), w/8, lines)
			}
		}
		flipOther(memory, before, lines)
		if err := f.Add(in.At(i)); err != nil {
			t.Fatal(err)
		}
		for w := range after {
			want := ^before[w]
			if slices.Contains(lines, uint64(w)/8) {
				want = after[w]
			}
			if memory[w] != want {
				t.Fatalf("%s: the add of %x depends on other lines than %d, or changes line %d", d, in.At(i), lines, w/8)
			}
		}
		copy(memory, after)
	}
	other, ok := filters.TracerOf(plain)
	if !ok || !slices.Equal(memory, other.Memory()) {
		t.Errorf("%s: traced adds leave other bytes than adds", d)
	}
	again, _ := build(t, d, slice(in, 0, tracedKeys-1))
	one, _ := filters.TracerOf(again)
	if _, err := one.AddLines(nil, in.At(tracedKeys-1)); err != nil || again.Len() != plain.Len() || !bytes.Equal(state(again), state(plain)) {
		t.Errorf("%s: a traced add leaves another state than an add (%v)", d, err)
	}
}

// tracerOf is the filter's tracer; without one the test is skipped.
func tracerOf(t *testing.T, f filters.Keyed) filters.Tracer {
	t.Helper()
	tracer, ok := filters.TracerOf(f)
	if !ok {
		t.Skip("does not trace")
	}
	return tracer
}

// flipOther sets memory to what was saved, with everything flipped that lies in
// other lines.
func flipOther(memory, saved, lines []uint64) {
	for i, w := range saved {
		memory[i] = ^w
	}
	for _, line := range lines {
		from, to := 8*line, min(8*line+8, uint64(len(saved)))
		copy(memory[from:to], saved[from:to])
	}
}

// distinct sorts lines and leaves each once.
func distinct(lines []uint64) []uint64 {
	slices.Sort(lines)
	return slices.Compact(lines)
}
