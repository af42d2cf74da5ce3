package engine

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"filterbench/filters"
	"filterbench/filters/registry"
	"filterbench/workloads"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/zeebo/xxh3"
)

const (
	testTables = 6
	testKeys   = 2_000 // of a table
	testBits   = 10
)

func testOptions(t *testing.T, p pebble.FilterPolicy) Options {
	return Options{Dir: t.TempDir(), Policy: p, Tables: testTables, Keys: testKeys, Value: 100, Cache: 32 << 20}
}

func testPolicy(t *testing.T, spec string) *Policy {
	t.Helper()
	p, err := NewPolicy(registry.Must(spec), testBits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func source(t *testing.T, name string) workloads.Source {
	t.Helper()
	src, err := workloads.Open(name, testTables*testKeys, 1)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func build(t *testing.T, o Options, keys string) *Store {
	t.Helper()
	s, err := Build(t.Context(), o, source(t, keys))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// found counts the first n present or absent keys that a store has, and what it
// takes.
func found(t *testing.T, s *Store, keys func(dst *filters.Keys, from, to uint64), n uint64) (int, Stats) {
	t.Helper()
	var list filters.Keys
	keys(&list, 0, n)
	before := s.Stats()
	got, err := s.Found(&list)
	if err != nil {
		t.Fatal(err)
	}
	return got, s.Stats().Sub(before)
}

// Every key is found with every kind of filter and none is made up; a filter's
// errors cost reads, as often as its rate says. (Pebble's own hash errs more often
// on some keys: nothing is said of its rate here.)
func TestGets(t *testing.T) {
	policies := map[string]pebble.FilterPolicy{"none": nil, "pebble": bloom.FilterPolicy(10)}
	for _, spec := range []string{"bloom", "blocked:block=64", "cuckoo", "quotient", "rocksdb"} {
		policies[spec] = testPolicy(t, spec)
	}
	blocks := map[string]int64{}
	for name, p := range policies {
		s := build(t, testOptions(t, p), "uuidv7")
		src := source(t, "uuidv7")
		if n, _ := found(t, s, src.Present, testTables*testKeys); n != testTables*testKeys {
			t.Errorf("%s: %d of %d keys are found", name, n, testTables*testKeys)
		}
		n, cost := found(t, s, src.Absent, 2_000)
		if n != 0 {
			t.Errorf("%s: %d absent keys are found", name, n)
		}
		blocks[name] = cost.Blocks
		bytes, err := s.FilterBytes()
		if err != nil {
			t.Fatal(err)
		}
		own, ok := p.(*Policy)
		if !ok {
			continue
		}
		d, err := own.spec.ForBits(testKeys, testBits)
		if err != nil {
			t.Fatal(err)
		}
		asked := float64(cost.No + cost.Maybe)
		rate, sd := d.Model.FPR(testKeys), d.Model.SD(testKeys)
		spread := math.Sqrt(rate*(1-rate)*asked + math.Pow(sd*asked, 2)/testTables)
		if asked < 2_000*(testTables-1) || math.Abs(float64(cost.Maybe)-rate*asked) > 5*spread {
			t.Errorf("%s: %d of %.0f answers are maybe, want %.0f +- %.0f", name, cost.Maybe, asked, rate*asked, spread)
		}
		if own.Mute() != 0 || float64(bytes) < testTables*float64(d.SizeBits)/8 || float64(bytes) > testTables*(float64(d.SizeBits)/8+1024) {
			t.Errorf("%s: %d bytes of filters, %d mute; a filter has %d bits", name, bytes, own.Mute(), d.SizeBits)
		}
	}
	for name, n := range blocks {
		if name != "none" && n >= blocks["none"] {
			t.Errorf("%s: %d blocks, without filters %d", name, n, blocks["none"])
		}
	}
}

// Large tables are one each, too.
func TestLargeTables(t *testing.T) {
	o := testOptions(t, nil)
	o.Tables, o.Value = 2, 2_500 // 5 MB
	build(t, o, "random")
}

// lying turns one answer of a filter in a hundred into "maybe" or "no".
type lying struct {
	*Policy
	says bool
}

func (l lying) MayContain(kind pebble.FilterType, filter, key []byte) bool {
	if xxh3.Hash(key)%100 == 0 {
		return l.says
	}
	return l.Policy.MayContain(kind, filter, key)
}

// The texts' third exercise, on a real engine: false positives cost reads and
// lose nothing, false negatives lose the data.
func TestLiesLoseData(t *testing.T) {
	src := source(t, "random")
	var keys filters.Keys
	src.Present(&keys, 0, testTables*testKeys)
	chosen := 0
	for i := range keys.Len() {
		if xxh3.Hash(keys.At(i))%100 == 0 {
			chosen++
		}
	}
	var reads [2]int64
	for i, says := range []bool{true, false} {
		s := build(t, testOptions(t, lying{testPolicy(t, "bloom"), says}), "random")
		n, _ := found(t, s, src.Present, testTables*testKeys)
		if want := testTables*testKeys - i*chosen; n != want {
			t.Errorf("filters that say maybe=%v: %d keys are found, want %d", says, n, want)
		}
		_, cost := found(t, s, src.Absent, 2_000)
		reads[i] = cost.Maybe
	}
	if chosen < 50 || reads[0] <= reads[1] {
		t.Errorf("%d keys are lied about; maybes %v", chosen, reads)
	}
}

// A store that is opened again asks its filters by the spec in their name; one
// opened with another policy asks none of them.
func TestOpenedAgain(t *testing.T) {
	o := testOptions(t, testPolicy(t, "bloom"))
	s := build(t, o, "url")
	if err := s.db.Close(); err != nil {
		t.Fatal(err)
	}
	src := source(t, "url")
	for _, c := range []struct {
		policy *Policy
		asks   bool
	}{{testPolicy(t, "bloom"), true}, {testPolicy(t, "bloom:k=3"), false}} {
		o.Policy = c.policy
		again, err := open(s.dir, o)
		if err != nil {
			t.Fatal(err)
		}
		n, cost := found(t, again, src.Present, testTables*testKeys)
		if n != testTables*testKeys || (cost.No > 0) != c.asks {
			t.Errorf("%s: %d found, %d tables ruled out", c.policy.Name(), n, cost.No)
		}
		s.db = again.db // which is closed at the end
		if c.asks {
			again.db.Close()
		}
	}
}

// Bytes that are no filter rule nothing out, and a family that cannot be
// written is refused.
func TestHostileFilters(t *testing.T) {
	p := testPolicy(t, "bloom")
	w := p.NewWriter(0)
	for _, key := range []string{"a", "b", "b", "c"} {
		w.AddKey([]byte(key))
	}
	block := w.Finish([]byte("before"))[len("before"):]
	if !p.MayContain(0, block, []byte("b")) || p.MayContain(0, block, []byte("absent")) {
		t.Error("a filter of three keys does not answer")
	}
	for i := range block {
		damaged := append([]byte(nil), block...)
		damaged[i] ^= 0x55
		fresh := testPolicy(t, "bloom")
		if !fresh.MayContain(0, damaged, []byte("a")) || !fresh.MayContain(0, block[:i], []byte("a")) {
			t.Fatalf("byte %d damaged or cut off: a key is lost", i)
		}
	}
	if empty := p.NewWriter(0).Finish(nil); !p.MayContain(0, empty, []byte("a")) {
		t.Error("no filter rules a key out")
	}
	if _, err := NewPolicy(registry.Must("set"), testBits); err == nil {
		t.Error("an exact set is a policy")
	}
}

// tiny is a disk that has room for so many bytes.
type tiny struct {
	vfs.FS
	left *atomic.Int64
}

func (d tiny) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := d.FS.Create(name, category)
	return tinyFile{f, d.left}, err
}

type tinyFile struct {
	vfs.File
	left *atomic.Int64
}

func (f tinyFile) Write(p []byte) (int, error) {
	if f.left.Add(-int64(len(p))) < 0 {
		return 0, syscall.ENOSPC
	}
	return f.File.Write(p)
}

// Whatever goes wrong is said in one line, soon, and nothing is left behind.
func TestFailures(t *testing.T) {
	src := source(t, "random")
	for _, room := range []int64{0, 100, 500_000, 1_000_000} {
		o := testOptions(t, nil)
		var left atomic.Int64
		left.Store(room)
		o.fs = tiny{vfs.Default, &left}
		_, err := Build(t.Context(), o, src)
		if err == nil || !strings.Contains(err.Error(), "no space left") || !strings.Contains(err.Error(), o.Dir) || strings.Contains(err.Error(), "\n") {
			t.Errorf("room for %d bytes: %v", room, err)
		}
		empty(t, o.Dir)
	}

	o := testOptions(t, nil)
	o.Dir = filepath.Join(o.Dir, "missing")
	if _, err := Build(t.Context(), o, src); err == nil || !strings.Contains(err.Error(), o.Dir) {
		t.Errorf("a directory that is not there: %v", err)
	}

	o = testOptions(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Build(ctx, o, src); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	empty(t, o.Dir)

	s, err := Build(t.Context(), o, src)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	empty(t, o.Dir)
}

func empty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind in %s: %v, %v", dir, left, err)
	}
}
