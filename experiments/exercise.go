package experiments

import (
	"context"
	"fmt"
	"slices"
	"time"

	"filterbench/filters"
	"filterbench/filters/hashing"
	"filterbench/filters/naive"
	"filterbench/filters/registry"
	"filterbench/filters/theory"
	"filterbench/workloads"
)

// What the texts' exercises and questions ask to run, for a terminal: small runs
// in the texts' own terms that leave no records.

// TableRun is gets asked of the text's tables, each with its filter: N keys in
// Tables of equal size.
type TableRun struct {
	N      uint64
	P      float64 // rate of each filter
	Tables uint64
	// HitShare of the gets are for keys that are there, the others for absent ones.
	HitShare float64
	// Lies is the share of the filters' answers that are turned round, those
	// that ExtraYes or LostYes names.
	Lies              float64
	ExtraYes, LostYes bool
}

// TableReads is what the gets of a run read. Tables are asked from the newest on,
// and a get ends where it finds its key.
type TableReads struct {
	Gets, Present uint64
	Without       uint64 // reads with no filter: every table that is asked
	Probes        uint64 // of filters
	Reads         uint64 // of tables whose filter said "maybe"
	InVain        uint64 // of them, of tables that have not the key
	Found         uint64 // gets that found their key
}

// RunTables asks as many gets as there are keys of the text's tables: the keys
// key0.., HitShare of them spread over all tables, and the absent keys key(n)...
func RunTables(ctx context.Context, r TableRun) (out TableReads, err error) {
	tables := make([]*naive.Filter, r.Tables)
	for i := range tables {
		from, to := r.first(uint64(i)), r.first(uint64(i)+1)
		if tables[i], err = programFilter(ctx, from, to, r.P); err != nil {
			return out, err
		}
		defer tables[i].Free()
	}
	out.Gets, out.Present = r.N, uint64(r.HitShare*float64(r.N)+.5)
	get := func(q uint64, key []byte, owner int) {
		found := false
		for i := len(tables) - 1; i >= 0 && !found; i-- {
			out.Probes++
			maybe := tables[i].Contains(key)
			if lie := maybe && r.LostYes || !maybe && r.ExtraYes; lie && r.lies(q, i) {
				maybe = !maybe
			}
			if !maybe {
				continue
			}
			out.Reads++
			if found = i == owner; !found {
				out.InVain++
			}
		}
		if found {
			out.Found++
		}
		out.Without += uint64(len(tables) - max(owner, 0))
	}
	for i := range out.Present { // spread over all keys
		if i%(1<<12) == 0 && ctx.Err() != nil {
			return out, ctx.Err()
		}
		at := uint64(float64(i) * (float64(r.N) / float64(out.Present)))
		eachKey("key", at, at+1, func(q uint64, key []byte) { get(q, key, r.owner(q)) })
	}
	err = chunks(ctx, r.N, 2*r.N-out.Present, func(from, to uint64) {
		eachKey("key", from, to, func(q uint64, key []byte) { get(q, key, nowhere) })
	})
	return out, err
}

// first is the first key of a table.
func (r TableRun) first(table uint64) uint64 { return table * r.N / r.Tables }

// owner is the table of a key.
func (r TableRun) owner(key uint64) int {
	t := key * r.Tables / r.N
	for t+1 < r.Tables && r.first(t+1) <= key {
		t++
	}
	return int(t)
}

// lies draws, from the get and the table, whether an answer is turned round.
func (r TableRun) lies(q uint64, table int) bool {
	draw := hashing.Mix(q*hashing.Golden + uint64(table))
	return float64(draw>>11)/(1<<53) < r.Lies
}

// Bits is the text's filter with, for every position, the keys that set it.
type Bits struct {
	N, M   uint64
	K      int
	setBy  [][]uint32
	places [][]uint64 // of each key
}

// NewBits adds key0 .. key(n-1).
func NewBits(ctx context.Context, n uint64, p float64) (*Bits, error) {
	b := &Bits{N: n, M: theory.BloomBits(n, p)}
	b.K = theory.BloomProbes(n, b.M)
	b.setBy, b.places = make([][]uint32, b.M), make([][]uint64, n)
	err := chunks(ctx, 0, n, func(from, to uint64) {
		eachKey("key", from, to, func(i uint64, key []byte) {
			b.places[i] = b.Positions(key)
			for _, at := range b.places[i] {
				if of := b.setBy[at]; len(of) == 0 || of[len(of)-1] != uint32(i) {
					b.setBy[at] = append(of, uint32(i))
				}
			}
		})
	})
	return b, err
}

// Positions are the k positions of a key.
func (b *Bits) Positions(key []byte) []uint64 {
	all := make([]uint64, b.K)
	for i := range all {
		all[i] = naive.Position(key, i, b.M)
	}
	return all
}

// SetBy is the first key that set a position, and how many did.
func (b *Bits) SetBy(at uint64) (first uint32, keys int) {
	if len(b.setBy[at]) == 0 {
		return 0, 0
	}
	return b.setBy[at][0], len(b.setBy[at])
}

// Maybe reports whether all positions are set.
func (b *Bits) Maybe(positions []uint64) bool {
	return !slices.ContainsFunc(positions, func(at uint64) bool { return len(b.setBy[at]) == 0 })
}

// Missing is how many of the keys are not found: none, since no position is
// ever cleared.
func (b *Bits) Missing() (missing uint64) {
	for _, positions := range b.places {
		if !b.Maybe(positions) {
			missing++
		}
	}
	return missing
}

// BrokenBy is how many other keys are lost if the positions of key i are cleared.
func (b *Bits) BrokenBy(i uint64) int {
	others := map[uint32]bool{}
	for _, at := range b.places[i] {
		for _, key := range b.setBy[at] {
			others[key] = true
		}
	}
	delete(others, uint32(i))
	return len(others)
}

// FirstGhost is the first of the absent keys ghost0.. that may be there, of so
// many, and how many may.
func (b *Bits) FirstGhost(ctx context.Context, among uint64) (first uint64, positions []uint64, all uint64, err error) {
	err = chunks(ctx, 0, among, func(from, to uint64) {
		eachKey("ghost", from, to, func(i uint64, key []byte) {
			at := b.Positions(key)
			if !b.Maybe(at) {
				return
			}
			if all++; all == 1 {
				first, positions = i, at
			}
		})
	})
	return first, positions, all, err
}

// Filled is a filter that was filled and asked.
type Filled struct {
	Design             filters.Design
	SizeBits           uint64
	Missing            uint64 // keys not found of those added
	Positives, Absent  uint64
	Add, ForAbsent     float64 // ns for each key, one after the other
	ForPresent         float64
	Deleted, Forgotten uint64 // keys deleted, and others then not found
}

// RunFilter fills a filter of the spec, one over hashes, asks it for its keys and for absent ones,
// and, if it can, deletes every second key and asks for the others. Times are
// medians over passes and include the hash of the key; they are for a
// terminal: nothing keeps other work away.
func RunFilter(ctx context.Context, spec string, n uint64, bits float64, absent uint64) (out Filled, err error) {
	const seed = 1
	if out.Design, err = registry.Must(spec).ForBits(n, bits); err != nil {
		return out, err
	}
	hashed, err := out.Design.NewHashed()
	if err != nil {
		return out, err
	}
	hash := registry.Must(spec).Family.Hash
	f := filters.WithHash(hashed, hash, seed)
	defer filters.Free(f)
	src, err := workloads.Open("url", n, seed)
	if err != nil {
		return out, err
	}
	if out.Add, err = eachBatch(ctx, n, src.Present, func(keys *filters.Keys) error {
		taken, err := f.AddKeys(keys)
		if err != nil {
			err = fmt.Errorf("%s refused a key after %d: %w", spec, f.Len()+uint64(taken), err)
		}
		return err
	}); err != nil {
		return out, err
	}
	out.SizeBits = f.SizeBits()
	count := func(of uint64, keys func(dst *filters.Keys, from, to uint64), hits *uint64) (each float64, err error) {
		return eachBatch(ctx, of, keys, func(k *filters.Keys) error { *hits += uint64(f.CountKeys(k)); return nil })
	}
	var found uint64
	if out.ForPresent, err = count(n, src.Present, &found); err != nil {
		return out, err
	}
	out.Missing, out.Absent = n-found, absent
	if out.ForAbsent, err = count(absent, src.Absent, &out.Positives); err != nil {
		return out, err
	}
	if d, ok := hashed.(filters.Deleter); ok {
		err = out.deleteHalf(ctx, src, func(key []byte) bool { return d.DeleteHash(hash.Sum(key, seed)) }, f.Contains)
	}
	return out, err
}

// deleteHalf deletes every second key and asks for the others.
func (out *Filled) deleteHalf(ctx context.Context, src workloads.Source, remove, contains func(key []byte) bool) error {
	each := func(visit func(i uint64, key []byte)) error {
		at := uint64(0)
		_, err := eachBatch(ctx, out.Design.N, src.Present, func(keys *filters.Keys) error {
			for i := range keys.Len() {
				visit(at, keys.At(i))
				at++
			}
			return nil
		})
		return err
	}
	err := each(func(i uint64, key []byte) {
		if i%2 == 1 && remove(key) {
			out.Deleted++
		}
	})
	if err != nil {
		return err
	}
	return each(func(i uint64, key []byte) {
		if i%2 == 0 && !contains(key) {
			out.Forgotten++
		}
	})
}

// eachBatch makes the keys 0 .. n-1 in batches outside of the time that do takes,
// which is returned in ns a key, as the median over the batches; 0 if n is.
func eachBatch(ctx context.Context, n uint64, source func(dst *filters.Keys, from, to uint64), do func(*filters.Keys) error) (each float64, err error) {
	const batch = 1 << 13
	var keys filters.Keys
	var times []float64
	for from := uint64(0); from < n; from += batch {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		keys.Reset()
		source(&keys, from, min(from+batch, n))
		start := time.Now()
		err := do(&keys)
		times = append(times, float64(time.Since(start))/float64(keys.Len()))
		if err != nil {
			return 0, err
		}
	}
	if times == nil {
		return 0, nil
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}
