package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filterbench/results"
)

// sharded runs two experiments in n parts and returns their folders.
func sharded(t *testing.T, dir, seed string, n int) (parts []string) {
	t.Helper()
	for i := range n {
		part := filepath.Join(dir, fmt.Sprint("part", i+1))
		stdout, stderr, code := command(t, "run", "textbook", "fpr", "--filters", "set", "--seed", seed,
			"--shard", fmt.Sprintf("%d/%d", i+1, n), "--out", part)
		if code != 0 || !strings.Contains(stdout, fmt.Sprintf("shard %d of %d", i+1, n)) {
			t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
		}
		parts = append(parts, part)
	}
	return parts
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

func TestShardsMergeToTheWhole(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole")
	if _, stderr, code := command(t, "run", "textbook", "fpr", "--filters", "set", "--seed", "5", "--out", whole); code != 0 {
		t.Fatal(stderr)
	}
	want := countedIn(t, whole)
	for _, n := range []int{2, 3, 9} { // nine are more than textbook has units
		parts := sharded(t, filepath.Join(dir, fmt.Sprint(n)), "5", n)
		out := filepath.Join(dir, fmt.Sprint("merged", n))
		stdout, stderr, code := command(t, append([]string{"merge", "--out", out}, parts...)...)
		if code != 0 {
			t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
		}
		if got := countedIn(t, out); !bytes.Equal(got, want) || len(got) == 0 {
			t.Errorf("%d shards merge to something else than the whole run: %d bytes, want %d", n, len(got), len(want))
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	dir := t.TempDir()
	parts := sharded(t, filepath.Join(dir, "a"), "5", 3)
	other := sharded(t, filepath.Join(dir, "b"), "6", 3)
	again := sharded(t, filepath.Join(dir, "c"), "5", 3)
	two := sharded(t, filepath.Join(dir, "d"), "5", 2)

	cut := filepath.Join(dir, "cut")
	if err := os.CopyFS(cut, os.DirFS(parts[1])); err != nil {
		t.Fatal(err)
	}
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
	tests := []struct {
		parts []string
		want  string
		code  int
	}{
		{[]string{parts[0], parts[2]}, "shard 2 of 3 is missing, with ", 1},
		{[]string{parts[0], other[1], parts[2]}, "seed is 5 there and 6 here", 1},
		{[]string{parts[0], parts[1], two[1]}, "it has 3 shards there and 2 here", 1},
		{[]string{parts[0], cut, parts[2]}, "shard 2 of 3 is not finished", 1},
		{[]string{filepath.Join(dir, "none")}, "holds no part of a run", 1},
		{[]string{hostile}, "shard 7 of 3 is none", 1},
		{nil, "merge takes the folders of the parts", 1},
		{[]string{parts[0], parts[1], parts[2], again[1]}, again[1] + ": the latter, which is newer, counts", 0},
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
