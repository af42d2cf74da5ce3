package experiments

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"filterbench/filters"
	"filterbench/filters/naive"
	"filterbench/filters/theory"
	"filterbench/results"
	"filterbench/workloads"
)

// Textbook reproduces the golden numbers of the course text's MD5 program.
var Textbook = Experiment{
	Name:     "textbook",
	Question: "Does the texts' own program give the texts' own numbers?",
	Plan:     planTextbook,
}

// The program's own size, and the rates of its text and exercise.
const (
	textbookKeys   = 10_000
	textbookTables = 10
)

var textbookRates = []float64{0.05, 0.01, 0.001}

func planTextbook(Config) ([]Unit, error) {
	var units []Unit
	add := func(id string, cost time.Duration, run func(ctx context.Context) ([]results.Record, error)) {
		units = append(units, Unit{
			ID: "textbook/" + id, Cost: cost, Bytes: 64 << 20, Steps: 1,
			Run: func(ctx context.Context, _ int, emit Emit) error {
				recs, err := run(ctx)
				if err != nil {
					return err
				}
				return emit(0, recs)
			},
		})
	}
	for _, p := range textbookRates {
		add(fmt.Sprintf("filter/p=%v", p), 500*time.Millisecond, func(ctx context.Context) ([]results.Record, error) {
			return textbookFilter(ctx, p)
		})
	}
	add("positions", time.Millisecond, textbookPositions)
	add("lsm", 200*time.Millisecond, textbookLSM)
	return units, nil
}

// Program is what the course text's program computes for n keys and rate p.
type Program struct {
	N, M           uint64
	K              int
	FalsePositives uint64 // of ghost0 .. ghost(n-1)
	HasKey123      bool
	Reads          uint64 // disk reads by n absent keys, each asked of all tables
}

// RunProgram runs the course text's program: one filter of n keys asked for n
// absent ones, then ten tables of a tenth of the keys each (fewer for n < 10),
// asked for key(n) .. key(2n-1).
func RunProgram(ctx context.Context, n uint64, p float64) (Program, error) {
	f, err := programFilter(ctx, 0, n, p)
	if err != nil {
		return Program{}, err
	}
	out := Program{N: n, M: theory.BloomBits(n, p), HasKey123: f.Contains([]byte("key123"))}
	out.K = theory.BloomProbes(n, out.M)
	if out.FalsePositives, err = countMaybe(ctx, f, "ghost", 0, n); err != nil {
		return out, err
	}
	tables, err := programTables(ctx, n, p)
	if err != nil {
		return out, err
	}
	for _, t := range tables {
		reads, err := countMaybe(ctx, t, "key", n, 2*n)
		if err != nil {
			return out, err
		}
		out.Reads += reads
	}
	return out, nil
}

// programFilter holds key(from) .. key(to-1) at the rate p.
func programFilter(ctx context.Context, from, to uint64, p float64) (*naive.Filter, error) {
	n := to - from
	m := theory.BloomBits(n, p)
	f, err := naive.New(m, theory.BloomProbes(n, m))
	if err != nil {
		return nil, err
	}
	err = chunks(ctx, from, to, func(from, to uint64) {
		eachKey("key", from, to, func(_ uint64, key []byte) { f.Add(key) })
	})
	if err != nil {
		f.Free()
		return nil, err
	}
	return f, nil
}

func programTables(ctx context.Context, n uint64, p float64) ([]*naive.Filter, error) {
	count := min(n, textbookTables)
	tables := make([]*naive.Filter, count)
	for i := range count {
		var err error
		if tables[i], err = programFilter(ctx, i*n/count, (i+1)*n/count, p); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// eachKey visits prefix(from) .. prefix(to-1); the bytes are reused.
func eachKey(prefix string, from, to uint64, visit func(i uint64, key []byte)) {
	buf := []byte(prefix)
	for i := from; i < to; i++ {
		visit(i, strconv.AppendUint(buf[:len(prefix)], i, 10))
	}
}

// countMaybe counts the keys prefix(from) .. prefix(to-1) that may be in f.
func countMaybe(ctx context.Context, f *naive.Filter, prefix string, from, to uint64) (maybe uint64, err error) {
	err = chunks(ctx, from, to, func(from, to uint64) {
		eachKey(prefix, from, to, func(_ uint64, key []byte) {
			if f.Contains(key) {
				maybe++
			}
		})
	})
	return maybe, err
}

// chunks visits [from, to) in pieces that take a few milliseconds each, until
// the context is cancelled.
func chunks(ctx context.Context, from, to uint64, visit func(from, to uint64)) error {
	const chunk = 1 << 14
	for ; from < to; from += chunk {
		if err := ctx.Err(); err != nil {
			return err
		}
		visit(from, min(from+chunk, to))
	}
	return nil
}

// textbookFilter measures the program's filter: 10,000 keys at rate p.
func textbookFilter(ctx context.Context, p float64) ([]results.Record, error) {
	const many = 1_000_000
	f, err := programFilter(ctx, 0, textbookKeys, p)
	if err != nil {
		return nil, err
	}
	defer f.Free()
	m := theory.BloomBits(textbookKeys, p)

	var first []string
	var fp, calls, fn uint64
	eachKey("ghost", 0, textbookKeys, func(i uint64, key []byte) {
		probes, maybe := f.Probes(key)
		calls += uint64(probes)
		if !maybe {
			return
		}
		fp++
		if len(first) < 8 {
			first = append(first, strconv.FormatUint(i, 10))
		}
	})
	eachKey("key", 0, textbookKeys, func(_ uint64, key []byte) {
		if !f.Contains(key) {
			fn++
		}
	})
	fpMany, err := countMaybe(ctx, f, "ghost", 0, many)
	if err != nil {
		return nil, err
	}
	if first == nil {
		first = []string{"none"}
	}
	sum := sha256.Sum256(f.Bitmap())
	return []results.Record{record("Textbook",
		axes("part", "filter", "p", formatFloat(p), "n", textbookKeys, "sha256", hex.EncodeToString(sum[:]), "first", strings.Join(first, "+")),
		"m", m, "k", theory.BloomProbes(textbookKeys, m), "bits-set", f.BitsSet(),
		"fp-10000", fp, "fp-1000000", fpMany, "fn", fn, "md5-calls", calls,
	)}, nil
}

// textbookPositions shows where the first key and the first ghost fall.
func textbookPositions(context.Context) ([]results.Record, error) {
	const p = 0.01
	m := theory.BloomBits(textbookKeys, p)
	var recs []results.Record
	for _, key := range []string{"key0", "ghost0"} {
		var values []any
		for i := range theory.BloomProbes(textbookKeys, m) {
			values = append(values, fmt.Sprintf("pos-%d", i), float64(naive.Position([]byte(key), i, m)))
		}
		recs = append(recs, record("Textbook", axes("part", "positions", "key", key, "p", formatFloat(p), "n", textbookKeys), values...))
	}
	return recs, nil
}

// textbookLSM probes the ten tables with absent keys, then with present ones.
func textbookLSM(ctx context.Context) ([]results.Record, error) {
	tables, err := programTables(ctx, textbookKeys, 0.01)
	if err != nil {
		return nil, err
	}
	keys, err := workloads.Open("textbook", textbookKeys, 0)
	if err != nil {
		return nil, err
	}
	var recs []results.Record
	readQueries := make([]bool, textbookKeys)
	var reads uint64
	var absent filters.Keys // key10000 .. key19999
	keys.Present(&absent, textbookKeys, 2*textbookKeys)
	for i, t := range tables {
		var n uint64
		for q := range absent.Len() {
			if t.Contains(absent.At(q)) {
				n++
				readQueries[q] = true
			}
		}
		reads += n
		recs = append(recs, record("Textbook", axes("part", "lsm", "table", i), "probes", absent.Len(), "reads", n))
	}
	withReads := 0
	for _, r := range readQueries {
		if r {
			withReads++
		}
	}
	recs = append(recs, record("Textbook", axes("part", "lsm", "table", "all"),
		"queries", textbookKeys, "probes", textbookTables*textbookKeys,
		"reads", reads, "queries-with-reads", withReads))

	var maybe uint64
	for _, t := range tables {
		n, err := countMaybe(ctx, t, "key", 0, textbookKeys)
		if err != nil {
			return nil, err
		}
		maybe += n
	}
	return append(recs, record("Textbook", axes("part", "lsm-present"),
		"queries", textbookKeys, "maybe", maybe, "true", textbookKeys, "false", maybe-textbookKeys)), nil
}
