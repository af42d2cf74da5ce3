package results

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestLock(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no locks on folders")
	}
	dir := t.TempDir()
	first, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir); err == nil || !strings.Contains(err.Error(), "another run is at work in "+dir) {
		t.Errorf("a second lock: %v", err)
	}
	first.Close()
	again, err := Lock(dir)
	if err != nil {
		t.Fatalf("after the first was closed: %v", err)
	}
	again.Close()
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := Lock(filepath.Join(dir, "none")); err == nil {
		t.Error("locked a folder that is not there")
	}
}
