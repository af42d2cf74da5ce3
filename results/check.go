package results

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The writer and the reader accept the same files: those that pass the checks
// below. Whatever is written can be read, by x/perf's tools too.

// homes lists the records that a file of the schema may hold, by experiment.
var homes = map[string][]string{
	"crawl":       {"Crawl", "CrawlRate", "CrawlMemory", "Limit"},
	"fpr":         {"FPR"},
	"hitmix":      {"Precision", "HitMix"},
	"kernels":     {"Kernel", "Limit"},
	"ladder":      {"Limit"},
	"latency":     {"Latency", "Clock"},
	"lookup":      {"Lookup", "Limit", "Twin"},
	"lsm":         {"LSM", "Liar", "Resident"},
	"memory":      {"Memory"},
	"pages":       {"Pages", "Limit"},
	"pebble":      {"Pebble"},
	"frontcoding": {"FrontCoding"},
	"hashonce":    {"HashOnce"},
	"delete":      {"Absent", "Model", "Overflow", "Clear", "Counters", "Counter", "Delete"},
	"hash":        {"Hash", "Probe", "HashFPR"},
	"steps":       {"Steps", "Positions"},
	"scan":        {"Scan", "Cages", "Dictionary", "Range"},
	"textbook":    {"Textbook"},
	"threads":     {"Threads"},
	"touch":       {"Touch", "TouchHere", "TouchCounters"},
}

// maxFile bounds a results file, and with it the memory that reading one takes.
const maxFile = 64 << 20 // bytes

// maxAxes bounds the axes of a name.
const maxAxes = 64

// maxLine is the longest line, in bytes, that x/perf's reader takes.
const maxLine = bufio.MaxScanTokenSize - 1

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
		if err := c.check(seen); err != nil {
			return err
		}
	}
	return nil
}

// Check reports the first rule of the schema that the record breaks: a name
// that the format cannot carry, an unknown or repeated unit, a value that is
// no finite number, fewer than one operation.
func (r Record) Check() error {
	if err := r.checkName(); err != nil {
		return fmt.Errorf("record %.200q: %w", r.FullName(), err)
	}
	if err := r.checkValues(); err != nil {
		return fmt.Errorf("record %.200q: %w", r.FullName(), err)
	}
	return nil
}

func (r Record) checkName() error {
	if !isCamel(r.Name) {
		return fmt.Errorf("name %q is not in upper camel case, such as FPR or Lookup", r.Name)
	}
	if len(r.Axes) > maxAxes {
		return fmt.Errorf("%d axes; at most %d are allowed", len(r.Axes), maxAxes)
	}
	for i, a := range r.Axes {
		if !isKey(a.Key) {
			return fmt.Errorf("axis %q: a key is lower-case letters, digits and hyphens, a letter first", a.Key)
		}
		if a.Value == "" || !isPlain(a.Value) || strings.Contains(a.Value, "/") {
			return fmt.Errorf("axis %s: value %q is empty or holds white space, a slash or a control character", a.Key, a.Value)
		}
		if slices.ContainsFunc(r.Axes[:i], func(b Axis) bool { return b.Key == a.Key }) {
			return fmt.Errorf("axis %s appears twice", a.Key)
		}
	}
	full := r.FullName()
	if i := strings.LastIndexByte(full, '-'); i >= 0 && isDigits(full[i+1:]) {
		return fmt.Errorf("ends in %s, which x/perf's tools take for GOMAXPROCS: let another axis be last", full[i:])
	}
	return nil
}

func (r Record) checkValues() error {
	if r.Iters < 1 {
		return fmt.Errorf("%d operations; at least 1 is allowed", r.Iters)
	}
	if len(r.Values) == 0 {
		return errors.New("no values")
	}
	length := len("Benchmark") + len(r.FullName()) + len(" -9223372036854775808")
	for i, v := range r.Values {
		if _, ok := UnitOf(v.Unit); !ok {
			return unknownUnit(v.Unit)
		}
		if math.IsNaN(v.V) || math.IsInf(v.V, 0) {
			return fmt.Errorf("%s is %v: leave the value out where there is none", v.Unit, v.V)
		}
		if slices.ContainsFunc(r.Values[:i], func(w Value) bool { return w.Unit == v.Unit }) {
			return fmt.Errorf("unit %s appears twice", v.Unit)
		}
		length += len(" -1.2345678901234567e-308 ") + len(v.Unit)
	}
	if length > maxLine {
		return fmt.Errorf("line of %d bytes; at most %d are allowed", length, maxLine)
	}
	return nil
}

// counted reports whether every value repeats from the seed, so that a second
// line of the same name would be a second count of one cell.
func (r Record) counted() bool {
	return !slices.ContainsFunc(r.Values, func(v Value) bool {
		u, _ := UnitOf(v.Unit)
		return !u.Exact
	})
}

// checkHome reports a record that belongs to another experiment's file.
func checkHome(experiment, name string) error {
	if allowed, ok := homes[experiment]; ok {
		if !slices.Contains(allowed, name) {
			return fmt.Errorf("record %s in the file of %s, which holds %s", name, experiment, strings.Join(allowed, " and "))
		}
		return nil
	}
	var at []string
	for home, names := range homes {
		if slices.Contains(names, name) {
			at = append(at, home+".txt")
		}
	}
	if len(at) > 0 {
		slices.Sort(at)
		return fmt.Errorf("record %s in the file of %s; it belongs to %s", name, experiment, strings.Join(at, " or "))
	}
	return nil
}

func checkExperiment(name string) error {
	if !isKey(name) {
		return fmt.Errorf("experiment %q: a name is lower-case letters, digits and hyphens, a letter first", name)
	}
	return nil
}

// check adds the key to those seen before.
func (c ConfigLine) check(seen map[string]bool) error {
	switch {
	case !isConfigKey(c.Key):
		return fmt.Errorf("configuration key %q: a key starts with a lower-case letter and holds no upper case, white space or colon", c.Key)
	case seen[c.Key]:
		return fmt.Errorf("configuration %s appears twice", c.Key)
	case c.Value == "":
		return fmt.Errorf("configuration %s: empty value; leave the line out", c.Key)
	case strings.TrimSpace(c.Value) != c.Value:
		return fmt.Errorf("configuration %s: value %q starts or ends in white space", c.Key, c.Value)
	case !utf8.ValidString(c.Value) || strings.ContainsFunc(c.Value, unicode.IsControl):
		return fmt.Errorf("configuration %s: value %q holds a control character or is not UTF-8", c.Key, c.Value)
	case len(c.Key)+len(c.Value)+len(": ") > maxLine:
		return fmt.Errorf("configuration %s: line longer than %d bytes", c.Key, maxLine)
	case c.Key == "schema" && c.Value != SchemaVersion:
		return fmt.Errorf("schema %s; this program reads and writes schema %s", c.Value, SchemaVersion)
	}
	seen[c.Key] = true
	return nil
}

// isConfigKey follows x/perf's rule, in ASCII, and keeps the two words apart
// that start the other kinds of lines.
func isConfigKey(s string) bool {
	return s != "" && 'a' <= s[0] && s[0] <= 'z' && isPlain(s) &&
		!strings.ContainsFunc(s, func(c rune) bool { return c == ':' || unicode.IsUpper(c) })
}

// isPlain reports that s is UTF-8 without white space or control characters.
func isPlain(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, isSpaceOrControl)
}

func isSpaceOrControl(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }

func isKey(s string) bool {
	return s != "" && 'a' <= s[0] && s[0] <= 'z' &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func isCamel(s string) bool {
	return s != "" && 'A' <= s[0] && s[0] <= 'Z' &&
		!strings.ContainsFunc(s, func(c rune) bool {
			return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9')
		})
}
