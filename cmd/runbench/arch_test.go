package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"filterbench/filters/simd"
	"filterbench/results"
)

// The program itself on an x86-64 CPU without AVX2, as qemu emulates it: it says
// that portable code answers, refuses a kernel that is asked for by name, and
// counts what it counts here. `make test-arch` runs it.
func TestCountedWithoutAVX2(t *testing.T) {
	if testing.Short() || runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		t.Skip("for the whole tests on linux/amd64")
	}
	qemu := find("qemu-x86_64-static", "qemu-x86_64")
	if qemu == "" {
		t.Skip("no qemu-x86_64 (Debian: qemu-user-static)")
	}
	program := filepath.Join(t.TempDir(), "runbench")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	old := func(args ...string) (string, error) {
		out, err := exec.Command(qemu, append([]string{"-cpu", "Nehalem", program}, args...)...).CombinedOutput()
		return string(out), err
	}
	kernel := ""
	out, err := old("cpu")
	for line := range strings.Lines(out) {
		if rest, ok := strings.CutPrefix(line, "kernels "); ok {
			kernel = strings.TrimSpace(rest)
		}
	}
	if err != nil || kernel != simd.Portable {
		t.Errorf("cpu (%v) names the kernels %q, want %s:\n%s", err, kernel, simd.Portable, out)
	}
	out, err = old("run", "fpr", "--filters", "bloom,blocked:kernel=avx2", "--out", t.TempDir())
	if want := "kernel=avx2: this CPU lacks AVX2 or BMI2"; err == nil || !strings.Contains(out, want) {
		t.Errorf("a kernel that is not there: %v, no %q in\n%s", err, want, out)
	}
	// A part of the rates, which has some of every family with a kernel.
	part := func(dir string) []string {
		return []string{"run", "fpr", "--filters", strings.Join(partFilters, ","), "--shard", "5/30", "--out", dir}
	}
	here, there := t.TempDir(), t.TempDir()
	if out, err := exec.Command(program, part(here)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := old(part(there)...); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want, got := countedPart(t, here), countedPart(t, there)
	for _, f := range partFilters {
		if !bytes.Contains(want, []byte("filter="+f)) {
			t.Errorf("the part has no %s: choose another", f)
		}
	}
	if !bytes.Equal(want, got) {
		t.Errorf("here the part counts\n%s\nwithout AVX2\n%s", want, got)
	}
}

var partFilters = []string{"blocked:block=64", "bloom", "counting", "splitblock"}

func find(names ...string) string {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// countedPart is what the journal in a folder has counted.
func countedPart(t *testing.T, dir string) []byte {
	t.Helper()
	data, err := os.ReadFile(results.JournalPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	var f results.File
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		if i == 0 {
			continue // what ran
		}
		var e results.Entry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("line %d of the journal: %v", i+1, err)
		}
		f.Records = append(f.Records, e.Records...)
	}
	return results.CountedBytes(f)
}
