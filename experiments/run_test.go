package experiments

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filterbench/results"
)

// fakePlan has units that are done at once, three of one step each.
func fakePlan() *Plan {
	var units []Unit
	for _, id := range []string{"a", "b", "c"} {
		units = append(units, Unit{ID: id, Steps: 1, Cost: time.Second, Run: func(_ context.Context, _ int, emit Emit) error {
			return emit(0, []results.Record{record("Textbook", axes("part", "fake", "key", id), "m", 1)})
		}})
	}
	return &Plan{Parts: []Part{{Experiment{Name: "textbook"}, units}}}
}

// journalOf holds the first units of the plan, done.
func journalOf(t *testing.T, p *Plan, done int) *results.Journal {
	t.Helper()
	j, err := results.Create(filepath.Join(t.TempDir(), "journal"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	first := &Plan{Parts: []Part{{p.Parts[0].Experiment, p.Parts[0].Units[:done]}}}
	if err := first.Run(t.Context(), j, nil); err != nil {
		t.Fatal(err)
	}
	return j
}

// What holds more stays: a complete file, or one of more units. What holds less,
// or as much of the same run, makes way.
func TestSaveReplacesOnlyWhatHoldsLess(t *testing.T) {
	for _, c := range []struct {
		before string // what lies there: "", a number of units, or "broken"
		done   int
		after  string
	}{
		{"", 0, ""}, {"", 1, "1"}, {"", 3, "3"},
		{"1", 0, "1"}, {"1", 1, "1 new"}, {"1", 2, "2"}, {"1", 3, "3"},
		{"2", 1, "2"}, {"3", 2, "3"}, {"3", 3, "3 new"},
		{"broken", 2, "broken"},
	} {
		dir, p := filepath.Join(t.TempDir(), "results"), fakePlan()
		path := filepath.Join(dir, "textbook.txt")
		switch c.before {
		case "":
		case "broken":
			os.Mkdir(dir, 0o777)
			os.WriteFile(path, []byte("broken"), 0o644)
		default:
			saved, err := p.Save(journalOf(t, p, int(c.before[0]-'0')), dir, []results.ConfigLine{{Key: "seed", Value: "1"}})
			if err != nil || len(saved.Written) != 1 {
				t.Fatal(saved, err)
			}
		}
		saved, err := p.Save(journalOf(t, p, c.done), dir, []results.ConfigLine{{Key: "seed", Value: "2"}})
		if err != nil {
			t.Fatal(err)
		}
		if saved.Missing != 3-c.done {
			t.Errorf("%+v: %d units missing", c, saved.Missing)
		}
		kept := c.done > 0 && c.after == c.before
		if c.before == "" {
			kept = false
		}
		if (len(saved.Kept) == 1) != kept || (len(saved.Written) == 1) != (c.done > 0 && !kept) {
			t.Errorf("%+v: %+v", c, saved)
		}
		f, err := results.ReadFile(path)
		if want := c.after; want == "" || want == "broken" {
			if err == nil {
				t.Errorf("%+v: there is a file", c)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Records) != int(c.after[0]-'0') || (f.Get("incomplete") == "") != (len(f.Records) == 3) {
			t.Errorf("%+v: %d records, incomplete: %q", c, len(f.Records), f.Get("incomplete"))
		}
		if strings.HasSuffix(c.after, "new") && f.Get("seed") != "2" {
			t.Errorf("%+v: the file is the old one", c)
		}
	}
}

func TestLeft(t *testing.T) {
	p := fakePlan()
	units, d := p.Left(journalOf(t, p, 1))
	if want := 2 * (time.Second / time.Duration(Workers())); units != 2 || d != want {
		t.Errorf("%d units and %v left, want 2 and %v", units, d, want)
	}
}

// The program of 20 million keys would take minutes: it ends soon after the
// context does, also while it still adds keys.
func TestProgramIsCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := RunProgram(ctx, 20_000_000, 0.01); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("it went on for %v", took)
	}
}
