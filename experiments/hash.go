package experiments

import (
	"context"
	"fmt"
	"time"

	"filterbench/experiments/timing"
	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/results"
)

// Hash times hash functions over keys of several lengths, and counts the false
// positives of a Bloom filter that takes its positions from them.
var Hash = Experiment{
	Name:     "hash",
	Question: "What does hashing a key cost, and does a cheap hash make more false positives?",
	Plan:     planHash,
}

const (
	hashRounds  = 10
	hashSize    = 16 << 10 // bytes of the keys that a pass hashes: they stay in the L1 cache
	hashBits    = 10       // bits per key of the filter
	hashRateN   = 100_000  // keys of the filters of which rates are counted
	hashQueries = 200_000  // absent keys asked of each: +-5 % of the rate
	probeSize   = 2 << 20  // bytes of the filter whose probes are timed beside
)

// hashKeys are the kinds of keys of which rates are counted: without structure
// and with more and more of it.
var hashKeys = []string{"random", "sequential", "strided", "url", "uuidv7"}

func planHash(c Config) ([]Unit, error) {
	var units []Unit
	bloom := registry.Must("bloom")
	if c.measures(bloom.Family) {
		d, err := bloom.ForBits(hashRateN, hashBits)
		if err != nil {
			return nil, err
		}
		for _, h := range hashFunctions {
			for _, keys := range hashKeys {
				units = append(units, hashRate{c, h, d, keys}.unit())
			}
		}
	}
	g := hashGroup{lengths: []int{8, 32, 256}}
	if c.Full() {
		g.lengths = []int{8, 16, 24, 32, 48, 64, 96, 128, 192, 256}
	}
	return append(units, g.unit(c.Seed)), nil
}

// hashRate is one count: a function and a kind of keys.
type hashRate struct {
	config Config
	hash   hashFunction
	design filters.Design
	keys   string
}

func (c hashRate) unit() Unit {
	a := axes("hash", c.hash.name, "filter", c.design.Spec, "bits", hashBits, "n", c.design.N, "keys", c.keys)
	for _, p := range c.design.Params {
		a = append(a, axes(p.Name, p.Value)...)
	}
	if c.hash.sampled {
		a = append(a, axes("sampled", "yes")...)
	}
	built := uint64(1)
	if c.config.Full() {
		built = 20
	}
	key := map[string]float64{"url": 150, "uuidv7": 50}[c.keys] // ns to make one, and to hash more than 8 bytes
	each := (2*hashRateN + hashQueries) * (c.hash.nanos + key + 20)
	return Unit{
		ID: "hash/" + record("HashFPR", a).FullName(), Steps: 1,
		Cost: time.Duration(float64(built) * each), Bytes: c.design.SizeBits/8 + 4<<20,
		Run: func(ctx context.Context, _ int, emit Emit) error {
			var sum fprCount
			for i := range built {
				one, err := c.count(ctx, deriveSeed(c.config.Seed, 1, i))
				if err != nil {
					return fmt.Errorf("%s keys: %w", c.keys, err)
				}
				sum.add(one)
			}
			return emit(0, []results.Record{record("HashFPR", a,
				"fpr", float64(sum.fp)/float64(sum.queries), "fp", sum.fp, "queries", sum.queries,
				"filters", built, "fp-sq", sum.fpSquares, "fn", sum.fn, "bits/key", float64(sum.sizeBits)/float64(sum.accepted),
				"model-fpr", c.design.Model.FPR(c.design.N), "model-sd", c.design.Model.SD(c.design.N))})
		},
	}
}

// count builds one filter over the function's hashes, and counts its errors.
func (c hashRate) count(ctx context.Context, seed uint64) (fprCount, error) {
	src, err := c.config.open(c.keys, hashRateN, seed)
	if err != nil {
		return fprCount{}, err
	}
	d := c.design
	d.NewKeyed = func() (filters.Keyed, error) {
		f, err := d.NewHashed()
		return &hashedBy{Hashed: f, sum: c.hash.sum}, err
	}
	return countFPR(ctx, d, src, seed, hashQueries)
}

// hashedBy is a filter over keys that are hashed by any function.
type hashedBy struct {
	filters.Hashed
	sum    func(dst []uint64, keys *filters.Keys) []uint64
	hashes []uint64
	one    filters.Keys
}

func (f *hashedBy) hash(keys *filters.Keys) []uint64 {
	f.hashes = f.sum(f.hashes[:0], keys)
	return f.hashes
}

func (f *hashedBy) single(key []byte) *filters.Keys {
	f.one.Reset()
	f.one.Append(key)
	return &f.one
}

func (f *hashedBy) Add(key []byte) error { return f.AddHash(f.hash(f.single(key))[0]) }
func (f *hashedBy) Contains(key []byte) bool {
	return f.ContainsHash(f.hash(f.single(key))[0])
}
func (f *hashedBy) AddKeys(keys *filters.Keys) (int, error) { return f.AddHashes(f.hash(keys)) }
func (f *hashedBy) ContainsKeys(keys *filters.Keys, out []uint64) int {
	return f.ContainsHashes(f.hash(keys), out)
}
func (f *hashedBy) CountKeys(keys *filters.Keys) int { return f.CountHashes(f.hash(keys)) }
func (f *hashedBy) Free()                            { filters.Free(f.Hashed) }

// hashGroup times all functions at all lengths in the same rounds, and beside
// them the probes of a filter that is given hashes, which is what remains of a
// lookup.
type hashGroup struct{ lengths []int }

func (g hashGroup) unit(seed uint64) Unit {
	u := Unit{ID: "hash/time", Steps: hashRounds, Bytes: probeSize + 64<<20}
	cells := len(g.lengths)*(len(hashFunctions)-1) + 1
	u.Cost = time.Duration(cells)*timingCost(hashSize) + 300*time.Millisecond // to fill the filter
	return timed(u, seed, hashSize, g.prepare)
}

func (g hashGroup) prepare(ctx context.Context, b *bench) error {
	for _, length := range g.lengths {
		src, err := b.keysOf(length)
		if err != nil {
			return err
		}
		for _, h := range hashFunctions {
			if !h.noHash {
				b.addHash(h, length, src)
			}
		}
	}
	return b.addProbe(ctx)
}

// keysOf are random keys of a length, hashSize bytes of them.
func (b *bench) keysOf(length int) (*filters.Keys, error) {
	src, err := Config{}.open(fmt.Sprintf("bytes%d", length), uint64(hashSize/length), b.seed)
	if err != nil {
		return nil, err
	}
	var keys filters.Keys
	src.Present(&keys, 0, uint64(hashSize/length))
	return &keys, nil
}

// addHash adds the cell of a function: each key of the list is hashed, as often
// as the function has calls.
func (b *bench) addHash(h hashFunction, length int, keys *filters.Keys) {
	dst := make([]uint64, 0, keys.Len())
	pass := func() (sum uint64) {
		for range h.calls {
			for _, v := range h.sum(dst, keys) {
				sum += v
			}
		}
		return sum
	}
	a := axes("hash", h.name, "calls", h.calls, "bytes", length, "size", sizeName(hashSize))
	b.add(results.Record{Name: "Hash", Axes: a}, timing.Cell{Ops: keys.Len(), Pass: pass, Want: pass()}, noLimit)
}

// addProbe adds the lookups of absent keys in a filter that is given hashes.
func (b *bench) addProbe(ctx context.Context) error {
	d, err := registry.Must("bloom").ForBits(8*probeSize/hashBits, hashBits)
	if err != nil {
		return err
	}
	f, err := b.filled(ctx, d)
	if err != nil {
		return err
	}
	q, err := b.queries(stream{api: "hash", hash: d.Spec.Family.Hash, queries: otherQueries})
	if err != nil {
		return err
	}
	h := hashedOf(f)
	a := axes("filter", d.Spec, "hits", 0, "n", d.N, "size", sizeName(probeSize))
	b.add(results.Record{Name: "Probe", Axes: append(a, axes("pages", pagesOf(f))...)},
		timing.Cell{Ops: len(q.hashes), Want: dispatchHashes(h, q.hashes), Pass: b.hashPass("single", h, q.hashes)}, noLimit)
	return nil
}
