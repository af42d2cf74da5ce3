package results

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// writePart makes a part whose two shards have a counted and a timed unit each.
func writePart(t *testing.T, shard int, cpu string, timed bool) Part {
	t.Helper()
	dir := t.TempDir()
	run := []ConfigLine{{"schema", SchemaVersion}, {"seed", "1"}, {"shard", string(rune('0' + shard))}}
	p := Part{Shard: shard, Of: 2, Run: run, Config: append(run[:2:2], ConfigLine{"cpu", cpu})}
	for s := 1; s <= 2; s++ {
		for _, u := range []string{"a", "b"} {
			unit := PlannedUnit{Experiment: "fpr", Unit: u + string(rune('0'+s)), Shard: s, Steps: 1, Alone: timed && u == "b"}
			p.Units = append(p.Units, unit)
		}
	}
	j, err := Create(JournalPath(dir), run)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, u := range p.Units {
		if u.Shard == shard {
			r := Record{Name: "FPR", Axes: []Axis{{"filter", u.Unit}}, Iters: 1, Values: []Value{{"fp", 1}}}
			if err := j.Append(Entry{u.Experiment, u.Unit, 0, []Record{r}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := WritePart(dir, p); err != nil {
		t.Fatal(err)
	}
	back, err := ReadPart(dir)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// Counts of two CPUs join, in the order of the plan; times do not.
func TestMergeOfTwoCPUs(t *testing.T) {
	files, _, err := Merge([]Part{writePart(t, 2, "B", false), writePart(t, 1, "A", false)})
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	var names []string
	for _, r := range files[0].Records {
		names = append(names, r.Axis("filter"))
	}
	if got := strings.Join(names, " "); got != "a1 b1 a2 b2" {
		t.Errorf("merged in the order %s", got)
	}
	_, _, err = Merge([]Part{writePart(t, 1, "A", true), writePart(t, 2, "B", true)})
	if err == nil || !strings.Contains(err.Error(), "cpu is A there and B here") {
		t.Errorf("times of two CPUs: %v", err)
	}
	if _, _, err = Merge([]Part{writePart(t, 1, "A", true), writePart(t, 2, "A", true)}); err != nil {
		t.Errorf("times of two machines alike: %v", err)
	}
	if _, _, err = Merge(nil); err == nil {
		t.Error("nothing merges to something")
	}
}

// A part.json that nothing of this program wrote is refused before memory is
// taken or records are lost for it.
func TestReadPartIsStrict(t *testing.T) {
	good := writePart(t, 1, "A", false)
	for _, c := range []struct {
		what   string
		doctor func(p *Part)
		want   string
	}{
		{"no shards", func(p *Part) { p.Of = 0 }, "shard 1 of 0"},
		{"a shard beyond the last", func(p *Part) { p.Shard = 3 }, "shard 3 of 2"},
		{"many shards", func(p *Part) { p.Of = math.MaxInt }, "at most 10000"},
		{"a unit twice", func(p *Part) { p.Units[1] = p.Units[0] }, "listed twice"},
		{"one experiment inside another", func(p *Part) { p.Units[1].Experiment = "lookup" }, "the units of fpr do not follow each other"},
	} {
		p := good
		p.Units = slices.Clone(good.Units)
		c.doctor(&p)
		dir := t.TempDir()
		if err := WritePart(dir, p); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPart(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
}

// A folder that is named twice is no older run of itself.
func TestMergeOfAPartTwice(t *testing.T) {
	one, two := writePart(t, 1, "A", false), writePart(t, 2, "A", false)
	if _, notes, err := Merge([]Part{one, two, two}); err != nil || len(notes) > 0 {
		t.Errorf("%v, notes %q", err, notes)
	}
}

// A part may lie on a read-only volume, or its run may still be writing: merging
// changes nothing there.
func TestMergeOnlyReads(t *testing.T) {
	one, two := writePart(t, 1, "A", false), writePart(t, 2, "A", false)
	path := JournalPath(two.dir)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before := append(whole, `{"Experiment":"fpr","Un`...)
	if err := os.WriteFile(path, before, 0o444); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Merge([]Part{one, two}); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the journal has %d bytes, and had %d; %v", len(after), len(before), err)
	}
}
