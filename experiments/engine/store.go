package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"filterbench/filters"
	"filterbench/filters/hashing"
	"filterbench/workloads"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options say what store to build.
type Options struct {
	Dir    string              // where its directory is made; "" is the system's temporary one
	Policy pebble.FilterPolicy // of all tables; nil for no filters
	// Tables is how many there are, and Keys how many each has. They lie in one
	// level and overlap, so that a get of an absent key asks all of them.
	Tables int
	Keys   uint64
	Value  int   // bytes of a value
	Cache  int64 // bytes for blocks of tables, filters included

	fs vfs.FS // the disk; nil for the system's
}

// memtable is more than the keys and values of a table: a table is written when
// we say so. Pebble takes its memory from the block cache's.
const memtable = 64 << 20

// Store is a store in a directory, which Close removes.
type Store struct {
	db      *pebble.DB
	dir     string
	options Options
	cache   *pebble.Cache
	files   *countingFS
	failed  chan error // what happened to it in the background; holds one
}

// Build makes a store of the workload's first keys, dealt to the tables in turn.
// It returns the context's error soon after that is cancelled, and leaves
// nothing behind when it fails.
func Build(ctx context.Context, o Options, src workloads.Source) (*Store, error) {
	dir, err := os.MkdirTemp(o.Dir, "filterbench-lsm-")
	if err != nil {
		return nil, noRoom(o.Dir, err)
	}
	s, err := open(dir, o)
	if err == nil {
		if err = s.fill(ctx, src); err == nil {
			return s, nil
		}
		s.Close()
	}
	os.RemoveAll(dir)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, noRoom(filepath.Dir(dir), err)
}

// noRoom says what a user can do if the directory does not take the store.
func noRoom(dir string, err error) error {
	if dir == "" {
		dir = os.TempDir()
	}
	return fmt.Errorf("LSM store in %s (TMPDIR names another directory): %w", dir, err)
}

func open(dir string, o Options) (*Store, error) {
	s := &Store{dir: dir, options: o, failed: make(chan error, 1)}
	s.files = &countingFS{FS: o.fs}
	if o.fs == nil {
		s.files.FS = vfs.Default
	}
	s.cache = pebble.NewCache(o.Cache + memtable)
	options := &pebble.Options{
		FS: s.files, Cache: s.cache, MemTableSize: memtable,
		DisableWAL: true, DisableAutomaticCompactions: true,
		L0CompactionThreshold: 1 << 20, L0StopWritesThreshold: 1 << 20,
		Logger:        quiet{s},
		EventListener: &pebble.EventListener{BackgroundError: s.fail},
	}
	for i := range options.Levels {
		options.TargetFileSizes[i] = 2 * memtable // each flush writes one table
		options.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.NoCompression }
		options.Levels[i].FilterPolicy = pebble.NoFilterPolicy
		if o.Policy != nil {
			options.Levels[i].FilterPolicy = o.Policy
		}
	}
	err := s.watched(func() (err error) {
		s.db, err = pebble.Open(dir, options)
		return err
	})
	if err != nil {
		s.cache.Unref()
		return nil, err
	}
	return s, nil
}

// fail notes the first thing that went wrong in the background.
func (s *Store) fail(err error) {
	select {
	case s.failed <- err:
	default:
	}
}

// watched does something that may wait for ever once the disk is full: it ends
// when that is done, or the store has failed.
func (s *Store) watched(do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case err := <-s.failed:
		s.fail(err) // and so must all that follows
		return err
	}
}

// fill writes table after table.
func (s *Store) fill(ctx context.Context, src workloads.Source) error {
	tables := uint64(s.options.Tables)
	var key filters.Keys
	value := make([]byte, s.options.Value)
	for t := range tables {
		batch := s.db.NewBatch()
		for i := range s.options.Keys {
			index := i*tables + t
			key.Reset()
			src.Present(&key, index, index+1)
			for j := range value { // what cannot be compressed
				value[j] = byte(hashing.Mix(index+uint64(j)) >> 56)
			}
			if err := batch.Set(key.At(0), value, nil); err != nil {
				return err
			}
			const some = 1024
			if i%some == some-1 || i == s.options.Keys-1 {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := s.watched(func() error { return batch.Commit(pebble.NoSync) }); err != nil {
					return err
				}
				batch.Close()
				batch = s.db.NewBatch()
			}
		}
		if err := s.watched(s.db.Flush); err != nil {
			return err
		}
	}
	if m := s.db.Metrics(); m.Levels[0].TablesCount != int64(tables) {
		return fmt.Errorf("the store has %d tables, not %d", m.Levels[0].TablesCount, tables)
	}
	return nil
}

// Found counts the keys that are in the store, by a get for each.
func (s *Store) Found(keys *filters.Keys) (n int, err error) {
	for i := range keys.Len() {
		_, closer, err := s.db.Get(keys.At(i))
		switch {
		case err == nil:
			n++
			closer.Close()
		case !errors.Is(err, pebble.ErrNotFound):
			return n, err
		}
	}
	return n, nil
}

// Stats are what gets cost since the store was opened.
type Stats struct {
	Blocks int64 // blocks of tables and filters asked for, from the cache or not
	Bytes  int64 // bytes read from files
	No     int64 // tables that filters ruled out
	Maybe  int64 // tables that they did not
}

// Stats tells what gets cost so far.
func (s *Store) Stats() Stats {
	m := s.db.Metrics()
	return Stats{m.BlockCache.Hits + m.BlockCache.Misses, s.files.read.Load(), m.Filter.Hits, m.Filter.Misses}
}

// Sub is what was added since before.
func (s Stats) Sub(before Stats) Stats {
	return Stats{s.Blocks - before.Blocks, s.Bytes - before.Bytes, s.No - before.No, s.Maybe - before.Maybe}
}

// FilterBytes is what the filters of all tables take, as they are stored.
func (s *Store) FilterBytes() (bytes uint64, err error) {
	levels, err := s.db.SSTables(pebble.WithProperties())
	for _, tables := range levels {
		for _, t := range tables {
			bytes += t.Properties.FilterSize
		}
	}
	return bytes, err
}

// Reopen closes the store and opens it again, with nothing in its cache.
func (s *Store) Reopen() error {
	if err := s.watched(s.db.Close); err != nil {
		return err
	}
	s.cache.Unref()
	again, err := open(s.dir, s.options)
	if err != nil {
		return fmt.Errorf("open the store again: %w", err)
	}
	s.db, s.cache, s.files, s.failed = again.db, again.cache, again.files, again.failed
	return nil
}

// Close removes the store. One that has failed may be locked for good, and only
// its files are removed.
func (s *Store) Close() error {
	err := s.watched(s.db.Close)
	if err == nil {
		s.cache.Unref()
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// quiet is Pebble's log. What would end the program ends what the store does.
type quiet struct{ *Store }

func (quiet) Infof(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (q quiet) Fatalf(format string, args ...any) {
	q.fail(fmt.Errorf(format, args...))
	select {} // Pebble does not go on from here
}

// countingFS counts the bytes that are read from files.
type countingFS struct {
	vfs.FS
	read atomic.Int64
}

func (c *countingFS) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := c.FS.Open(name, opts...)
	if err != nil {
		return nil, err
	}
	return &countingFile{f, &c.read}, nil
}

type countingFile struct {
	vfs.File
	read *atomic.Int64
}

func (f *countingFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	f.read.Add(int64(n))
	return n, err
}

// Bytes is the memory that a store takes: caches, and a filter's copies.
func (o Options) Bytes() uint64 {
	return uint64(o.Cache) + 2*memtable + 4*uint64(o.Tables)*o.Keys
}
