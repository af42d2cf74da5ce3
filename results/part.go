package results

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Part is one shard of a run that is divided among machines: what part.json says
// in its folder, beside the journal that holds what was measured. All parts of a
// run list the whole plan, so that a lost one can be named.
type Part struct {
	Schema    string
	Shard, Of int // from 1
	Run       []ConfigLine
	Config    []ConfigLine // of the results files
	Units     []PlannedUnit

	dir string
}

// PlannedUnit is a unit of the whole run and the shard that does it.
type PlannedUnit struct {
	Experiment, Unit string
	Shard            int
	Steps            int
	Alone            bool // it times or weighs: its numbers are of one machine
}

const (
	partName    = "part.json"
	journalName = "journal.jsonl"
	maxPart     = 64 << 20 // bytes of a part.json that is read

	// MaxShards is into how many parts a run can be divided: more than it has units.
	MaxShards = 10_000
)

// JournalPath is where the run in a folder keeps its journal.
func JournalPath(dir string) string { return filepath.Join(dir, journalName) }

// WritePart writes part.json into the folder of a part.
func WritePart(dir string, p Part) error {
	p.Schema = SchemaVersion
	return writeAtomically(filepath.Join(dir, partName), jsonLine{p})
}

// ReadPart reads the part in a folder. What cannot be one is an error that names
// the file.
func ReadPart(dir string) (Part, error) {
	path := filepath.Join(dir, partName)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Part{}, fmt.Errorf("%s holds no part of a run: `runbench run --shard i/N --out %s` makes one", dir, dir)
	case err != nil:
		return Part{}, err
	case info.Size() > maxPart:
		return Part{}, fmt.Errorf("%s has %d bytes; at most %d are read", path, info.Size(), maxPart)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Part{}, err
	}
	p := Part{dir: dir}
	if err := json.Unmarshal(data, &p); err != nil {
		return Part{}, fmt.Errorf("%s: %w", path, err)
	}
	if err := p.check(); err != nil {
		return Part{}, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

func (p Part) check() error {
	switch {
	case p.Schema != SchemaVersion:
		return fmt.Errorf("schema %q; this program reads and writes schema %s", p.Schema, SchemaVersion)
	case p.Shard < 1 || p.Shard > p.Of || p.Of > MaxShards:
		return fmt.Errorf("shard %d of %d is none; allowed: 1 to at most %d", p.Shard, p.Of, MaxShards)
	case len(p.Units) == 0:
		return errors.New("it lists no units")
	}
	seen, begun := map[unitKey]bool{}, map[string]bool{}
	for i, u := range p.Units {
		if i == 0 || u.Experiment != p.Units[i-1].Experiment {
			if begun[u.Experiment] { // its file would be written twice, each time with a part
				return fmt.Errorf("the units of %s do not follow each other", u.Experiment)
			}
			begun[u.Experiment] = true
		}
		key := unitKey{u.Experiment, u.Unit}
		if u.Unit == "" || u.Steps < 1 || u.Shard < 1 || u.Shard > p.Of || seen[key] {
			return fmt.Errorf("%s, unit %q: it is listed twice, or with an impossible shard or number of steps", u.Experiment, u.Unit)
		}
		seen[key] = true
	}
	if err := checkConfig(p.Run); err != nil {
		return err
	}
	return checkConfig(p.Config)
}

// runKeys identify a run whatever machine a part of it was done on.
var runKeys = []string{"schema", "profile", "seed", "commit", "dirty", "go", "goos", "goarch", "pages-asked", "filters",
	"keys-file-sha256", "queries-file-sha256", "experiments", "program"}

// cpuKeys identify the machine as far as its times depend on it.
var cpuKeys = []string{"cpu", "cpu-id", "cache-l1d", "cache-l2", "cache-l3", "pages", "simd"}

func pick(config []ConfigLine, keys []string) (lines []ConfigLine) {
	for _, c := range config {
		if slices.Contains(keys, c.Key) {
			lines = append(lines, c)
		}
	}
	return lines
}

// Merge joins the parts of a run into its results files, in the order of the plan:
// what was counted is then byte for byte what one machine would have written. Of
// two parts of one shard the newer counts, and notes say so. It refuses parts of
// different runs, a shard or unit that is missing, and times of different CPUs.
func Merge(parts []Part) (files []File, notes []string, err error) {
	if len(parts) == 0 {
		return nil, nil, errors.New("no parts to merge")
	}
	shards, notes, err := oneOfEach(parts)
	if err != nil {
		return nil, nil, err
	}
	if err := sameMachine(shards); err != nil {
		return nil, nil, err
	}
	found := map[unitKey][]Record{}
	for _, p := range shards {
		if err := p.read(found); err != nil {
			return nil, nil, err
		}
	}
	for _, u := range shards[0].Units {
		i := len(files) - 1
		if i < 0 || files[i].Experiment != u.Experiment {
			of := shards[u.Shard-1]
			files = append(files, File{Experiment: u.Experiment, Config: append(slices.Clone(of.Config), ConfigLine{"merged", fmt.Sprintf("%d parts", of.Of)})})
			i++
		}
		files[i].Records = append(files[i].Records, found[unitKey{u.Experiment, u.Unit}]...)
	}
	return files, notes, nil
}

// oneOfEach puts the parts in the order of their shards.
func oneOfEach(parts []Part) (shards []Part, notes []string, err error) {
	first := parts[0]
	shards = make([]Part, first.Of)
	for _, p := range parts {
		d := differences(pick(first.Run, runKeys), pick(p.Run, runKeys))
		if d == "" && p.Of != first.Of {
			d = fmt.Sprintf("it has %d shards there and %d here", first.Of, p.Of)
		}
		if d == "" && !slices.Equal(p.Units, first.Units) {
			d = "the plan is not the same"
		}
		if d != "" {
			return nil, nil, fmt.Errorf("%s and %s are not parts of one run: %s", first.dir, p.dir, d)
		}
		have := &shards[p.Shard-1]
		switch {
		case have.Of == 0:
			*have = p
			continue
		case have.dir == p.dir: // named twice
			continue
		}
		older := p
		if get(p.Config, "date") > get(have.Config, "date") {
			older, *have = *have, p
		}
		notes = append(notes, fmt.Sprintf("shard %d is in %s and in %s: the latter, which is newer, counts", p.Shard, older.dir, have.dir))
	}
	for i, p := range shards {
		if p.Of == 0 {
			n, example := 0, ""
			for _, u := range first.Units {
				if u.Shard == i+1 {
					n, example = n+1, cmp.Or(example, u.Unit)
				}
			}
			return nil, nil, fmt.Errorf("shard %d of %d is missing, with %d units such as %q", i+1, first.Of, n, example)
		}
	}
	return shards, notes, nil
}

// sameMachine refuses times of different CPUs.
func sameMachine(shards []Part) error {
	var first Part
	for _, p := range shards {
		if !slices.ContainsFunc(p.Units, func(u PlannedUnit) bool { return u.Shard == p.Shard && u.Alone }) {
			continue
		}
		if first.Of == 0 {
			first = p
		}
		if d := differences(pick(first.Config, cpuKeys), pick(p.Config, cpuKeys)); d != "" {
			return fmt.Errorf("%s and %s both hold times, of different machines: %s", first.dir, p.dir, d)
		}
	}
	return nil
}

// read adds a part's records to what was found.
func (p Part) read(found map[unitKey][]Record) error {
	j, err := peek(JournalPath(p.dir), p.Run)
	if err != nil {
		return fmt.Errorf("%s: %w", p.dir, err)
	}
	defer j.Close()
	experiments := map[string][]string{}
	for _, u := range p.Units {
		if u.Shard != p.Shard {
			continue
		}
		if done := j.Next(u.Experiment, u.Unit); done < u.Steps {
			return fmt.Errorf("%s: shard %d of %d is not finished: unit %q has %d of %d steps; run it again with --resume", p.dir, p.Shard, p.Of, u.Unit, done, u.Steps)
		}
		experiments[u.Experiment] = append(experiments[u.Experiment], u.Unit)
	}
	for e, units := range experiments {
		records, err := j.byUnit(e, units)
		if err != nil {
			return err
		}
		for _, u := range units {
			found[unitKey{e, u}] = records[u]
		}
	}
	return nil
}
