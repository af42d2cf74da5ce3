package experiments

import (
	"context"
	"errors"
	"fmt"

	"filterbench/filters"
	"filterbench/workloads"
)

// fprCount is what one filter, or several, gave.
type fprCount struct {
	fp, queries, fn uint64
	fpSquares       uint64 // sum over filters of fp^2
	accepted        uint64 // keys taken, over all filters
	refused         uint64
	overlap         uint64 // queries left out, being keys
	sizeBits        uint64 // over all filters
}

func (s *fprCount) add(o fprCount) {
	s.fp += o.fp
	s.queries += o.queries
	s.fn += o.fn
	s.fpSquares += o.fp * o.fp
	s.accepted += o.accepted
	s.refused += o.refused
	s.overlap = max(s.overlap, o.overlap) // of one list, however many filters
	s.sizeBits += o.sizeBits
}

// chunk is how many keys are generated at a time: a multiple of 64 that stays
// in the L2 cache.
const chunk = 4096

// countFPR fills one filter with the source's first keys, asks for every one
// of them again, and then for absent ones.
func countFPR(ctx context.Context, d filters.Design, src workloads.Source, seed, queries uint64) (fprCount, error) {
	f, err := d.Keyed(seed)
	if err != nil {
		return fprCount{}, err
	}
	defer filters.Free(f)
	present, absent := src.Limits()
	n := min(d.N, present)
	if n < d.N {
		return fprCount{}, fmt.Errorf("the workload %s has %d keys; %d are needed", src.Name(), n, d.N)
	}
	c := fprCount{queries: min(queries, absent)}
	if file, ok := src.(*workloads.File); ok {
		c.overlap = file.Stats().Overlap
	}
	var refused []bool
	if c.accepted, refused, err = fill(ctx, f, d, src, n); err != nil {
		return c, err
	}
	c.refused = n - c.accepted
	c.sizeBits = f.SizeBits()
	err = answers(ctx, f, src.Present, n, func(i uint64, maybe bool) {
		if !maybe && (refused == nil || !refused[i]) {
			c.fn++
		}
	})
	if err != nil {
		return c, err
	}
	err = answers(ctx, f, src.Absent, c.queries, func(_ uint64, maybe bool) {
		if maybe {
			c.fp++
		}
	})
	return c, err
}

// fill adds the source's first n keys and returns how many were taken and,
// if any was refused, which.
func fill(ctx context.Context, f filters.Keyed, d filters.Design, src workloads.Source, n uint64) (accepted uint64, refused []bool, err error) {
	step := uint64(chunk)
	if d.Spec.Family.Static {
		step = n // it is built by one call
	}
	var keys filters.Keys
	for from := uint64(0); from < n; from += step {
		if err := ctx.Err(); err != nil {
			return accepted, nil, err
		}
		keys.Reset()
		src.Present(&keys, from, min(from+step, n))
		for keys.Len() > 0 {
			taken, err := f.AddKeys(&keys)
			accepted += uint64(taken)
			if err == nil {
				break
			}
			if !errors.Is(err, filters.ErrFull) {
				return accepted, nil, err
			}
			if refused == nil {
				refused = make([]bool, n)
			}
			at := min(from+step, n) - uint64(keys.Len()) + uint64(taken)
			refused[at] = true
			keys.Reset()
			src.Present(&keys, at+1, min(from+step, n))
		}
	}
	return accepted, refused, nil
}

// answers looks up the first n keys of a stream in batches and visits each
// answer.
func answers(ctx context.Context, f filters.Keyed, stream func(dst *filters.Keys, from, to uint64), n uint64, visit func(i uint64, maybe bool)) error {
	var keys filters.Keys
	out := make([]uint64, filters.BitsetLen(chunk))
	for from := uint64(0); from < n; from += chunk {
		if err := ctx.Err(); err != nil {
			return err
		}
		keys.Reset()
		stream(&keys, from, min(from+chunk, n))
		f.ContainsKeys(&keys, out)
		for i := range keys.Len() {
			visit(from+uint64(i), out[i/64]>>(i%64)&1 != 0)
		}
	}
	return nil
}
