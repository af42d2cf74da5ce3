package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The README's benchstat commands work on the committed results.
func TestReadmeCommands(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, line := range strings.Split(string(data), "\n") {
		command := strings.TrimSpace(line)
		if !strings.HasPrefix(command, "go tool benchstat") {
			continue
		}
		found++
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = "../.."
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "blocked") || strings.Contains(string(out), "benchmarks vary") {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
	if found == 0 {
		t.Error("the README shows no benchstat command")
	}
}
