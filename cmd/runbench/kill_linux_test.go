package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"filterbench/filters/machine"
	"filterbench/results"
)

// kill -9 in the middle of a timing group loses at most the round under way:
// every round that was on disk is in the results of the resumed run as it was,
// the others follow, and what is counted is what a run in one go counts.
func TestKillAndResume(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the program three times")
	}
	if thp := machine.This().THP; thp != "always" && thp != "madvise" {
		t.Skip("there are no huge pages to time: " + thp)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "runbench")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	command := func(out string, more ...string) *exec.Cmd {
		args := append([]string{"run", "pages", "--filters", "blocked:block=64", "--out", out}, more...)
		return exec.Command(program, args...)
	}
	whole, killed := filepath.Join(dir, "whole"), filepath.Join(dir, "killed")
	var wg sync.WaitGroup
	wg.Go(func() { // beside the other: what is compared with it is counted
		if out, err := command(whole).CombinedOutput(); err != nil {
			t.Errorf("in one go: %v\n%s", err, out)
		}
	})
	before := killAfter(t, command(killed), filepath.Join(killed, "journal.jsonl"), "pages", 3)
	out, err := command(killed, "--resume").CombinedOutput()
	wg.Wait()
	if err != nil {
		t.Fatalf("resumed: %v\n%s", err, out)
	}

	after := readResults(t, killed, "pages").Records
	rounds, perRound := len(before), len(before[0].Records)
	if rounds >= 10 || len(after) != 10*perRound {
		t.Fatalf("%d rounds before it was killed, %d records of %d a round after it was resumed", rounds, len(after), perRound)
	}
	for i, e := range before {
		if got := after[i*perRound:][:perRound]; !reflect.DeepEqual(got, e.Records) {
			t.Errorf("round %d of %d, which was on disk, was measured again:\n%v\nbefore:\n%v", i, rounds, got, e.Records)
		}
	}
	a, b := results.CountedBytes(readResults(t, whole, "pages")), results.CountedBytes(readResults(t, killed, "pages"))
	if len(a) == 0 || !bytes.Equal(a, b) {
		t.Errorf("resumed:\n%s\nin one go:\n%s", b, a)
	}
}

// killAfter starts a run and kills it once the journal holds so many rounds of
// an experiment. It returns those that it holds then.
func killAfter(t *testing.T, run *exec.Cmd, journal, experiment string, rounds int) []results.Entry {
	t.Helper()
	var log bytes.Buffer
	run.Stderr = &log
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	for {
		select {
		case err := <-ended:
			t.Fatalf("the run ended before it could be killed: %v\n%s", err, &log)
		case <-time.After(time.Millisecond):
		}
		if len(entriesOf(t, journal, experiment)) >= rounds {
			break
		}
	}
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Fatal("the run was over before it was killed")
	}
	return entriesOf(t, journal, experiment)
}

// entriesOf are the whole lines of a journal that an experiment wrote.
func entriesOf(t *testing.T, journal, experiment string) (entries []results.Entry) {
	t.Helper()
	data, err := os.ReadFile(journal)
	if err != nil {
		return nil // not yet
	}
	for line := range bytes.Lines(data) {
		var e results.Entry
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if e.Experiment == experiment {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b results.Entry) int { return a.Step - b.Step })
	return entries
}

func readResults(t *testing.T, dir, experiment string) results.File {
	t.Helper()
	f, err := results.ReadFile(filepath.Join(dir, experiment+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
