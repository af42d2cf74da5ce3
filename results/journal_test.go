package results

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var run = []ConfigLine{{"schema", SchemaVersion}, {"profile", "quick"}, {"seed", "1"}, {"commit", "abc"}}

// entry is one step of a unit, with floats that take all their digits.
func entry(unit string, step int) Entry {
	return Entry{"lookup", unit, step, []Record{
		{"Lookup", []Axis{{"filter", "bloom:k=auto"}, {"group", unit}, {"k", "7"}}, 1 << 40,
			[]Value{{"ns/op", 0.1 + 0.2 + float64(step)}, {"cpu-ns/op", math.SmallestNonzeroFloat64}, {"positives", 1 << 53}}},
		{"Limit", []Axis{{"kind", "µ<&>\""}}, 1, []Value{{"ns/op", math.MaxFloat64}, {"cpu-ns/op", math.Copysign(0, -1)}}},
	}}
}

func mustAppend(t *testing.T, j *Journal, entries ...Entry) {
	t.Helper()
	for _, e := range entries {
		if err := j.Append(e); err != nil {
			t.Fatal(err)
		}
	}
}

func TestJournalGivesRecordsInPlanOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j, err := Create(path, run)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	counted := Entry{"fpr", "b", 0, sample().Records}
	mustAppend(t, j, entry("b", 0), entry("a", 0), counted, entry("b", 1), entry("a", 1))
	var want []Record
	for _, e := range []Entry{entry("a", 0), entry("a", 1), entry("b", 0), entry("b", 1)} {
		want = append(want, e.Records...)
	}
	got, err := j.Records("lookup", []string{"a", "not begun", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, bits); diff != "" {
		t.Error(diff)
	}
	if got, err := j.Records("fpr", []string{"b"}); err != nil || !cmp.Equal(got, counted.Records) {
		t.Errorf("fpr: %v, %v", got, err)
	}
	if got, err := j.Records("memory", []string{"b"}); err != nil || got != nil {
		t.Errorf("memory: %v, %v", got, err)
	}
	if _, err := j.Records("lookup", []string{"a"}); err == nil || !strings.Contains(err.Error(), `"b" is not in the plan`) {
		t.Errorf("a unit outside the plan: %v", err)
	}
}

func TestJournalRefusesEntries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j, err := Create(path, run)
	if err != nil {
		t.Fatal(err)
	}
	nan := entry("a", 0)
	nan.Records[1].Values[0].V = math.NaN()
	stray := entry("a", 0)
	stray.Experiment = "fpr"
	for want, e := range map[string]Entry{
		"step 1 where step 0 is next": entry("a", 1),
		"ns/op is NaN":                nan,
		"which holds FPR":             stray,
		"no unit":                     entry("", 0),
	} {
		if err := j.Append(e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	mustAppend(t, j, entry("a", 0)) // nothing of the above was kept
	if err := j.Append(entry("a", 0)); err == nil || !strings.Contains(err.Error(), "step 0 where step 1 is next") {
		t.Errorf("the same step twice: %v", err)
	}
	j.Close()
	if err := j.Append(entry("a", 1)); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if err := j.Append(entry("a", 1)); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after a failure: %v", err)
	}
	if _, err := Create(filepath.Join(path, "journal"), run); err == nil {
		t.Error("created a journal in a file")
	}
	if _, err := Create(path, []ConfigLine{{"Seed", "1"}}); err == nil {
		t.Error("created a journal with a broken header")
	}
}

// A machine may fail in the middle of any write: whatever prefix of the file
// is left, the journal holds exactly the steps whose lines are whole, and the
// run goes on to the same records.
func TestResumeAfterCutAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j, err := Create(path, run)
	if err != nil {
		t.Fatal(err)
	}
	header, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ends := []int{len(header)}
	for step := range 3 {
		mustAppend(t, j, entry("a", step))
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, int(info.Size()))
	}
	want, err := j.Records("lookup", []string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
	full, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, tail := range []string{"", "\x00\x00\x00", "\x00\n"} {
		for cut := 0; cut <= len(full); cut++ {
			if err := os.WriteFile(path, append(full[:cut:cut], tail...), 0o644); err != nil {
				t.Fatal(err)
			}
			j, err := Resume(path, run)
			if cut < ends[0] {
				if err == nil || !strings.Contains(err.Error(), path+":1: not the journal of a run") {
					t.Fatalf("cut at %d%q, in the header: %v", cut, tail, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("cut at %d%q: %v", cut, tail, err)
			}
			done := 0
			for done+1 < len(ends) && ends[done+1] <= cut {
				done++
			}
			if got := j.Next("lookup", "a"); got != done {
				t.Fatalf("cut at %d%q: step %d is next, want %d", cut, tail, got, done)
			}
			if cut%7 == 0 || cut == len(full) { // appending syncs to disk
				for step := done; step < 3; step++ {
					mustAppend(t, j, entry("a", step))
				}
				got, err := j.Records("lookup", []string{"a"})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got, bits); diff != "" {
					t.Fatalf("cut at %d%q: %s", cut, tail, diff)
				}
			}
			j.Close()
		}
	}
}

func TestResumeRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	if _, err := Resume(path, run); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no journal: %v", err)
	}
	j, err := Create(path, run)
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, j, entry("a", 0), entry("a", 1))
	j.Close()

	other := []ConfigLine{{"schema", SchemaVersion}, {"profile", "quick"}, {"seed", "2"}, {"filters", "bloom"}}
	_, err = Resume(path, other)
	for _, want := range []string{path, "seed is 1 there and 2 here", "commit is abc there and absent here", "filters is absent there and bloom here"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("another run: %v, want %q", err, want)
		}
	}
	if strings.Contains(fmt.Sprint(err), "profile") {
		t.Errorf("names what does not differ: %v", err)
	}

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for want, broken := range map[string]string{
		":2: damaged line":                 lines[0] + "{\n" + lines[2],
		":2: lookup, unit a: step 1":       lines[0] + lines[2],
		":3: lookup, unit a: step 0":       lines[0] + lines[1] + lines[1],
		":2: unit a: record":               lines[0] + strings.Replace(lines[1], "ns/op", "nsop", 1),
		":1: schema \"9\"":                 strings.Replace(string(text), `"Journal":"1"`, `"Journal":"9"`, 1),
		":1: configuration seed appears":   strings.Replace(string(text), `"profile"`, `"seed"`, 1),
		":1: not the journal of a run":     sampleText,
		":2: longer than a whole":          lines[0] + strings.Repeat("x", maxFile+1),
		":2: unit a: record \"Lookup\": n": lines[0] + `{"Experiment":"lookup","Unit":"a","Records":[{"Name":"Lookup","Iters":1}]}` + "\n",
	} {
		os.WriteFile(path, []byte(broken), 0o644)
		if _, err := Resume(path, run); err == nil || !strings.Contains(err.Error(), path+want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if after, _ := os.ReadFile(path); string(after) != broken {
			t.Errorf("%s: changed a journal that it refused", want)
		}
	}
}

func TestJournalFromManyGoroutines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j, err := Create(path, run)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var units []string
	var want []Record
	for g := range 4 {
		unit := fmt.Sprint("unit", g)
		units = append(units, unit)
		for step := range 5 {
			want = append(want, entry(unit, step).Records...)
		}
		wg.Go(func() {
			for step := range 5 {
				if err := j.Append(entry(unit, step)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	j.Close()
	if j, err = Resume(path, run); err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	got, err := j.Records("lookup", units)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, bits); diff != "" {
		t.Error(diff)
	}
}

func FuzzResume(f *testing.F) {
	path := filepath.Join(f.TempDir(), "journal")
	j, err := Create(path, run)
	if err != nil {
		f.Fatal(err)
	}
	if err := j.Append(entry("a", 0)); err != nil {
		f.Fatal(err)
	}
	j.Close()
	seed, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		entries := 0
		size, err := scan(strings.NewReader(string(data)), "journal", func(header) error { return nil }, func(Entry) error {
			entries++
			return nil
		})
		if err != nil {
			return
		}
		// What is kept is whole, and scans to the same entries.
		again := 0
		size2, err := scan(strings.NewReader(string(data[:size])), "journal", func(header) error { return nil }, func(Entry) error {
			again++
			return nil
		})
		if err != nil || size2 != size || again != entries {
			t.Fatalf("%d bytes with %d entries scan to %d with %d: %v", size, entries, size2, again, err)
		}
	})
}

// A journal whose folder is deleted during the run is put back with all that
// was measured; one that another file took the place of is read from its own
// file, and nothing is written to the other.
func TestJournalLosesItsPlace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(dir, "journal")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	j, err := Create(path, run)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	mustAppend(t, j, entry("a", 0))
	if err := os.RemoveAll(filepath.Dir(dir)); err != nil {
		t.Skipf("an open file cannot be deleted here: %v", err)
	}
	mustAppend(t, j, entry("a", 1))
	again, err := Resume(path, run)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Next("lookup", "a") != 2 || again.Len() != 2 {
		t.Errorf("put back with %d entries, step %d is next; want 2 and 2", again.Len(), again.Next("lookup", "a"))
	}

	other := []byte("another file\n")
	os.Remove(path)
	if err := os.WriteFile(path, other, 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := j.Records("lookup", []string{"a"})
	if want := append(entry("a", 0).Records, entry("a", 1).Records...); err != nil || !cmp.Equal(want, got, bits) {
		t.Errorf("records: %v, %v", got, err)
	}
	if err := j.Append(entry("a", 2)); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("appended in the place of another file: %v", err)
	}
	if j.Len() != 2 || j.Next("lookup", "a") != 2 {
		t.Error("an entry that was not written counts")
	}
	if after, _ := os.ReadFile(path); string(after) != string(other) {
		t.Errorf("the other file holds %q", after)
	}
}

// Records that the run wrote and the file lacks must not look like a result.
func TestRecordsMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j, err := Create(path, run)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	mustAppend(t, j, entry("a", 0))
	if err := os.Truncate(path, info.Size()); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Records("lookup", []string{"a"}); err == nil || !strings.Contains(err.Error(), "unit a has 0 steps where the run wrote 1") {
		t.Errorf("error %v", err)
	}
}
