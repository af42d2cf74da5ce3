package results

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"
)

// ReadFile reads a results file, strictly: a line that x/perf would pass over
// or warn about is an error here, and so is whatever WriteFile would refuse.
// Numbers may be edited by hand, and [Record.Inconsistency] tells where that
// shows. Errors in the content are *benchfmt.SyntaxError, with file and line.
func ReadFile(path string) (File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // a pipe that nobody writes to would be waited for
		err = fmt.Errorf("%s is no regular file; %s", path, strangerHint)
	}
	if err != nil {
		return File{}, err
	}
	in, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return File{}, err
	}
	if len(data) > maxFile {
		return File{}, fmt.Errorf("%s: larger than the %d MiB that a results file may have", path, maxFile>>20)
	}
	return parse(data, path)
}

// strangerHint says what to do with a file that is no results file.
const strangerHint = "if it is no results file, move it out of the folder"

// parse reads the content of a file. x/perf's reader does the parsing; what
// it would skip in silence is found first.
func parse(data []byte, path string) (File, error) {
	f := File{Experiment: strings.TrimSuffix(filepath.Base(path), ".txt")}
	if err := checkExperiment(f.Experiment); err != nil {
		return File{}, fmt.Errorf("%s: %w; %s", path, err, strangerHint)
	}
	var err error
	if f.Config, err = parseHead(data, path); err != nil {
		return File{}, err
	}
	if f.Records, err = parseRecords(data, path, f.Experiment); err != nil {
		return File{}, err
	}
	return f, nil
}

// parseHead returns the configuration lines and refuses any line that is
// neither blank nor one of the three kinds.
func parseHead(data []byte, path string) ([]ConfigLine, error) {
	var config []ConfigLine
	seen := map[string]bool{}
	body := false // a record was seen
	lines := bufio.NewScanner(bytes.NewReader(data))
	n := 0
	fail := func(format string, args ...any) ([]ConfigLine, error) {
		return nil, &benchfmt.SyntaxError{FileName: path, Line: n, Msg: fmt.Sprintf(format, args...)}
	}
	for lines.Scan() {
		n++
		line := lines.Text()
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case strings.HasPrefix(line, "Benchmark"):
			body = true
			if len(fields) < 2 {
				return fail("missing iteration count")
			}
		case strings.HasPrefix(line, "Unit") && fields[0] == "Unit":
			if len(fields) < 3 {
				return fail("a unit line is \"Unit name key=value\"")
			}
		default:
			c, ok := parseConfig(line)
			switch {
			case !ok && !seen["schema"]:
				return fail("%.60q is no record, unit or configuration line; %s", line, strangerHint)
			case !ok:
				return fail("%.60q is no record, unit or configuration line", line)
			}
			if body {
				return fail("configuration %s after the first record: a file is of one run", c.Key)
			}
			if err := c.check(seen); err != nil {
				return fail("%v", err)
			}
			config = append(config, c)
		}
	}
	if err := lines.Err(); err != nil {
		n++
		if errors.Is(err, bufio.ErrTooLong) {
			return fail("line longer than %d bytes", maxLine)
		}
		return fail("%v", err)
	}
	return config, nil
}

// parseConfig takes "key: value" apart, as x/perf does.
func parseConfig(line string) (c ConfigLine, ok bool) {
	key, value, ok := strings.Cut(line, ":")
	if !ok || !isConfigKey(key) {
		return ConfigLine{}, false
	}
	trimmed := strings.TrimLeft(value, " \t")
	return ConfigLine{key, strings.TrimRightFunc(trimmed, unicode.IsSpace)}, trimmed != value
}

// parseRecords lets x/perf read the records and unit lines.
func parseRecords(data []byte, path, experiment string) ([]Record, error) {
	var records []Record
	counted := map[string]int{} // name of a counted record -> its line
	in := benchfmt.NewReader(bytes.NewReader(data), path)
	for in.Scan() {
		_, line := in.Result().Pos()
		fail := func(err error) ([]Record, error) {
			return nil, &benchfmt.SyntaxError{FileName: path, Line: line, Msg: err.Error()}
		}
		switch res := in.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, res
		case *benchfmt.UnitMetadata:
			if err := checkUnitLine(res); err != nil {
				return fail(err)
			}
		case *benchfmt.Result:
			r, err := recordOf(res)
			if err != nil {
				return fail(err)
			}
			if err := checkHome(experiment, r.Name); err != nil {
				return fail(err)
			}
			if r.counted() {
				name := r.FullName()
				if first := counted[name]; first > 0 {
					return fail(fmt.Errorf("record %.200q: counted in line %d already; a counted cell has one line", name, first))
				}
				counted[name] = line
			}
			records = append(records, r)
		}
	}
	return records, in.Err()
}

// recordOf takes the name apart and restores the units that x/perf rescaled.
func recordOf(res *benchfmt.Result) (Record, error) {
	parts := strings.Split(string(res.Name), "/")
	r := Record{Name: parts[0], Iters: res.Iters}
	for _, p := range parts[1:] {
		key, value, ok := strings.Cut(p, "=")
		if !ok {
			return Record{}, fmt.Errorf("record %.200q: %.60q is no axis (/key=value)", res.Name, "/"+p)
		}
		r.Axes = append(r.Axes, Axis{key, value})
	}
	for _, v := range res.Values {
		// x/perf leaves OrigUnit empty where rescaling changed nothing, as
		// for 0 ns/op.
		if v.OrigUnit != "" {
			v.Unit, v.Value = v.OrigUnit, v.OrigValue
		}
		r.Values = append(r.Values, Value{v.Unit, v.Value})
	}
	return r, r.Check()
}

// checkUnitLine refuses what contradicts the table of units.
func checkUnitLine(m *benchfmt.UnitMetadata) error {
	u, ok := UnitOf(m.OrigUnit)
	if !ok {
		return unknownUnit(m.OrigUnit)
	}
	assume := "nothing"
	if u.Exact {
		assume = "exact"
	}
	want, ok := map[string]string{"better": u.Better, "assume": assume}[m.Key]
	if !ok {
		return fmt.Errorf("unit %s: unknown key %q; known are better and assume", u.Name, m.Key)
	}
	if m.Value != want {
		return fmt.Errorf("unit %s: %s=%s contradicts the schema's %q", u.Name, m.Key, m.Value, want)
	}
	return nil
}
