package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"filterbench/experiments"
	"filterbench/filters/machine"
	"filterbench/filters/memory"
	"filterbench/results"
)

// cancelled runs a command line that Ctrl-C reaches after a while.
func cancelled(t *testing.T, after time.Duration, args ...string) (stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(after, cancel)
	if after == 0 {
		cancel()
	}
	var out, log bytes.Buffer
	code = run(ctx, args, &out, &log)
	return log.String(), code
}

func TestOneRunInAFolder(t *testing.T) {
	dir := t.TempDir()
	lock, err := results.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	_, stderr, code := command(t, "run", "textbook", "--out", dir)
	if want := "runbench: --out: another run is at work in " + dir + "\n"; stderr != want || code == 0 {
		t.Errorf("exit %d, %q, want %q", code, stderr, want)
	}
}

// An interrupted run can be resumed by itself only; whatever else is run in its
// folder, its measurements stay.
func TestInterruptedRunsAreKept(t *testing.T) {
	dir := t.TempDir()
	journal := filepath.Join(dir, "journal.jsonl")
	interrupt(t, dir)
	before, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	_, stderr, code := command(t, "run", "memory", "--out", dir, "--resume")
	if code == 0 || !strings.Contains(stderr, "experiments is textbook there and memory here") {
		t.Errorf("resumed with another experiment: exit %d, %s", code, stderr)
	}
	if after, _ := os.ReadFile(journal); !bytes.Equal(before, after) {
		t.Error("the refused run changed the journal")
	}

	stderr = interrupt(t, dir)
	if !strings.Contains(stderr, "journal.jsonl.old; renamed back to journal.jsonl") {
		t.Errorf("second run: %s", stderr)
	}
	if stderr = interrupt(t, dir); !strings.Contains(stderr, "journal.jsonl.old2; renamed") {
		t.Errorf("third run: %s", stderr)
	}
	if old, _ := os.ReadFile(journal + ".old"); !bytes.Equal(before, old) {
		t.Error("the first journal is not what it was")
	}
	if err := os.Rename(journal+".old", journal); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := command(t, "run", "textbook", "--out", dir, "--resume"); code != 0 {
		t.Errorf("resuming the one put aside: exit %d, %s", code, stderr)
	}
	if stderr = interrupt(t, dir); !strings.Contains(stderr, "textbook.txt holds more and stays as it is; what this run measured is in "+journal) {
		t.Errorf("over a complete file: %s", stderr)
	}
}

func TestInterruptedBeforeAnything(t *testing.T) {
	dir := t.TempDir()
	stderr, code := cancelled(t, 0, "run", "textbook", "--out", dir)
	if code != 130 || !strings.Contains(stderr, "before anything was measured") || strings.Contains(stderr, "--resume") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if !strings.HasPrefix(stderr, "measuring 5 units, about ") {
		t.Errorf("says nothing of what is to come: %s", stderr)
	}
}

// A full disk is two errors, and not the end of what was measured.
func TestStopped(t *testing.T) {
	f := runFlags{out: t.TempDir()}
	full := &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	j, err := results.Create(f.journalPath(), nil)
	if err != nil {
		t.Fatal(err)
	}
	measured := results.Entry{Experiment: "textbook", Unit: "a", Records: []results.Record{
		{Name: "Textbook", Iters: 1, Values: []results.Value{{Unit: "m", V: 1}}}}}
	if err := j.Append(measured); err != nil {
		t.Fatal(err)
	}
	got := oneLine(f.stopped(j, fmt.Errorf("journal: %w", full), full))
	want := "journal: write x: no space left on device; saving what was measured failed too: write x: no space left on device; " +
		"once there is room, the same command with --resume goes on from " + f.journalPath()
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
	j.Close()
	if _, err := os.Stat(f.journalPath()); err != nil {
		t.Error(err)
	}
}

// pipe is a pipe by name, and its other end.
func pipe(t *testing.T) (path string, w *os.File) {
	t.Helper()
	if _, err := os.Stat("/dev/fd"); err != nil {
		t.Skip("no /dev/fd here")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(); r.Close() })
	return fmt.Sprintf("/dev/fd/%d", r.Fd()), w
}

// provenance is the head of the results files of a run with the keys at path.
func provenance(t *testing.T, path string) results.File {
	t.Helper()
	f := runFlags{keysFile: path, profile: choiceFlag{value: "quick"}}
	c, err := f.config(t.Context(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return results.File{Experiment: "textbook", Config: f.provenance(&experiments.Plan{Config: c})}
}

func TestKeysFromAPipe(t *testing.T) {
	path, w := pipe(t)
	w.WriteString("a\nb\n")
	w.Close()
	f := provenance(t, path)
	const want = "911169ddaaf146aff539f58c26c489af3b892dff0fe283c1c264c65ae5aa59a2" // printf 'a\nb\n' | sha256sum
	if got := f.Get("keys-file-sha256"); got != want {
		t.Errorf("keys-file-sha256 is %q, want %q", got, want)
	}

	silent, _ := pipe(t)
	stderr, code := cancelled(t, 20*time.Millisecond, "run", "--out", t.TempDir(), "--keys-file", silent)
	if code != 130 || stderr != "runbench: interrupted\n" {
		t.Errorf("a pipe without an end: exit %d, %q", code, stderr)
	}
}

func unprintable(s string) bool { return !utf8.ValidString(s) || strings.Contains(s, "\x1b") }

func TestHostileFileNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"\x1b[31mred", "\xff\xfe", "two\nlines", " blank "} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("a\nb\n"), 0o644); err != nil {
			t.Logf("no file %q here: %v", name, err)
			continue
		}
		stdout, stderr, code := command(t, "run", "--dry-run", "--keys-file", path)
		if code != 0 || unprintable(stdout+stderr) {
			t.Errorf("%q: exit %d, %q, %q", name, code, stdout, stderr)
		}
		head := provenance(t, path)
		if err := head.Check(); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if got := head.Get("keys-file"); !strings.HasPrefix(got, `"`) {
			t.Errorf("%q: keys-file is %s", name, got)
		}
		os.WriteFile(path, nil, 0o644)
		if _, stderr, _ := command(t, "run", "--keys-file", path); unprintable(stderr) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: error %q", name, stderr)
		}
	}
	for name, want := range map[string]string{"a b.txt": "a b.txt", "鍵.txt": "鍵.txt", `a"b`: `"a\"b"`, "a\u202eb": `"a\u202eb"`} {
		if got := plainName(name); got != want {
			t.Errorf("%q is written %s, want %s", name, got, want)
		}
	}
	if got, want := oneLine(errors.New("a\x1bb\xffc \ufffd\n\n d\te\n")), `a\x1bb\xffc `+"\ufffd; d e"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPages(t *testing.T) {
	for _, c := range [][3]string{
		{"linux", "always", "huge"}, {"linux", "madvise", "huge"}, {"linux", "never", "small"},
		{"linux", "", "small"}, {"darwin", "", "heap"},
	} {
		if got := pages(machine.Info{OS: c[0], THP: c[1]}, memory.PagesAuto); got != c[2] {
			t.Errorf("%s, %q: %s, want %s", c[0], c[1], got, c[2])
		}
		if got := pages(machine.Info{OS: c[0], THP: c[1]}, memory.PagesSmall); got != "small" {
			t.Errorf("%s, %q: %s where small pages were asked for and offered", c[0], c[1], got)
		}
	}
}

func TestTextbookIsInterrupted(t *testing.T) {
	start := time.Now()
	stderr, code := cancelled(t, 50*time.Millisecond, "textbook", "--n", "3000000")
	if code != 130 || stderr != "runbench: interrupted\n" || time.Since(start) > 2*time.Second {
		t.Errorf("exit %d after %v, %q", code, time.Since(start), stderr)
	}
}

// What cannot be written is an error.
func TestListToAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	whole := t.TempDir()
	interrupt(t, whole)
	for _, args := range [][]string{{"list"}, {"cpu"}, {"textbook"}, {"size", "--n", "10", "--fpr", "0.1"}, {"report", whole}, {"run", "--dry-run"}} {
		var log bytes.Buffer
		if code := run(t.Context(), args, full, &log); code == 0 {
			t.Errorf("%v: exit 0", args)
		}
	}
}

// validate warns of the files as report does, and tells a broken file from none.
func TestValidateWarns(t *testing.T) {
	dir := t.TempDir()
	interrupt(t, dir)
	stdout, _, _ := command(t, "validate", dir)
	if want := "warning: textbook.txt is incomplete: "; !strings.HasPrefix(stdout, want) {
		t.Errorf("validate begins with %.80q, want %q", stdout, want)
	}
	path := filepath.Join(dir, "textbook.txt")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(path, slices.Concat(data, []byte("BenchmarkTextbook/x=1 broken\n")), 0o644)
	if _, stderr, code := command(t, "validate", dir); code != 1 || !strings.Contains(stderr, "textbook.txt:") {
		t.Errorf("a broken line: exit %d, %s", code, stderr)
	}
	if _, _, code := command(t, "validate", filepath.Join(dir, "none")); code != 2 {
		t.Errorf("no folder: exit %d", code)
	}
}
