package workloads

import (
	"bytes"
	"fmt"
	"slices"

	"filterbench/filters"
	"filterbench/filters/hashing"
	"filterbench/filters/memory"

	"github.com/zeebo/xxh3"
)

// File is a source of the lines of a real file.
type File struct {
	name            string
	present, absent list
	stats           FileStats
	sums            [2]string
}

// FileError is what is wrong with one of the two files of [OpenFile].
type FileError struct {
	List string // "keys" or "queries"
	Err  error  // begins with the path
}

func (e *FileError) Error() string { return e.List + " file: " + e.Err.Error() }

// Unwrap returns Err.
func (e *FileError) Unwrap() error { return e.Err }

func keysError(err error) error    { return &FileError{"keys", err} }
func queriesError(err error) error { return &FileError{"queries", err} }

// FileStats says what became of the lines. In each list, Lines is the sum of
// Empty, Repeated and the keys that are left; of those of the queries, Overlap
// are left out since they are among the keys.
type FileStats struct {
	Keys, Queries ListStats // Queries is zero without a queries file
	Overlap       uint64    // distinct queries that are among the keys
}

// ListStats counts the lines of one file.
type ListStats struct {
	Lines    uint64
	Empty    uint64 // dropped
	Repeated uint64 // dropped, since the same line came before
}

// String is one line for people, such as "104334 lines: 104320 keys, 2 empty and
// 12 repeated lines dropped".
func (s FileStats) String() string {
	text := s.Keys.describe("keys")
	if s.Queries.Lines > 0 {
		text += fmt.Sprintf("; %s, of which %d are among the keys and left out", s.Queries.describe("queries"), s.Overlap)
	}
	return text
}

func (s ListStats) describe(what string) string {
	return fmt.Sprintf("%d lines: %d %s, %d empty and %d repeated lines dropped",
		s.Lines, s.Lines-s.Empty-s.Repeated, what, s.Empty, s.Repeated)
}

// OpenFile reads the keys of a file, one a line. Line ends (LF or CR LF) are cut
// off, empty lines and repeated ones dropped.
//
// Without a queries file, half of the keys are present and half are absent: the
// keys are put into the order of a hash that the seed picks, the first half is
// present, and so the first n of it are a random sample. With one, all keys are
// present, and the queries that are not among them are absent.
//
// Each file is read once, so that a pipe will do. A byte order mark of UTF-8 is
// passed over. A file must not be a directory or a device, be compressed, hold no
// key at all, have a line of more than 64 KiB or need more memory than there is;
// the error is a [FileError] that names the file, and the line where it is about
// one.
func OpenFile(path, queriesPath string, seed uint64) (*File, error) {
	keys, err := readFile(path)
	if err != nil {
		return nil, keysError(err)
	}
	if queriesPath == "" {
		f, err := split("file", path, keys.keys, keys.stats, seed)
		if err == nil {
			f.sums[0] = keys.sum
		}
		return f, err
	}
	queries, err := readFile(queriesPath)
	if err != nil {
		return nil, queriesError(err)
	}
	f := &File{name: "file", stats: FileStats{Keys: keys.stats, Queries: queries.stats}, sums: [2]string{keys.sum, queries.sum}}
	if f.present, f.stats.Keys.Repeated, err = sortByHash(keys.keys, seed); err != nil {
		return nil, keysError(fmt.Errorf("%s: %w", path, err))
	}
	if f.absent, f.stats.Queries.Repeated, err = sortByHash(queries.keys, seed); err != nil {
		return nil, queriesError(fmt.Errorf("%s: %w", queriesPath, err))
	}
	f.stats.Overlap = f.absent.remove(f.present)
	if len(f.absent.order) == 0 {
		return nil, queriesError(fmt.Errorf("%s: every query is among the keys of %s; queries must be absent keys", queriesPath, path))
	}
	return f, nil
}

// split makes a source of one list: the first half in the order of the hash is
// present.
func split(name, path string, keys *filters.Keys, stats ListStats, seed uint64) (*File, error) {
	all, repeated, err := sortByHash(keys, seed)
	if err != nil {
		return nil, keysError(fmt.Errorf("%s: %w", path, err))
	}
	if len(all.order) < 2 {
		return nil, keysError(fmt.Errorf("%s: has a single key; to be split into present and absent keys it needs two, or a queries file beside it", path))
	}
	stats.Repeated = repeated
	half := (len(all.order) + 1) / 2
	f := &File{name: name, stats: FileStats{Keys: stats}}
	f.present, f.absent = all, all
	f.present.order, f.absent.order = all.order[:half], all.order[half:]
	return f, nil
}

// Name is "file", or "words" for the built-in list.
func (f *File) Name() string { return f.name }

// Limits is the number of present and of absent keys.
func (f *File) Limits() (present, absent uint64) {
	return uint64(len(f.present.order)), uint64(len(f.absent.order))
}

// Sums are the SHA-256 of the files' whole content, in hexadecimal; that of the
// queries is "" without such a file.
func (f *File) Sums() (keys, queries string) { return f.sums[0], f.sums[1] }

// Stats says what became of the lines.
func (f *File) Stats() FileStats { return f.stats }

// Present appends present keys, see Source.
func (f *File) Present(dst *filters.Keys, from, to uint64) {
	checkRange(f.name, "present", from, to, uint64(len(f.present.order)))
	f.present.append(dst, from, to)
}

// Absent appends absent keys, see Source.
func (f *File) Absent(dst *filters.Keys, from, to uint64) {
	checkRange(f.name, "absent", from, to, uint64(len(f.absent.order)))
	f.absent.append(dst, from, to)
}

// list is a set of keys in the order of a hash.
type list struct {
	keys  *filters.Keys
	order []uint32
	hash  uint64 // seed
}

func (l list) append(dst *filters.Keys, from, to uint64) {
	for _, i := range l.order[from:to] {
		dst.Append(l.keys.At(int(i)))
	}
}

// compare orders keys by hash, then by their bytes.
func compare(hash1, hash2 uint64, key1, key2 []byte) int {
	switch {
	case hash1 < hash2:
		return -1
	case hash1 > hash2:
		return 1
	}
	return bytes.Compare(key1, key2)
}

// sortByHash sorts keys by a hash and drops the repeated ones, which then are
// neighbours. The hash is mixed once more and has a seed of its own: if its
// order were that of a filter's hash, the present keys would fill only half of
// the filter.
func sortByHash(keys *filters.Keys, seed uint64) (l list, repeated uint64, err error) {
	type entry struct {
		hash  uint64
		index uint32
	}
	n := keys.Len()
	if err := memory.Check(uint64(n) * (16 + 4)); err != nil {
		return list{}, 0, fmt.Errorf("sorting %d keys: %w", n, err)
	}
	l = list{keys: keys, hash: hashing.Mix(^seed)}
	entries := make([]entry, n)
	for i := range entries {
		entries[i] = entry{l.sum(keys.At(i)), uint32(i)}
	}
	cmp := func(a, b entry) int {
		return compare(a.hash, b.hash, keys.At(int(a.index)), keys.At(int(b.index)))
	}
	slices.SortFunc(entries, cmp)
	entries = slices.CompactFunc(entries, func(a, b entry) bool { return cmp(a, b) == 0 })
	l.order = make([]uint32, len(entries))
	for i, e := range entries {
		l.order[i] = e.index
	}
	return l, uint64(n - len(entries)), nil
}

func (l list) sum(key []byte) uint64 { return hashing.Mix(xxh3.HashSeed(key, l.hash)) }

// remove takes out of l what is in m too, by merging the two sorted lists, and
// returns how many keys that were.
func (l *list) remove(m list) (removed uint64) {
	kept, j := l.order[:0], 0
	for _, i := range l.order {
		key := l.keys.At(int(i))
		hash, c := l.sum(key), 1
		for ; j < len(m.order); j++ {
			other := m.keys.At(int(m.order[j]))
			if c = compare(hash, m.sum(other), key, other); c <= 0 {
				break
			}
		}
		if c == 0 && j < len(m.order) {
			removed++
			continue
		}
		kept = append(kept, i)
	}
	l.order = kept
	return removed
}
