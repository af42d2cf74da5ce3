package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/perf/benchfmt"
)

// SchemaVersion is the version of SCHEMA.md that files are written in, the
// value of their line "schema".
const SchemaVersion = "1"

// File is the content of a results file, NAME.txt of the experiment NAME.
type File struct {
	Experiment string
	Config     []ConfigLine
	Records    []Record
}

// ConfigLine is one "key: value" line of a file's head. The key starts with a
// lower-case letter and holds no upper case, white space or colon, or x/perf
// would drop the line; the value is not empty.
type ConfigLine struct{ Key, Value string }

// Get returns the value of a configuration line, or "" if there is none.
func (f File) Get(key string) string { return get(f.Config, key) }

func get(config []ConfigLine, key string) string {
	for _, c := range config {
		if c.Key == key {
			return c.Value
		}
	}
	return ""
}

// Check reports the first rule of the schema that the file breaks.
func (f File) Check() error {
	if err := checkExperiment(f.Experiment); err != nil {
		return err
	}
	if err := checkConfig(f.Config); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, r := range f.Records {
		if err := r.Check(); err != nil {
			return err
		}
		if err := checkHome(f.Experiment, r.Name); err != nil {
			return err
		}
		if name := r.FullName(); r.counted() {
			if seen[name] {
				return fmt.Errorf("record %q: counted twice; a counted cell has one line", name)
			}
			seen[name] = true
		}
	}
	return nil
}

func checkConfig(config []ConfigLine) error {
	seen := map[string]bool{}
	for _, c := range config {
		if err := c.check(); err != nil {
			return err
		}
		if seen[c.Key] {
			return fmt.Errorf("configuration %s appears twice", c.Key)
		}
		seen[c.Key] = true
		if c.Key == "schema" && c.Value != SchemaVersion {
			return fmt.Errorf("schema %s; this program reads and writes schema %s", c.Value, SchemaVersion)
		}
	}
	return nil
}

// WriteTo writes the file in the benchmark format: configuration, units,
// records, each in the order given. The same File gives the same bytes.
// Nothing is written if it breaks a rule of the schema.
func (f File) WriteTo(w io.Writer) (int64, error) {
	if err := f.Check(); err != nil {
		return 0, err
	}
	used, err := UnitsOf(f.Records)
	if err != nil {
		return 0, err
	}
	var b bytes.Buffer
	for _, c := range f.Config {
		fmt.Fprintf(&b, "%s: %s\n", c.Key, c.Value)
	}
	b.WriteByte('\n')
	out := benchfmt.NewWriter(&b) // writing to a Buffer cannot fail
	for _, u := range used {
		if u.Better != "" {
			out.Write(unitLine(u.Name, "better", u.Better))
		}
		if u.Exact {
			out.Write(unitLine(u.Name, "assume", "exact"))
		}
	}
	b.WriteByte('\n')
	for _, r := range f.Records {
		out.Write(r.benchfmt())
	}
	return b.WriteTo(w)
}

func unitLine(unit, key, value string) *benchfmt.UnitMetadata {
	return &benchfmt.UnitMetadata{OrigUnit: unit, UnitMetadataKey: benchfmt.UnitMetadataKey{Key: key}, Value: value}
}

// benchfmt leaves values and units as they are: what is written is what was
// measured, and x/perf's readers scale it to base units themselves.
func (r Record) benchfmt() *benchfmt.Result {
	values := make([]benchfmt.Value, len(r.Values))
	for i, v := range r.Values {
		values[i] = benchfmt.Value{Value: v.V, Unit: v.Unit}
	}
	return &benchfmt.Result{Name: benchfmt.Name(r.FullName()), Iters: r.Iters, Values: values}
}

// WriteFile writes f to path, which must be EXPERIMENT.txt in a folder that
// exists. The file appears whole or not at all, also when the machine fails.
func WriteFile(path string, f File) error {
	if want := f.Experiment + ".txt"; filepath.Base(path) != want {
		return fmt.Errorf("write %s: the file of experiment %q is called %s", path, f.Experiment, want)
	}
	tmp, err := writeTemp(path, f)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer tmp.Close()
	return install(tmp, path)
}

// writeTemp writes content into a new file beside path.
func writeTemp(path string, content io.WriterTo) (*os.File, error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".tmp")
	if err != nil {
		return nil, err
	}
	if _, err := content.WriteTo(tmp); err != nil {
		return nil, errors.Join(err, tmp.Close(), os.Remove(tmp.Name()))
	}
	return tmp, nil
}

// install gives a file that was written beside path its final name, once its
// bytes are on disk.
func install(tmp *os.File, path string) error {
	err := tmp.Chmod(0o644)
	if err == nil {
		err = tmp.Sync()
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes a rename durable. Windows has no such call.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
