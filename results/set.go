package results

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Set is the content of a results folder.
type Set struct {
	Dir   string
	Files []File // by experiment, in alphabetical order
}

// ReadDir reads every results file (*.txt) of a folder, as [ReadFile] does, and
// refuses one that does not name its schema.
// A folder that is missing or holds none is an error that names it and the
// command that makes results.
func ReadDir(dir string) (*Set, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no results folder %q: `runbench run --out %s` makes it", dir, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	set := &Set{Dir: dir}
	for _, e := range entries { // sorted by name
		if e.IsDir() || filepath.Ext(e.Name()) != ".txt" {
			continue
		}
		f, err := ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if f.Get("schema") == "" {
			return nil, &benchfmt.SyntaxError{FileName: filepath.Join(dir, e.Name()), Line: 1,
				Msg: fmt.Sprintf("no line \"schema: %s\" says that this program reads it; %s", SchemaVersion, strangerHint)}
		}
		set.Files = append(set.Files, f)
	}
	if len(set.Files) == 0 {
		return nil, fmt.Errorf("no results (*.txt) in folder %q: `runbench run --out %s` makes them", dir, dir)
	}
	return set, nil
}

// Records returns an experiment's records, or nil if it was not measured.
func (s *Set) Records(experiment string) []Record {
	for _, f := range s.Files {
		if f.Experiment == experiment {
			return f.Records
		}
	}
	return nil
}

// Config returns the configuration value that all files with that key agree
// on. It is not ok if no file has the key or two differ, which
// [Set.Warnings] then says.
func (s *Set) Config(key string) (value string, ok bool) {
	for _, f := range s.Files {
		switch v := f.Get(key); {
		case v == "":
		case !ok:
			value, ok = v, true
		case v != value:
			return "", false
		}
	}
	return value, ok
}

// Warnings lists what a reader of the results must know, one line each: files
// of different machines or runs side by side, experiments that were stopped, and
// records whose numbers do not agree with each other or cannot be.
func (s *Set) Warnings() []string {
	var keys, warnings []string
	for _, f := range s.Files {
		for _, c := range f.Config {
			if !slices.Contains(keys, c.Key) && !Volatile(c.Key) {
				keys = append(keys, c.Key)
			}
		}
	}
	for _, key := range keys {
		if _, ok := s.Config(key); !ok {
			warnings = append(warnings, s.mixed(key))
		}
	}
	for _, f := range s.Files {
		if part := f.Get("incomplete"); part != "" {
			warnings = append(warnings, fmt.Sprintf("%s.txt is incomplete: %s", f.Experiment, part))
		}
		for _, r := range f.Records {
			if text := cmp.Or(r.Impossible(), r.Inconsistency()); text != "" {
				warnings = append(warnings, fmt.Sprintf("%s.txt: %s: %s", f.Experiment, r.FullName(), text))
			}
		}
	}
	return warnings
}

// mixed says which files have which value of a key.
func (s *Set) mixed(key string) string {
	var values []string
	files := map[string][]string{}
	for _, f := range s.Files {
		v := f.Get(key)
		if v == "" {
			continue
		}
		if files[v] == nil {
			values = append(values, v)
		}
		files[v] = append(files[v], f.Experiment+".txt")
	}
	for i, v := range values {
		values[i] = fmt.Sprintf("%q in %s", v, strings.Join(files[v], ", "))
	}
	return fmt.Sprintf("files of different runs: %s is %s", key, strings.Join(values, "; "))
}

// Inconsistency says where the record's rate is not that of its counts, as
// after one of them was edited by hand; "" if it is. Which one was, the record
// alone does not tell.
func (r Record) Inconsistency() string {
	fpr, ok1 := r.Value("fpr")
	fp, ok2 := r.Value("fp")
	queries, ok3 := r.Value("queries")
	// A shortest decimal reads back exactly, so that only rounding by hand
	// could differ by less than this.
	if ok1 && ok2 && ok3 && !(math.Abs(fpr*queries-fp) <= 1e-9*fp) {
		return fmt.Sprintf("fpr is %v, but %v false positives of %v queries are %v", fpr, fp, queries, fp/queries)
	}
	return ""
}

// Impossible says why no filters can have given the counts and the size of an
// FPR record, by arithmetic alone; "" if some can, or if values are missing.
func (r Record) Impossible() string {
	if r.Name != "FPR" {
		return ""
	}
	return cmp.Or(r.impossibleCounts(), r.impossibleSize())
}

// rounding is the relative error that sums and quotients of counts may have.
const rounding = 1e-12

func (r Record) impossibleCounts() string {
	fp, ok1 := r.Value("fp")
	queries, ok2 := r.Value("queries")
	if ok1 && ok2 && !(0 <= fp && fp <= queries) {
		return fmt.Sprintf("fp is %v; 0 to %v is possible, the queries", fp, queries)
	}
	filters, ok2 := r.Value("filters")
	squares, ok3 := r.Value("fp-sq")
	// Least if all filters have as many, most if one has them all.
	if least, most := fp*fp/filters, fp*fp; ok1 && ok2 && ok3 && !(least*(1-rounding) <= squares && squares <= most*(1+rounding)) {
		return fmt.Sprintf("fp-sq is %v; %v to %v is possible, with %v false positives of %v filters", squares, least, most, fp, filters)
	}
	return ""
}

// A filter is allocated in units of 128 bytes, and of whole pages from 2 MiB on.
const (
	smallUnit = 8 * 128
	largeUnit = 8 * 4096
	largeFrom = 8 << 21
)

// impossibleSize compares what was allocated with the axis m, which counts the
// bits of the array before padding.
func (r Record) impossibleSize() string {
	n, err1 := strconv.ParseFloat(r.Axis("n"), 64)
	m, err2 := strconv.ParseFloat(r.Axis("m"), 64)
	perKey, ok1 := r.Value("bits/key")
	filters, ok2 := r.Value("filters")
	if err1 != nil || err2 != nil || !ok1 || !ok2 || !(filters > 0) {
		return ""
	}
	refused, _ := r.Value("refused")
	bits := perKey * (n - refused/filters)
	padding := float64(smallUnit)
	if bits >= largeFrom {
		padding = largeUnit
	}
	if !(bits >= m*(1-rounding) && bits < m+padding) {
		return fmt.Sprintf("%v bits/key are %.0f bits for n = %v, but m is %v", perKey, bits, r.Axis("n"), r.Axis("m"))
	}
	return ""
}
