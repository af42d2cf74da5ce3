package results

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"
)

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fpr.txt")
	if _, err := ReadFile(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	// As edited by hand on another system: spacing, blank lines, line ends
	// and the numbers themselves are free.
	edited := strings.NewReplacer(
		"\n", "\r\n",
		"cpu: ", "cpu:\t ",
		" 0.0082 fpr", "\t 0.5 fpr",
		"BenchmarkFPR/filter=blocked", "\r\n\r\nBenchmarkFPR/filter=blocked",
	).Replace(sampleText)
	if err := os.WriteFile(path, []byte(edited), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := sample()
	want.Records[0].Values[2].V = 0.5
	if diff := cmp.Diff(want, f); diff != "" {
		t.Error(diff)
	}
}

// Every line that x/perf would skip or warn about is an error with its place.
func TestReadIsStrict(t *testing.T) {
	const head, record = "cpu: x\n", "BenchmarkFPR/n=1/k=7 1 3 fp\n"
	for _, c := range []struct {
		what, text string
		line       int
		want       string // in the error
	}{
		{"not a line of ours", head + "PASS\n", 2, "no record, unit or configuration"},
		{"misspelt", head + "Benchmrk 1 1 fp\n", 2, "no record"},
		{"indented", " " + record, 1, "no record"},
		{"comment", "# note\n", 1, "no record"},
		{"upper case key", "CPU: x\n", 1, "no record"},
		{"no space after the colon", "cpu:x\n", 1, "no record"},
		{"binary", "\x00\xff\xfe\n", 1, "no record"},
		{"empty configuration", "cpu:\n", 1, "no record"},
		{"empty configuration with a space", "cpu: \n", 1, "empty"},
		{"configuration twice", head + head, 2, "twice"},
		{"configuration after a record", head + record + "seed: 2\n", 3, "after the first record"},
		{"future schema", "schema: 2\n", 1, "schema 2"},
		{"name alone", head + "BenchmarkFPR\n", 2, "iteration count"},
		{"no number", head + "BenchmarkFPR x 3 fp\n", 2, "iteration count"},
		{"no measurement", "BenchmarkFPR 1\n", 1, "measurements"},
		{"no unit", record + "BenchmarkFPR 1 3\n", 2, "units"},
		{"half a number", "BenchmarkFPR 1 3..1 fp\n", 1, "measurement"},
		{"too large a number", "BenchmarkFPR 1 1e999 fp\n", 1, "measurement"},
		{"NaN", head + "\n" + "BenchmarkFPR 1 NaN fpr\n", 3, "fpr is NaN"},
		{"infinity", "BenchmarkFPR 1 -Inf fpr\n", 1, "fpr is -Inf"},
		{"cut off", "BenchmarkFPR 1 3 fp 1", 1, "units"},
		{"no operations", "BenchmarkFPR 0 3 fp\n", 1, "at least 1"},
		{"no axis", "BenchmarkFPR/x 1 3 fp\n", 1, "no axis"},
		{"GOMAXPROCS", "BenchmarkFPR/n=1-8 1 3 fp\n", 1, "GOMAXPROCS"},
		{"other experiment", "BenchmarkLookup 1 3 ns/op\n", 1, "which holds FPR"},
		{"unknown unit", "BenchmarkFPR 1 3 fprs\n", 1, "known are"},
		{"unit twice", "BenchmarkFPR 1 3 fp 4 fp\n", 1, "twice"},
		{"counted twice", record + record, 2, "line 1"},
		{"unit line without data", "Unit fp\n", 1, "unit line"},
		{"unit line without key", "Unit fp =exact\n", 1, "key=value"},
		{"unit line of no unit", "Unit furlongs assume=exact\n", 1, "known are"},
		{"unit line with unknown key", "Unit fp colour=red\n", 1, "better and assume"},
		{"unit line against the table", "Unit fp assume=nothing\n", 1, "contradicts"},
		{"unit line in the wrong direction", "\nUnit fpr better=higher\n", 2, "contradicts"},
		{"unit line against another", "Unit fp assume=exact\nUnit fp assume=nothing\n", 2, "already set"},
		{"long line", head + strings.Repeat("x", 1<<17), 2, "longer than"},
		{"too many axes", "BenchmarkFPR" + strings.Repeat("/a=b", 1000) + " 1 1 fp\n", 1, "axes"},
	} {
		path := filepath.Join("dir", "fpr.txt")
		_, err := parse([]byte(c.text), path)
		var syntax *benchfmt.SyntaxError
		if !errors.As(err, &syntax) || syntax.FileName != path || syntax.Line != c.line || !strings.Contains(syntax.Msg, c.want) {
			t.Errorf("%s: error %q, want line %d with %q", c.what, err, c.line, c.want)
		} else if strings.ContainsAny(err.Error(), "\n\x00") || len(err.Error()) > 1000 {
			t.Errorf("%s: not one readable line: %q", c.what, err)
		}
	}
	if _, err := parse(nil, "NOTES.txt"); err == nil || !strings.Contains(err.Error(), "NOTES") {
		t.Errorf("a file of no experiment: %v", err)
	}
}

// x/perf keeps unit metadata of 0 ns/op and 3 ns/op apart, since scaling
// changes one of them only; here both are ns/op.
func TestReadRestoresUnits(t *testing.T) {
	f, err := parse([]byte("BenchmarkLookup 1 0 ns/op 2.5 cpu-ns/op\nBenchmarkLookup 1 3.1 ns/op 0 cpu-ns/op\n"), "lookup.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := []Record{
		{"Lookup", nil, 1, []Value{{"ns/op", 0}, {"cpu-ns/op", 2.5}}},
		{"Lookup", nil, 1, []Value{{"ns/op", 3.1}, {"cpu-ns/op", 0}}},
	}
	if diff := cmp.Diff(want, f.Records); diff != "" {
		t.Error(diff)
	}
}

// Whatever the reader takes, the writer writes, and it reads back the same.
func FuzzRead(f *testing.F) {
	f.Add([]byte(sampleText))
	f.Add([]byte("a: b\nUnit ns/op better=lower\nBenchmarkX/y=z 1 -0 ns/op 0x1p-2 m\n"))
	f.Add([]byte("Benchmark\nUnit\nUnit a\ncpu:\n\xff: \xff\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parse(data, "x.txt")
		if err != nil {
			if err.Error() == "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("not one line: %q", err)
			}
			return
		}
		var out bytes.Buffer
		if _, err := file.WriteTo(&out); err != nil {
			t.Fatalf("was read but cannot be written: %v", err)
		}
		back, err := parse(out.Bytes(), "x.txt")
		if err != nil {
			t.Fatalf("was written but cannot be read: %v\n%s", err, out.Bytes())
		}
		if diff := cmp.Diff(file, back, bits); diff != "" {
			t.Fatal(diff)
		}
	})
}

// What is no regular file is not read: a pipe that nobody writes to has no end
// of waiting.
func TestReadFileOfAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fpr.txt")
	if err := os.Symlink(os.DevNull, path); err != nil {
		t.Skip(err)
	}
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a device: %v", err)
	}
}
