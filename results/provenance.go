package results

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"

	"filterbench/filters/machine"
)

// Run is what the provenance cannot find out by itself. What is left empty is
// left out.
type Run struct {
	Profile string
	Seed    uint64
	Start   time.Time // when the run began
	Pages   string    // what large filters stand on: "huge", "small" or "heap"
	SIMD    string    // the kernels that answer: "avx2", "portable"
	// PerfCounters says what hardware counters there are, such as
	// "unavailable (ENOENT)".
	PerfCounters string
}

// Collect describes the run, the program and the machine as the head of a
// results file; SCHEMA.md lists the keys. Facts that this system does not tell
// are "unknown", or left out where they are numbers. It starts no program.
func Collect(run Run) []ConfigLine {
	build, _ := debug.ReadBuildInfo()
	return describe(run, build, machine.This(), cpuid.CPU.Cache.L1D, cpuid.CPU.Cache.L2, cpuid.CPU.Cache.L3)
}

// describe takes the sizes that cpuid itself gives besides those that m chose.
func describe(run Run, build *debug.BuildInfo, m machine.Info, cpuidSizes ...int) []ConfigLine {
	var h head
	h.add("schema", SchemaVersion)
	h.add("profile", run.Profile)
	h.add("seed", strconv.FormatUint(run.Seed, 10))
	if !run.Start.IsZero() {
		h.add("date", run.Start.UTC().Format(time.RFC3339))
	}
	h.addProgram(build)
	h.addMachine(m)
	h.addCaches(m, cpuidSizes)
	h.add("pages", run.Pages)
	h.add("simd", run.SIMD)
	h.add("perf-counters", run.PerfCounters)
	return h
}

type head []ConfigLine

// add leaves empty values out, and makes one clean line of any other.
func (h *head) add(key, value string) {
	value = strings.ToValidUTF8(value, "?")
	value = strings.Join(strings.FieldsFunc(value, isSpaceOrControl), " ")
	if value != "" {
		*h = append(*h, ConfigLine{key, value})
	}
}

// addNumber leaves 0 out: it stands for unknown.
func (h *head) addNumber(key string, n uint64) {
	if n > 0 {
		h.add(key, strconv.FormatUint(n, 10))
	}
}

func (h *head) addProgram(build *debug.BuildInfo) {
	setting := func(key string) string {
		if build != nil {
			for _, s := range build.Settings {
				if s.Key == key {
					return s.Value
				}
			}
		}
		return ""
	}
	h.add("commit", orUnknown(setting("vcs.revision")))
	h.add("dirty", orUnknown(setting("vcs.modified")))
	h.add("go", runtime.Version())
	h.add("goamd64", setting("GOAMD64"))
}

func (h *head) addMachine(m machine.Info) {
	h.add("goos", m.OS)
	h.add("goarch", m.Arch)
	h.add("cpu", orUnknown(m.Brand))
	if m.Vendor != "" {
		h.add("cpu-id", fmt.Sprintf("%s family %d model %d stepping %d", m.Vendor, m.Family, m.Model, m.Stepping))
	}
	h.add("cpu-features", orUnknown(strings.Join(m.Features, " ")))
	h.addNumber("cpu-max-mhz", m.MaxHz/1e6)
	h.addNumber("cpus", uint64(max(m.LogicalCPUs, 0)))
	h.add("vm", strconv.FormatBool(m.VM))
	h.addNumber("memory", m.MemTotal)
	h.add("kernel", orUnknown(m.Kernel))
	h.addNumber("page-size", uint64(max(m.PageSize, 0)))
	h.add("thp", orUnknown(m.THP))
	h.add("governor", orUnknown(m.Governor))
	h.add("load", m.Load)
}

func (h *head) addCaches(m machine.Info, cpuidSizes []int) {
	var sources, sizes []string
	for i, c := range []machine.Cache{m.L1d, m.L2, m.L3} {
		level := strings.ToLower(c.Name())
		if c.Known() && c.Size > 0 {
			h.addNumber("cache-"+level, c.Size)
			sources = append(sources, fmt.Sprintf("%s %s", level, c.Source))
		}
		if i < len(cpuidSizes) && cpuidSizes[i] > 0 {
			sizes = append(sizes, fmt.Sprintf("%s %d", level, cpuidSizes[i]))
		}
	}
	h.add("cache-source", orUnknown(strings.Join(sources, ", ")))
	h.add("cache-cpuid", orUnknown(strings.Join(sizes, ", ")))
	h.addNumber("cache-line", uint64(max(m.LineSize, 0)))
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// Volatile reports whether a configuration key may differ where everything
// that matters is the same: the date and the load average from run to run,
// "incomplete" from file to file.
func Volatile(key string) bool { return key == "date" || key == "load" || key == "incomplete" }

// Identity identifies a run to its [Journal]: the configuration without its
// volatile lines, further lines of the caller's (what was chosen to run), and
// a hash of the running program, since a commit does not tell one dirty build
// from another.
func Identity(config []ConfigLine, more ...ConfigLine) []ConfigLine {
	lines := slices.DeleteFunc(slices.Clone(config), func(c ConfigLine) bool { return Volatile(c.Key) })
	lines = append(lines, more...)
	return append(lines, ConfigLine{"program", programHash()})
}

// programHash is the start of the executable's SHA-256, or "unknown".
func programHash() string {
	path, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	file, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "unknown"
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
