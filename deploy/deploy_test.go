package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Actions are pinned by commit, with the tag beside it: tags can be moved.
func TestActionsArePinned(t *testing.T) {
	files, _ := filepath.Glob("../.github/workflows/*.yml")
	if len(files) == 0 {
		t.Fatal("no workflows")
	}
	uses := regexp.MustCompile(`uses: (.*)`)
	pinned := regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for _, f := range files {
		all := uses.FindAllStringSubmatch(read(t, f), -1)
		if len(all) == 0 {
			t.Errorf("%s uses nothing", f)
		}
		for _, m := range all {
			if !pinned.MatchString(m[1]) {
				t.Errorf("%s: %q is not pinned by commit with its tag", f, m[1])
			}
		}
	}
}

// What the files tell make to do, make can do.
func TestTargetsExist(t *testing.T) {
	makefile := read(t, "../Makefile")
	for _, f := range []string{"../.github/workflows/test.yml", "../.github/workflows/profile.yml", "Dockerfile"} {
		for _, m := range regexp.MustCompile(`\bmake (?:-C \w+ )?([a-z-]+)`).FindAllStringSubmatch(read(t, f), -1) {
			if !strings.Contains(makefile, "\n"+m[1]+":") {
				t.Errorf("%s: make %s: there is no such target", f, m[1])
			}
		}
	}
}

// The number of shards is written twice in the Job, and once in the array's range.
func TestShardCounts(t *testing.T) {
	job := read(t, "kubernetes.yaml")
	one := func(pattern string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(job)
		if m == nil {
			t.Fatalf("kubernetes.yaml has no %s", pattern)
		}
		return m[1]
	}
	completions, shards := one(`completions: (\d+)`), one(`FILTERBENCH_SHARDS\s+value: "(\d+)"`)
	if completions != shards {
		t.Errorf("%s completions, and %s shards", completions, shards)
	}
	if !regexp.MustCompile(`--array=1-\d+\n`).MatchString(read(t, "slurm.sh")) {
		t.Error("slurm.sh has no array from 1 on")
	}
}
