package workloads

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"filterbench/filters"

	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"
)

func writeFile(t rapid.TB, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func all(fill func(*filters.Keys, uint64, uint64), n uint64) []string {
	var keys filters.Keys
	fill(&keys, 0, n)
	var list []string
	for i := range keys.Len() {
		list = append(list, string(keys.At(i)))
	}
	return list
}

// sides returns the present and the absent keys of a source that has few.
func sides(src Source) (present, absent []string) {
	p, a := src.Limits()
	return all(src.Present, p), all(src.Absent, a)
}

func TestFileIsCleanedAndSplit(t *testing.T) {
	path := writeFile(t, t.TempDir(), "keys", "b\r\n\na\nb\n c\r\n\r\na\nd\te\nlast")
	f, err := OpenFile(path, "", 7)
	if err != nil {
		t.Fatal(err)
	}
	want := FileStats{Keys: ListStats{Lines: 9, Empty: 2, Repeated: 2}}
	if f.Stats() != want {
		t.Errorf("stats %+v, want %+v", f.Stats(), want)
	}
	if got, want := f.Stats().String(), "9 lines: 5 keys, 2 empty and 2 repeated lines dropped"; got != want {
		t.Errorf("stats read %q, want %q", got, want)
	}
	present, absent := sides(f)
	if len(present) != 3 || len(absent) != 2 {
		t.Errorf("%d present and %d absent keys, want 3 and 2", len(present), len(absent))
	}
	together := slices.Concat(present, absent)
	slices.Sort(together)
	if want := []string{" c", "a", "b", "d\te", "last"}; !slices.Equal(together, want) {
		t.Errorf("keys %q, want %q", together, want)
	}
}

// TestSplitIsASetProperty checks with random lists that the split is a partition
// of the distinct lines which does not depend on their order.
func TestSplitIsASetProperty(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[a-c]{1,3}`), 2, 60).Draw(t, "lines")
		seed := rapid.Uint64().Draw(t, "seed")
		distinct := slices.Compact(slices.Sorted(slices.Values(lines)))
		if len(distinct) < 2 {
			t.Skip()
		}
		f, err := OpenFile(writeFile(t, dir, "keys", strings.Join(lines, "\n")), "", seed)
		if err != nil {
			t.Fatal(err)
		}
		present, absent := sides(f)
		if d := len(present) - len(absent); d != 0 && d != 1 {
			t.Fatalf("%d present, %d absent", len(present), len(absent))
		}
		together := slices.Concat(present, absent)
		slices.Sort(together)
		if !slices.Equal(together, distinct) {
			t.Fatalf("present and absent are %q, the distinct lines %q", together, distinct)
		}
		slices.Reverse(lines)
		g, err := OpenFile(writeFile(t, dir, "keys", strings.Join(lines, "\r\n")+"\r\n"), "", seed)
		if err != nil {
			t.Fatal(err)
		}
		if p, a := sides(g); !slices.Equal(p, present) || !slices.Equal(a, absent) {
			t.Fatalf("the order of the lines changes the split")
		}
	})
}

func TestQueriesFileAgainstModel(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-d]{1,3}`)
		keys := rapid.SliceOfN(word, 1, 60).Draw(t, "keys")
		queries := rapid.SliceOfN(word, 1, 60).Draw(t, "queries")
		isKey := map[string]bool{}
		for _, k := range keys {
			isKey[k] = true
		}
		var overlap uint64
		var absent []string
		for _, q := range slices.Compact(slices.Sorted(slices.Values(queries))) {
			if isKey[q] {
				overlap++
			} else {
				absent = append(absent, q)
			}
		}
		f, err := OpenFile(writeFile(t, dir, "keys", strings.Join(keys, "\n")), writeFile(t, dir, "queries", strings.Join(queries, "\n")), 1)
		if len(absent) == 0 {
			if err == nil || !strings.Contains(err.Error(), "every query is among the keys") {
				t.Fatalf("error %v with no absent query", err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		p, a := sides(f)
		slices.Sort(a)
		if len(p) != len(isKey) || !slices.Equal(a, absent) || f.Stats().Overlap != overlap {
			t.Fatalf("%d present keys, absent %q, overlap %d; want %d, %q, %d", len(p), a, f.Stats().Overlap, len(isKey), absent, overlap)
		}
		if q := f.Stats().Queries; q.Lines-q.Empty-q.Repeated-f.Stats().Overlap != uint64(len(a)) {
			t.Fatalf("stats %+v do not add up to %d", f.Stats(), len(a))
		}
	})
}

// TestOverlappingQueriesAreLeftOut is the report of 25,350 "false positives" in a
// million queries, of which 25,175 were among the 65,536 keys
// (FastFilter/fastfilter_cpp#32), with fewer absent queries.
func TestOverlappingQueriesAreLeftOut(t *testing.T) {
	const keys, queries, overlap = 65536, 200000, 25175
	var k, q strings.Builder
	for i := range keys {
		fmt.Fprintf(&k, "%d\n", i)
	}
	for i := range queries {
		fmt.Fprintf(&q, "%d\n", i+keys-overlap)
	}
	dir := t.TempDir()
	f, err := OpenFile(writeFile(t, dir, "keys", k.String()), writeFile(t, dir, "queries", q.String()), 1)
	if err != nil {
		t.Fatal(err)
	}
	if f.Stats().Overlap != overlap {
		t.Errorf("overlap %d, want %d", f.Stats().Overlap, overlap)
	}
	if p, a := f.Limits(); p != keys || a != queries-overlap {
		t.Errorf("%d present and %d absent keys, want %d and %d", p, a, keys, queries-overlap)
	}
	if got, want := f.Stats().String(), "25175 are among the keys and left out"; !strings.Contains(got, want) {
		t.Errorf("stats read %q, want %q in it", got, want)
	}
}

func TestFileErrors(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", MaxLine)
	good := writeFile(t, dir, "good", "a\nb\n")
	huge := filepath.Join(dir, "huge")
	if f, err := os.Create(huge); err != nil {
		t.Fatal(err)
	} else if err := f.Truncate(1 << 43); err != nil { // 8 TiB, none of it on disk
		t.Logf("no huge file here: %v", err)
		huge = ""
	}
	for _, c := range []struct{ keys, queries, want string }{
		{filepath.Join(dir, "none"), "", "none: no such file"},
		{dir, "", dir + ": is a directory"},
		{writeFile(t, dir, "empty", ""), "", "empty: has no keys; one a line is expected"},
		{writeFile(t, dir, "blank", "\n\r\n\n"), "", "blank: has no keys"},
		{writeFile(t, dir, "single", "a\na\n"), "", "single: has a single key"},
		{writeFile(t, dir, "long", "a\n"+long+"x\nb\n"), "", "long:2: line is longer than 64 KiB"},
		{writeFile(t, dir, "longer", "a\n\n"+long+long+long), "", "longer:3: line is longer than 64 KiB"},
		{good, dir, "queries file: " + dir + ": is a directory"},
		{good, good, "every query is among the keys"},
		{"/dev/null", "", "/dev/null: is a device; a file or a pipe is expected"},
		{writeFile(t, dir, "gz", "\x1f\x8b\x08\x00\n"), "", "gz: is compressed (gzip): unpack it first"},
		{writeFile(t, dir, "zip", "PK\x03\x04\n"), "", "zip: is compressed (zip): unpack it first"},
		{writeFile(t, dir, "mark", "\xef\xbb\xbf\n"), "", "mark: has no keys"},
		{good, writeFile(t, dir, "xz", "\xfd7zXZ\x00\n"), "queries file: " + dir + "/xz: is compressed (xz)"},
		{huge, "", "huge: needs 8 TiB; this machine has"},
	} {
		if c.keys == "" {
			continue
		}
		_, err := OpenFile(c.keys, c.queries, 1)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("OpenFile(%s, %s): error %v, want one line with %q", c.keys, c.queries, err, c.want)
		}
	}
	if os.Getuid() != 0 && runtime.GOOS != "windows" {
		secret := writeFile(t, dir, "secret", "a\nb\n")
		os.Chmod(secret, 0)
		if _, err := OpenFile(secret, "", 1); err == nil || !strings.Contains(err.Error(), "secret: permission denied") {
			t.Errorf("unreadable file: error %v", err)
		}
	}
	f, err := OpenFile(writeFile(t, dir, "longest", long+"\r\n"+long[1:]+"\n"), "", 1)
	if err != nil {
		t.Fatalf("lines of exactly 64 KiB: %v", err)
	}
	if p, a := f.Limits(); p != 1 || a != 1 {
		t.Errorf("lines of exactly 64 KiB: %d and %d keys", p, a)
	}
}

// A pipe is read once, and hashed while it is. The mark that some editors put
// before UTF-8 is no part of the first key, but of what is hashed.
func TestPipe(t *testing.T) {
	const keysText, queriesText = "\xef\xbb\xbfa\r\nb\n\n", "c\nd"
	if _, err := os.Stat("/dev/fd"); err != nil {
		t.Skip("no /dev/fd here")
	}
	pipe := func(text string) string {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		w.WriteString(text)
		w.Close()
		return fmt.Sprintf("/dev/fd/%d", r.Fd())
	}
	sum := func(text string) string {
		s := sha256.Sum256([]byte(text))
		return hex.EncodeToString(s[:])
	}
	f, err := OpenFile(pipe(keysText), pipe(queriesText), 1)
	if err != nil {
		t.Fatal(err)
	}
	keys, queries := f.Sums()
	if keys != sum(keysText) || queries != sum(queriesText) {
		t.Errorf("sums %s and %s", keys, queries)
	}
	present, absent := sides(f)
	slices.Sort(present)
	if !slices.Equal(present, []string{"a", "b"}) || len(absent) != 2 {
		t.Errorf("keys %q, queries %q", present, absent)
	}
	if f, err = OpenFile(pipe(keysText), "", 1); err != nil {
		t.Fatal(err)
	}
	if keys, queries := f.Sums(); keys != sum(keysText) || queries != "" {
		t.Errorf("without queries: sums %s and %q", keys, queries)
	}
}

// FuzzReadLines compares the reader with a few lines that hold all at once.
func FuzzReadLines(f *testing.F) {
	f.Add([]byte("a\r\nb\n\n\r\nc"))
	f.Add([]byte("\r\r\n\x00\n\xff"))
	f.Add([]byte(strings.Repeat("x", MaxLine+1) + "\n"))
	f.Add([]byte(strings.Repeat("x", MaxLine) + "\r\n" + strings.Repeat("y", MaxLine+2)))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := bytes.Split(data, []byte("\n"))
		if len(lines[len(lines)-1]) == 0 {
			lines = lines[:len(lines)-1]
		}
		var want []string
		wantErr := ""
		for i, line := range lines {
			line = bytes.TrimSuffix(line, []byte("\r"))
			if len(line) > MaxLine {
				wantErr = fmt.Sprintf("name:%d: line is longer than 64 KiB", i+1)
				break
			}
			if len(line) > 0 {
				want = append(want, string(line))
			}
		}
		if wantErr == "" && len(want) == 0 {
			wantErr = "name: has no keys; one a line is expected"
		}
		var keys filters.Keys
		stats, err := readLines(&keys, bytes.NewReader(data), "name")
		if err != nil || wantErr != "" {
			if fmt.Sprint(err) != wantErr {
				t.Fatalf("error %v, want %q", err, wantErr)
			}
			return
		}
		if stats.Lines != uint64(len(lines)) || stats.Empty != uint64(len(lines)-len(want)) || keys.Len() != len(want) {
			t.Fatalf("stats %+v, %d keys; want %d lines, %d keys", stats, keys.Len(), len(lines), len(want))
		}
		for i, w := range want {
			if string(keys.At(i)) != w {
				t.Fatalf("key %d is %q, want %q", i, keys.At(i), w)
			}
		}
	})
}

func TestWords(t *testing.T) {
	const words = 104334 // as wc -l counts them
	sum := sha256.Sum256([]byte(wordList))
	readme, err := os.ReadFile("words/README.md")
	if err != nil || !strings.Contains(string(readme), hex.EncodeToString(sum[:])) {
		t.Errorf("words/README.md does not name the list's SHA-256 %x (%v)", sum, err)
	}
	src := mustOpen(t, "words", 52000, 1)
	if stats, want := src.(*File).Stats().Keys, (ListStats{Lines: words}); stats != want {
		t.Errorf("stats %+v, want %+v", stats, want)
	}
	present, absent := sides(src)
	if len(present) != words/2 || len(absent) != words/2 {
		t.Errorf("%d present and %d absent words, want %d of each", len(present), len(absent), words/2)
	}
	together := slices.Concat(present, absent)
	slices.Sort(together)
	if want := strings.Fields(wordList); !slices.Equal(together, slices.Sorted(slices.Values(want))) {
		t.Error("present and absent words together are not the list")
	}
	other, _ := sides(mustOpen(t, "words", 0, 2))
	both := 0
	for _, w := range other {
		if slices.Contains(present[:1000], w) {
			both++
		}
	}
	// Of the 1000, each is present under the other seed with probability 1/2.
	if math.Abs(float64(both)-500) > 5*math.Sqrt(250) {
		t.Errorf("%d of 1000 present words of seed 1 are present under seed 2, want about 500", both)
	}
}

// TestSplitIsIndependentOfFilterHashes: were the present keys those with small
// hashes, they would fill one half of a filter that uses the same hash and seed.
func TestSplitIsIndependentOfFilterHashes(t *testing.T) {
	for seed := range uint64(5) {
		present, _ := sides(mustOpen(t, "words", 0, seed))
		high, rising := 0, 0
		for i, w := range present {
			high += int(xxh3.HashSeed([]byte(w), seed) >> 63)
			if i > 0 && xxh3.HashSeed([]byte(w), seed) > xxh3.HashSeed([]byte(present[i-1]), seed) {
				rising++
			}
		}
		n := float64(len(present))
		// Half of a list drawn without replacement has variance n/8 where the list
		// itself is even, whose own half has n/8 too; the steps up in a random order
		// have n/12. Five standard deviations, ten tests: 6e-6.
		if z := (float64(high) - n/2) / math.Sqrt(n/4); math.Abs(z) > 5 {
			t.Errorf("seed %d: %d of %.0f present words have a hash in the upper half (z = %.1f)", seed, high, n, z)
		}
		if z := (float64(rising) - n/2) / math.Sqrt(n/12); math.Abs(z) > 5 {
			t.Errorf("seed %d: the hash rises in %d of %.0f steps (z = %.1f)", seed, rising, n, z)
		}
	}
}
