package results

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Journal keeps the records of a run safe while it goes on, so that a run that
// was stopped can be resumed. It is a file of JSON lines, the run's header
// first, then one line for each step of a unit. Its methods may be called from
// several goroutines.
type Journal struct {
	path string

	mu      sync.Mutex
	file    *os.File
	next    map[unitKey]int // the step that each unit has to do next
	entries int
	err     error // the first failure: nothing is appended after it
}

// Entry is what one step of a unit measured.
type Entry struct {
	Experiment string
	Unit       string // ID of the unit, one of the experiment's plan
	Step       int    // from 0; the steps of a unit follow each other
	Records    []Record
}

type unitKey struct{ experiment, unit string }

// header is the first line of a journal.
type header struct {
	Journal string // SchemaVersion
	Run     []ConfigLine
}

// Create starts the journal of the run that the header identifies, in a folder
// that exists. A journal that was at path is replaced.
func Create(path string, run []ConfigLine) (*Journal, error) {
	if err := checkConfig(run); err != nil {
		return nil, err
	}
	if err := writeAtomically(path, jsonLine{header{SchemaVersion, run}}); err != nil {
		return nil, err
	}
	file, err := openJournal(path)
	if err != nil {
		return nil, err
	}
	return &Journal{path: path, file: file, next: map[unitKey]int{}}, nil
}

func openJournal(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
}

// Resume opens the journal at path to go on with the same run: one whose
// header is another is refused, and the error names what differs. A last line
// that was cut off is dropped. The error is [io/fs.ErrNotExist] if there is no
// journal.
func Resume(path string, run []ConfigLine) (*Journal, error) {
	file, err := openJournal(path)
	if err != nil {
		return nil, fmt.Errorf("nothing to resume: %w", err)
	}
	j, size, err := read(file, path, run)
	if err == nil {
		err = file.Truncate(size)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return j, nil
}

// peek is Resume for who only reads: the file stays as it is, and nothing can be
// appended to the journal.
func peek(path string, run []ConfigLine) (*Journal, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	j, _, err := read(file, path, run)
	if err != nil {
		file.Close()
		return nil, err
	}
	return j, nil
}

// read takes in the entries of an open journal and says how many bytes of it are
// whole lines.
func read(file *os.File, path string, run []ConfigLine) (j *Journal, size int64, err error) {
	j = &Journal{path: path, file: file, next: map[unitKey]int{}}
	size, err = scan(file, path, func(h header) error { return sameRun(h.Run, run) }, j.note)
	return j, size, err
}

// turn refuses an entry that is out of turn.
func (j *Journal) turn(e Entry) error {
	if want := j.next[e.key()]; e.Step != want {
		return fmt.Errorf("%s, unit %s: step %d where step %d is next", e.Experiment, e.Unit, e.Step, want)
	}
	return nil
}

// note takes an entry of the file into account, if it is its turn.
func (j *Journal) note(e Entry) error {
	if err := j.turn(e); err != nil {
		return err
	}
	j.next[e.key()]++
	j.entries++
	return nil
}

func (e Entry) key() unitKey { return unitKey{e.Experiment, e.Unit} }

// Len is the number of entries.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.entries
}

// Next returns the step that a unit has to do next: 0 if it has not begun, its
// number of steps if it is done.
func (j *Journal) Next(experiment, unit string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.next[unitKey{experiment, unit}]
}

// Append adds an entry and returns once it is on disk. That takes
// milliseconds: a timing unit appends between rounds, never inside one. After
// a failure the journal takes no more entries; what it held before is safe. If
// its file was deleted meanwhile, alone or with its folder, it is put back.
func (j *Journal) Append(e Entry) error {
	if err := e.check(); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	if err := j.turn(e); err != nil {
		return err
	}
	err := j.keepPlace()
	if err == nil {
		_, err = jsonLine{e}.WriteTo(j.file)
	}
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		j.err = fmt.Errorf("journal: %w", err)
		return j.err
	}
	return j.note(e)
}

// keepPlace sees to it that the open file is the one at the journal's path: a
// file without a name would be lost with the end of the run.
func (j *Journal) keepPlace() error {
	open, err := j.file.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(j.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return j.putBack()
	case err != nil:
		return err
	case !os.SameFile(open, there):
		return fmt.Errorf("%s was replaced by another file during the run", j.path)
	}
	return nil
}

// putBack copies the open file, which has lost its name, to the journal's path.
func (j *Journal) putBack() error {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o777); err != nil {
		return err
	}
	if err := writeAtomically(j.path, copyOf{j.content()}); err != nil {
		return err
	}
	file, err := openJournal(j.path)
	if err != nil {
		return err
	}
	j.file.Close()
	j.file = file
	return nil
}

// content reads the open file from its start, whatever its path leads to now.
func (j *Journal) content() io.Reader { return io.NewSectionReader(j.file, 0, math.MaxInt64) }

// copyOf writes what it reads.
type copyOf struct{ from io.Reader }

func (c copyOf) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, c.from) }

// Close closes the journal's file, which stays where it is. Once the results
// files are written it may be removed.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.file.Close()
}

// Records reads an experiment's records back in the order of its plan: unit by
// unit as listed, each one's steps in turn. A unit without entries is left
// out; entries of a unit that is not listed are an error, and so are entries
// that are no longer what the run wrote.
func (j *Journal) Records(experiment string, units []string) ([]Record, error) {
	found, err := j.byUnit(experiment, units)
	if err != nil {
		return nil, err
	}
	var records []Record
	for _, u := range units {
		records = append(records, found[u]...)
	}
	return records, nil
}

// byUnit is Records, unit by unit.
func (j *Journal) byUnit(experiment string, units []string) (map[string][]Record, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	found := make(map[string][]Record, len(units))
	for _, u := range units {
		found[u] = nil
	}
	read := map[string]int{}
	_, err := scan(j.content(), j.path, func(header) error { return nil }, func(e Entry) error {
		if e.Experiment != experiment {
			return nil
		}
		if _, planned := found[e.Unit]; !planned {
			return fmt.Errorf("%s: unit %q is not in the plan", experiment, e.Unit)
		}
		found[e.Unit] = append(found[e.Unit], e.Records...)
		read[e.Unit]++
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, u := range units {
		if want := j.next[unitKey{experiment, u}]; read[u] != want {
			return nil, fmt.Errorf("%s: %s, unit %s has %d steps where the run wrote %d: the file was changed during the run", j.path, experiment, u, read[u], want)
		}
	}
	return found, nil
}

// scan reads a journal and returns the size of its whole lines in bytes. The
// last line may be cut off or no JSON, as a crash leaves it; any other damage
// is an error with file and line.
func scan(in io.Reader, path string, first func(header) error, each func(Entry) error) (size int64, err error) {
	lines := bufio.NewReader(in)
	for n := 1; ; n++ {
		line, err := readLine(lines)
		if err != nil && err != io.EOF && err != errLongLine {
			return 0, fmt.Errorf("journal: %w", err)
		}
		whole := err == nil
		switch {
		case err == errLongLine:
		case n == 1:
			var h header
			if h, err = decodeHeader(line, whole); err == nil {
				err = first(h)
			}
		case !whole || !json.Valid(line):
			if _, err := lines.Peek(1); err == io.EOF {
				return size, nil
			}
			err = errors.New("damaged line")
		default:
			var e Entry
			if e, err = decodeEntry(line); err == nil {
				err = each(e)
			}
		}
		if err != nil {
			return 0, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		size += int64(len(line))
	}
}

var errLongLine = errors.New("longer than a whole results file may be")

// readLine reads up to the end of a line, as [bufio.Reader.ReadBytes] does, but no
// more than a whole results file may have.
func readLine(lines *bufio.Reader) (line []byte, err error) {
	for {
		part, err := lines.ReadSlice('\n')
		if len(line)+len(part) > maxFile {
			return nil, errLongLine
		}
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

func decodeHeader(line []byte, whole bool) (h header, err error) {
	if err := json.Unmarshal(line, &h); err != nil || !whole {
		return h, errors.New("not the journal of a run")
	}
	if h.Journal != SchemaVersion {
		return h, fmt.Errorf("schema %q; this program reads and writes schema %s", h.Journal, SchemaVersion)
	}
	return h, checkConfig(h.Run)
}

func decodeEntry(line []byte) (e Entry, err error) {
	if err := json.Unmarshal(line, &e); err != nil {
		return e, err
	}
	return e, e.check()
}

func (e Entry) check() error {
	if e.Unit == "" {
		return fmt.Errorf("%s: no unit", e.Experiment)
	}
	if err := (File{Experiment: e.Experiment, Records: e.Records}).Check(); err != nil {
		return fmt.Errorf("unit %s: %w", e.Unit, err)
	}
	return nil
}

// sameRun names what differs between the journal's run and this one.
func sameRun(have, want []ConfigLine) error {
	if d := differences(have, want); d != "" {
		return errors.New("another run, which this one cannot resume: " + d)
	}
	return nil
}

// differences names what differs between two configurations, the first of which is
// "there"; "" where nothing does.
func differences(have, want []ConfigLine) string {
	var diffs []string
	say := func(key, there, here string) {
		if there == "" {
			there = "absent"
		}
		if here == "" {
			here = "absent"
		}
		diffs = append(diffs, fmt.Sprintf("%s is %s there and %s here", key, there, here))
	}
	for _, c := range have {
		if here := get(want, c.Key); here != c.Value {
			say(c.Key, c.Value, here)
		}
	}
	for _, c := range want {
		if get(have, c.Key) == "" {
			say(c.Key, "", c.Value)
		}
	}
	return strings.Join(diffs, "; ")
}

// jsonLine writes a value as one line of JSON. Floats are written with as many
// digits as bring the same float back.
type jsonLine struct{ value any }

func (l jsonLine) WriteTo(w io.Writer) (int64, error) {
	line, err := json.Marshal(l.value)
	if err != nil {
		return 0, err
	}
	n, err := w.Write(append(line, '\n'))
	return int64(n), err
}
