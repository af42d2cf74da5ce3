package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"filterbench/results"
)

// sharded runs an experiment in n parts and returns their folders.
func sharded(t *testing.T, dir string, n int) (parts []string) {
	t.Helper()
	for i := range n {
		part := filepath.Join(dir, fmt.Sprint("part", i+1))
		stdout, stderr, code := command(t, "run", "textbook", "--seed", "5", "--shard", fmt.Sprintf("%d/%d", i+1, n), "--out", part)
		if code != 0 || !strings.Contains(stdout, fmt.Sprintf("shard %d of %d", i+1, n)) {
			t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
		}
		parts = append(parts, part)
	}
	return parts
}

// doctored is a copy of a part whose part.json and journal say something else.
func doctored(t *testing.T, part string, replace ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "part")
	if err := os.CopyFS(dir, os.DirFS(part)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "part.json"), results.JournalPath(dir)} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.NewReplacer(replace...).Replace(string(data))), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// countedIn is what the folder's files have counted.
func countedIn(t *testing.T, dir string) (all []byte) {
	t.Helper()
	set, err := results.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range set.Files {
		all = append(all, results.CountedBytes(f)...)
	}
	return all
}

// Shards merge to what the whole run counts; one shard is more than there are units.
func TestShardsMerge(t *testing.T) {
	dir := t.TempDir()
	parts := sharded(t, dir, 6)
	t.Run("whole", func(t *testing.T) { mergesToTheWhole(t, dir, parts) })
	t.Run("refuses", func(t *testing.T) { mergeRefuses(t, dir, parts) })
}

func mergesToTheWhole(t *testing.T, dir string, parts []string) {
	whole, out := filepath.Join(dir, "whole"), filepath.Join(dir, "merged")
	if _, stderr, code := command(t, "run", "textbook", "--seed", "5", "--out", whole); code != 0 {
		t.Fatal(stderr)
	}
	stdout, stderr, code := command(t, append([]string{"merge", "--out", out}, parts...)...)
	if code != 0 {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	if got, want := countedIn(t, out), countedIn(t, whole); !bytes.Equal(got, want) || len(got) == 0 {
		t.Errorf("the shards merge to something else than the whole run: %d bytes, want %d", len(got), len(want))
	}
	if _, stderr, code := command(t, "validate", out); code != 2 { // the golden numbers agree; the 9.6 bits were not measured
		t.Errorf("validate: exit %d, %s", code, stderr)
	}
}

func mergeRefuses(t *testing.T, dir string, parts []string) {
	other := doctored(t, parts[1], `{"Key":"seed","Value":"5"}`, `{"Key":"seed","Value":"6"}`)
	again := doctored(t, parts[1], `{"Key":"date","Value":"20`, `{"Key":"date","Value":"21`)
	fewer := doctored(t, parts[1], `"Of":6`, `"Of":7`)
	cut := doctored(t, parts[1])
	journal, err := os.ReadFile(results.JournalPath(cut))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(bytes.TrimSpace(journal), []byte("\n"))
	if err := os.WriteFile(results.JournalPath(cut), bytes.Join(lines[:len(lines)-1], nil), 0o666); err != nil {
		t.Fatal(err)
	}
	hostile := filepath.Join(dir, "hostile")
	if err := os.Mkdir(hostile, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(hostile, "part.json"), []byte(`{"Schema":"1","Shard":7,"Of":3}`), 0o666); err != nil {
		t.Fatal(err)
	}

	out := filepath.Join(dir, "out")
	with := func(i int, part ...string) []string { return slices.Concat(parts[:i], part, parts[i+1:]) }
	tests := []struct {
		parts []string
		want  string
		code  int
	}{
		{with(1), "shard 2 of 6 is missing, with ", 1},
		{with(1, other), "seed is 5 there and 6 here", 1},
		{with(1, fewer), "it has 6 shards there and 7 here", 1},
		{with(1, cut), "shard 2 of 6 is not finished", 1},
		{[]string{filepath.Join(dir, "none")}, "holds no part of a run", 1},
		{[]string{hostile}, "shard 7 of 3 is none", 1},
		{nil, "merge takes the folders of the parts", 1},
		{with(0, parts[0], again), again + ": the latter, which is newer, counts", 0},
	}
	for _, tt := range tests {
		_, stderr, code := command(t, append([]string{"merge", "--out", out}, tt.parts...)...)
		if code != tt.code || !strings.Contains(stderr, tt.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("merge %v: exit %d, want %d and %q:\n%s", tt.parts, code, tt.code, tt.want, stderr)
		}
		if _, err := os.Stat(out); err == nil && tt.code != 0 {
			t.Errorf("merge %v left a results folder", tt.parts)
		}
	}
}

func TestShardFlag(t *testing.T) {
	for _, bad := range []string{"", "1", "0/3", "4/3", "a/b", "1/100000", "-1/2"} {
		if err := new(shardFlag).Set(bad); err == nil {
			t.Errorf("--shard %q is taken", bad)
		}
	}
}

func TestScheduledShard(t *testing.T) {
	tests := []struct {
		env  string
		want string // i/N, "" for none, or part of the error
	}{
		{"", ""},
		{"JOB_COMPLETION_INDEX=0 FILTERBENCH_SHARDS=4", "1/4"},
		{"JOB_COMPLETION_INDEX=3 FILTERBENCH_SHARDS=4", "4/4"},
		{"JOB_COMPLETION_INDEX=3", "set FILTERBENCH_SHARDS"},
		{"JOB_COMPLETION_INDEX=4 FILTERBENCH_SHARDS=4", "not a shard"},
		{"SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=8", "1/8"},
		{"SLURM_ARRAY_TASK_ID=14 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=3", "3/3"},
		{"SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=2", "1/2"},
		{"SLURM_ARRAY_TASK_ID=x SLURM_ARRAY_TASK_COUNT=2", "are no shard"},
		{"AWS_BATCH_JOB_ARRAY_INDEX=5 AWS_BATCH_JOB_ARRAY_SIZE=6", "6/6"},
	}
	for _, tt := range tests {
		env := map[string]string{}
		for _, v := range strings.Fields(tt.env) {
			k, value, _ := strings.Cut(v, "=")
			env[k] = value
		}
		s, _, err := scheduledShard(func(k string) string { return env[k] })
		if err == nil && s.String() != tt.want || err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %s, %v; want %q", tt.env, &s, err, tt.want)
		}
	}
}
