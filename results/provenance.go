package results

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"
)

// Run is what the provenance cannot find out by itself.
type Run struct {
	Profile string
	Seed    uint64
	Start   time.Time // when the run began; the zero time leaves "date" out
	Pages   string    // what large filters stand on: "huge", "small", "heap"
	SIMD    string    // the kernels that probe: "avx2", "portable"
	// PerfCounters says what hardware counters there are, such as
	// "unavailable (ENOENT)".
	PerfCounters string
}

// volatile are the keys that differ between two runs of one program on one
// machine with one seed.
var volatile = []string{"date", "load"}

// Volatile reports whether a configuration key differs from run to run even
// where everything that matters is the same: the date and the load average.
func Volatile(key string) bool { return slices.Contains(volatile, key) }

// Identity returns the lines that two runs must share to be halves of one:
// all but the volatile ones.
func Identity(config []ConfigLine) []ConfigLine {
	return slices.DeleteFunc(slices.Clone(config), func(c ConfigLine) bool { return Volatile(c.Key) })
}

// Collect describes the run, the program and the machine as the head of a
// results file. What cannot be found out is "unknown"; what the caller left
// empty is left out. It starts no program.
func Collect(run Run) []ConfigLine {
	var lines []ConfigLine
	add := func(key, value string) {
		if value != "" {
			lines = append(lines, ConfigLine{key, value})
		}
	}
	add("schema", SchemaVersion)
	add("profile", run.Profile)
	add("seed", strconv.FormatUint(run.Seed, 10))
	if !run.Start.IsZero() {
		add("date", run.Start.UTC().Format(time.RFC3339))
	}
	commit, dirty := revision()
	add("commit", commit)
	add("dirty", dirty)
	add("go", runtime.Version())
	add("goos", runtime.GOOS)
	add("goarch", runtime.GOARCH)
	add("goamd64", setting("GOAMD64"))
	add("cpu", orUnknown(cpuid.CPU.BrandName))
	add("cpu-id", fmt.Sprintf("%s family %d model %d stepping %d",
		cpuid.CPU.VendorID, cpuid.CPU.Family, cpuid.CPU.Model, cpuid.CPU.Stepping))
	add("cpus", strconv.Itoa(runtime.NumCPU()))
	add("kernel", orUnknown(readLine("/proc/sys/kernel/osrelease")))
	add("governor", orUnknown(readLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")))
	add("load", loadAverage())
	add("pages", run.Pages)
	add("simd", run.SIMD)
	add("perf-counters", run.PerfCounters)
	return lines
}

// revision returns what the build recorded of the commit and of changes that
// it lacks.
func revision() (commit, dirty string) {
	return orUnknown(setting("vcs.revision")), orUnknown(setting("vcs.modified"))
}

// setting returns a build setting, or "".
func setting(key string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// loadAverage returns the load of the last 1, 5 and 15 minutes.
func loadAverage() string {
	fields := strings.Fields(readLine("/proc/loadavg"))
	return orUnknown(strings.Join(fields[:min(3, len(fields))], " "))
}

// readLine returns a small file's first line in printable form, or "".
func readLine(path string) string {
	data, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return line
}

func orUnknown(s string) string {
	if s = strings.Join(strings.Fields(s), " "); s == "" {
		return "unknown"
	}
	return s
}
