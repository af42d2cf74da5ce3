package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// committed is the results folder that the README shows.
const committed = "results/intel-xeon-f6m207s2"

// readmeCommands are the README's lines for this program, without comments.
func readmeCommands(t *testing.T) (commands [][]string) {
	t.Helper()
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(data), "\n") {
		if command, ok := strings.CutPrefix(strings.TrimSpace(line), "bin/runbench "); ok && strings.HasPrefix(line, "    ") {
			command, _, _ = strings.Cut(command, "#")
			commands = append(commands, strings.Fields(command))
		}
	}
	return commands
}

// Every command of the README works in a folder that has what they speak of: runs
// are only planned, and the two builds of ab are fake.
func TestReadmeProgram(t *testing.T) {
	commands := readmeCommands(t)
	if len(commands) < 10 {
		t.Fatalf("%d commands", len(commands))
	}
	old, now := fakeBuild(t, 1, 10), fakeBuild(t, 50, 10)
	from, err := filepath.Abs("../../" + committed)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, dir := range []string{committed, committed + "-quick", "results/local", "results/nightly/1", "results/nightly/2"} {
		copyResults(t, from, dir)
	}
	if err := os.Mkdir("bin", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("urls.txt", []byte(strings.Join(lines(2000), "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		_, stderr, code := command(t, "run", "textbook", "--shard", fmt.Sprintf("%d/3", i+1), "--out", fmt.Sprintf("results/part%d", i+1))
		if code != 0 {
			t.Fatal(stderr)
		}
	}
	for _, args := range commands {
		switch args[0] {
		case "run":
			args = append(args, "--dry-run")
		case "add-machine":
			args = append(args, "--into", "results/filed")
		case "ab":
			args[1], args[2] = old, now
		}
		stdout, stderr, code := command(t, args...)
		if code != 0 || stdout == "" {
			t.Errorf("runbench %s: exit %d\n%s", strings.Join(args, " "), code, stderr)
		}
	}
}

func lines(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("https://example.org/%d", i)
	}
	return out
}

// copyResults copies a folder's results files, without its report.
func copyResults(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o777); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(from, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal(from, err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(path)), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// doctor replaces text in a results file.
func doctor(t *testing.T, path, old, now string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), old) {
		t.Fatalf("%s has no %q: %v", path, old, err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), old, now, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestAddMachineAndCI(t *testing.T) {
	from, err := filepath.Abs("../../" + committed)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv(summaryVariable, "summary.md")
	copyResults(t, from, "results/local")

	// No reference of this CPU: one is filed, and is the next run's.
	stdout, stderr, code := command(t, "ci")
	filed := filepath.FromSlash(committed)
	if code != 0 || !strings.Contains(stdout, "filed as one: "+filed) {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	for _, name := range []string{"fpr.txt", "README.md", "report/index.html"} {
		if _, err := os.Stat(filepath.Join(filed, name)); err != nil {
			t.Error(err)
		}
	}
	stdout, _, code = command(t, "ci", "--json", "ci.json")
	if code != 0 || !strings.Contains(stdout, "0 worse") || !strings.Contains(stdout, "counted records are equal") || strings.Contains(stdout, "filed") {
		t.Errorf("beside its own reference: exit %d\n%s", code, stdout)
	}
	for _, path := range []string{"summary.md", "ci.json"} {
		if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "come out as established") {
			t.Errorf("%s: %v\n%s", path, err, data)
		}
	}

	// Another CPU must count the same; a count that differs fails.
	doctor(t, filepath.Join("results/local", "fpr.txt"), "cpu: ", "cpu: Another ")
	if _, stderr, code = command(t, "add-machine"); code == 0 || !strings.Contains(stderr, "do not agree on their cpu") {
		t.Errorf("files of two CPUs: exit %d, %s", code, stderr)
	}
	doctor(t, filepath.Join("results/local", "textbook.txt"), " 114 fp-10000", " 115 fp-10000")
	stdout, _, code = command(t, "ci")
	if code != 1 || !strings.Contains(stdout, "counts differ from") {
		t.Errorf("a doctored count: exit %d\n%s", code, stdout)
	}
	copyResults(t, from, "results/local")
	if _, stderr, code = command(t, "add-machine"); code == 0 || !strings.Contains(stderr, "is there already; --replace") {
		t.Errorf("a reference that is there: exit %d, %s", code, stderr)
	}
	if err := os.Remove("results/local/memory.txt"); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code = command(t, "add-machine", "--replace"); code == 0 || !strings.Contains(stderr, "lacks memory.txt") {
		t.Errorf("a folder that lacks an experiment: exit %d, %s", code, stderr)
	}
}
