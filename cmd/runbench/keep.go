package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"filterbench/experiments"
	"filterbench/results"
)

func (f *runFlags) journalPath() string { return results.JournalPath(f.out) }

// openJournal begins a journal, or goes on with the one of an interrupted run.
// One that is there and not wanted is put aside, not lost.
func (f *runFlags) openJournal(identity []results.ConfigLine, log io.Writer) (*results.Journal, error) {
	path := f.journalPath()
	if f.resume {
		j, err := results.Resume(path, identity)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("--resume: there is no interrupted run in %s", f.out)
		}
		if err != nil {
			return nil, fmt.Errorf("--resume: %w", err)
		}
		return j, nil
	}
	if _, err := os.Stat(path); err == nil {
		aside, err := putAside(path)
		if err != nil {
			return nil, fmt.Errorf("--out: %w", err)
		}
		fmt.Fprintf(log, "the journal of an interrupted run is now %s; renamed back to %s, --resume goes on with it\n",
			plainName(aside), filepath.Base(path))
	}
	j, err := results.Create(path, identity)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	return j, nil
}

// putAside renames a file to the first name that is free: .old, .old2, ...
func putAside(path string) (aside string, err error) {
	aside = path + ".old"
	for i := 2; ; i++ {
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			return aside, os.Rename(path, aside)
		}
		aside = fmt.Sprintf("%s.old%d", path, i)
	}
}

// finish saves what a run measured, says where it is, and removes the journal
// once the results files hold all of it. runErr is what ended the run.
func (f *runFlags) finish(plan *experiments.Plan, journal *results.Journal, config []results.ConfigLine, runErr error, out, log io.Writer) error {
	saved, err := plan.Save(journal, f.out, config)
	for _, path := range saved.Written {
		fmt.Fprintln(out, "wrote", plainName(path))
	}
	for _, path := range saved.Kept {
		fmt.Fprintf(log, "%s holds more and stays as it is; what this run measured is in %s, and --resume completes it\n",
			plainName(path), plainName(f.journalPath()))
	}
	if runErr == nil && err == nil && saved.Missing > 0 {
		runErr = fmt.Errorf("%d planned units were not measured", saved.Missing)
	}
	if runErr != nil || err != nil {
		return f.stopped(journal, runErr, err)
	}
	gate := plan.Gate(journal)
	if err := removeJournal(f.journalPath()); err != nil {
		return err
	}
	if gate != nil {
		return fmt.Errorf("the results are saved, but not all of them can be right: %w", gate)
	}
	return nil
}

// stopped explains what ended a run early, and what is left of it.
func (f *runFlags) stopped(journal *results.Journal, runErr, saveErr error) error {
	interrupted := errors.Is(runErr, context.Canceled)
	if journal.Len() == 0 {
		if interrupted {
			runErr = exitError{130, errors.New("interrupted before anything was measured")}
		}
		return errors.Join(runErr, saveErr, removeJournal(f.journalPath()))
	}
	if interrupted {
		return exitError{130, errors.Join(fmt.Errorf("interrupted; what was measured is in %s; the same command with --resume goes on", plainName(f.journalPath())), saveErr)}
	}
	hint := "the same command with --resume goes on from " + plainName(f.journalPath())
	if errors.Is(errors.Join(runErr, saveErr), syscall.ENOSPC) {
		hint = "once there is room, " + hint
	}
	if runErr != nil && saveErr != nil {
		saveErr = fmt.Errorf("saving what was measured failed too: %w", saveErr)
	}
	return errors.Join(runErr, saveErr, errors.New(hint))
}

func removeJournal(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
