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
	if b.Len() > maxFile {
		return 0, fmt.Errorf("%s.txt: %d MiB, larger than the %d MiB that a results file may have", f.Experiment, b.Len()>>20, maxFile>>20)
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
		return fmt.Errorf("%s: the file of experiment %q is called %s", path, f.Experiment, want)
	}
	return writeAtomically(path, f)
}

// writeAtomically fills a file beside path, brings it to disk and only then
// gives it its name.
func writeAtomically(path string, content io.WriterTo) error {
	dir, name := filepath.Split(path)
	tmp, err := os.CreateTemp(filepath.Clean(dir), name+".tmp")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	_, err = content.WriteTo(tmp)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err == nil {
		err = tmp.Sync()
	}
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("%s: %w", path, err)
	}
	return syncFolder(filepath.Clean(dir))
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
